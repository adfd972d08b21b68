//! Ids of tests that are unique over all binaries of a workspace, and the same in every run.

use std::path::Path;

/// One test binary: which package it belongs to, and which file it is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinaryIdentity {
    /// What stands before a test's name: `package::` or `package/tests/it.rs::`.
    prefix: String,
    /// The file of an integration test, from the root of the workspace as the compiler says.
    pub test_file: Option<String>,
}

impl BinaryIdentity {
    /// Tells a binary from the package's name and folder, the binary's path, and the dependency file
    /// that the compiler wrote beside it, whose first source is the binary's root.
    pub fn new(
        package: &str,
        folder: &Path,
        workspace: &Path,
        binary: &Path,
        dependencies: &str,
    ) -> Self {
        let stem =
            binary.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let stem = stem.rsplit_once('-').map_or(stem.as_str(), |(stem, _)| stem).to_owned();
        let root = root_source(dependencies);
        let in_package = root.as_ref().and_then(|root| {
            let absolute = workspace.join(root);
            let inside = absolute.strip_prefix(folder).ok()?;
            Some(inside.to_string_lossy().into_owned())
        });
        let is_library = in_package.as_deref() == Some("src/lib.rs");
        let prefix = match &in_package {
            Some(_) if is_library => format!("{package}::"),
            Some(path) => format!("{package}/{path}::"),
            None => format!("{package}/{stem}::"),
        };
        let integration = in_package.is_some_and(|path| path.starts_with("tests/"));
        Self { prefix, test_file: root.filter(|_| integration) }
    }

    /// The id of a test in this binary.
    pub fn id(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// The names of those ids that are in this binary.
    pub fn names<'ids>(&self, ids: impl IntoIterator<Item = &'ids str>) -> Vec<String> {
        let names = ids.into_iter().filter_map(|id| id.strip_prefix(&self.prefix));
        names.map(str::to_owned).collect()
    }
}

/// What stands before a doctest's name.
pub fn doctest_prefix(package: &str) -> String {
    format!("{package}/doc::")
}

/// The first source of a dependency file (`TARGET: SOURCE SOURCE…`, spaces escaped).
fn root_source(dependencies: &str) -> Option<String> {
    let line = dependencies.lines().find(|line| line.contains(": "))?;
    let (_, sources) = line.split_once(": ")?;
    let mut root = String::new();
    let mut rest = sources.chars();
    while let Some(character) = rest.next() {
        match character {
            '\\' => root.extend(rest.next()),
            ' ' => break,
            _ => root.push(character),
        }
    }
    (!root.is_empty()).then_some(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_tell_binaries_apart() {
        let workspace = Path::new("/w s");
        let cases = [
            (
                "a",
                "/w s/crates/a",
                "/t/deps/a-0123",
                "/t/deps/a-0123: crates/a/src/lib.rs crates/a/src/x.rs\n",
                "a::t",
                None,
            ),
            (
                "a",
                "/w s/crates/a",
                "/t/deps/a-4567",
                "/t/deps/a-4567: crates/a/src/main.rs\n",
                "a/src/main.rs::t",
                None,
            ),
            (
                "a",
                "/w s/crates/a",
                "/t/deps/it-89ab",
                "/t/deps/it-89ab: crates/a/tests/it.rs\n",
                "a/tests/it.rs::t",
                Some("crates/a/tests/it.rs"),
            ),
            (
                "a",
                "/w s/crates/a",
                "/t/deps/b-1",
                "x: crates/a/odd\\ name.rs y\n",
                "a/odd name.rs::t",
                None,
            ),
            ("a", "/w s/crates/a", "/t/deps/some-name-1", "", "a/some-name::t", None),
        ];
        for (package, folder, binary, dependencies, id, file) in cases {
            let identity = BinaryIdentity::new(
                package,
                Path::new(folder),
                workspace,
                Path::new(binary),
                dependencies,
            );
            assert_eq!(identity.id("t"), id);
            assert_eq!(identity.test_file.as_deref(), file);
            assert_eq!(identity.names([id, "other::t"]), ["t"]);
        }
    }
}
