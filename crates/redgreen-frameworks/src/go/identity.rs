//! Which test, and where its package is.

use std::path::{Path, PathBuf};

/// What the names of tests begin with.
const KINDS: &[&str] = &["Test", "Example", "Fuzz", "Benchmark"];

/// The id of a test: the package's import path, a dot, and the name as go writes it.
pub fn test_id(package: &str, test: &str) -> String {
    format!("{package}.{test}")
}

/// The functions that the ids are of, each once; ids of other frameworks have none.
pub fn wanted_tests(ids: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in ids.iter().filter_map(|id| function_of(id)) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The function in an id: the first part that can be one, as names of subtests may look like it too.
fn function_of(id: &str) -> Option<&str> {
    let begins = |at: &usize| {
        let rest = id.get(at + 1..).unwrap_or_default();
        KINDS.iter().any(|kind| rest.starts_with(kind))
    };
    let dot = id.match_indices('.').map(|(at, _)| at).find(begins)?;
    let name = id.get(dot + 1..)?.split('/').next()?;
    let plain = name.chars().all(|character| character == '_' || character.is_alphanumeric());
    plain.then_some(name)
}

/// The modules that go works on, and the folder it was started in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Modules {
    /// Where go was started: paths of the compiler begin there.
    pub folder: PathBuf,
    modules: Vec<(String, PathBuf)>,
}

impl Modules {
    /// The format for `go list -m` that [`Modules::new`] reads.
    pub const FORMAT: &'static str = "{{.Path}}\t{{.Dir}}";

    /// From what `go list -m` said.
    pub fn new(folder: &Path, listed: &str) -> Self {
        let modules = listed
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .filter(|(_, folder)| !folder.is_empty())
            .map(|(path, folder)| (path.to_owned(), PathBuf::from(folder)))
            .collect();
        Self { folder: folder.to_owned(), modules }
    }

    /// The folder of a package; the folder go was started in where it is in no known module.
    pub fn package_folder(&self, package: &str) -> PathBuf {
        let inside = |(path, folder): &(String, PathBuf)| {
            let rest = package.strip_prefix(path.as_str())?;
            let rest = if rest.is_empty() { rest } else { rest.strip_prefix('/')? };
            Some((path.len(), folder.join(rest)))
        };
        let found = self.modules.iter().filter_map(inside).max_by_key(|(length, _)| *length);
        found.map_or_else(|| self.folder.clone(), |(_, folder)| folder)
    }

    /// A path of the compiler, which is from the folder go was started in.
    pub fn compiled(&self, path: &str) -> String {
        self.folder.join(path).to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_in_ids() {
        let cases = [
            ("example.org/calc.TestAdd", Some("TestAdd")),
            ("example.org/calc.TestAdd/a.Test/b", Some("TestAdd")),
            ("calc.Example", Some("Example")),
            ("calc.ExampleAdd_twice", Some("ExampleAdd_twice")),
            ("m/v2.FuzzX/seed#0", Some("FuzzX")),
            ("m.TestGröße/x", Some("TestGröße")),
            ("example.org/calc", None),
            ("tests/test_a.py::TestX", None),
            ("src/lib.rs - a.Test (line 3)", None),
        ];
        for (id, wanted) in cases {
            assert_eq!(function_of(id), wanted, "{id}");
        }
    }

    #[test]
    fn a_package_is_in_the_innermost_module() {
        let modules = Modules::new(
            Path::new("/w/here"),
            "m.org/a\t/w/a\nm.org/a/inner\t/w/elsewhere\nm.org/ab\t/w/ab\nodd\t\n",
        );
        let cases = [
            ("m.org/a", "/w/a"),
            ("m.org/a/x/y", "/w/a/x/y"),
            ("m.org/a/inner/x", "/w/elsewhere/x"),
            ("m.org/ab/x", "/w/ab/x"),
            ("command-line-arguments", "/w/here"),
            ("odd", "/w/here"),
        ];
        for (package, folder) in cases {
            assert_eq!(modules.package_folder(package), Path::new(folder), "{package}");
        }
        assert_eq!(modules.compiled("../x.go"), "/w/here/../x.go");
    }
}
