//! Everything that reads what other programs wrote, and what must hold for whatever they wrote.
//!
//! Each reader has a fuzz target in `fuzz_targets` and a folder in `cases` with inputs that it once
//! failed on or that lead deep into it; the tests of `redgreen-frameworks` read those every time.

use std::collections::HashSet;
use std::path::Path;

use redgreen_frameworks::cargo::{libtest, messages};
use redgreen_frameworks::{
    Places, Project, console, ctrf, finish, go, jest, junit, mocha, parse, stream, tap,
};
use redgreen_model::report::{Failure, Report};
use redgreen_model::text::{BLOCK_CHARS, LINE_CHARS, MESSAGE_CHARS, strip_controls};

/// A bounded text may have a note of what was cut.
const NOTE_CHARS: usize = 100;

/// A reader by its name.
pub struct Reader {
    /// The name of its fuzz target, and of its folder in `cases`.
    pub name: &'static str,
    read: fn(&[u8]) -> Vec<Report>,
}

/// All of them.
pub const READERS: &[Reader] = &[
    Reader { name: "stream", read: |bytes| vec![stream::read_stream(bytes, places())] },
    Reader { name: "cargo_log", read: cargo_log },
    Reader { name: "cargo_messages", read: cargo_messages },
    Reader { name: "console", read: |bytes| runs(console::read(bytes, places(), None)) },
    Reader { name: "go_json", read: |bytes| vec![go::read_json(bytes, places())] },
    Reader { name: "junit", read: |bytes| vec![junit::read_xml(bytes, places())] },
    Reader { name: "jest_json", read: |bytes| vec![jest::read_json(bytes, places())] },
    Reader { name: "mocha_json", read: |bytes| vec![mocha::read_json(bytes, places())] },
    Reader { name: "parse", read: parsed },
    Reader { name: "ctrf", read: |bytes| vec![ctrf::read(bytes, places())] },
    Reader { name: "tap", read: |bytes| vec![tap::read(bytes, places())] },
];

fn places() -> Places<'static> {
    Places { root: Path::new("/home/me/project"), folder: Path::new("part") }
}

/// Reads the bytes and checks what came of it. Panics where something does not hold.
pub fn hold(name: &str, bytes: &[u8]) {
    let reader = READERS.iter().find(|reader| reader.name == name).expect("a reader of the table");
    let reports = (reader.read)(bytes);
    assert_eq!(reports, (reader.read)(bytes), "reading twice gives the same");
    for report in reports {
        check(&report);
        let project = Project { places: places(), source: &|_| None };
        let finished = finish(report, &project);
        check(&finished);
        assert_eq!(finish(finished.clone(), &project), finished, "finishing twice changes nothing");
    }
}

fn check(report: &Report) {
    let counts = report.counts();
    assert_eq!(counts.total, (report.tests.len() + report.unfinished.len()) as u64);
    let mut ids = HashSet::new();
    for test in &report.tests {
        assert!(ids.insert(&test.id), "{:?} is there twice", test.id);
        clean(&test.id, LINE_CHARS);
        assert!(!test.id.contains('\n'), "{:?}", test.id);
        if let Some(failure) = &test.failure {
            check_failure(failure);
        }
    }
    for name in report.unfinished.iter().chain(&report.not_run) {
        clean(name, LINE_CHARS);
    }
    for failure in &report.errors {
        check_failure(failure);
    }
    for diagnostic in &report.diagnostics {
        clean(diagnostic, MESSAGE_CHARS);
    }
}

fn check_failure(failure: &Failure) {
    clean(&failure.error_type, LINE_CHARS);
    clean(&failure.message, MESSAGE_CHARS);
    clean(&failure.stack, BLOCK_CHARS);
    for text in [&failure.expected, &failure.actual].into_iter().flatten() {
        clean(text, MESSAGE_CHARS);
    }
    for place in [&failure.location, &failure.test_location].into_iter().flatten() {
        clean(&place.file, LINE_CHARS);
        assert!(!place.file.starts_with('/'), "{place} is not in the project");
    }
    assert!(!failure.summary().contains('\n'));
}

fn clean(text: &str, max_chars: usize) {
    assert_eq!(strip_controls(text), text, "control characters");
    assert!(text.chars().count() <= max_chars + NOTE_CHARS, "{} characters", text.chars().count());
}

fn runs(runs: Vec<console::ConsoleRun>) -> Vec<Report> {
    runs.into_iter().map(|run| run.report).collect()
}

fn parsed(bytes: &[u8]) -> Vec<Report> {
    parse::read(bytes, places(), None).into_iter().map(|run| run.report).collect()
}

/// The first line has the names, separated by blanks; the rest is the log, in two pieces.
fn cargo_log(bytes: &[u8]) -> Vec<Report> {
    let text = String::from_utf8_lossy(bytes);
    let (names, log) = text.split_once('\n').unwrap_or((&text, ""));
    let names: Vec<String> = names.split(' ').map(str::to_owned).collect();
    let mut reader = libtest::LogReader::new(&names);
    let (first, second) = log.as_bytes().split_at(log.len() / 2);
    for logged in [reader.feed(first), reader.feed(second)].concat() {
        assert!(names.contains(&logged.name), "{:?} is no test", logged.name);
    }
    let _ = libtest::parse_list(&text);
    Vec::new()
}

fn cargo_messages(bytes: &[u8]) -> Vec<Report> {
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines() {
        let _ = messages::parse_line(line);
    }
    let _ = messages::error_in(&text);
    Vec::new()
}
