//! What of a Cargo project judges.

use std::collections::BTreeSet;
use std::sync::Arc;

use toml::Table;

use crate::adapter::ProjectFiles;
use crate::roles::{name_of, split};
use crate::sides::splice::{Judges, spliced, toml as tables};
use crate::sides::{Mixture, Rule, SideRequest, joined};

/// The most sources that are looked into for modules of tests.
const SOURCES: usize = 5_000;

/// The rules for a check that runs cargo.
pub(super) fn rules(request: &SideRequest<'_>) -> Vec<Rule> {
    // A project that redgreen does not know has no word of cargo in its rules, either.
    let cargo = request.baseline.paths().iter().any(|path| name_of(path) == "Cargo.toml");
    let named = |what: &str| {
        let whose = if cargo { "cargo" } else { "the folder's name" };
        format!("{whose}: {what}")
    };
    let mut rules = vec![
        Rule::tests("**/.cargo/{config,config.toml}", "cargo: its configuration"),
        Rule::tests("**/.config/nextest.toml", "nextest: its configuration"),
        Rule::tests("**/{insta.yaml,.insta.yaml}", "insta: its configuration"),
        Rule::tests("**/tarpaulin.toml", "tarpaulin: its configuration"),
        Rule::tests("**/benches/**", named("benchmarks")),
        Rule::mixed("**/Cargo.toml", &manifest(), "Cargo.toml: how tests are built and run"),
    ];
    rules.extend(support_crates(request.baseline));
    rules.extend(test_modules(request.baseline));
    // By name, before all other sources: with nothing but tests in them, they are whole.
    for name in ["tests", "test", "*_tests", "*_test"] {
        rules.push(Rule::tests(format!("**/{name}.rs"), "cargo: a module of tests"));
    }
    rules.push(Rule::tests("**/tests/**", named("tests")));
    rules.push(Rule::code("**/build.rs", "cargo: it is built and run, never tested"));
    rules.push(Rule::mixed("**/*.rs", &source(), "cargo: #[cfg(test)] and doctests"));
    rules
}

/// Crates of the project that only tests depend on, by name: assertions and fixtures of its own.
fn support_crates(baseline: &dyn ProjectFiles) -> Vec<Rule> {
    let manifests: Vec<&str> = baseline
        .paths()
        .iter()
        .map(String::as_str)
        .filter(|path| name_of(path) == "Cargo.toml")
        .collect();
    let (mut of_tests, mut of_code) = (BTreeSet::new(), BTreeSet::new());
    let texts = baseline.read_all(&manifests);
    let read = |text: &Option<String>| text.as_ref()?.parse::<Table>().ok();
    let all: Vec<(&str, Table)> = manifests
        .iter()
        .zip(&texts)
        .filter_map(|(path, text)| Some((*path, read(text)?)))
        .collect();
    for (_, manifest) in &all {
        let names = |key: &str| {
            let table = manifest.get(key).and_then(toml::Value::as_table);
            table.into_iter().flat_map(Table::keys).cloned().collect::<Vec<String>>()
        };
        of_tests.extend(names("dev-dependencies"));
        of_code.extend(names("dependencies").into_iter().chain(names("build-dependencies")));
    }
    let sounds = |name: &str| ["test", "fixture", "assert"].iter().any(|word| name.contains(word));
    let mut rules = Vec::new();
    for (path, manifest) in &all {
        let name = manifest.get("package").and_then(|own| own.get("name")?.as_str());
        let folder = split(path).0.join("/");
        let Some(name) = name.filter(|name| sounds(name) && !folder.is_empty()) else { continue };
        if of_tests.contains(name) && !of_code.contains(name) {
            let glob = format!("{}/**", globset::escape(&folder));
            rules.push(Rule::tests(glob, format!("cargo: only tests depend on {name}")));
        }
    }
    rules
}

/// Files of modules that are there for tests only: `#[cfg(test)] mod checks;`.
fn test_modules(baseline: &dyn ProjectFiles) -> Vec<Rule> {
    let sources = baseline.paths().iter().filter(|path| path.ends_with(".rs"));
    let sources: Vec<&str> = sources.take(SOURCES).map(String::as_str).collect();
    let mut rules = Vec::new();
    for (path, text) in sources.iter().zip(baseline.read_all(&sources)) {
        let Some(text) = text.filter(|text| declares_tests(text)) else { continue };
        let (folders, name) = split(path);
        let stem = name.trim_end_matches(".rs");
        let mut folder = folders.join("/");
        if !matches!(stem, "lib" | "main" | "mod") {
            folder = joined(&folder, stem);
        }
        for module in redgreen_syntax::rust_test_modules(&text) {
            let reason = format!("cargo: #[cfg(test)] mod {module} in {path}");
            // A path is from the folder of the source, a name from the folder of its modules.
            if module.ends_with(".rs") {
                let place = globset::escape(&joined(&folders.join("/"), &module));
                rules.push(Rule::tests(place, reason));
                continue;
            }
            let place = globset::escape(&joined(&folder, &module));
            rules.push(Rule::tests(format!("{place}.rs"), reason.clone()));
            rules.push(Rule::tests(format!("{place}/**"), reason));
        }
    }
    rules
}

/// Whether a source may declare a module of tests that is in another file: most do not, and need not be
/// read as syntax.
fn declares_tests(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let declares = |line: &str| line.ends_with(';') && line.contains("mod ");
    text.contains("cfg(") && text.contains("test") && lines.any(declares)
}

/// Rust of which tests and examples judge.
fn source() -> Arc<Mixture> {
    let parts = &["#[cfg(test)] and #[test]", "examples in doc comments"];
    Mixture::new(parts, |code, tests| match (code, tests) {
        // A module of tests that only one side has is all or nothing.
        (Some(code), None) if is_test_module(code) => Ok(None),
        (None, Some(tests)) if is_test_module(tests) => Ok(Some(tests.to_owned())),
        (None, _) => Ok(None),
        (Some(code), tests) => redgreen_syntax::splice_rust(code, tests.unwrap_or_default())
            .map(Some)
            .ok_or_else(|| "its tests cannot be separated from its code".to_owned()),
    })
}

/// Whether a source is a module of tests itself: it has tests that are not set apart from code.
fn is_test_module(source: &str) -> bool {
    let tests = ["#[test]", "::test]", "::test(", "#[rstest", "#[test_case", "proptest!"];
    tests.iter().any(|mark| source.contains(mark)) && !source.contains("cfg(test)")
}

fn manifest() -> Arc<Mixture> {
    let parts = &[
        "[[test]] and [[bench]]",
        "test, harness and doctest of targets",
        "autotests and autobenches",
        "[dev-dependencies] (those that are added stay)",
        "[profile]",
        "[patch] of dev-dependencies",
    ];
    Mixture::new(parts, |code, tests| {
        let judging: BTreeSet<String> =
            [code, tests].into_iter().flatten().flat_map(only_for_tests).collect();
        let read = |text: &str| tables::read(text, &|path: &[&str]| judges(path, &judging));
        // A manifest without its code is none.
        let tests = tests.filter(|_| code.is_some());
        spliced(read, code, tests)?.map(tables::checked).transpose()
    })
}

/// Crates that only tests depend on.
fn only_for_tests(text: &str) -> Vec<String> {
    let Ok(manifest) = text.parse::<Table>() else { return Vec::new() };
    let names = |key: &str| -> Vec<String> {
        let table = manifest.get(key).and_then(toml::Value::as_table);
        table.into_iter().flat_map(Table::keys).cloned().collect()
    };
    let code = names("dependencies");
    names("dev-dependencies").into_iter().filter(|name| !code.contains(name)).collect()
}

/// The tables of a manifest and what is in them.
fn judges(path: &[&str], judging: &BTreeSet<String>) -> Judges {
    match path {
        ["test" | "bench" | "profile", ..] => Judges::Yes,
        ["lib" | "bin" | "example"] | ["package"] | ["target", _] | ["target"] => Judges::Partly,
        ["lib" | "bin" | "example", key] => {
            let judges = ["test", "harness", "doctest", "bench"].contains(key);
            if judges { Judges::Yes } else { Judges::No }
        }
        ["package", "autotests" | "autobenches"] => Judges::Yes,
        ["package", "metadata"] | ["workspace", "metadata"] | ["workspace"] => Judges::Partly,
        ["package" | "workspace", "metadata", "nextest" | "insta" | "tarpaulin", ..] => Judges::Yes,
        ["dev-dependencies"] | ["target", _, "dev-dependencies"] => Judges::Partly,
        ["dev-dependencies", ..] | ["target", _, "dev-dependencies", ..] => Judges::Or,
        ["patch"] | ["patch", _] => Judges::Partly,
        ["patch", _, name, ..] if judging.contains(*name) => Judges::Yes,
        _ => Judges::No,
    }
}
