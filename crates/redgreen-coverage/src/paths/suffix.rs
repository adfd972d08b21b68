//! Which file of the tree a path from elsewhere ends in.

use super::Place;

/// The folders where dependencies are installed: what lies below one is a file of the tree only if that one is in it, too.
const DEPENDENCIES: &[&str] = &["node_modules", "site-packages", "dist-packages", "vendor"];

/// How well a file fits a path: the greater, the better.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// How many names at their ends are the same.
    common: usize,
    /// Whether that is all of the file's path.
    whole: bool,
    /// How many of the names before that both have: a module's, for example.
    shared: usize,
    /// How many of the report's own folders the file is in.
    near: usize,
}

/// The file that fits best; several where no one does. `near` is where the report lies.
pub(super) fn longest<'run>(
    paths: &[Vec<String>],
    files: &[&'run str],
    near: &[String],
) -> Place<'run> {
    let fits = paths.iter().flat_map(|path| {
        files
            .iter()
            .filter_map(move |file| fit(path, file, near).map(|(fit, before)| (fit, *file, before)))
    });
    let mut fits: Vec<(Fit, &str, &[String])> = fits.collect();
    fits.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(other.1)));
    fits.dedup_by_key(|(_, file, _)| *file);
    let Some((best, file, before)) = fits.first() else { return Place::Nowhere };
    let equals = fits.iter().take_while(|(fit, _, _)| fit == best).map(|(_, file, _)| *file);
    let equals: Vec<&str> = equals.collect();
    if equals.len() > 1 { Place::Several(equals) } else { Place::Likely(file, before.to_vec()) }
}

fn fit<'path>(
    path: &'path [String],
    file: &str,
    near: &[String],
) -> Option<(Fit, &'path [String])> {
    let parts: Vec<&str> = file.split('/').collect();
    let ends = path.iter().rev().zip(parts.iter().rev());
    let common = ends.take_while(|(one, other)| one == *other).count();
    let before = path.get(..path.len() - common)?;
    let folders = parts.get(..parts.len() - common)?;
    // Another folder here and there, and nothing in common but a name such as `index.js`.
    let only_named_alike = common == 1 && !before.is_empty() && !folders.is_empty();
    let is_foreign =
        |name: &String| DEPENDENCIES.contains(&name.as_str()) && !folders.contains(&name.as_str());
    if common == 0 || only_named_alike || before.iter().any(is_foreign) {
        return None;
    }
    let shared = before.iter().filter(|name| folders.contains(&name.as_str())).count();
    let near = near.iter().zip(&parts).take_while(|(one, other)| one == *other).count();
    Some((Fit { common, whole: folders.is_empty(), shared, near }, before))
}
