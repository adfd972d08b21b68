//! RSpec and minitest.

use redgreen_model::report::{FailureKind, TestOutcome};

use super::block::Block;
use super::dialects::{Dialect, Reader, Signs, Taken};
use super::javascript::dedented;
use super::run::{Claimed, Run};
use super::words::{counts, duration_ms, number, place, typed};
use crate::stream::{FailureRecord, Frame};

pub(crate) const RSPEC: Dialect = Dialect {
    program: "rspec",
    runs_tests: true,
    signs: Signs::first("FPA0123456789"),
    begins: |line| {
        line == "Failures:"
            || line.starts_with("Pending: (Failures listed here")
            || loading(line).is_some()
            || examples(line).is_some()
    },
    reader: || Box::<Rspec>::default(),
};

pub(crate) const MINITEST: Dialect = Dialect {
    program: "minitest",
    runs_tests: true,
    signs: Signs::first("#0123456789"),
    begins: |line| line == "# Running:" || runs(line).is_some(),
    reader: || Box::<Minitest>::default(),
};

#[derive(Default)]
struct Rspec {
    section: Section,
    title: Option<String>,
    block: Block,
    ended: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Section {
    #[default]
    None,
    Pending,
    Failures,
    Loading,
}

impl Reader for Rspec {
    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        let section = match line {
            "Failures:" => Some(Section::Failures),
            _ if line.starts_with("Pending: (Failures listed here") => Some(Section::Pending),
            _ if loading(line).is_some() => Some(Section::Loading),
            _ => None,
        };
        if let Some(section) = section {
            if self.ended {
                return Taken::Not;
            }
            self.close(run);
            self.section = section;
            self.title = loading(line).map(str::to_owned);
            return Taken::Mine;
        }
        if let Some(time) = line.strip_prefix("Finished in ") {
            self.close(run);
            self.section = Section::None;
            run.took(duration_ms(time.split(" (").next().unwrap_or("")).unwrap_or(0));
            return Taken::Mine;
        }
        if let Some(claimed) = examples(line) {
            self.close(run);
            self.section = Section::None;
            run.claims(claimed);
            self.ended = true;
            return Taken::Mine;
        }
        if self.section == Section::None {
            return Taken::mine(
                self.ended && (line == "Failed examples:" || line.starts_with("rspec ")),
            );
        }
        if let Some(title) = item(line).filter(|_| self.section != Section::Loading) {
            self.close(run);
            self.title = Some(title.to_owned());
            return Taken::Mine;
        }
        self.block.push(line);
        Taken::Mine
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        self.close(run);
    }
}

impl Rspec {
    fn close(&mut self, run: &mut Run<'_>) {
        let text = self.block.take();
        let Some(title) = self.title.take() else { return };
        let record = described(&text);
        if self.section == Section::Loading {
            let line = record
                .frames
                .iter()
                .rev()
                .find(|frame| frame.file == title)
                .and_then(|frame| frame.line);
            run.error(FailureKind::CompileError, record, Some((&title, line)));
            return;
        }
        let file =
            record.frames.first().map(|frame| frame.file.trim_start_matches("./").to_owned());
        let id = file.as_ref().map_or_else(|| title.clone(), |file| format!("{file} > {title}"));
        if self.section == Section::Pending {
            run.listed(&id, TestOutcome::Skipped);
        } else {
            run.because(&id, TestOutcome::Failed, record, file.as_deref().map(|file| (file, None)));
        }
    }
}

/// What follows these words on the first line that begins with them.
fn named(lines: &[&str], words: &str) -> Option<String> {
    let value = lines.iter().find_map(|line| line.trim().strip_prefix(words));
    value.map(|value| value.trim().to_owned())
}

/// What RSpec says about one example: `Failure/Error:`, the values or the exception, the frames.
fn described(text: &str) -> FailureRecord {
    let lines: Vec<&str> = text.lines().collect();
    let named = |words: &str| named(&lines, words);
    let body: Vec<&str> =
        lines.iter().filter(|line| !line.trim_start().starts_with("# ")).copied().collect();
    let class = body.iter().position(|line| {
        let line = line.trim();
        line.strip_suffix(':').is_some_and(|name| {
            name.starts_with(|first: char| first.is_ascii_uppercase())
                && !name.contains(' ')
                && name != "Diff"
        })
    });
    let (error_type, said) = match class {
        Some(at) => {
            let name = body.get(at).map_or("", |line| line.trim().trim_end_matches(':'));
            (name, dedented(body.get(at + 1..).unwrap_or_default()))
        }
        None => ("ExpectationNotMet", dedented(&body)),
    };
    let message = match (class, named("expected:"), named("got:")) {
        (None, Some(expected), Some(got)) => format!("expected: {expected}\n     got: {got}"),
        (None, ..) => {
            said.split_once("\n\n").map_or(said.as_str(), |(_, rest)| rest).trim().to_owned()
        }
        _ => said.trim().to_owned(),
    };
    FailureRecord {
        error_type: error_type.to_owned(),
        message,
        expected: named("expected:").filter(|_| named("got:").is_some()),
        actual: named("got:").filter(|_| named("expected:").is_some()),
        stack: Some(dedented(&lines)),
        frames: frames(&lines),
        phase: None,
    }
}

/// `# ./spec/a_spec.rb:8:in 'block'`, and minitest's without the mark; the innermost one is first.
fn frames(lines: &[&str]) -> Vec<Frame> {
    let mut frames: Vec<Frame> = lines
        .iter()
        .filter_map(|line| {
            let text = line.trim_start();
            let (file, line, rest) = place(text.strip_prefix("# ").unwrap_or(text))?;
            let function =
                rest.strip_prefix(":in ").map(|name| name.trim_matches(['`', '\'']).to_owned());
            file.ends_with(".rb").then(|| Frame {
                file: file.to_owned(),
                line: Some(line),
                function,
            })
        })
        .take(super::frames::FRAMES)
        .collect();
    frames.reverse();
    frames
}

/// The rest of `  1) total adds`.
fn item(line: &str) -> Option<&str> {
    number(line.strip_prefix("  ")?)?.1.strip_prefix(") ")
}

/// The file of `An error occurred while loading ./spec/broken_spec.rb.`
fn loading(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("An error occurred while loading ")?;
    let file = rest.split(' ').next()?;
    Some(file.strip_suffix('.').unwrap_or(file))
}

/// `5 examples, 3 failures, 1 pending`
fn examples(line: &str) -> Option<Claimed> {
    number(line)?;
    let (total, word) = counts(line).next()?;
    if !matches!(word, "example" | "examples") || !line.contains(" failure") {
        return None;
    }
    let mut claimed = Claimed::default();
    for (count, word) in counts(line).skip(1) {
        match word {
            "failure" | "failures" => claimed.red += count,
            "pending" => claimed.skipped += count,
            _ => {}
        }
    }
    claimed.passed = total.saturating_sub(claimed.red + claimed.skipped);
    claimed.red += line
        .rsplit_once(", ")
        .and_then(|(_, rest)| rest.contains("outside of examples").then(|| number(rest))?)
        .map_or(0, |(count, _)| count.into());
    Some(claimed)
}

#[derive(Default)]
struct Minitest {
    begun: bool,
    kind: Option<TestOutcome>,
    owner: Option<(String, Option<(String, u32)>)>,
    block: Block,
}

impl Reader for Minitest {
    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        if line == "# Running:" {
            run.started();
            return Taken::mine(!std::mem::replace(&mut self.begun, true));
        }
        if let Some(claimed) = runs(line) {
            self.close(run);
            run.claims(claimed);
            return Taken::Last;
        }
        if let Some(time) = line.strip_prefix("Finished in ") {
            self.close(run);
            run.took(duration_ms(time.split(',').next().unwrap_or("")).unwrap_or(0));
            return Taken::Mine;
        }
        let kind = item(line).unwrap_or(line);
        let kind = match kind {
            "Error:" => Some(TestOutcome::Errored),
            "Failure:" => Some(TestOutcome::Failed),
            "Skipped:" => Some(TestOutcome::Skipped),
            _ => None,
        };
        if kind.is_some() {
            self.close(run);
            self.kind = kind;
            return Taken::Mine;
        }
        if self.kind.is_some() && self.owner.is_none() {
            self.owner = Some(owner(line));
            return Taken::Mine;
        }
        if self.owner.is_some() {
            self.block.push(line);
            return Taken::Mine;
        }
        Taken::mine(verbose(line, run))
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        self.close(run);
    }
}

impl Minitest {
    fn close(&mut self, run: &mut Run<'_>) {
        let text = self.block.take();
        let (Some(outcome), Some((id, place))) = (self.kind.take(), self.owner.take()) else {
            return;
        };
        if outcome == TestOutcome::Skipped {
            run.listed(&id, outcome);
            return;
        }
        let lines: Vec<&str> = text.lines().collect();
        let named = |words: &str| named(&lines, words);
        let first = lines.first().copied().unwrap_or("");
        let frames = frames(&lines);
        let said: Vec<&str> =
            lines.iter().take_while(|line| !line.starts_with("    ")).copied().collect();
        let (error_type, message) = match typed(first).filter(|_| outcome == TestOutcome::Errored) {
            Some((name, _)) => (
                name,
                dedented(&said).split_once(": ").map_or(String::new(), |(_, rest)| rest.to_owned()),
            ),
            None => ("Assertion", dedented(&said)),
        };
        let record = FailureRecord {
            error_type: error_type.to_owned(),
            message,
            expected: named("Expected:"),
            actual: named("Actual:"),
            stack: Some(dedented(&lines)),
            frames,
            phase: None,
        };
        let at = place.or_else(|| {
            let frame = record.frames.first()?;
            Some((frame.file.clone(), frame.line?))
        });
        run.because(
            &id,
            outcome,
            record,
            at.as_ref().map(|(file, line)| (file.as_str(), Some(*line))),
        );
    }
}

/// The test and its place, of `PriceTest#test_total [test/price_test.rb:8]:`.
fn owner(line: &str) -> (String, Option<(String, u32)>) {
    let text = line.trim().trim_end_matches(':');
    match text.strip_suffix(']').and_then(|text| text.rsplit_once(" [")) {
        Some((id, at)) => (id.to_owned(), place(at).map(|(file, line, _)| (file.to_owned(), line))),
        None => (text.to_owned(), None),
    }
}

/// `PriceTest#test_total = 0.00 s = F`
fn verbose(line: &str, run: &mut Run<'_>) -> bool {
    let mut parts = line.rsplitn(3, " = ");
    let (Some(mark), Some(time), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let outcome = match mark {
        "." => TestOutcome::Passed,
        "F" => TestOutcome::Failed,
        "E" => TestOutcome::Errored,
        "S" => TestOutcome::Skipped,
        _ => return false,
    };
    let Some(ms) = duration_ms(time) else { return false };
    run.ended(name, outcome, ms);
    true
}

/// `5 runs, 2 assertions, 2 failures, 1 errors, 1 skips`
fn runs(line: &str) -> Option<Claimed> {
    number(line).filter(|_| line.contains(" assertions, "))?;
    let found: Vec<(u64, &str)> = counts(line).collect();
    let [
        (total, "runs" | "tests"),
        (_, "assertions"),
        (failures, "failures"),
        (errors, "errors"),
        (skips, "skips"),
        ..,
    ] = found.as_slice()
    else {
        return None;
    };
    let red = failures + errors;
    Some(Claimed { passed: total.saturating_sub(red + skips), red, skipped: *skips })
}
