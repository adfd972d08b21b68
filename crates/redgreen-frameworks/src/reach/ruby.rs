//! What a `require` of Ruby means.

use super::resolve::{Resolver, above, bases};
use crate::sides::joined;

/// Folders of a project in which Ruby may look first.
const ROOTS: &[&str] = &["", "lib", "spec", "app"];

/// The files of a feature, from the source's own folder or from where Ruby looks; none for what is not the
/// project's.
pub(crate) fn files(known: &Resolver<'_>, path: &str, feature: &str) -> Vec<String> {
    let feature = feature.strip_suffix(".rb").unwrap_or(feature);
    let roots = bases(path).flat_map(|base| ROOTS.iter().map(move |root| joined(base, root)));
    let places = [above(path).to_owned()].into_iter().chain(roots);
    let files = places.map(|place| joined(&place, &format!("{feature}.rb")));
    files.filter(|file| known.has(file)).collect()
}
