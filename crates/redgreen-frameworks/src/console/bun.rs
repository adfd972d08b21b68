//! `bun test`.

use redgreen_model::report::{FailureKind, TestOutcome};

use super::block::Block;
use super::dialects::{Dialect, Reader, Signs, Taken};
use super::javascript::described;
use super::run::{Claimed, Run};
use super::tree::timed;
use super::words::{duration_ms, number};

pub(crate) const DIALECT: Dialect = Dialect {
    program: "bun",
    runs_tests: true,
    signs: Signs::first("b"),
    begins: |line| line.starts_with("bun test v"),
    reader: || Box::<Bun>::default(),
};

/// What stands before a test's name, in a file and on a terminal.
const MARKS: [(&str, TestOutcome); 8] = [
    ("(pass) ", TestOutcome::Passed),
    ("(fail) ", TestOutcome::Failed),
    ("(skip) ", TestOutcome::Skipped),
    ("(todo) ", TestOutcome::Skipped),
    ("✓ ", TestOutcome::Passed),
    ("✗ ", TestOutcome::Failed),
    ("» ", TestOutcome::Skipped),
    ("✎ ", TestOutcome::Skipped),
];

#[derive(Default)]
struct Bun {
    begun: bool,
    file: String,
    /// What was printed since the last test: the error stands before the name of its test.
    block: Block,
    outside: bool,
    claimed: Claimed,
}

impl Reader for Bun {
    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        if line.starts_with("bun test v") {
            run.started();
            return Taken::mine(!std::mem::replace(&mut self.begun, true));
        }
        let marked =
            MARKS.iter().find_map(|(mark, outcome)| Some((line.strip_prefix(mark)?, *outcome)));
        if let Some((name, outcome)) = marked {
            self.ended(name, outcome, run);
            return Taken::Mine;
        }
        if let Some(rest) = line
            .strip_prefix("Ran ")
            .filter(|rest| rest.contains(" tests across ") || rest.contains(" test across "))
        {
            let time = rest.rsplit_once('[').map_or("", |(_, time)| time.trim_end_matches(']'));
            run.took(duration_ms(time).unwrap_or(0));
            run.claims(self.claimed);
            return Taken::Last;
        }
        if line.starts_with("# Unhandled error") {
            self.block.take();
            self.outside = true;
            return Taken::Mine;
        }
        if line.starts_with("------") && self.outside {
            let text = self.block.take();
            if !text.trim().is_empty() {
                self.outside = false;
                run.error(FailureKind::RuntimeError, described(&text), Some((&self.file, None)));
            }
            return Taken::Mine;
        }
        if let Some(file) =
            line.strip_suffix(':').filter(|file| file.contains('.') && !file.contains(' '))
        {
            file.clone_into(&mut self.file);
            self.block.take();
            return Taken::Mine;
        }
        if let Some((count, word)) = count(line) {
            match word {
                "pass" => self.claimed.passed = count,
                // An error outside of a test is counted as a failure, too.
                "fail" => self.claimed.red = count,
                "skip" | "todo" => self.claimed.skipped += count,
                _ => {}
            }
            return Taken::Mine;
        }
        self.block.push(line);
        Taken::Mine
    }

    fn finish(&mut self, _run: &mut Run<'_>) {}
}

impl Bun {
    fn ended(&mut self, name: &str, outcome: TestOutcome, run: &mut Run<'_>) {
        let (name, ms) = timed(name);
        let id = format!("{} > {name}", self.file);
        run.ended(&id, outcome, ms);
        let text = self.block.take();
        if outcome.is_red() {
            let from = error_start(&text);
            run.because(
                &id,
                outcome,
                described(text.get(from..).unwrap_or("")),
                Some((&self.file, None)),
            );
        }
    }
}

/// Where the error begins: what the test printed comes before it.
fn error_start(text: &str) -> usize {
    let mut at = 0;
    let mut found = 0;
    for line in text.split_inclusive('\n') {
        let is_error = line.starts_with("error: ")
            || super::words::typed(line).is_some_and(|(name, _)| name.ends_with("Error"));
        if is_error {
            found = at;
        }
        at += line.len();
    }
    found
}

/// ` 4 fail`
fn count(line: &str) -> Option<(u64, &str)> {
    let (count, rest) = number(line.strip_prefix(' ')?)?;
    let word = rest.strip_prefix(' ')?;
    ["pass", "fail", "skip", "todo", "error", "errors", "filtered out", "expect() calls"]
        .contains(&word)
        .then_some((count.into(), word))
}
