//! What of a Cargo project judges.

use std::collections::BTreeSet;
use std::sync::Arc;

use toml::Table;

use crate::adapter::ProjectFiles;
use crate::sides::splice::{Judges, spliced, toml as tables};
use crate::sides::{Mixture, Rule, SideCheck};

/// The rules for a check that runs cargo.
pub(super) fn rules(_check: &SideCheck<'_>, _baseline: &dyn ProjectFiles) -> Vec<Rule> {
    vec![
        Rule::tests("**/.cargo/{config,config.toml}", "cargo: its configuration"),
        Rule::tests("**/.config/nextest.toml", "nextest: its configuration"),
        Rule::tests("**/{insta.yaml,.insta.yaml}", "insta: its configuration"),
        Rule::tests("**/tarpaulin.toml", "tarpaulin: its configuration"),
        Rule::tests("**/benches/**", "cargo: benchmarks"),
        Rule::mixed("**/Cargo.toml", &manifest(), "Cargo.toml: how tests are built and run"),
    ]
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
