//! `cargo nextest run`.

use redgreen_model::report::TestOutcome;

use super::block::Block;
use super::dialects::{Dialect, Reader, Signs, Taken};
use super::javascript::dedented;
use super::run::{Claimed, Run};
use super::words::{counts, duration_ms};
use crate::cargo::panics::{Roots, explain_failure};

pub(crate) const DIALECT: Dialect = Dialect {
    program: "cargo nextest",
    runs_tests: true,
    signs: Signs::first("NS"),
    begins: |line| line.trim_ascii_start().starts_with("Nextest run ID ") || starting(line),
    reader: || Box::<Nextest>::default(),
};

/// What nextest calls the ends of a test.
const ENDS: [(&str, TestOutcome); 8] = [
    ("PASS", TestOutcome::Passed),
    ("FLAKY", TestOutcome::Passed),
    ("LEAK", TestOutcome::Passed),
    ("FAIL", TestOutcome::Failed),
    ("SIGSEGV", TestOutcome::Errored),
    ("SIGABRT", TestOutcome::Errored),
    ("TIMEOUT", TestOutcome::Errored),
    ("ABORT", TestOutcome::Errored),
];

#[derive(Default)]
struct Nextest {
    begun: bool,
    current: Option<String>,
    block: Block,
    summary: bool,
}

fn starting(line: &str) -> bool {
    line.trim_ascii_start().starts_with("Starting ") && line.contains(" tests across ")
        || line.trim_ascii_start().starts_with("Starting ") && line.contains(" test across ")
}

impl Reader for Nextest {
    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        if starting(line) {
            run.started();
            return Taken::mine(!std::mem::replace(&mut self.begun, true));
        }
        if let Some(rest) = line.trim_ascii_start().strip_prefix("Summary [") {
            self.close(run);
            self.summary(rest, run);
            return Taken::Mine;
        }
        if let Some((id, outcome, ms)) = test(line) {
            self.close(run);
            if self.summary {
                run.listed(&id, outcome);
            } else {
                run.ended(&id, outcome, ms);
                self.current = Some(id);
            }
            return Taken::Mine;
        }
        if line.starts_with("error: test run failed") {
            return Taken::Last;
        }
        let indented = line.is_empty()
            || line.starts_with("  ")
            || line.starts_with("---")
            || line.starts_with("───");
        if self.current.is_some() && (indented || !line.starts_with("error")) {
            self.block.push(line);
            return Taken::Mine;
        }
        Taken::Not
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        self.close(run);
    }
}

impl Nextest {
    /// `   0.010s] 3 tests run: 2 passed, 1 failed, 1 skipped`
    fn summary(&mut self, rest: &str, run: &mut Run<'_>) {
        self.summary = true;
        let Some((time, text)) = rest.split_once(']') else { return };
        run.took(duration_ms(time).unwrap_or(0));
        let mut claimed = Claimed::default();
        let counted = text.split_once("run: ").map_or(text, |(_, text)| text);
        for (count, word) in counts(counted) {
            match word {
                "passed" => claimed.passed = count,
                "failed" | "timed" => claimed.red += count,
                _ => {}
            }
        }
        run.claims(claimed);
    }

    fn close(&mut self, run: &mut Run<'_>) {
        let text = self.block.take();
        let Some(id) = self.current.take() else { return };
        let Some(outcome) = run.outcome_of(&id).filter(|outcome| outcome.is_red()) else { return };
        let lines: Vec<&str> = text.lines().filter(|line| !is_rule(line)).collect();
        let text = dedented(&lines);
        let root = run.places.root.join(run.places.folder);
        let roots = Roots { workspace: &root, package: &root };
        let name = id.rsplit_once(' ').map_or(id.as_str(), |(_, name)| name).to_owned();
        let stdout = format!("---- {name} stdout ----\n{text}");
        run.because(&id, outcome, explain_failure(&name, &stdout, "", None, roots), None);
    }
}

fn is_rule(line: &str) -> bool {
    let text = line.trim();
    (text.starts_with("---") && text.ends_with("---")) || text.ends_with("───")
}

/// `        FAIL [   0.005s] prices tests::adds`, also with `(1/3)` before the name and `TRY 2` before the word.
fn test(line: &str) -> Option<(String, TestOutcome, u64)> {
    let text = line.trim_ascii_start();
    if text.len() == line.len() {
        return None;
    }
    let text = text.strip_prefix("TRY ").map_or(text, |rest| {
        rest.trim_start_matches(|digit: char| digit.is_ascii_digit()).trim_start()
    });
    let (end, rest) = text.split_once(" [")?;
    let outcome = ENDS
        .iter()
        .find(|(word, _)| end.split(' ').any(|part| part == *word))
        .map(|(_, outcome)| *outcome)?;
    let (time, name) = rest.split_once(']')?;
    let name = name.trim();
    let name = match name.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((_, name)) => name.trim(),
        None => name,
    };
    Some((name.to_owned(), outcome, duration_ms(time.trim_start_matches(['>', ' ']))?))
}
