//! Files that are built together: packages of Go, crates, modules of Java, packages of a workspace.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use toml::Table;

use super::resolve::{above, bases};
use super::scan::{Kind, kind_of, scan};
use crate::adapter::ProjectFiles;
use crate::roles::{extension, name_of, split};
use crate::sides::joined;

/// The most manifests that are looked into.
const MANIFESTS_MAX: usize = 1_000;

/// Files that are reached together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unit {
    /// The sources of a package of Go, with its tests or without.
    Package { folder: String, tests: bool },
    /// All that lies below a folder.
    Below(String),
}

/// The units of a project, by its manifests.
#[derive(Debug, Default)]
pub(crate) struct Units {
    /// Folders of packages of npm by their names.
    packages: BTreeMap<String, String>,
    /// Modules of Go and their folders.
    modules: Vec<(String, String)>,
    /// Folders of crates, and those that they depend on.
    crates: BTreeMap<String, BTreeSet<String>>,
    /// Folders of modules of Maven and Gradle.
    builds: BTreeSet<String>,
}

/// Whether a file says how a whole project is built or what it needs: it reaches all of it.
pub(crate) fn is_manifest(path: &str) -> bool {
    let (folders, name) = split(path);
    crate::roles::is_lock_file(path)
        || matches!(
            name,
            "package.json"
                | "pyproject.toml"
                | "setup.py"
                | "setup.cfg"
                | "tox.ini"
                | "Pipfile"
                | "Cargo.toml"
                | "build.rs"
                | "go.mod"
                | "go.work"
                | "pom.xml"
                | "Makefile"
                | "CMakeLists.txt"
                | ".env"
                | "redgreen.toml"
        )
        || name.contains(".config.")
        || name.starts_with("tsconfig")
        || name.ends_with(".gradle")
        || name.ends_with(".gradle.kts")
        || name.ends_with(".properties")
        || (name.ends_with(".txt") && name.contains("requirements"))
        || (name.starts_with('.') && name.contains("rc"))
        || folders.contains(&".cargo")
}

/// Whether a new source does something though nothing names it: Go runs `init` and the values of variables, and a
/// method changes what a type can do.
pub(crate) fn acts_alone(path: &str, text: &str) -> bool {
    match kind_of(path) {
        Some(Kind::Go) => go_acts_alone(text),
        Some(Kind::Rust) => false,
        Some(Kind::Java) => {
            !matches!(extension(path), "java" | "kt") || split(path).1.contains("-info.")
        }
        _ => true,
    }
}

fn go_acts_alone(text: &str) -> bool {
    let code = scan(Kind::Go, text).code;
    let own: BTreeSet<&str> = code
        .lines()
        .filter_map(|line| line.trim_start().trim_start_matches("type ").split([' ', '[']).next())
        .collect();
    let receiver = |line: &str| -> Option<String> {
        let inside = line.strip_prefix("func (")?.split([')', '[']).next()?;
        Some(inside.rsplit([' ', '*']).next()?.to_owned())
    };
    let foreign = |line: &str| receiver(line).is_some_and(|name| !own.contains(name.as_str()));
    // As gofmt writes it, what belongs to a group is indented.
    let mut in_variables = false;
    let acts = |line: &str| {
        in_variables = line.starts_with("var") || (in_variables && line.starts_with('\t'));
        let value = line.split_once('=').map_or("", |(_, value)| value);
        let value = value.replace("errors.New(", "").replace("regexp.MustCompile(", "");
        (in_variables && value.contains('('))
            || line.starts_with("func init(")
            || line.starts_with("func TestMain(")
            || line.trim_start().trim_start_matches("import ").starts_with("_ \"")
            || foreign(line)
    };
    text.contains("import \"C\"") || code.lines().any(acts)
}

impl Units {
    pub(crate) fn of(files: &dyn ProjectFiles) -> Self {
        let named = |names: &[&str]| -> Vec<&str> {
            let all = files.paths().iter().map(String::as_str);
            let named = all.filter(|path| names.contains(&name_of(path)));
            let own = named.filter(|path| !path.contains("node_modules/"));
            own.take(MANIFESTS_MAX).collect()
        };
        let read = |paths: &[&str]| -> Vec<(String, String)> {
            let texts = files.read_all(paths).into_iter().map(Option::unwrap_or_default);
            paths.iter().map(|path| above(path).to_owned()).zip(texts).collect()
        };
        let mut units = Self::default();
        for (folder, text) in read(&named(&["package.json"])) {
            let manifest = serde_json::from_str::<Value>(&text).unwrap_or_default();
            if let Some(name) = manifest["name"].as_str() {
                units.packages.insert(name.to_owned(), folder);
            }
        }
        for (folder, text) in read(&named(&["go.mod"])) {
            let module = text.lines().find_map(|line| line.trim().strip_prefix("module "));
            let module =
                module.map(|it| it.split("//").next().unwrap_or(it).trim().trim_matches('"'));
            units.modules.extend(module.map(|module| (module.to_owned(), folder)));
        }
        units.crates = crates(&read(&named(&["Cargo.toml"])));
        let builds = named(&["pom.xml", "build.gradle", "build.gradle.kts"]);
        units.builds = builds.iter().map(|path| above(path).to_owned()).collect();
        units
    }

    /// The folder of a package of the workspace.
    pub(crate) fn package(&self, name: &str) -> Option<&str> {
        self.packages.get(name).map(String::as_str)
    }

    /// The package of a file of Go, and those that it imports.
    pub(crate) fn of_go(&self, path: &str, imports: &[String]) -> Vec<Unit> {
        let own =
            Unit::Package { folder: above(path).to_owned(), tests: path.ends_with("_test.go") };
        let mut units = vec![own];
        for import in imports {
            for (module, folder) in &self.modules {
                let inside = import.strip_prefix(module.as_str());
                let inside = inside.filter(|it| it.is_empty() || it.starts_with('/'));
                let inside = inside.map(|inside| joined(folder, inside));
                units.extend(inside.map(|folder| Unit::Package { folder, tests: false }));
            }
        }
        units
    }

    /// The crate of a file, and those that it depends on. Tests, examples and benchmarks see the crate and
    /// what lies beside them.
    pub(crate) fn of_rust(&self, path: &str) -> Vec<Unit> {
        let Some(own) = bases(path).find(|base| self.crates.contains_key(*base)) else {
            return vec![Unit::Below(above(path).to_owned())];
        };
        let source = |folder: &str| Unit::Below(joined(folder, "src"));
        let mut units = vec![source(own)];
        units.extend(self.crates.get(own).into_iter().flatten().map(|folder| source(folder)));
        let inside = path.strip_prefix(own).unwrap_or(path).trim_start_matches('/');
        let place =
            inside.split('/').next().filter(|first| *first != "src" && inside.contains('/'));
        units.extend(place.map(|first| Unit::Below(joined(own, first))));
        units
    }

    /// The module of a file: its code, and for tests what lies beside them.
    pub(crate) fn of_java(&self, path: &str) -> Vec<Unit> {
        let Some(own) = bases(path).find(|base| self.builds.contains(*base)) else {
            return vec![Unit::Below(above(path).to_owned())];
        };
        let inside = path.strip_prefix(own).unwrap_or(path).trim_start_matches('/');
        let mut units = vec![Unit::Below(joined(own, "src/main"))];
        match inside.split('/').collect::<Vec<_>>().as_slice() {
            ["src", "main", ..] => {}
            ["src", set, ..] => units.push(Unit::Below(joined(own, &format!("src/{set}")))),
            _ => units.push(Unit::Below(above(path).to_owned())),
        }
        units
    }
}

/// The folders of crates, each with those of the crates of the project that it names.
fn crates(manifests: &[(String, String)]) -> BTreeMap<String, BTreeSet<String>> {
    let read: Vec<(&String, Table)> = manifests
        .iter()
        .filter_map(|(folder, text)| Some((folder, text.parse::<Table>().ok()?)))
        .filter(|(_, manifest)| manifest.contains_key("package"))
        .collect();
    let name = |manifest: &Table| {
        manifest.get("package").and_then(|own| own.get("name")?.as_str()).map(str::to_owned)
    };
    let by_name: BTreeMap<String, &String> =
        read.iter().filter_map(|(folder, manifest)| Some((name(manifest)?, *folder))).collect();
    let needed = |manifest: &Table| -> BTreeSet<String> {
        let keys = ["dependencies", "dev-dependencies", "build-dependencies"];
        let tables = keys.iter().filter_map(|key| manifest.get(*key)?.as_table());
        let names = tables.flat_map(Table::keys);
        names.filter_map(|name| by_name.get(name)).map(|folder| (*folder).clone()).collect()
    };
    read.iter().map(|(folder, manifest)| ((*folder).clone(), needed(manifest))).collect()
}
