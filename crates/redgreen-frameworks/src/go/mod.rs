//! `go test`, through a `go` of ours on `PATH`.
//!
//! ```text
//! go test ./... ─▶ shim `go` ─▶ the real go test -json -count=1 ./...
//!                     └─▶ report stream, and what the user would have seen
//! ```
//!
//! The shim leaves every other sub-command alone, and `test` where it runs nothing (`-c`, `-list`).
//! Who asks for JSON gets it as it is; gotestsum does. `-count=1` because a result that go remembers
//! is not one that redgreen saw.
//!
//! go makes its events from what the test binary prints, in lines that begin with a mark; but up to
//! the first marked line it takes those without it, too. So every binary is started (`-exec`) by a
//! script that prints a marked line before it becomes the binary: what a test or `TestMain` prints
//! without the mark is no event. A test whose process dies has no end event: it is ended by
//! what the runtime wrote about it, and where it is not clear which test that was, all that ran stay
//! unfinished. A process that exits with 0 in the middle leaves its test unfinished; one whose
//! `TestMain` exits with 0 before a test began is a skipped test of that name.
//!
//! Ids: `import/path.TestName/sub`, as go writes names: spaces are underscores, and the second of two
//! subtests of one name has `#01`. A module whose path does not end with its folder has the folder in
//! front, as in `services/a:example.org/app.TestX`: another module may have the same path. Subtests are the tests: their parent is one only if it is red and
//! none of them is.
//!
//! Where lines are counted, go writes a cover profile of the packages of the changed files ([`collector`]). What it says
//! about that is neither shown nor read, if the user asked for no coverage.
//!
//! # Limits
//!
//! - Code in the test binary that writes go's mark itself can forge events; if it then ends the process,
//!   that is seen by the log that the testing package writes at its end. Before Go 1.20 there is no
//!   mark, and what looks like an event is one.
//! - A `go test` that `go run` or `go generate` starts is not seen: go puts its own folder first on
//!   `PATH`. A test that runs `go test` itself is not counted either.
//! - `t.Log` and `t.Error` look the same in go's output: the first line that reads like a complaint is
//!   the message, else the last.
//! - What a program runs that a test has built with `go build` is not counted.
//! - With `only`, all subtests of a wanted test run, and tests of the same name in other packages.

pub mod arguments;
pub mod collector;
pub mod console;
pub mod event;
pub mod run;

mod address;
mod build;
mod comparison;
mod failure;
mod identity;
mod modules;
mod sides;
mod testify;
mod trace;
mod transcript;

use redgreen_model::framework::FrameworkId;
use redgreen_model::report::{FailureKind, Report};
use redgreen_model::tree::FileRole;
use redgreen_model::workflow::Language;

use crate::adapter::{
    Adapter, InjectedFile, Injection, InjectionRequest, ProjectFiles, RunMaterial, Runtime,
    SuggestedCheck, Variables, VersionSource,
};
use crate::collect::Collector;
use crate::command::runs;
use crate::console::Dialect;
use crate::explain::explain;
use crate::place::Places;
use crate::roles::split;
use crate::sides::{Address, Addresses, Rule, SideRequest};
use crate::stream::{StreamEvent, read_events};
use crate::surroundings::Surroundings;
use arguments::GoTestCall;
use event::{Action, GoEvent};
use run::GoRun;

pub use identity::Modules;

/// The hidden sub-command that stands in for `go`: `RUN_FOLDER GO_ARGUMENTS…`.
pub const GO_SHIM: &str = "__go-shim";

/// The script that starts test binaries, in the folder of a run.
pub const EXEC_FILE: &str = "go-exec";
/// What the log of a binary is called, beside the script: this, and a number.
pub const LOG_PREFIX: &str = "go-exec.log.";
/// A marked line that says nothing, and then the binary itself. It writes a log of its own: the file
/// is made when its tests begin, and filled when they have all ended.
const EXEC_SCRIPT: &str = "#!/bin/sh
printf '\\026=== NAME  \\n'
count=$#
log=
for word in \"$@\"; do
  case $word in
    -test.*) [ -n \"$log\" ] || { log=\"$0.log.$$\"; set -- \"$@\" \"-test.testlogfile=$log\"; } ;;
  esac
  set -- \"$@\" \"$word\"
done
shift \"$count\"
exec \"$@\"
";

/// Its name.
pub const ID: FrameworkId = FrameworkId::named("go_test");

/// The adapter for `go test`.
pub struct GoTest;

/// What go leaves is elsewhere; what it reads there is what `go env -w` writes.
const SURROUNDINGS: Surroundings = Surroundings {
    caches: &["coverage.out", "cover.out", "cover.html", "*.prof", "*.test"],
    outputs: &[],
    marks: &[],
    home: &[".config/go/env"],
    above: &["go.work", "go.work.sum"],
};

impl Adapter for GoTest {
    fn id(&self) -> FrameworkId {
        ID
    }

    fn surroundings(&self) -> Surroundings {
        SURROUNDINGS
    }

    fn recognises_command(&self, command: &str) -> bool {
        runs(command, |program, rest| match program {
            "go" => GoTestCall::parse(rest, "").is_some(),
            program => program == "gotestsum",
        })
    }

    fn recognises_project(&self, project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
        let manifest = project
            .paths()
            .iter()
            .filter(|path| {
                let (folders, name) = split(path);
                name == "go.mod" && !folders.contains(&"vendor")
            })
            .min_by_key(|path| (path.matches('/').count(), path.as_str()))?;
        Some(SuggestedCheck {
            name: "go".to_owned(),
            command: "go test ./...".to_owned(),
            framework: ID,
            folder: split(manifest).0.join("/"),
            reports: Vec::new(),
        })
    }

    /// `./...` ends where another `go.mod` begins.
    fn nests(&self) -> bool {
        true
    }

    fn inject(&self, request: &InjectionRequest<'_>) -> Injection {
        let mut injection = request.stand_in("go", GO_SHIM);
        injection.files.push(InjectedFile {
            path: EXEC_FILE.into(),
            content: EXEC_SCRIPT.to_owned(),
            executable: true,
        });
        injection
    }

    fn read(&self, material: &RunMaterial<'_>) -> Report {
        let mut report = material.stream_report();
        explain(&mut report, material, FailureKind::Unknown);
        if !report.began {
            report.diagnostics.push(
                "redgreen saw no `go test`: the `go` that it put first on PATH was not called"
                    .to_owned(),
            );
        }
        report
    }

    fn role(&self, path: &str) -> Option<FileRole> {
        let (folders, name) = split(path);
        let in_data = folders.contains(&"testdata");
        (in_data || name.ends_with("_test.go")).then_some(FileRole::Tests)
    }

    fn sides(&self, request: &SideRequest<'_>) -> Vec<Rule> {
        sides::rules(request)
    }

    fn address(&self, id: &str, folder: &str, known: &Addresses<'_>) -> Option<Address> {
        address::address(id, folder, known)
    }

    fn runtime(&self) -> Option<&'static Runtime> {
        Some(&RUNTIME)
    }

    fn collector(&self) -> Option<&'static Collector> {
        Some(&collector::COLLECTOR)
    }

    fn language(&self) -> Language {
        Language::Go
    }

    fn variables(&self) -> Variables {
        Variables {
            steering: &[
                "CGO_CFLAGS",
                "GODEBUG",
                "GOENV",
                "GOEXPERIMENT",
                "GOFLAGS",
                "GOTOOLCHAIN",
                "GOWORK",
            ],
            read: &["CGO_*", "GO*"],
        }
    }

    fn dialects(&self) -> &'static [Dialect] {
        &[crate::console::go::DIALECT]
    }

    fn runners(&self) -> &'static [&'static str] {
        &["gotestsum"]
    }
}

/// `VERSION` in its root begins with `go1.22.1`.
const RUNTIME: Runtime = Runtime {
    name: "go",
    programs: &["go"],
    version: &[VersionSource::BesideRealProgram("VERSION", |text| {
        text.lines().next()?.trim().strip_prefix("go")
    })],
};

/// The id of the run that a file of events is.
const FILE_RUN: &str = "go";

/// Reads what `go test -json` wrote, whole or not. Never fails: lines that are no events are used to
/// explain a build that failed, and said.
pub fn read_json(bytes: &[u8], places: Places<'_>) -> Report {
    let folder = places.root.join(places.folder);
    let modules = Modules::guessed(&folder, bytes);
    let mut run = GoRun::new(FILE_RUN.to_owned(), modules);
    let mut events = Vec::new();
    let (mut beside, mut other_lines, mut failed) = (String::new(), 0_usize, false);
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        let Some(event) = GoEvent::parse(line) else {
            other_lines += 1;
            if beside.len() < OTHER_TEXT_BYTES {
                beside.push_str(&String::from_utf8_lossy(line));
                beside.push('\n');
            }
            continue;
        };
        if events.is_empty() {
            let run = FILE_RUN.to_owned();
            events.push(StreamEvent::Hello { run, runner: "go".to_owned(), version: None });
        }
        failed |= event.test.is_empty() && event.action == Action::Fail;
        events.extend(run.take(&event));
    }
    events.extend(run.finish(i32::from(failed), &beside));
    if !events.is_empty() {
        events.push(StreamEvent::Bye { run: FILE_RUN.to_owned(), exit: None });
    }
    let diagnostics = match other_lines {
        0 => Vec::new(),
        count => vec![format!("go test -json: {count} lines are no events")],
    };
    read_events(events, diagnostics, places)
}

/// How much of what is no event is kept, in bytes.
const OTHER_TEXT_BYTES: usize = 256 * 1024;

#[cfg(test)]
mod tests;
