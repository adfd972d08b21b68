//! `cargo test`, `cargo build` and `cargo clippy`: what libtest, rustc and cargo print.

use redgreen_model::report::{FailureKind, TestOutcome};

use super::block::Block;
use super::dialects::{Dialect, Reader, Signs, Taken};
use super::run::{Claimed, Run};
use super::rust_errors::{RustErrors, header};
use super::words::{counts, duration_ms};
use crate::cargo::panics::{Roots, doctest_place, explain_failure};
use crate::stream::FailureRecord;

pub(crate) const DIALECT: Dialect = Dialect {
    program: "cargo",
    runs_tests: true,
    signs: Signs::first("CFRDrte"),
    begins,
    reader: || Box::<Cargo>::default(),
};

/// What cargo says it is doing, right-aligned.
const STATUS: [&str; 4] = ["   Compiling ", "    Checking ", "    Finished ", "   Doc-tests "];
/// What libtest and rustdoc add to the name of a test.
const NOTES_IN_NAMES: [&str; 4] =
    [" - should panic", " - compile fail", " - compile", " - should panic - compile"];

#[derive(Default)]
struct Cargo {
    binary: String,
    /// A test whose end is not on its own line, because it printed something.
    begun: Option<String>,
    section: Option<String>,
    block: Block,
    errors: RustErrors,
    in_list: bool,
    /// The id of the test on this line, in memory that is used again.
    buffer: String,
}

fn begins(line: &str) -> bool {
    STATUS.iter().any(|words| line.starts_with(words))
        || running_binary(line).is_some()
        || is_running_tests(line)
        || line.starts_with("test result: ")
        || (line.starts_with("error[E") && header(line).is_some())
        || test_line(line).is_some_and(|(_, word)| outcome(word).is_some())
}

impl Reader for Cargo {
    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        if self.section.is_none()
            && let Some(name) =
                line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... ok"))
        {
            let name = plain_name(name);
            let id = if self.binary.is_empty() { name } else { self.id_in_buffer(name) };
            run.ended(id, TestOutcome::Passed, 0);
            return Taken::Mine;
        }
        if let Some(claimed) = line.strip_prefix("test result: ") {
            self.close(run);
            self.in_list = false;
            self.result(claimed, run);
            return Taken::Mine;
        }
        if let Some(name) = section(line) {
            self.close(run);
            self.section = Some(name.to_owned());
            return Taken::Mine;
        }
        if line == "failures:" {
            self.close(run);
            self.in_list = true;
            return Taken::Mine;
        }
        if self.section.is_some() {
            self.block.push(line);
            return Taken::Mine;
        }
        Taken::mine(self.status(line, run) || self.test(line, run) || self.errors.take(line, run))
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        self.close(run);
        self.errors.close(run);
        if let Some(name) = self.begun.take() {
            run.note(format!("{} has no end in the log", self.id(&name)));
            run.complete(false);
        }
    }
}

impl Cargo {
    fn status(&mut self, line: &str, run: &mut Run<'_>) -> bool {
        if let Some(binary) = running_binary(line) {
            self.binary = binary;
        } else if let Some(package) = line.strip_prefix("   Doc-tests ") {
            self.binary = format!("{package}/doc");
        } else if is_running_tests(line) {
            run.complete(false);
            run.started();
        } else if line.starts_with("error: could not compile") {
            self.errors.close(run);
            run.complete(true);
        } else if let Some(signal) = died(line)
            && let Some((_, signal)) = signal.rsplit_once("(signal: ")
        {
            let record = FailureRecord {
                error_type: signal
                    .split_once(", ")
                    .map_or(signal, |(_, name)| name)
                    .split(':')
                    .next()
                    .unwrap_or(signal)
                    .to_owned(),
                message: format!(
                    "{} died of a signal: {}",
                    self.binary,
                    signal.trim_end_matches(')')
                ),
                ..FailureRecord::default()
            };
            run.error(FailureKind::RuntimeError, record, None);
        } else {
            return STATUS.iter().any(|words| line.starts_with(words));
        }
        true
    }

    /// `test NAME ... ok`, with the end on a later line where the test printed something, and
    /// `NAME --- FAILED` with `--quiet`.
    fn test(&mut self, line: &str, run: &mut Run<'_>) -> bool {
        if let Some((name, word)) = test_line(line) {
            match outcome(word) {
                Some(outcome) => run.ended(&self.id(name), outcome, time_in(word)),
                None => self.begun = Some(name.to_owned()),
            }
            return true;
        }
        if let Some(name) = line.strip_suffix(" --- FAILED") {
            run.ended(&self.id(name), TestOutcome::Failed, 0);
            return true;
        }
        if let Some(name) = &self.begun
            && let Some(outcome) = outcome(line)
        {
            run.ended(&self.id(name), outcome, time_in(line));
            self.begun = None;
            return true;
        }
        false
    }

    fn result(&mut self, text: &str, run: &mut Run<'_>) {
        let mut claimed = Claimed::default();
        for (count, word) in counts(text) {
            match word {
                "passed" => claimed.passed = count,
                "failed" => claimed.red = count,
                "ignored" => claimed.skipped = count,
                _ => {}
            }
        }
        run.claims(claimed);
        if let Some((_, time)) = text.rsplit_once("finished in ") {
            run.took(duration_ms(time).unwrap_or(0));
        }
    }

    fn close(&mut self, run: &mut Run<'_>) {
        let Some(name) = self.section.take() else { return };
        let text = self.block.take();
        let detail = text
            .lines()
            .find_map(|line| line.strip_prefix("note: test did not panic"))
            .map(|rest| format!("test did not panic{rest}"));
        let root = run.places.root.join(run.places.folder);
        let roots = Roots { workspace: &root, package: &root };
        let stdout = format!("---- {name} stdout ----\n{text}");
        let record = explain_failure(&name, &stdout, "", detail.as_deref(), roots);
        let declared = doctest_place(&name).map(|(file, line)| (file, Some(line)));
        run.because(&self.id(&name), TestOutcome::Failed, record, declared);
    }

    fn id_in_buffer(&mut self, name: &str) -> &str {
        self.buffer.clear();
        self.buffer.push_str(&self.binary);
        self.buffer.push_str("::");
        self.buffer.push_str(name);
        &self.buffer
    }

    /// The test's id: by the binary that it is in, as far as cargo names it.
    fn id(&self, name: &str) -> String {
        let name = plain_name(name);
        if self.binary.is_empty() { name.to_owned() } else { format!("{}::{name}", self.binary) }
    }
}

/// `     Running unittests src/lib.rs (target/debug/deps/prices-0123456789abcdef)`: the crate for
/// its library, the path of its root for any other binary.
fn running_binary(line: &str) -> Option<String> {
    let rest = line.trim_ascii_start().strip_prefix("Running ")?;
    let (source, binary) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    let program = binary.rsplit(['/', '\\']).next()?.trim_end_matches(".exe");
    let (name, digest) = program.rsplit_once('-')?;
    let is_digest = digest.len() == 16 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    let source = source.strip_prefix("unittests ").unwrap_or(source);
    is_digest.then(|| {
        if source.ends_with("lib.rs") { name.to_owned() } else { source.replace('\\', "/") }
    })
}

fn is_running_tests(line: &str) -> bool {
    line.strip_prefix("running ")
        .and_then(|rest| rest.strip_suffix(" tests").or_else(|| rest.strip_suffix(" test")))
        .is_some_and(|count| count.parse::<u32>().is_ok())
}

/// What follows `process didn't exit successfully:`, below the error or in it.
fn died(line: &str) -> Option<&str> {
    let text = line.trim_ascii_start();
    let text = text.strip_prefix("error: ").unwrap_or(text);
    text.strip_prefix("process didn't exit successfully: ")
}

fn test_line(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("test ")?.split_once(" ... ")
}

fn outcome(word: &str) -> Option<TestOutcome> {
    let first = word.split([' ', ',']).next()?;
    match first {
        "ok" => Some(TestOutcome::Passed),
        "FAILED" => Some(TestOutcome::Failed),
        "ignored" => Some(TestOutcome::Skipped),
        _ => None,
    }
}

/// `ok <0.003s>`
fn time_in(word: &str) -> u64 {
    word.split_once('<').and_then(|(_, time)| duration_ms(time.trim_end_matches('>'))).unwrap_or(0)
}

fn section(line: &str) -> Option<&str> {
    line.strip_prefix("---- ")?.strip_suffix(" stdout ----")
}

fn plain_name(name: &str) -> &str {
    // Most names end otherwise.
    let last = name.as_bytes().last();
    let mut notes = NOTES_IN_NAMES.iter().filter(|note| note.as_bytes().last() == last);
    notes.find_map(|note| name.strip_suffix(note)).unwrap_or(name)
}
