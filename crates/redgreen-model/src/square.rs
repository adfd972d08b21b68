//! The square: old and new code against old and new tests. What was seen of it
//! ([`SquareFacts`]), and what it shows ([`Square`]).

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::coverage::{CoverageFacts, CoverageFigures, UntestedChange};
use crate::execution::{Execution, TestId};
use crate::outside::Outside;
use crate::tree::{ChangeKind, CodeHash, TreeState};
use crate::verdict::Verdict;

/// One of the four: whose code is run with whose tests.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Corner {
    /// Old code, old tests: what was green and red before.
    Baseline,
    /// New code, old tests: what was there before must still pass.
    Referee,
    /// Old code, new tests: a test for a fix must be red here.
    Proof,
    /// New code, new tests: what the user will have.
    Run,
}

impl Corner {
    /// The corner in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Baseline => "old code, old tests",
            Self::Referee => "new code, old tests",
            Self::Proof => "old code, new tests",
            Self::Run => "new code, new tests",
        }
    }
}

impl fmt::Display for Corner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// How a test stands in a corner.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It passed.
    Green,
    /// It failed, or started and never ended.
    Red,
    /// It had both outcomes on the same tree.
    Flaky,
    /// It did not run, on purpose, or failed as declared.
    Skipped,
    /// It is not there, or could not be built or collected.
    Missing,
    /// The corner was not run, or not with this test.
    Unseen,
}

impl Standing {
    /// The name for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Green => "green",
            Self::Red => "red",
            Self::Flaky => "flaky",
            Self::Skipped => "skipped",
            Self::Missing => "missing",
            Self::Unseen => "-",
        }
    }
}

/// What was seen of a corner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "seen", rename_all = "snake_case")]
pub enum CornerSeen {
    /// The sides do not differ there: it is the run (referee) or the baseline (proof).
    Same,
    /// It was run.
    Ran {
        /// The full run, or that of the tests that matter.
        execution: Box<Execution>,
        /// The re-run of what changed its outcome.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confirm: Option<Box<Execution>>,
    },
    /// Nothing in it would say anything: the proof where no test is new.
    Needless,
    /// It could not be run.
    Unseen {
        /// Why, in words.
        reason: String,
    },
}

/// A file of the tests' side that differs between the trees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SideChange {
    /// The path from the root of the work tree.
    pub path: String,
    /// What happened to it.
    pub kind: ChangeKind,
    /// Why it belongs to the tests' side.
    pub reason: String,
    /// Whether its name or its place alone says so, and it is nothing that a runner looks for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guessed: bool,
    /// Whether it is a program in a language that is not read, so that all its tests changed with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
}

/// Why an old test and a new one are the same.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum MatchReason {
    /// It has the same name in the same file.
    SamePlace,
    /// The same body under another name.
    Renamed,
    /// The same body in another file.
    Moved,
    /// The same body, with the imports of a module that moved.
    ImportsFollowed,
    /// One of several that became one test with their values.
    Parametrised,
    /// Its assertions went into a helper.
    HelperExtracted,
    /// Its assertions went to several tests.
    Split,
}

impl MatchReason {
    /// The reason in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SamePlace => "the same test",
            Self::Renamed => "renamed",
            Self::Moved => "moved",
            Self::ImportsFollowed => "moved, with its imports",
            Self::Parametrised => "became a case of",
            Self::HelperExtracted => "its assertions went into a helper",
            Self::Split => "its assertions went to several tests",
        }
    }
}

/// One way in which a test asserts less than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WeakerAssertion {
    /// What happened, in words: `assertions removed`.
    pub what: String,
    /// Nothing that could fail is left.
    pub emptied: bool,
    /// The line in the new file, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The assertion before.
    pub before: String,
    /// What stands there now.
    pub after: String,
}

/// An old test in a changed file, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestEdit {
    /// The test at the baseline.
    pub old: TestId,
    /// Its counterparts in the new tree; none where it is gone.
    pub new: Vec<TestId>,
    /// Why they are the same.
    pub why: MatchReason,
    /// Whether the body is the same but for its name, comments and layout.
    pub same: bool,
    /// Ways in which it asserts less.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weaker: Vec<WeakerAssertion>,
    /// Its file: in the new tree, else in the old.
    pub file: String,
    /// Its line there.
    pub line: u32,
    /// Its text before, bounded.
    pub before: String,
    /// Its text now, bounded; empty where it is gone.
    pub after: String,
    /// Identifies both texts: a declaration holds for exactly this change.
    pub change: String,
}

/// A test that is gone, and those that may ask what it asked in another way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Heirs {
    /// The test that is gone.
    pub of: TestId,
    /// Tests that are new or changed and call all the code that it called.
    pub tests: Vec<TestId>,
}

/// Code that looks for its judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// What it does, in words.
    pub what: String,
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The line's text.
    pub text: String,
    /// Whether no honest code has the like: then it is a finding.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub certain: bool,
}

/// A file in which a judge beside the tests (a linter, a type checker, CI) says less than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Silenced {
    /// The file.
    pub file: String,
    /// The first line, in the new file.
    pub line: u32,
    /// Who is silenced and how, in words.
    pub what: String,
    /// What stood there before, where that is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub before: String,
    /// What stands there now.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub after: String,
    /// Identifies what is silenced: a declaration holds for exactly this.
    pub change: String,
}

/// Behind the name of a file: what is owned is that a judge is silenced in it.
const SILENCED: &str = " (silenced)";

impl Silenced {
    /// How it is named when it is declared.
    pub fn name(&self) -> String {
        format!("{}{SILENCED}", self.file)
    }

    /// Whether a name that is declared means it: the file alone does, too.
    pub fn is_named(&self, name: &str) -> bool {
        name.strip_suffix(SILENCED).unwrap_or(name) == self.file
    }
}

/// Somebody owns a changed expectation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Declaration {
    /// The test's id.
    pub test: String,
    /// Which change of it: another edit of the test voids the declaration.
    pub change: String,
    /// Why the expectation changed.
    pub reason: String,
    /// Who said so.
    pub by: String,
    /// When, RFC 3339.
    pub at: String,
}

/// A person accepts a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Waiver {
    /// The finding's id.
    pub finding: String,
    /// The code it was accepted for: any other edit voids the waiver.
    pub code: CodeHash,
    /// Why.
    pub reason: String,
    /// Who.
    pub by: String,
    /// When, RFC 3339.
    pub at: String,
}

/// A file that says whether and how redgreen judges, and that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SettingsChange {
    /// The file.
    pub file: String,
    /// Its text before, bounded; empty where there was none.
    pub before: String,
    /// Its text now, bounded; empty where there is none.
    pub after: String,
    /// What keeps it from being read as it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Everything that was seen of a square beside its baseline and its run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SquareFacts {
    /// The tree before the change.
    pub base: TreeState,
    /// The tree after it.
    pub tree: TreeState,
    /// The files of the tests' side that differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<SideChange>,
    /// New code, old tests.
    pub referee: CornerSeen,
    /// Old code, new tests.
    pub proof: CornerSeen,
    /// The old tests in changed files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<TestEdit>,
    /// Old tests that the referee's tree could not build, collect or finish, and whose own source stands unchanged
    /// in the new tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intact: Vec<TestId>,
    /// What tests stand on and what changed, by file: helpers, constants, data, configuration. Where nothing but
    /// names changed that changed in the code, it is the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub helpers: Vec<TestEdit>,
    /// Tests that are gone, and who may ask for their code now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heirs: Vec<Heirs>,
    /// Identifies the tests' side as it is now, for tests whose own text is not known.
    pub change: String,
    /// Changes of what decides whether and how there is a judge: `redgreen.toml`, hook settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<SettingsChange>,
    /// Whether anything but comments, layout and documents changed.
    pub meaningful: bool,
    /// Whether more code went than came: then the tests of what is gone go, too.
    #[serde(default = "yes")]
    pub removes_code: bool,
    /// Checks of which the run has tests in files that the change left alone: they were there before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub standing: Vec<String>,
    /// Tests that the source of the old tests names, that changed or are gone, and that no corner ran: what was there
    /// before could not run them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never_run: Vec<TestEdit>,
    /// Red tests of the run that reach nothing of the change, as far as their source tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beyond: Vec<TestId>,
    /// Why it is not known what was red before: a manifest that changed, where the old code ran with what is
    /// installed now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsure_before: Option<String>,
    /// Judges beside the tests that say less than before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silenced: Vec<Silenced>,
    /// Code that looks for its judge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// What changed in code, and which of it the run's tests ran; none where nobody counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<CoverageFacts>,
    /// What lies outside of the tree and can decide its tests; none where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<Outside>,
    /// What was declared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declared: Vec<Declaration>,
    /// What was waived.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waived: Vec<Waiver>,
}

fn yes() -> bool {
    true
}

/// What kind of fake a finding is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// Red before, green only with the edit of the tests' side.
    GreenByEdit,
    /// Red before, gone now, and never seen to pass.
    RedRemoved,
    /// Not seen to pass on the new code, and skipped now.
    Hidden,
    /// The test asserts less than before.
    Weakened,
    /// No test was red on the old code and is green now.
    NoProof,
    /// `redgreen.toml` or the hooks that call redgreen changed.
    ConfigurationChanged,
    /// The referee's run changed code or tests while it ran.
    TreeChanged,
    /// No test runs enough of a change whose kind somebody named.
    Untested,
    /// New code is made for its tests: it looks for them, pleases them, or answers what they expect.
    MadeForTests,
}

impl FindingKind {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::GreenByEdit,
        Self::RedRemoved,
        Self::Hidden,
        Self::Weakened,
        Self::NoProof,
        Self::ConfigurationChanged,
        Self::TreeChanged,
        Self::Untested,
        Self::MadeForTests,
    ];

    /// The name in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::GreenByEdit => "green_by_edit",
            Self::RedRemoved => "red_removed",
            Self::Hidden => "hidden",
            Self::Weakened => "weakened",
            Self::NoProof => "no_proof",
            Self::ConfigurationChanged => "configuration_changed",
            Self::TreeChanged => "tree_changed",
            Self::Untested => "untested",
            Self::MadeForTests => "made_for_tests",
        }
    }
}

/// Something that blocks until a person waives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Its name for `redgreen waive`.
    pub id: String,
    /// What kind it is.
    pub kind: FindingKind,
    /// The test, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<TestId>,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What stood there before.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub before: String,
    /// What stands there now.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub after: String,
    /// The corner that shows it.
    pub corner: Corner,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The person who accepted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waived: Option<Waiver>,
}

/// How an expectation changed.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ExpectationKind {
    /// The old form of the test does not pass on the new code, the new form does.
    Changed,
    /// A test that was green is gone.
    Removed,
    /// A test that passes on the new code is skipped.
    Skipped,
    /// The old form passes on the new code, and the new form asserts less.
    Loosened,
    /// A linter, a type checker or CI says less than before.
    Silenced,
}

impl ExpectationKind {
    /// The name in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Removed => "removed",
            Self::Skipped => "skipped",
            Self::Loosened => "loosened",
            Self::Silenced => "silenced",
        }
    }
}

/// A test that was green and whose expectation changed with the code: allowed once it is declared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedExpectation {
    /// The test at the baseline.
    pub test: TestId,
    /// How it changed.
    pub kind: ExpectationKind,
    /// Its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Its text before.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub before: String,
    /// Its text now.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub after: String,
    /// What the old form says on the new code.
    pub message: String,
    /// Which change a declaration must name.
    pub change: String,
    /// Who owns it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<Declaration>,
}

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
