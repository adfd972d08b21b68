//! Where a test of Java is written.

use crate::sides::{Address, Addresses};

/// The extensions of sources.
const EXTENSIONS: &[&str] = &["java", "kt", "groovy", "scala"];

/// `[module/]package.Class$Inner.method(Type)[1]`: the file has the name of the outer class, in the folder
/// of its package.
pub(super) fn address(id: &str, folder: &str, known: &Addresses<'_>) -> Option<Address> {
    // Names may have anything behind the method: parameters, a display name.
    let end = id.find(['(', '[', ' ', '{']).unwrap_or(id.len());
    let (plain, parameter) = id.split_at(end);
    let (module, plain) = plain.rsplit_once('/').unwrap_or(("", plain));
    let parts: Vec<&str> = plain.split('.').collect();
    // The class is the first part that has a file; a test may also be named like one.
    let found = (0..parts.len()).find_map(|at| {
        let class = parts.get(at)?.split('$').next()?;
        let file = file_of(parts.get(..at)?, class, module, folder, known)?;
        Some((at, file))
    });
    let parameter = (!parameter.is_empty()).then(|| parameter.trim().to_owned());
    let names = |from: usize| {
        let names = parts.iter().skip(from).flat_map(|part| part.split('$'));
        names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
    };
    match found {
        Some((at, file)) => Some(Address { file: Some(file), path: names(at), parameter }),
        None if parts.len() > 1 => {
            let path = names(parts.len().saturating_sub(2));
            Some(Address { file: None, path, parameter })
        }
        None => None,
    }
}

/// The file of a class; that of the module, then one of tests, where there are several.
fn file_of(
    package: &[&str],
    class: &str,
    module: &str,
    folder: &str,
    known: &Addresses<'_>,
) -> Option<String> {
    let place = package.join("/");
    let inside = match folder.trim_start_matches("./").trim_matches('/') {
        "" | "." => module.to_owned(),
        folder => format!("{folder}/{module}").trim_end_matches('/').to_owned(),
    };
    let below = if place.is_empty() { String::new() } else { format!("{place}/") };
    EXTENSIONS.iter().find_map(|extension| {
        let name = format!("{class}.{extension}");
        let end = format!("{below}{name}");
        let fits = |path: &&&str| **path == end || path.ends_with(&format!("/{end}"));
        let rank = |path: &&&str| {
            let near = path.starts_with(&format!("{inside}/")) || inside.is_empty();
            (!near, !path.contains("/test/") && !path.starts_with("test/"), path.len())
        };
        let found = known.named(&name).iter().filter(fits).min_by_key(rank);
        found.map(|path| (*path).to_owned())
    })
}
