//! CTest.

use redgreen_model::report::TestOutcome;

use super::block::Block;
use super::dialects::{Dialect, Reader, Signs, Taken};
use super::run::{Claimed, Run};
use super::words::{duration_ms, number, place};
use crate::stream::{FailureRecord, Frame};

pub(crate) const DIALECT: Dialect = Dialect {
    program: "ctest",
    runs_tests: true,
    signs: Signs::first("T0123456789"),
    begins: |line| line.starts_with("Test project ") || test(line).is_some(),
    reader: || Box::<Ctest>::default(),
};

#[derive(Default)]
struct Ctest {
    begun: bool,
    owner: Option<(String, String)>,
    /// Why the next test cannot run.
    missing: Option<String>,
    block: Block,
    listing: bool,
}

/// What CTest calls the ends of a test.
const ENDS: [(&str, TestOutcome); 7] = [
    ("Passed", TestOutcome::Passed),
    ("***Not Run (Disabled)", TestOutcome::Skipped),
    ("***Skipped", TestOutcome::Skipped),
    ("***Not Run", TestOutcome::Errored),
    ("***Timeout", TestOutcome::Errored),
    ("***Exception", TestOutcome::Errored),
    ("***Failed", TestOutcome::Failed),
];

impl Reader for Ctest {
    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        if line.starts_with("Test project ") {
            run.started();
            return Taken::mine(!std::mem::replace(&mut self.begun, true));
        }
        if let Some((name, why, outcome, ms)) = test(line) {
            self.close(run);
            run.ended(name, outcome, ms);
            let why = self.missing.take().unwrap_or_else(|| why.to_owned());
            self.owner = outcome.is_red().then(|| (name.to_owned(), why));
            return Taken::Mine;
        }
        if line.trim_start().starts_with("Start ") && line.starts_with("   ") {
            self.close(run);
            return Taken::Mine;
        }
        if let Some(claimed) = percent(line) {
            self.close(run);
            run.claims(claimed);
            return Taken::Mine;
        }
        if let Some(time) = line.strip_prefix("Total Test time (real) =") {
            run.took(duration_ms(time).unwrap_or(0));
            return Taken::Mine;
        }
        if line == "The following tests FAILED:" || line == "The following tests did not run:" {
            self.listing = line.ends_with("FAILED:");
            return Taken::Mine;
        }
        if let Some(name) = listed(line).filter(|_| self.listing) {
            run.listed(name, TestOutcome::Failed);
            return Taken::Mine;
        }
        if line.starts_with("Unable to find executable: ") {
            self.missing = Some(line.to_owned());
            return Taken::Mine;
        }
        if line == "Errors while running CTest" {
            return Taken::Last;
        }
        if self.owner.is_some() {
            self.block.push(line);
            return Taken::Mine;
        }
        Taken::Not
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        self.close(run);
    }
}

impl Ctest {
    fn close(&mut self, run: &mut Run<'_>) {
        let text = self.block.take();
        let Some((name, why_named)) = self.owner.take() else { return };
        let record = why(&text, &why_named);
        let outcome = run.outcome_of(&name).unwrap_or(TestOutcome::Failed);
        run.because(&name, outcome, record, None);
    }
}

/// Why a test failed, by what it printed; or else what ctest says of it.
pub(crate) fn why(text: &str, otherwise: &str) -> FailureRecord {
    let said = text.lines().rev().find(|line| {
        let small = line.to_lowercase();
        small.contains("assert") || small.contains("error") || small.contains("fail")
    });
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    let at = said.and_then(|line| {
        // `program: file.c:9: function: Assertion …`, or the place first.
        let rest = line.split_once(": ").map_or(line, |(_, rest)| rest);
        place(line).filter(|(file, ..)| file.contains('.')).or_else(|| place(rest))
    });
    let frames =
        at.map(|(file, line, _)| Frame { file: file.to_owned(), line: Some(line), function: None });
    FailureRecord {
        error_type: "TestFailed".to_owned(),
        message: said.or(last).unwrap_or(otherwise).trim().to_owned(),
        stack: Some(text.to_owned()),
        frames: frames.into_iter().collect(),
        ..FailureRecord::default()
    }
}

/// `2/7 Test #2: adds ......***Failed    0.00 sec`
fn test(line: &str) -> Option<(&str, &str, TestOutcome, u64)> {
    let (_, rest) = number(line.trim_start())?;
    let (_, rest) = number(rest.strip_prefix('/')?)?;
    let rest = rest.trim_start().strip_prefix("Test ")?.trim_start().strip_prefix('#')?;
    let (_, rest) = number(rest)?;
    let rest = rest.strip_prefix(": ")?;
    let dots = rest.find(" ..").or_else(|| rest.find(" ."))?;
    let (name, rest) = (rest.get(..dots)?, rest.get(dots..)?.trim_start_matches([' ', '.']));
    let (end, outcome) = *ENDS.iter().find(|(end, _)| rest.contains(end))?;
    let time = rest.rsplit_once(end).map_or("", |(_, time)| time.trim_start_matches([':', ' ']));
    let why = rest.split("***").next().filter(|why| !why.trim().is_empty());
    Some((
        name,
        why.unwrap_or(end.trim_start_matches('*')),
        outcome,
        duration_ms(time).unwrap_or(0),
    ))
}

/// `33% tests passed, 4 tests failed out of 6`
fn percent(line: &str) -> Option<Claimed> {
    let (_, rest) = line.split_once("% tests passed, ")?;
    let (red, rest) = number(rest)?;
    let (_, total) = rest.split_once(" out of ")?;
    let (red, total) = (u64::from(red), u64::from(number(total)?.0));
    // A test that was skipped is in the total.
    Some(Claimed { passed: 0, red, skipped: 0 }).filter(|_| total >= red)
}

/// The name of `    2 - adds (Failed)`.
fn listed(line: &str) -> Option<&str> {
    let (_, rest) = number(line.strip_prefix('\t')?.trim_start())?;
    let name = rest.strip_prefix(" - ")?;
    Some(name.rsplit_once(" (").map_or(name, |(name, _)| name))
}
