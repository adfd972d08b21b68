//! `go test` with and without `-v`, `go build`, `go vet` and golangci-lint.

use std::collections::HashMap;

use redgreen_model::report::{FailureKind, TestOutcome};

use super::block::Block;
use super::dialects::{Dialect, Reader, Signs, Taken};
use super::run::Run;
use super::words::{duration_ms, indent, place};
use crate::stream::{FailureRecord, Frame};

pub(crate) const DIALECT: Dialect = Dialect {
    program: "go",
    runs_tests: true,
    signs: Signs { first: "=-oF#", last: "", places: &["go"] },
    begins,
    reader: || Box::<Go>::default(),
};

fn begins(line: &str) -> bool {
    match line.as_bytes().first() {
        Some(b'=') => step(line).is_some(),
        Some(b'-' | b' ') => ended(line).is_some(),
        Some(b'o' | b'F') => package(line).is_some(),
        Some(b'#') => line.starts_with("# ") && line.ends_with(".test]"),
        _ => finding(line).is_some(),
    }
}

#[derive(Default)]
struct Go {
    /// The tests of the package whose name comes after them.
    tests: Vec<Test>,
    by_name: HashMap<String, usize>,
    current: Option<usize>,
    verbose: bool,
    panic: Option<Block>,
    packages: u64,
}

struct Test {
    name: String,
    outcome: Option<TestOutcome>,
    ms: u64,
    said: Block,
    panicked: bool,
}

impl Reader for Go {
    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        if let Some(found) = package(line) {
            self.package(&found, run);
            return Taken::Mine;
        }
        if let Some(panic) = &mut self.panic {
            panic.push(line);
            return Taken::Mine;
        }
        if let Some(name) = step(line) {
            self.verbose = true;
            self.current = Some(self.test(name));
            run.started();
            return Taken::Mine;
        }
        if let Some((outcome, name, ms)) = ended(line) {
            let at = self.test(name);
            if let Some(test) = self.tests.get_mut(at) {
                (test.outcome, test.ms) = (Some(outcome), ms);
            }
            self.current = Some(at);
            return Taken::Mine;
        }
        if line.starts_with("panic: ") || line.starts_with("fatal error: ") {
            let mut block = Block::default();
            block.push(line);
            self.panic = Some(block);
            return Taken::Mine;
        }
        if let Some((file, at, message)) = finding(line) {
            error(file, at, message, run);
            return Taken::Mine;
        }
        if line == "PASS"
            || line == "FAIL"
            || line.starts_with("exit status ")
            || line.starts_with("# ")
        {
            return Taken::Mine;
        }
        if let Some(test) = self.current.and_then(|at| self.tests.get_mut(at))
            && (self.verbose || indent(line) >= 4)
        {
            test.said.push(line);
            return Taken::mine(indent(line) >= 4);
        }
        Taken::Not
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        if self.tests.is_empty() && self.panic.is_none() {
            return;
        }
        let cut = self.tests.iter().any(|test| test.outcome.is_none());
        self.flush("", run);
        run.complete(false);
        if cut {
            run.note("the log ends before the package does".to_owned());
        }
    }
}

impl Go {
    fn test(&mut self, name: &str) -> usize {
        if let Some(at) = self.by_name.get(name) {
            return *at;
        }
        let at = self.tests.len();
        self.by_name.insert(name.to_owned(), at);
        self.tests.push(Test {
            name: name.to_owned(),
            outcome: None,
            ms: 0,
            said: Block::default(),
            panicked: false,
        });
        at
    }

    fn package(&mut self, found: &Package<'_>, run: &mut Run<'_>) {
        let named = !self.tests.is_empty();
        let red_before =
            self.tests.iter().any(|test| test.outcome.is_some_and(TestOutcome::is_red))
                || self.panic.is_some();
        self.flush(found.name, run);
        run.complete(true);
        run.took(found.ms);
        match found.outcome {
            Some(TestOutcome::Passed) if !named && !found.is_empty => self.packages += 1,
            Some(TestOutcome::Failed) if !red_before && !found.build => {
                let record = FailureRecord {
                    error_type: "FAIL".to_owned(),
                    message: format!("{} failed, and no test of it is named", found.name),
                    ..FailureRecord::default()
                };
                run.error(FailureKind::TestFailure, record, None);
            }
            _ => {}
        }
        if found.build {
            run.needs_error(&format!("{} does not build", found.name));
        }
        run.passed_unnamed(self.packages, "package", "packages");
    }

    /// Gives the tests to their package. One that only runs others is not counted beside them.
    fn flush(&mut self, package: &str, run: &mut Run<'_>) {
        let panic = self.panic.take().map(|mut block| block.take());
        let mut tests = std::mem::take(&mut self.tests);
        self.by_name.clear();
        if let Some(text) = &panic {
            blame(&mut tests, self.current, text, package, run);
        }
        self.current = None;
        self.verbose = false;
        let parents: Vec<bool> = tests.iter().map(|test| is_parent(test, &tests)).collect();
        for (mut test, is_parent) in tests.into_iter().zip(parents) {
            if is_parent {
                continue;
            }
            let id = if package.is_empty() {
                test.name.clone()
            } else {
                format!("{package}.{}", test.name)
            };
            let Some(outcome) = test.outcome else { continue };
            run.ended(&id, outcome, test.ms);
            if outcome.is_red() {
                let text = test.said.take();
                let record = if test.panicked {
                    panicked(panic.as_deref().unwrap_or(""))
                } else {
                    said(&text)
                };
                run.because(&id, outcome, record, None);
            }
        }
    }
}

/// Whether subtests of the test are there that tell what happened.
fn is_parent(test: &Test, all: &[Test]) -> bool {
    let red = |outcome: Option<TestOutcome>| outcome.is_some_and(TestOutcome::is_red);
    let mut children = all.iter().filter(|other| {
        other.name.strip_prefix(test.name.as_str()).is_some_and(|rest| rest.starts_with('/'))
    });
    match red(test.outcome) {
        true => children.any(|child| red(child.outcome)),
        false => children.next().is_some(),
    }
}

/// Whose panic it is: the test that is named as failed just before, else those in flight.
fn blame(tests: &mut [Test], current: Option<usize>, text: &str, package: &str, run: &mut Run<'_>) {
    let timeout = text.starts_with("panic: test timed out");
    let failed = current.filter(|at| {
        tests.get(*at).is_some_and(|test| test.outcome.is_some_and(TestOutcome::is_red))
    });
    let in_flight: Vec<usize> = (0..tests.len())
        .filter(|at| tests.get(*at).is_some_and(|test| test.outcome.is_none()))
        .collect();
    let blamed = failed.map_or(in_flight, |at| vec![at]);
    if blamed.is_empty() || timeout && failed.is_none() {
        let mut record = panicked(text);
        if timeout {
            "Timeout".clone_into(&mut record.error_type);
        }
        record.message = format!("{package}: {}", record.message);
        let kind = if timeout { FailureKind::Timeout } else { FailureKind::RuntimeError };
        run.error(kind, record, None);
    }
    for at in blamed {
        if let Some(test) = tests.get_mut(at) {
            test.outcome.get_or_insert(TestOutcome::Errored);
            test.panicked = true;
        }
    }
}

/// `    prices_test.go:10: Total() = 4, want 3`
fn said(text: &str) -> FailureRecord {
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.iter().rev().find_map(|line| {
        let (file, at, rest) = place(line.trim_start())?;
        Some((file, at, rest.strip_prefix(": ")?)).filter(|(file, ..)| file.ends_with(".go"))
    });
    let message = match last {
        Some((.., message)) => {
            let from = text.rfind(message).unwrap_or(0);
            text.get(from..).unwrap_or(message).trim_end().to_owned()
        }
        None => text.trim().lines().next_back().unwrap_or("").trim().to_owned(),
    };
    let frames =
        last.map(|(file, at, _)| Frame { file: file.to_owned(), line: Some(at), function: None });
    FailureRecord {
        error_type: "t.Error".to_owned(),
        message,
        stack: Some(super::javascript::dedented(&lines)),
        // The package's folder is not in the log, and the file's name alone is no place.
        frames: frames.into_iter().filter(|frame| frame.file.contains('/')).collect(),
        ..FailureRecord::default()
    }
}

fn panicked(text: &str) -> FailureRecord {
    let first = text.lines().next().unwrap_or("");
    let message = first.split_once(": ").map_or(first, |(_, message)| message);
    let lines: Vec<&str> = text.lines().collect();
    let mut frames: Vec<Frame> = lines
        .windows(2)
        .filter_map(|pair| {
            let [name, at] = pair else { return None };
            let (file, line, _) = place(at.strip_prefix('\t')?)?;
            let own = !file.contains("/go/src/") && !file.contains("/pkg/mod/");
            own.then(|| Frame {
                file: file.to_owned(),
                line: Some(line),
                function: Some((*name).to_owned()),
            })
        })
        .collect();
    frames.reverse();
    FailureRecord {
        error_type: "panic".to_owned(),
        message: message.replace(" [recovered, repanicked]", "").replace(" [recovered]", ""),
        stack: Some(text.trim_end().to_owned()),
        frames,
        ..FailureRecord::default()
    }
}

fn error(file: &str, at: u32, message: &str, run: &mut Run<'_>) {
    let linter =
        message.strip_suffix(')').and_then(|text| text.rsplit_once(" (")).map(|(_, name)| name);
    let linter = linter.filter(|name| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    });
    let (kind, error_type) = match linter {
        Some(name) => (FailureKind::LintFailure, name),
        None => (FailureKind::CompileError, "compile error"),
    };
    let record = FailureRecord {
        error_type: error_type.to_owned(),
        message: message.to_owned(),
        ..FailureRecord::default()
    };
    run.error(kind, record, Some((file, Some(at))));
    run.complete(true);
}

/// `=== RUN   TestTotal`, also `CONT` and `NAME`.
fn step(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("=== ")?;
    ["RUN ", "CONT ", "NAME ", "PAUSE "]
        .iter()
        .find_map(|word| rest.strip_prefix(word))
        .map(str::trim)
}

/// `--- FAIL: TestTotal (0.00s)`, however far it is indented.
fn ended(line: &str) -> Option<(TestOutcome, &str, u64)> {
    let rest = line.trim_start().strip_prefix("--- ")?;
    let words = [
        ("PASS: ", TestOutcome::Passed),
        ("FAIL: ", TestOutcome::Failed),
        ("SKIP: ", TestOutcome::Skipped),
    ];
    let (rest, outcome) =
        words.iter().find_map(|(word, outcome)| Some((rest.strip_prefix(word)?, *outcome)))?;
    let (name, time) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    Some((outcome, name, duration_ms(time)?))
}

struct Package<'line> {
    name: &'line str,
    outcome: Option<TestOutcome>,
    build: bool,
    /// It was built, and no test of it was run.
    is_empty: bool,
    ms: u64,
}

/// `ok    example.com/prices  0.003s`, `FAIL  example.com/bad [build failed]`.
fn package(line: &str) -> Option<Package<'_>> {
    if !matches!(line.as_bytes().first(), Some(b'o' | b'F' | b'?')) {
        return None;
    }
    let (word, rest) = line.split_once('\t')?;
    let outcome = match word.trim_end() {
        "ok" => Some(TestOutcome::Passed),
        "FAIL" => Some(TestOutcome::Failed),
        "?" => None,
        _ => return None,
    };
    let (name, rest) = rest.split_once(['\t', ' ']).unwrap_or((rest, ""));
    let build = rest.contains("[build failed]") || rest.contains("[setup failed]");
    let is_empty = rest.contains("[no tests to run]");
    let ms = duration_ms(rest).unwrap_or(0);
    (!name.is_empty()).then_some(Package { name, outcome, build, is_empty, ms })
}

/// `bad/bad.go:4:9: cannot use "x" …`, at the very beginning of a line.
fn finding(line: &str) -> Option<(&str, u32, &str)> {
    let line = line.strip_prefix("vet: ").unwrap_or(line);
    let (file, at, rest) = place(line)?;
    let message = rest.strip_prefix(": ")?;
    (file.ends_with(".go") && !file.starts_with(' ') && !file.contains(' '))
        .then_some((file, at, message))
}
