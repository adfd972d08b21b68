//! The door that every analysis passes before a fix is asked for.

use std::collections::BTreeSet;
use std::ops::Deref;

use redgreen_model::analysis::{ANALYSIS_CHARS_MIN, Analysis, AnalysisSource, ProposedAnalysis};
use redgreen_model::report::Failure;
use redgreen_model::text::{LINE_CHARS, MESSAGE_CHARS, clean_block, clean_line};

use super::NAMED_TESTS_MAX;
use super::words::{shared, telling};
use crate::judge::CheckFailure;

/// An analysis that was let through. Only [`accept`] makes one, and a fix is asked for only with one.
#[derive(Clone, Debug, PartialEq)]
pub struct AcceptedAnalysis(Analysis);

impl Deref for AcceptedAnalysis {
    type Target = Analysis;
    fn deref(&self) -> &Analysis {
        &self.0
    }
}

/// Lets an analysis through if it says something, is about failures of this run, and was not
/// tried before.
pub fn accept(
    analysis: Analysis,
    failing: &BTreeSet<&str>,
    tried: &BTreeSet<String>,
) -> Result<AcceptedAnalysis, String> {
    for (name, text) in
        [("root_cause", &analysis.root_cause), ("fix_strategy", &analysis.fix_strategy)]
    {
        if text.trim().chars().count() < ANALYSIS_CHARS_MIN {
            return Err(format!("{name} has fewer than {ANALYSIS_CHARS_MIN} characters"));
        }
    }
    if !(0.0..=1.0).contains(&analysis.confidence) {
        return Err(format!("confidence {} is not between 0 and 1", analysis.confidence));
    }
    if analysis.tests.is_empty() {
        return Err("it names no failing test".to_owned());
    }
    if let Some(test) = analysis.tests.iter().find(|test| !failing.contains(test.as_str())) {
        return Err(format!("{test} is not a failing test of this run"));
    }
    if tried.contains(&analysis.key()) {
        return Err("it repeats an analysis whose fix already failed".to_owned());
    }
    Ok(AcceptedAnalysis(analysis))
}

/// How much of their words two causes share that are the same, and how near their lines are.
const SAME_WORDS: f64 = 0.5;
const SAME_LINES: u32 = 5;
/// So many words an analysis needs that are not the error's own, and so many of them in the cause.
const OWN_WORDS_MIN: usize = 3;
const OWN_WORDS_OF_CAUSE_MIN: usize = 1;

/// Lets an agent's analysis through: what holds for all, and that it names a place that is in the tree, says more than
/// the error itself, and is not what an earlier attempt was based on, in whatever words.
pub fn hear(
    proposed: &ProposedAnalysis,
    failures: &[CheckFailure],
    earlier: &[&Analysis],
    tried: &BTreeSet<String>,
) -> Result<AcceptedAnalysis, String> {
    let failing: BTreeSet<&str> = failures.iter().map(CheckFailure::name).collect();
    let accepted = accept(from_agent(proposed), &failing, tried)?;
    let Some(place) = &accepted.location else {
        return Err(match proposed.place.as_str() {
            "" => "it names no place that is in the tree: say which, as FILE:LINE".to_owned(),
            place => format!("{} is no place in the tree", clean_line(place, LINE_CHARS)),
        });
    };
    let mut said = telling(&place.file);
    for failure in failures {
        let Failure { error_type, message, stack, .. } = &failure.failure;
        for text in [failure.name(), error_type, message, stack] {
            said.append(&mut telling(text));
        }
    }
    let own = |text: &str| telling(text).difference(&said).count();
    let all = format!("{} {}", accepted.root_cause, accepted.fix_strategy);
    if own(&accepted.root_cause) < OWN_WORDS_OF_CAUSE_MIN || own(&all) < OWN_WORDS_MIN {
        return Err(
            "it says no more than the error does: say why it happens, and what you will change"
                .to_owned(),
        );
    }
    match earlier.iter().any(|earlier| is_same(&accepted, earlier)) {
        true => Err(
            "an earlier attempt was based on the same place and cause, and failed: find another"
                .to_owned(),
        ),
        false => Ok(accepted),
    }
}

/// Whether two analyses blame the same place for the same cause.
fn is_same(one: &Analysis, other: &Analysis) -> bool {
    let (Some(here), Some(there)) = (&one.location, &other.location) else { return false };
    let near = match (here.line, there.line) {
        (Some(here), Some(there)) => here.abs_diff(there) <= SAME_LINES,
        _ => true,
    };
    let causes = (telling(&one.root_cause), telling(&other.root_cause));
    here.file == there.file && near && shared(&causes.0, &causes.1) >= SAME_WORDS
}

/// The agent's analysis in our form, clean and bounded.
pub fn from_agent(proposed: &ProposedAnalysis) -> Analysis {
    Analysis {
        root_cause: clean_block(proposed.root_cause.as_bytes(), MESSAGE_CHARS),
        fix_strategy: clean_block(proposed.fix_strategy.as_bytes(), MESSAGE_CHARS),
        confidence: proposed.confidence,
        tests: proposed
            .tests
            .iter()
            .map(|test| clean_line(test, LINE_CHARS))
            .take(NAMED_TESTS_MAX)
            .collect(),
        source: AnalysisSource::Agent,
        location: proposed.found.clone(),
        changed_hunk: None,
        suspects: Vec::new(),
    }
}
