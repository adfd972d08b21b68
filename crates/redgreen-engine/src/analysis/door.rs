//! The door that every analysis passes before a fix is asked for.

use std::collections::BTreeSet;
use std::ops::Deref;

use redgreen_model::analysis::{ANALYSIS_CHARS_MIN, Analysis, AnalysisSource, ProposedAnalysis};
use redgreen_model::text::{LINE_CHARS, MESSAGE_CHARS, clean_block, clean_line};

use super::NAMED_TESTS_MAX;

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
        location: None,
        changed_hunk: None,
        suspects: Vec::new(),
    }
}
