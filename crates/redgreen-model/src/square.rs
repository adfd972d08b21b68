//! The square: old and new code against old and new tests. What was seen of it
//! ([`SquareFacts`]), and what it shows ([`Square`]).

mod changes;
mod corners;
mod facts;
mod faults;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::coverage::{CoverageFigures, UntestedChange};
use crate::execution::TestId;
use crate::verdict::Verdict;

pub use changes::{
    Declaration, Heirs, MatchReason, SettingsChange, SideChange, Silenced, TestEdit, Waiver,
    Warning, WeakerAssertion,
};
pub use corners::{Corner, CornerSeen, Standing};
pub use facts::SquareFacts;
pub use faults::{ChangedExpectation, ExpectationKind, Finding, FindingKind};

/// A test through the corners.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SquareRow {
    /// The test; at the baseline where it was there.
    pub test: TestId,
    /// Its counterparts now, where they have other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub became: Vec<TestId>,
    /// Old code, old tests.
    pub baseline: Standing,
    /// New code, old tests.
    pub referee: Standing,
    /// Old code, new tests.
    pub proof: Standing,
    /// New code, new tests.
    pub run: Standing,
}

impl SquareRow {
    /// Each corner in a word: baseline, referee, proof, run. A test that is there and did not come out of a corner was
    /// not run in it, and is missing only from code that does not have it.
    pub fn words(&self) -> [&'static str; 4] {
        let word = |standing: Standing, there: Standing| match (standing, there) {
            (Standing::Missing, Standing::Missing) => "missing",
            (Standing::Missing, _) => "not run",
            _ => standing.as_str(),
        };
        [
            self.baseline.as_str(),
            word(self.referee, self.baseline),
            word(self.proof, self.run),
            self.run.as_str(),
        ]
    }
}

/// A test that was found again under another name or in another place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestMatch {
    /// The test at the baseline.
    pub old: TestId,
    /// What it is now.
    pub new: Vec<TestId>,
    /// Why they are the same.
    pub why: MatchReason,
}

/// A test that is red on the old code and green on the new.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proof {
    /// The test.
    pub test: TestId,
    /// What it said on the old code.
    pub failure: String,
}

/// What a square shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Square {
    /// Every test that does not simply stay green.
    pub rows: Vec<SquareRow>,
    /// How many tests are green in all corners that were run.
    pub steady: u64,
    /// What blocks until a person waives it; waived ones stay listed.
    pub findings: Vec<Finding>,
    /// What blocks until it is declared; declared ones stay listed.
    pub expectations: Vec<ChangedExpectation>,
    /// Tests that moved or were renamed.
    pub matches: Vec<TestMatch>,
    /// Tests that were red on the old code and are green now.
    pub proofs: Vec<Proof>,
    /// How much of the change tests ran, where it was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<CoverageFigures>,
    /// What no test runs, where that is too much: it blocks until it is tested or declared; declared ones stay listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untested: Vec<UntestedChange>,
    /// Code that looks for its judge.
    pub warnings: Vec<Warning>,
    /// Why it cannot be known whether the change is good.
    pub doubts: Vec<String>,
    /// What else a person should know, and what nobody is held for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

impl Square {
    /// Findings that nobody has waived.
    pub fn blocking(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.waived.is_none())
    }

    /// Changed expectations that nobody has declared.
    pub fn undeclared(&self) -> impl Iterator<Item = &ChangedExpectation> {
        self.expectations.iter().filter(|expectation| expectation.declared.is_none())
    }

    /// Changes that no test runs and that nobody has declared.
    pub fn unowned(&self) -> impl Iterator<Item = &UntestedChange> {
        self.untested.iter().filter(|change| change.declared.is_none())
    }

    /// Whether nothing blocks but that no test runs enough of the change.
    pub fn lacks_tests_only(&self) -> bool {
        let mut findings = self.blocking();
        let untested = self.unowned().next().is_some() || self.blocking().next().is_some();
        untested
            && findings.all(|finding| finding.kind == FindingKind::Untested)
            && self.undeclared().next().is_none()
            && self.doubts.is_empty()
    }

    /// Whether nothing is wrong but that the coverage of a kind that somebody named could not be measured.
    pub fn is_only_unmeasured(&self) -> bool {
        let figures = self.coverage.as_ref();
        let unmeasured = figures.is_some_and(|it| it.derived.is_none() && it.measured == 0);
        unmeasured
            && self.doubts.len() == 1
            && self.blocking().next().is_none()
            && self.undeclared().next().is_none()
            && self.unowned().next().is_none()
    }

    /// What the square adds to the verdict on the run.
    pub fn verdict(&self) -> Verdict {
        let blocks = self.blocking().next().is_some() || self.undeclared().next().is_some();
        if blocks || self.unowned().next().is_some() {
            Verdict::Failed
        } else if self.doubts.is_empty() {
            Verdict::Passed
        } else {
            Verdict::Inconclusive
        }
    }
}
