//! What can still be run where one of several test binaries does not build. cargo then runs none of them, and
//! in a corner an old test of something that was removed would take all others with it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::arguments::{CargoTestCall, TestCommand};

/// Options that choose packages; those that end with a space take their value as the next word.
const PACKAGES: &[&str] = &["--workspace", "--all", "-p ", "--package ", "--exclude "];
/// Options that choose among the targets of packages.
const TARGETS: &[&str] = &[
    "--lib",
    "--bin",
    "--bins",
    "--test",
    "--tests",
    "--example",
    "--examples",
    "--bench",
    "--benches",
    "--all-targets",
    "--doc",
];

/// What stands in the id of a package that lies in a folder here.
const OWN_PACKAGE: &str = "path+file:";

/// Something that cargo has built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// The id of its package.
    package: String,
    /// What chooses it, of the tests alone: `--lib`, `--test name`; none for what is no test binary.
    chosen_by: Option<Vec<String>>,
    /// Whether it is a library, which may have tests in its documentation.
    is_library: bool,
    /// The files that were made; none of a package that others wrote.
    pub files: Vec<String>,
}

impl Artifact {
    /// Reads cargo's message.
    pub(super) fn of(message: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let target = &message["target"];
        let (name, kind) = (text(&target["name"])?, text(&target["kind"][0])?);
        let is_test = message["profile"]["test"] == true && message["executable"].is_string();
        let chosen_by = match kind.as_str() {
            "bin" | "test" | "example" | "bench" => vec![format!("--{kind}"), name],
            _ => vec!["--lib".to_owned()],
        };
        let is_library = kind == "lib" && message["profile"]["test"] == false;
        let chosen_by = is_test.then_some(chosen_by);
        let package = text(&message["package_id"])?;
        let files = message["filenames"].as_array().filter(|_| package.contains(OWN_PACKAGE));
        let files = files.into_iter().flatten().filter_map(text).collect();
        Some(Self { package, chosen_by, is_library, files })
    }
}

/// What was built, and where something was not.
#[derive(Clone, Debug, Default)]
pub struct Rest {
    /// What was built.
    pub built: Vec<Artifact>,
    /// The packages in which the compiler found an error.
    pub broken: BTreeSet<String>,
}

impl Rest {
    /// The calls that run what was built, in place of one that ran nothing.
    pub fn calls(&self, call: &CargoTestCall) -> Vec<CargoTestCall> {
        let own: Vec<&str> = call.own().collect();
        let chooses = |word: &&str| TARGETS.contains(&word.split('=').next().unwrap_or(word));
        if call.command != TestCommand::Test || own.iter().any(chooses) {
            return Vec::new();
        }
        let of_all = own.iter().any(|word| matches!(*word, "--workspace" | "--all"));
        let others = self.built.iter().any(|it| it.chosen_by.is_some() && !self.is_broken(it));
        let mut calls = Vec::new();
        if of_all && others {
            let excluded = self.broken.iter().flat_map(|package| ["--exclude", package.as_str()]);
            calls.push(call.with_own(own.iter().copied().chain(excluded)));
        }
        let plain = without_packages(&own);
        for package in &self.broken {
            let here = || self.built.iter().filter(|it| it.package == *package);
            let targets: Vec<&str> = here()
                .filter_map(|it| it.chosen_by.as_ref())
                .flatten()
                .map(String::as_str)
                .collect();
            let doctests = here().any(|it| it.is_library).then_some(vec!["--doc"]);
            let chosen = (!targets.is_empty()).then_some(targets);
            for targets in chosen.into_iter().chain(doctests) {
                let words = plain.iter().copied().chain(["-p", package]).chain(targets);
                calls.push(call.with_own(words));
            }
        }
        calls
    }

    fn is_broken(&self, artifact: &Artifact) -> bool {
        self.broken.contains(&artifact.package)
    }
}

fn without_packages<'own>(own: &[&'own str]) -> Vec<&'own str> {
    let mut kept = Vec::new();
    let mut words = own.iter().copied();
    while let Some(word) = words.next() {
        let has_value = |option: &&str| option.strip_suffix(' ') == Some(word);
        let is_whole = |option: &&str| {
            let joined = option.strip_suffix(' ').and_then(|name| word.strip_prefix(name));
            **option == *word || joined.is_some_and(|rest| rest.starts_with('='))
        };
        if PACKAGES.iter().any(has_value) {
            words.next();
        } else if !PACKAGES.iter().any(is_whole) {
            kept.push(word);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn built(package: &str, kind: &str, name: &str, test: bool) -> Artifact {
        let executable = test.then_some("/t/x");
        Artifact::of(&json!({
            "package_id": package, "target": {"kind": [kind], "name": name},
            "profile": {"test": test}, "executable": executable,
        }))
        .unwrap()
    }

    fn calls(given: &str) -> Vec<String> {
        let rest = Rest {
            built: vec![
                built("dep#1", "lib", "dep", false),
                built("a#1", "lib", "a", false),
                built("a#1", "lib", "a", true),
                built("a#1", "test", "fine", true),
                built("a#1", "bin", "tool", false),
                built("b#1", "test", "it", true),
            ],
            broken: BTreeSet::from(["a#1".to_owned(), "c#1".to_owned()]),
        };
        let words: Vec<String> = given.split_whitespace().map(str::to_owned).collect();
        let call = CargoTestCall::parse(&words).unwrap();
        rest.calls(&call).iter().map(|call| call.amended(&[], true).join(" ")).collect()
    }

    #[test]
    fn what_was_built_is_run_and_what_was_not_is_left_out() {
        let nff = "--no-fail-fast";
        assert_eq!(
            calls("test -q -- x"),
            [
                format!("test -q -p a#1 --lib --test fine {nff} -- x"),
                format!("test -q -p a#1 --doc {nff} -- x"),
            ]
        );
        assert_eq!(
            calls("test --workspace --exclude z --locked"),
            [
                format!("test --workspace --exclude z --locked --exclude a#1 --exclude c#1 {nff}"),
                format!("test --locked -p a#1 --lib --test fine {nff}"),
                format!("test --locked -p a#1 --doc {nff}"),
            ]
        );
        assert_eq!(calls("test -p a --package=b"), calls("test"));
    }

    #[test]
    fn what_the_user_has_chosen_is_not_chosen_anew() {
        for given in ["test --lib", "test --test it", "test --bin=tool", "nextest run"] {
            assert_eq!(calls(given), [""; 0], "{given}");
        }
    }
}
