//! Logs of real programs, each with a table of what must be read from it.
//!
//! `logs/TOOL/NAME.log` is what the program printed, with paths of nobody's machine;
//! `logs/TOOL/NAME.expected` says what is in it, written from the log and the project that made it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use redgreen_frameworks::{Places, console};
use redgreen_model::report::{Failure, TestOutcome};

fn logs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs");
    let entries = |folder: &Path| {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    let mut logs: Vec<PathBuf> = entries(&folder)
        .iter()
        .flat_map(|tool| entries(tool))
        .filter(|path| path.extension().is_some_and(|extension| extension == "log"))
        .collect();
    logs.sort();
    logs
}

/// The runs of a log as a table.
fn table(bytes: &[u8]) -> String {
    tabulated(bytes, true)
}

fn tabulated(bytes: &[u8], with_lanes: bool) -> String {
    let places = Places { root: Path::new("/home/me/project"), folder: Path::new("") };
    let mut table = String::new();
    for run in console::read(bytes, places, None) {
        assert!(!run.report.began, "a log never makes a run begin");
        let lane =
            run.lane.filter(|_| with_lanes).map(|lane| format!(" of {lane}")).unwrap_or_default();
        let end = if run.report.complete { "complete" } else { "cut" };
        writeln!(table, "{}{lane}: {end}", run.program).unwrap();
        for test in &run.report.tests {
            writeln!(table, "  {:9} {}", word(test.outcome), test.id).unwrap();
            if let Some(failure) = &test.failure {
                describe(failure, &mut table);
            }
        }
        for error in &run.report.errors {
            writeln!(table, "  {}", error.kind).unwrap();
            describe(error, &mut table);
        }
        for note in &run.report.diagnostics {
            writeln!(table, "  note: {note}").unwrap();
        }
    }
    table
}

fn word(outcome: TestOutcome) -> &'static str {
    match outcome {
        TestOutcome::Passed => "passed",
        TestOutcome::Failed => "FAILED",
        TestOutcome::Errored => "ERROR",
        TestOutcome::Skipped => "skipped",
        TestOutcome::ExpectedFailure => "xfailed",
        TestOutcome::UnexpectedPass => "xpassed",
    }
}

fn describe(failure: &Failure, table: &mut String) {
    let first = failure.message.lines().next().unwrap_or("");
    writeln!(table, "      {}: {first}", failure.error_type).unwrap();
    let line = |value: &String| value.replace('\n', "\\n");
    if let Some(actual) = &failure.actual {
        writeln!(table, "      actual {}", line(actual)).unwrap();
    }
    if let Some(expected) = &failure.expected {
        writeln!(table, "      expected {}", line(expected)).unwrap();
    }
    if let Some(place) = failure.location.as_ref().or(failure.test_location.as_ref()) {
        writeln!(table, "      at {place}").unwrap();
    }
}

#[test]
fn every_log_says_what_its_table_says() {
    let mut wrong = String::new();
    for log in logs() {
        let expected = fs::read_to_string(log.with_extension("expected")).unwrap_or_default();
        let found = table(&fs::read(&log).unwrap());
        if found != expected {
            writeln!(wrong, "=== {}\n--- read\n{found}--- wanted\n{expected}", log.display())
                .unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What CI systems, terminals and programs that run programs put around each line of a log.
type Wrapping = (&'static str, fn(&str) -> String);

const WRAPPINGS: &[Wrapping] = &[
    ("GitHub Actions", |line| format!("2026-01-02T03:04:05.1234567Z {line}\n")),
    ("GitHub's client", |line| {
        format!("build\tRun the tests\t2026-01-02T03:04:05.1234567Z {line}\n")
    }),
    ("GitLab", |line| format!("2026-01-02T03:04:05.123456Z 00O {line}\n")),
    ("Jenkins", |line| format!("[2026-01-02T03:04:05.678Z] {line}\n")),
    ("Windows", |line| format!("{line}\r\n")),
    ("colours", |line| format!("\u{1b}[1m{line}\u{1b}[0m\n")),
    ("redraws", |line| match line {
        "" => "\n".to_owned(),
        line => format!("\u{1b}[2K 10%\r 50%\r{line}\n"),
    }),
    ("docker compose", |line| format!("api-1  | {line}\n")),
    ("turborepo", |line| format!("@shop/web:test: {line}\n")),
    ("pnpm", |line| format!("packages/web test: {line}\n")),
    ("lerna", |line| format!("web: {line}\n")),
    ("job and step", |line| format!("build | test | {line}\n")),
    ("compose in GitHub", |line| {
        format!("2026-01-02T03:04:05.1234567Z \u{1b}[36mapi-1  |\u{1b}[0m {line}\r\n")
    }),
];

#[test]
fn what_is_put_around_each_line_changes_nothing() {
    let mut wrong = String::new();
    for log in logs() {
        let text = String::from_utf8(fs::read(&log).unwrap()).unwrap();
        let plain = tabulated(text.as_bytes(), false);
        for (name, wrap) in WRAPPINGS {
            let wrapped: String = text.lines().map(wrap).collect();
            let found = tabulated(wrapped.as_bytes(), false);
            if found != plain {
                writeln!(
                    wrong,
                    "=== {} in {name}\n--- read\n{found}--- wanted\n{plain}",
                    log.display()
                )
                .unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_run_of_a_long_log_has_its_own_result() {
    let (mut all, mut expected) = (String::new(), String::new());
    for log in logs() {
        let text = fs::read_to_string(&log).unwrap();
        write!(all, "##[group]Run {}\n$ make test\nnoise of a step\n{text}", log.display())
            .unwrap();
        expected += &tabulated(text.as_bytes(), true);
    }
    assert_eq!(tabulated(all.as_bytes(), true), expected);
}

#[test]
fn runs_that_follow_each_other_without_a_mark_are_told_apart() {
    let all = logs();
    let mut wrong = String::new();
    for pair in all.windows(2) {
        let [first, second] = pair else { continue };
        if first.parent() == second.parent() {
            // A program without a banner that runs again is one that was tried again.
            continue;
        }
        let texts = [first, second].map(|log| fs::read_to_string(log).unwrap());
        let expected: String = texts.iter().map(|text| tabulated(text.as_bytes(), true)).collect();
        let found = tabulated(texts.concat().as_bytes(), true);
        if found != expected {
            writeln!(
                wrong,
                "=== {} then {}\n--- read\n{found}--- wanted\n{expected}",
                first.display(),
                second.display()
            )
            .unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_log_that_is_cut_anywhere_is_read_without_a_pass() {
    for log in logs() {
        let bytes = fs::read(&log).unwrap();
        let places = Places { root: Path::new("/home/me/project"), folder: Path::new("") };
        for cut in (0..bytes.len()).step_by(97) {
            for run in console::read(&bytes[..cut], places, None) {
                assert!(!run.report.began, "{} cut at {cut}", log.display());
            }
        }
    }
}
