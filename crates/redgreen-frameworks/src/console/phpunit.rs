//! PHPUnit, with its dots and as testdox.

use redgreen_model::report::TestOutcome;

use super::block::Block;
use super::dialects::{Dialect, Reader, Signs, Taken};
use super::run::{Claimed, Run};
use super::tree::leaf;
use super::words::{number, place, typed};
use super::{diff, javascript::dedented};
use crate::stream::{FailureRecord, Frame};

pub(crate) const DIALECT: Dialect = Dialect {
    program: "phpunit",
    runs_tests: true,
    signs: Signs::first("P"),
    begins: |line| line.starts_with("PHPUnit ") && line.contains(" by Sebastian Bergmann"),
    reader: || Box::<Phpunit>::default(),
};

#[derive(Default)]
struct Phpunit {
    begun: bool,
    /// How the tests of the list below ended; none for warnings and the like.
    listing: Option<TestOutcome>,
    title: Option<String>,
    class: String,
    block: Block,
}

impl Reader for Phpunit {
    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        if line.starts_with("PHPUnit ") && line.contains(" by Sebastian Bergmann") {
            run.started();
            return Taken::mine(!std::mem::replace(&mut self.begun, true));
        }
        if let Some(claimed) = last(line) {
            self.close(run);
            run.claims(claimed);
            return Taken::Last;
        }
        if let Some(word) = list(line) {
            self.close(run);
            self.listing = match word {
                "error" | "errors" => Some(TestOutcome::Errored),
                "failure" | "failures" => Some(TestOutcome::Failed),
                "skipped" | "incomplete" => Some(TestOutcome::Skipped),
                _ => None,
            };
            return Taken::Mine;
        }
        if matches!(line, "--" | "ERRORS!" | "FAILURES!" | "OK, but there were issues!") {
            self.close(run);
            return Taken::Mine;
        }
        if let Some(title) = number(line)
            .and_then(|(_, rest)| rest.strip_prefix(") "))
            .filter(|_| self.listing.is_some())
        {
            self.close(run);
            self.title = Some(title.to_owned());
            return Taken::Mine;
        }
        if self.title.is_some() {
            let text = line
                .trim_start()
                .strip_prefix('│')
                .map_or(line, |text| text.strip_prefix(' ').unwrap_or(text));
            let boxed = line.trim_start().starts_with(['│', '├', '┴', '┐']);
            if self.listing.is_some() || boxed {
                self.block.push(text);
                return Taken::Mine;
            }
            self.close(run);
        }
        self.testdox(line, run)
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        self.close(run);
    }
}

impl Phpunit {
    /// ` ✔ Empty` below the name of the class.
    fn testdox(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        if let Some(leaf) = leaf(line).filter(|leaf| leaf.indent == 1) {
            let id = format!("{} > {}", self.class, leaf.name);
            run.ended(&id, leaf.outcome, leaf.duration_ms);
            self.title = leaf.outcome.is_red().then_some(id);
            return Taken::Mine;
        }
        if let Some(name) = line.strip_prefix(" ↩ ").or_else(|| line.strip_prefix(" ∅ ")) {
            run.ended(&format!("{} > {name}", self.class), TestOutcome::Skipped, 0);
            return Taken::Mine;
        }
        if line.starts_with(|first: char| first.is_ascii_uppercase()) && !line.contains(':') {
            line.split(" (").next().unwrap_or(line).clone_into(&mut self.class);
        }
        Taken::Not
    }

    fn close(&mut self, run: &mut Run<'_>) {
        let text = self.block.take();
        let Some(title) = self.title.take() else { return };
        match self.listing.unwrap_or(TestOutcome::Failed) {
            TestOutcome::Skipped => run.listed(&title, TestOutcome::Skipped),
            outcome => {
                let record = described(&text);
                let at = record.frames.first().map(|frame| (frame.file.clone(), frame.line));
                run.because(
                    &title,
                    outcome,
                    record,
                    at.as_ref().map(|(file, line)| (file.as_str(), *line)),
                );
            }
        }
    }
}

fn described(text: &str) -> FailureRecord {
    let lines: Vec<&str> = text.lines().collect();
    let mut frames: Vec<Frame> = lines
        .iter()
        .filter_map(|line| {
            let (file, line, rest) = place(line)?;
            (file.ends_with(".php") && rest.is_empty()).then(|| Frame {
                file: file.to_owned(),
                line: Some(line),
                function: None,
            })
        })
        .collect();
    frames.reverse();
    let said: Vec<&str> = lines
        .iter()
        .take_while(|line| place(line).is_none_or(|(file, ..)| !file.ends_with(".php")))
        .copied()
        .collect();
    let message = dedented(&said);
    let first = message.lines().next().unwrap_or("");
    let (error_type, message) = match typed(first) {
        Some((name, _)) => (
            name.to_owned(),
            message.split_once(':').map_or("", |(_, rest)| rest).trim().to_owned(),
        ),
        None => ("AssertionFailed".to_owned(), message.clone()),
    };
    let values = diff::sides(&said).or_else(|| identical(&message));
    let (expected, actual) =
        values.map_or((None, None), |(expected, actual)| (Some(expected), Some(actual)));
    FailureRecord {
        error_type,
        message,
        expected,
        actual,
        stack: Some(dedented(&lines)),
        frames,
        phase: None,
    }
}

/// `Failed asserting that 4 is identical to 3.`
fn identical(message: &str) -> Option<(String, String)> {
    let rest =
        message.lines().next()?.strip_prefix("Failed asserting that ")?.trim_end_matches('.');
    let (actual, expected) =
        rest.split_once(" is identical to ").or_else(|| rest.split_once(" matches expected "))?;
    Some((expected.to_owned(), actual.to_owned()))
}

/// The word of `There were 3 failures:`, `There was 1 skipped test:`.
fn list(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("There was ").or_else(|| line.strip_prefix("There were "))?;
    let (_, rest) = number(rest)?;
    rest.strip_suffix(':')?.trim_start().split(' ').next()
}

/// `Tests: 8, Assertions: 5, Errors: 1, Failures: 3.`, or `OK (8 tests, 10 assertions)`.
fn last(line: &str) -> Option<Claimed> {
    if let Some(rest) = line.strip_prefix("OK (") {
        let (passed, _) = number(rest)?;
        return Some(Claimed { passed: passed.into(), ..Claimed::default() });
    }
    let rest = line.strip_prefix("Tests: ")?;
    let mut claimed = Claimed::default();
    let (total, rest) = number(rest)?;
    for part in rest.trim_end_matches('.').split(", ") {
        let Some((word, count)) = part.split_once(": ") else { continue };
        let count: u64 = count.parse().unwrap_or(0);
        match word {
            "Errors" | "Failures" => claimed.red += count,
            "Skipped" | "Incomplete" => claimed.skipped += count,
            _ => {}
        }
    }
    claimed.passed = u64::from(total).saturating_sub(claimed.red + claimed.skipped);
    line.contains("Assertions: ").then_some(claimed)
}
