//! Which test, and where its package is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Places where a module's path is the place, an owner and a name.
const HOSTS: &[&str] = &["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"];
const REPOSITORY_PARTS: usize = 3;
/// What the names of tests begin with.
const KINDS: &[&str] = &["Test", "Example", "Fuzz", "Benchmark"];

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
pub(super) fn function_of(id: &str) -> Option<&str> {
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
    folder: PathBuf,
    /// What goes before ids of packages that are in no module.
    prefix: String,
    modules: Vec<Module>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Module {
    path: String,
    folder: PathBuf,
    /// What goes before ids.
    prefix: String,
}

impl Modules {
    /// The format for `go list -m` that [`Modules::new`] reads.
    pub const FORMAT: &'static str = "{{.Path}}\t{{.Dir}}";

    /// From the folder that go was started in, the folder of the check, and what `go list -m` said.
    pub fn new(folder: &Path, check: &Path, listed: &str) -> Self {
        let module = |line: &str| {
            let (path, folder) = line.split_once('\t').filter(|(_, folder)| !folder.is_empty())?;
            let folder = PathBuf::from(folder);
            let prefix = prefix(path, &folder, check);
            Some(Module { path: path.to_owned(), folder, prefix })
        };
        Self {
            folder: folder.to_owned(),
            prefix: prefix("", folder, check),
            modules: listed.lines().filter_map(module).collect(),
        }
    }

    /// For a file of events: the module is the package that all others are in, or by the rules of the
    /// places where most modules are; and its folder is this one.
    pub fn guessed(folder: &Path, events: &[u8]) -> Self {
        let listed = guessed_module(&packages(events))
            .map(|path| format!("{path}\t{}\n", folder.to_string_lossy()));
        Self::new(folder, folder, &listed.unwrap_or_default())
    }

    /// The id of a test: the package's import path, a dot, and the name as go writes it. A module
    /// whose path does not say where it is has its folder in front: another may have the same path.
    pub fn test_id(&self, package: &str, test: &str) -> String {
        let prefix = self.module(package).map_or(&self.prefix, |(module, _)| &module.prefix);
        format!("{prefix}{package}.{test}")
    }

    /// The folder of a package; the folder go was started in where it is in no known module.
    pub fn package_folder(&self, package: &str) -> PathBuf {
        let found = self.module(package);
        found.map_or_else(|| self.folder.clone(), |(module, rest)| module.folder.join(rest))
    }

    /// The innermost module of a package, and the package's path in it.
    fn module<'call>(&'call self, package: &'call str) -> Option<(&'call Module, &'call str)> {
        let inside = |module: &'call Module| {
            let rest = package.strip_prefix(module.path.as_str())?;
            let rest = if rest.is_empty() { rest } else { rest.strip_prefix('/')? };
            Some((module, rest))
        };
        self.modules.iter().filter_map(inside).max_by_key(|(module, _)| module.path.len())
    }

    /// A path of the compiler, which is from the folder go was started in.
    pub fn compiled(&self, path: &str) -> String {
        self.folder.join(path).to_string_lossy().into_owned()
    }
}

/// The packages that are named in events.
fn packages(events: &[u8]) -> BTreeSet<&str> {
    let name = |line: &[u8]| -> Option<(usize, usize)> {
        let mark = b"\"Package\":\"";
        let start = line.windows(mark.len()).position(|window| window == mark)? + mark.len();
        let length = line.get(start..)?.iter().position(|byte| *byte == b'"')?;
        Some((start, start + length))
    };
    events
        .split(|byte| *byte == b'\n')
        .filter_map(|line| {
            let (start, end) = name(line)?;
            std::str::from_utf8(line.get(start..end)?).ok()
        })
        .collect()
}

fn guessed_module(packages: &BTreeSet<&str>) -> Option<String> {
    let first = packages.first()?;
    let holds_all = packages.iter().all(|package| {
        package.strip_prefix(first).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    if holds_all {
        return Some((*first).to_owned());
    }
    let parts: Vec<&str> = first.split('/').take(REPOSITORY_PARTS).collect();
    let known = parts.first().is_some_and(|host| HOSTS.contains(host));
    (known && parts.len() == REPOSITORY_PARTS).then(|| parts.join("/"))
}

/// The folder from the check's, where the module's path does not end with it.
fn prefix(path: &str, folder: &Path, check: &Path) -> String {
    let Some(inside) = folder.strip_prefix(check).ok().and_then(Path::to_str) else {
        return String::new();
    };
    let version =
        |end: &str| end.strip_prefix('v').is_some_and(|number| number.parse::<u32>().is_ok());
    let unversioned = match path.rsplit_once('/') {
        Some((path, end)) if version(end) => path,
        _ => path,
    };
    let says_it = |path: &str| path == inside || path.ends_with(&format!("/{inside}"));
    let plain = inside.is_empty() || says_it(path) || says_it(unversioned);
    if plain { String::new() } else { format!("{inside}:") }
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
            Path::new("/w"),
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

    #[test]
    fn a_file_of_events_has_the_module_of_its_packages() {
        let folder = |packages: &[&str], asked: &str| {
            let line =
                |package: &&str| format!("{{\"Action\":\"start\",\"Package\":\"{package}\"}}\n");
            let events: String = packages.iter().map(line).collect();
            let modules = Modules::guessed(Path::new("/w"), events.as_bytes());
            modules.package_folder(asked).to_string_lossy().into_owned()
        };
        assert_eq!(folder(&["m.org/a/b", "m.org/a"], "m.org/a/b"), "/w/b");
        assert_eq!(folder(&["github.com/o/r/x", "github.com/o/r/y/z"], "github.com/o/r/x"), "/w/x");
        assert_eq!(folder(&["m.org/a/b", "m.org/a/c"], "m.org/a/b"), "/w", "not known");
        assert_eq!(folder(&[], "m.org"), "/w");
    }

    #[test]
    fn two_modules_of_one_path_have_different_ids() {
        let id = |path: &str, folder: &str| {
            let listed = format!("{path}\t{folder}\n");
            let modules = Modules::new(Path::new(folder), Path::new("/w"), &listed);
            modules.test_id(&format!("{path}/x"), "TestA")
        };
        let cases = [
            ("m.org/app", "/w", "m.org/app/x.TestA"),
            ("app", "/w/one", "one:app/x.TestA"),
            ("app", "/w/two", "two:app/x.TestA"),
            ("m.org/repo/one", "/w/one", "m.org/repo/one/x.TestA"),
            ("m.org/repo/one/v2", "/w/one", "m.org/repo/one/v2/x.TestA"),
            ("m.org/b", "/w/a/b", "a/b:m.org/b/x.TestA"),
            ("m.org/b", "/elsewhere/b", "m.org/b/x.TestA"),
        ];
        for (path, folder, wanted) in cases {
            assert_eq!(id(path, folder), wanted, "{path} in {folder}");
        }
        let alone = Modules::new(Path::new("/w/tool"), Path::new("/w"), "");
        let id = alone.test_id("command-line-arguments", "TestA");
        assert_eq!(id, "tool:command-line-arguments.TestA");
        assert_eq!(function_of(&id), Some("TestA"));
    }
}
