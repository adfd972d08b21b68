//! What an import of Python means.

use super::resolve::{Resolver, above, bases};
use crate::sides::joined;

/// Folders of a project in which Python may look first.
const ROOTS: &[&str] = &["", "src", "lib", "python"];

/// The files of a module and of the packages around it; none for what is not the project's.
pub(crate) fn files(known: &Resolver<'_>, path: &str, module: &str) -> Vec<String> {
    let name = module.trim_start_matches('.');
    let parts: Vec<&str> = name.split('.').filter(|part| !part.is_empty()).collect();
    let dots = module.len() - name.len();
    if dots > 0 {
        let mut folder = above(path);
        for _ in 1..dots {
            folder = above(folder);
        }
        return below(known, folder, &parts);
    }
    let first = parts.first().copied().unwrap_or_default();
    if !known.is_name(first) && !known.is_name(&format!("{first}.py")) {
        return Vec::new();
    }
    let places = bases(path).flat_map(|base| ROOTS.iter().map(move |root| joined(base, root)));
    let mut found: Vec<String> = places.flat_map(|place| below(known, &place, &parts)).collect();
    if found.is_empty() && parts.len() > 1 {
        found.extend(anywhere(known, &parts));
    }
    found
}

/// The module in a folder: the packages on the way, and the last part that is a file. What follows it
/// is a name in it.
fn below(known: &Resolver<'_>, folder: &str, parts: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut place = folder.to_owned();
    let package = joined(&place, "__init__.py");
    if parts.is_empty() && known.has(&package) {
        found.push(package);
    }
    for part in parts {
        place = joined(&place, part);
        let files = [format!("{place}.py"), format!("{place}/__init__.py"), format!("{place}.pyi")];
        let before = found.len();
        found.extend(files.into_iter().filter(|file| known.has(file)));
        if found.len() == before && !known.has_folder(&place) {
            break;
        }
    }
    found
}

/// The module wherever it lies: Python may be configured to look there.
fn anywhere(known: &Resolver<'_>, parts: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for length in [parts.len(), parts.len() - 1] {
        let Some((last, folders)) = parts.get(..length).and_then(<[_]>::split_last) else {
            continue;
        };
        let place = joined(&folders.join("/"), &format!("{last}.py"));
        let all = known.called(&format!("{last}.py")).iter();
        let fits = all.filter(|path| length > 1 && path.ends_with(&format!("/{place}")));
        found.extend(fits.map(|path| (*path).to_owned()));
    }
    found
}
