//! Compiled files that came with a change and are loaded in the place of a source: git would keep them, and nobody does.

use std::collections::HashSet;

use redgreen_model::tree::{ChangeKind, FileChange};

/// Extensions of compiled files, and those of the sources that they are loaded in the place of.
const SHADOWS: [(&[&str], &[&str]); 3] = [
    (&["so", "pyd", "pyc", "pyo"], &["py"]),
    (&["js", "jsx", "mjs", "cjs"], &["ts", "tsx", "mts", "cts"]),
    (&["class"], &["java", "kt", "scala"]),
];
/// What Python loads without its source, wherever that is.
const BYTECODE: [&str; 2] = [".pyc", ".pyo"];
/// Where Python keeps the bytecode of sources that are there.
const CACHE: &str = "__pycache__/";

/// The paths of such files.
pub(super) fn look<'change>(changes: &'change [FileChange], paths: &[String]) -> Vec<&'change str> {
    let added = changes.iter().filter(|change| change.kind == ChangeKind::Added);
    let added: Vec<&str> = added.map(|change| change.path.as_str()).collect();
    if added.is_empty() {
        return Vec::new();
    }
    let there: HashSet<&str> = paths.iter().map(String::as_str).collect();
    let is_shadow = |path: &&str| {
        let is_bytecode = BYTECODE.iter().any(|end| path.ends_with(end)) && !path.contains(CACHE);
        is_bytecode || has_source(path, &there)
    };
    added.into_iter().filter(is_shadow).collect()
}

/// Whether a file lies beside the source that it has its name from: `slug.cpython-312-x86_64-linux-gnu.so` beside `slug.py`.
fn has_source(path: &str, there: &HashSet<&str>) -> bool {
    let Some((rest, extension)) = path.rsplit_once('.') else { return false };
    let (folder, name) = rest.rsplit_once('/').map_or(("", rest), |(folder, name)| (folder, name));
    let short = name.split('.').next().unwrap_or(name);
    let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let sources = SHADOWS.iter().filter(|(compiled, _)| compiled.contains(&extension));
    let mut sources = sources.flat_map(|(_, sources)| sources.iter());
    sources.any(|source| {
        [name, short].iter().any(|name| there.contains(format!("{folder}{name}.{source}").as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use redgreen_model::tree::FileRole;

    #[test]
    fn what_lies_beside_its_source_is_a_shadow() {
        let added = |path: &str| FileChange {
            path: path.to_owned(),
            kind: ChangeKind::Added,
            role: FileRole::Code,
            added: 0,
            removed: 0,
            hunks: Vec::new(),
        };
        let changes = [
            "lib/slug.pyc",
            "lib/slug.cpython-312-x86_64-linux-gnu.so",
            "src/slug.js",
            "lib/__pycache__/slug.cpython-312.pyc",
            "src/other.js",
            "lib/native.so",
            "lib/new.py",
        ]
        .map(added);
        let paths = ["lib/slug.py", "src/slug.ts", "src/slug.js"].map(str::to_owned);
        let wanted = ["lib/slug.pyc", "lib/slug.cpython-312-x86_64-linux-gnu.so", "src/slug.js"];
        assert_eq!(look(&changes, &paths), wanted);
    }
}
