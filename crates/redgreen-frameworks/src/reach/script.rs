//! What an import of JavaScript means.

use super::resolve::{Edges, Resolver, above, bases};
use super::units::Unit;
use crate::node::EXTENSIONS;
use crate::sides::joined;

/// Adds what a module means: a file, a package of the workspace, or something by an alias.
pub(crate) fn follow(known: &Resolver<'_>, path: &str, module: &str, edges: &mut Edges) {
    let module = module.split(['?', '#']).next().filter(|it| !it.is_empty()).unwrap_or(module);
    if module.starts_with('.') {
        edges.files.extend(file(known, &joined(above(path), module)));
        return;
    }
    let scoped = module.starts_with('@') && !module.starts_with("@/");
    let words = module.splitn(if scoped { 3 } else { 2 }, '/').collect::<Vec<_>>();
    let (name, inside) = match (scoped, words.as_slice()) {
        (true, [scope, name, inside]) => (format!("{scope}/{name}"), Some(*inside)),
        (true, [scope, name]) => (format!("{scope}/{name}"), None),
        (_, [name, inside]) => ((*name).to_owned(), Some(*inside)),
        _ => (module.to_owned(), None),
    };
    if let Some(folder) = known.units().package(&name) {
        let file = inside.and_then(|inside| file(known, &joined(folder, inside)));
        match file {
            Some(file) => drop(edges.files.insert(file)),
            // Which of its files it begins with may be the product of a build.
            None => edges.units.push(Unit::Below(folder.to_owned())),
        }
        return;
    }
    let alias = ["@/", "~/", "#/", "$lib/"].iter().find_map(|mark| module.strip_prefix(mark));
    let rest = alias.unwrap_or(module);
    let places = bases(path).flat_map(|base| [joined(base, "src"), base.to_owned()]);
    let found = places.filter_map(|place| file(known, &joined(&place, rest))).next();
    edges.any_module |= alias.is_some() && found.is_none();
    edges.files.extend(found.filter(|_| alias.is_some() || module.contains('/')));
}

/// The file that a path means: with its extension left out, another one than it has, or a folder.
fn file(known: &Resolver<'_>, path: &str) -> Option<String> {
    let stem = path.rsplit_once('.').filter(|(_, end)| EXTENSIONS.contains(end));
    let stems = [Some(path), stem.map(|(stem, _)| stem)].into_iter().flatten();
    let ends = stems.flat_map(|stem| EXTENSIONS.iter().map(move |end| format!("{stem}.{end}")));
    let inside = EXTENSIONS.iter().map(|end| format!("{path}/index.{end}"));
    let plain = [path.to_owned(), format!("{path}.json"), format!("{path}.vue")];
    plain.into_iter().chain(ends).chain(inside).find(|path| known.has(path))
}
