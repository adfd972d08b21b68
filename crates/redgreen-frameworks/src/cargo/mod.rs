//! `cargo test`, through a `cargo` of ours on `PATH`.
//!
//! ```text
//! cargo test ─▶ shim `cargo` ─▶ the real cargo test --no-fail-fast --message-format=json
//!                                  ├─▶ runner: redgreen __cargo-test-binary … BINARY ARGS
//!                                  └─▶ rustdoc: redgreen __rustdoc-shim … --test
//! ```
//!
//! The shim leaves every other sub-command alone. It gives the runner and rustdoc to cargo with
//! `--config`, so that nothing of this is in the environment of the tests, and a folder with spaces
//! in its name is no problem. Compile errors come from cargo's JSON messages.
//!
//! Results of a test binary come from the harness's own log (`--logfile`, a pipe of redgreen's) and
//! the inventory from its own list (`--list`). What a test prints is used to explain a failure,
//! never to decide one. The harness does not say which tests have begun; it starts them in the order
//! of its list, as many at a time as it has threads, so the tests in flight are known from those that
//! ended. A binary with a harness of its own that cannot list is run, and nothing it prints counts.
//!
//! `cargo nextest run` gets the same runner, and starts it for each test by itself: a test is seen to
//! end by its harness's log there, too, and not by the exit code that nextest goes by. An attempt that
//! nextest will repeat is a note; the last one decides.
//!
//! Ids: `package::tests::adds` for the library, `package/tests/it.rs::adds` for any other binary (the
//! path of its root from the package), `package/doc::src/lib.rs - add` for a doctest, and `… #2` for the
//! second one of the same item: its line would be another after any edit above it.
//!
//! # Limits
//!
//! - A `runner` of the user's own configuration for the host runs test binaries below redgreen's, but
//!   not doctests.
//! - Tests that are ignored are not in the report of nextest, which never starts them. A test that
//!   nextest ends at its own time limit is unfinished.
//! - Tests that are built for another target than the host are left alone: they are not seen.
//! - A `make` that calls cargo by its full path is not seen.
//! - `--logfile` of the user is not written. It is deprecated in Rust; a harness without it makes a
//!   tooling error, not a pass.
//! - With `only`, all doctests of a crate run where one of them is wanted.
//! - A doctest that ends its process with status 0 has passed, as rustdoc sees it.

pub mod arguments;
pub mod collector;
pub mod libtest;
pub mod messages;
pub mod panics;
pub mod rest;
pub mod runner;

mod address;
mod cfg;
mod doctests;
mod identity;
mod sides;

use redgreen_model::execution::Ended;
use redgreen_model::framework::FrameworkId;
use redgreen_model::report::{FailureKind, Report};
use redgreen_model::tree::FileRole;
use redgreen_model::workflow::Language;

use crate::adapter::{
    Adapter, BuildStamps, Injection, InjectionRequest, ProjectFiles, RunMaterial, Runtime,
    SuggestedCheck, Variables, shell_quoted,
};
use crate::collect::Collector;
use crate::command::runs;
use crate::console::Dialect;
use crate::explain::explain;
use crate::roles::{name_of, split};
use crate::servers::{Server, Without};
use crate::sides::{Address, Addresses, Rule, SideRequest};
use crate::surroundings::Surroundings;
use arguments::CargoTestCall;

pub use identity::{BinaryIdentity, doctest_prefix};

/// The hidden sub-command that stands in for `cargo`: `RUN_FOLDER CARGO_ARGUMENTS…`.
pub const CARGO_SHIM: &str = "__cargo-shim";
/// The hidden sub-command that runs a test binary:
/// `RUN_FOLDER WORKSPACE_ROOT NUMBER_OF_WORDS WORDS… BINARY ARGUMENTS…`, the words being the user's own
/// runner.
pub const TEST_BINARY_SHIM: &str = "__cargo-test-binary";
/// The hidden sub-command that stands in for `rustdoc`: `RUN_FOLDER WORKSPACE_ROOT RUSTDOC ARGUMENTS…`.
pub const RUSTDOC_SHIM: &str = "__rustdoc-shim";

/// The hidden sub-command that stands in for `rustc` where its crates are counted: `NAME RUSTC ARGUMENTS…`.
pub const RUSTC_SHIM: &str = "__rustc-counted";
/// The hidden sub-command that stands in for the linker of doctests: `RUN_FOLDER LINKER ARGUMENTS…`.
pub const LINKER_SHIM: &str = "__linker-shim";

/// The exit code of nextest for no tests at all, which is not a failure of any.
const NEXTEST_NO_TESTS: i32 = 4;

/// Its name.
pub const ID: FrameworkId = FrameworkId::named("cargo_test");

/// The adapter for `cargo test`.
pub struct CargoTest;

/// What cargo leaves, and the settings that it looks for in every folder above.
const SURROUNDINGS: Surroundings = Surroundings {
    caches: &["*.profraw", "*.profdata", "tarpaulin-report.html", "lcov.info"],
    outputs: &[("Cargo.toml", "target")],
    marks: &[],
    home: &[".cargo/config.toml", ".cargo/config", ".config/nextest.toml"],
    above: &[
        ".cargo/config.toml",
        ".cargo/config",
        "rust-toolchain.toml",
        "rust-toolchain",
        "Cargo.toml",
        "clippy.toml",
        ".clippy.toml",
    ],
};

impl Adapter for CargoTest {
    fn id(&self) -> FrameworkId {
        ID
    }

    fn surroundings(&self) -> Surroundings {
        SURROUNDINGS
    }

    fn recognises_command(&self, command: &str) -> bool {
        runs(command, |program, rest| program == "cargo" && CargoTestCall::parse(rest).is_some())
    }

    fn recognises_project(&self, project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
        let manifest = project
            .paths()
            .iter()
            .filter(|path| name_of(path) == "Cargo.toml")
            .min_by_key(|path| (path.matches('/').count(), path.as_str()))?;
        let workspace = project.read(manifest).is_some_and(|text| text.contains("[workspace]"));
        Some(SuggestedCheck {
            name: "cargo".to_owned(),
            command: if workspace { "cargo test --workspace" } else { "cargo test" }.to_owned(),
            framework: ID,
            folder: split(manifest).0.join("/"),
            reports: Vec::new(),
        })
    }

    fn inject(&self, request: &InjectionRequest<'_>) -> Injection {
        request.stand_in("cargo", CARGO_SHIM)
    }

    fn read(&self, material: &RunMaterial<'_>) -> Report {
        let mut report = material.stream_report();
        doctests::name_by_item(&mut report);
        let nothing = report.began && report.tests.is_empty() && report.errors.is_empty();
        let no_tests = matches!(material.ended, Ended::Exited { code: NEXTEST_NO_TESTS });
        if !(nothing && no_tests) {
            explain(&mut report, material, FailureKind::Unknown);
        }
        if !report.began {
            report
                .diagnostics
                .push("redgreen saw no `cargo test`: the `cargo` that it put first on PATH was not called".to_owned());
        }
        report
    }

    /// Cargo compares sources with the list of them that it wrote for the compiler, and what a build script
    /// asked for with its output.
    fn build_stamps(&self) -> Option<&'static BuildStamps> {
        const FILES: &[&str] = &["**/.fingerprint/*/dep-*", "**/build/*/output"];
        Some(&BuildStamps { beside: "Cargo.toml", folder: "target", files: FILES })
    }

    fn role(&self, path: &str) -> Option<FileRole> {
        let (folders, name) = split(path);
        let stem = name.strip_suffix(".rs")?;
        let in_tests = folders.iter().any(|folder| matches!(*folder, "tests" | "benches"));
        let by_name =
            matches!(stem, "tests" | "test") || stem.ends_with("_tests") || stem.ends_with("_test");
        (in_tests || by_name).then_some(FileRole::Tests)
    }

    fn sides(&self, request: &SideRequest<'_>) -> Vec<Rule> {
        sides::rules(request)
    }

    fn address(&self, id: &str, folder: &str, known: &Addresses<'_>) -> Option<Address> {
        address::address(id, folder, known)
    }

    fn runtime(&self) -> Option<&'static Runtime> {
        Some(&Runtime { name: "rust", programs: &[], version: &[] })
    }

    fn collector(&self) -> Option<&'static Collector> {
        Some(&collector::COLLECTOR)
    }

    fn language(&self) -> Language {
        Language::Rust
    }

    fn variables(&self) -> Variables {
        Variables {
            steering: &[
                "CARGO_BUILD_RUSTC",
                "CARGO_BUILD_RUSTC_WRAPPER",
                "CARGO_BUILD_RUSTFLAGS",
                "CARGO_BUILD_TARGET",
                "CARGO_ENCODED_RUSTFLAGS",
                "CARGO_PROFILE_*",
                "CARGO_TARGET_*",
                "NEXTEST_*",
                "RUSTC",
                "RUSTC_WORKSPACE_WRAPPER",
                "RUSTC_WRAPPER",
                "RUSTDOCFLAGS",
                "RUSTFLAGS",
                "RUST_TEST_*",
            ],
            read: &["CARGO*", "RUST*"],
        }
    }

    fn dialects(&self) -> &'static [Dialect] {
        &[crate::console::cargo::DIALECT, crate::console::nextest::DIALECT]
    }

    fn servers(&self) -> Vec<Server> {
        vec![SCCACHE]
    }
}

/// Compiles what it finds at a path, and writes the result there itself.
const SCCACHE: Server = Server {
    name: "an sccache server",
    mark: "sccache",
    without: Without::Prefix(
        "sccache",
        &["RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER"],
    ),
};

/// What runs test binaries, as cargo is configured.
#[derive(Clone, Copy, Debug)]
pub enum Runner<'words> {
    /// A program and its arguments.
    Words(&'words [&'words str]),
    /// A program whose path has no spaces, for a configuration that has a text there.
    Text(&'words str),
}

/// Additions to `cargo test` that make it run tests through redgreen, and doctests.
pub fn cargo_configuration(host: &str, runner: Runner<'_>, rustdoc: Option<&str>) -> Vec<String> {
    let runner = match runner {
        Runner::Words(words) => {
            let words: Vec<String> = words.iter().map(|word| toml_quoted(word)).collect();
            format!("[{}]", words.join(","))
        }
        Runner::Text(program) => toml_quoted(program),
    };
    let runner = format!("target.{}.runner={runner}", toml_quoted(host));
    let rustdoc = rustdoc.map(|rustdoc| format!("build.rustdoc={}", toml_quoted(rustdoc)));
    let settings = [Some(runner), rustdoc].into_iter().flatten();
    settings.flat_map(|setting| ["--config".to_owned(), setting]).collect()
}

/// A script that runs a program with these arguments first.
pub fn script(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| shell_quoted(word)).collect();
    format!("#!/bin/sh\nexec {} \"$@\"\n", words.join(" "))
}

/// A basic TOML string: JSON's escapes are TOML's.
fn toml_quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests;
