//! Evidence: what redgreen saw of a tree, as in-toto statements that somebody else can check.
//!
//! A statement has one predicate, so a verdict is stated in two: in the words that everybody knows
//! ([`TestResult`]), and in ours ([`Evidence`]). [`VerdictMemory`] and [`SeenExecution`] are what
//! redgreen itself comes back to: signed in the same way, because they lie where the agent works.

mod statement;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::JudgeBy;
use crate::document::schema;
use crate::execution::{Ended, Execution, Purpose, TestId};
use crate::framework::FrameworkId;
use crate::known::KnownTest;
use crate::mutants::MutantFigures;
use crate::outside::CleanSeen;
use crate::report::Counts;
use crate::square::{ExpectationKind, FindingKind, Warning};
use crate::tree::TreeState;
use crate::verdict::Verdict;
use crate::workflow::CodeType;

pub use statement::{
    Configuration, ConfiguredCheck, Predicate, RulesSha256, STATEMENT_TYPE, Statement, Subject,
    SubjectDigest, TestResult,
};

/// The DSSE payload type of an in-toto statement.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
/// The version of redgreen's own predicates.
pub const EVIDENCE_VERSION: u32 = 1;
/// Where the schema of [`Evidence`] is known under.
pub const EVIDENCE_SCHEMA_ID: &str = "urn:redgreen:schema:evidence:v1";

/// The SHA-256 of everything that decides how a tree is judged: the checks with all of their settings,
/// and what else in the configuration has a say. Evidence by other rules is evidence of something else.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Rules(pub String);

/// By what something was judged: where all of it is equal, the same would come out.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct JudgedBy {
    /// The version of redgreen.
    pub redgreen: String,
    /// The rules.
    pub rules: Rules,
    /// The variables that count, since one of them may deselect a test: `NAME:MARK`, where a mark is of the value, which
    /// may be a secret. An older redgreen has the SHA-256 of all variables here.
    pub variables: String,
}

/// What in-toto calls the result.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum TestsResult {
    /// Everything was seen to pass.
    Passed,
    /// It passed, and there is something to know: a declared expectation, a waived finding, code that
    /// looks for its judge.
    Warned,
    /// It did not pass.
    Failed,
}

impl TestsResult {
    /// The name in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "PASSED",
            Self::Warned => "WARNED",
            Self::Failed => "FAILED",
        }
    }

    /// Whether the tree may be returned.
    pub fn is_pass(self) -> bool {
        matches!(self, Self::Passed | Self::Warned)
    }
}

/// One check and how it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckEvidence {
    /// The check's name.
    pub name: String,
    /// The command.
    pub command: String,
    /// The framework that reported.
    pub framework: FrameworkId,
    /// What makes the check green.
    pub judge_by: JudgeBy,
    /// Whether green needs it.
    pub required: bool,
    /// Exit code or signal.
    pub ended: Ended,
    /// How long it took.
    pub duration_ms: u64,
    /// Its tests.
    pub counts: Counts,
    /// Tests that did not run, on purpose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
}

/// An execution that the verdict rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionEvidence {
    /// Why it ran: which corner of the square it is.
    pub purpose: Purpose,
    /// The tree it ran on.
    pub tree: TreeState,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// How long it took.
    pub duration_ms: u64,
    /// How many tests it was confined to; 0 for all.
    #[serde(default)]
    pub only: u64,
    /// Its checks.
    pub checks: Vec<CheckEvidence>,
}

/// A test whose expectation changed with the code, and who owns that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeclaredExpectation {
    /// The test.
    pub test: TestId,
    /// How it changed.
    pub kind: ExpectationKind,
    /// Why.
    pub reason: String,
    /// Who said so.
    pub by: String,
    /// When, RFC 3339.
    pub at: String,
}

/// A finding that a person accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaivedFinding {
    /// Its name.
    pub finding: String,
    /// What kind it is.
    pub kind: FindingKind,
    /// What is wrong, in a sentence.
    pub message: String,
    /// Why it was accepted.
    pub reason: String,
    /// Who.
    pub by: String,
    /// When, RFC 3339.
    pub at: String,
}

/// A tree that did not pass, and that a person accepted all the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Acceptance {
    /// Why.
    pub reason: String,
    /// Who.
    pub by: String,
    /// When, RFC 3339.
    pub at: String,
}

/// The tests of the tree, by where they come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestOrigins {
    /// Those that were there before the change, under this or another name.
    pub before: Vec<TestId>,
    /// Those that came with it.
    pub new: Vec<TestId>,
}

/// Where the checks ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// The operating system.
    pub os: String,
    /// The processor's architecture.
    pub architecture: String,
    /// The variables that count: see [`JudgedBy`].
    pub variables: String,
    /// Those of them that steer what a command runs, such as `PYTEST_ADDOPTS`, with secrets redacted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub steering: BTreeMap<String, String>,
}

/// How much of the changed lines was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageEvidence {
    /// Changed statements that can be run.
    pub lines: u64,
    /// Those of them that were.
    pub covered: u64,
    /// The small edits of them that were tried.
    #[serde(default, skip_serializing_if = "MutantFigures::is_empty")]
    pub mutants: MutantFigures,
}

/// Changed lines that no test runs, and who says that none is needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeclaredUntested {
    /// Where: `src/cart.py:12-14`.
    pub place: String,
    /// Why.
    pub reason: String,
    /// Who said so.
    pub by: String,
    /// When, RFC 3339.
    pub at: String,
}

/// What in-toto's test result has no words for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The version of this document.
    pub version: u32,
    /// The version of redgreen.
    pub redgreen: String,
    /// The rules that it was judged by.
    pub rules: Rules,
    /// The result.
    pub result: TestsResult,
    /// When the verdict was reached, RFC 3339.
    pub at: String,
    /// The tree before the change; none where nothing was compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<TreeState>,
    /// The kind of change, where it was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_type: Option<CodeType>,
    /// The loop, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// How often the agent was asked for code; none outside of a loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// The tests of the tree itself.
    pub counts: Counts,
    /// What was executed: the tree itself first, then the other corners.
    pub executions: Vec<ExecutionEvidence>,
    /// Which tests were there before the change; none where nothing was compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origins: Option<TestOrigins>,
    /// Changed expectations that were declared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declared: Vec<DeclaredExpectation>,
    /// Findings that were waived.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waived: Vec<WaivedFinding>,
    /// A person's word for the tree as it is, although it did not pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<Acceptance>,
    /// Code that looks for its judge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Tests that are red, were before the change for the same reason, and reach nothing of it: all else passed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub red_before: Vec<TestId>,
    /// Tests that are red and that a person knows to be red, for that cause: all else passed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<KnownTest>,
    /// How much of the change was run, where it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<CoverageEvidence>,
    /// What of it no test runs, and somebody owns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untested: Vec<DeclaredUntested>,
    /// What lies outside of the tree and changed, and whether the tree passes without it; none where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<OutsideEvidence>,
    /// Where.
    pub environment: Environment,
}

/// What git does not keep, what is installed, settings elsewhere: what a fresh checkout does not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutsideEvidence {
    /// What was seen of the tree without it.
    pub seen: CleanSeen,
    /// Since when a change of it counts, RFC 3339.
    pub since: String,
    /// How much of it changed.
    pub count: u64,
    /// The first of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
}

impl Evidence {
    /// Why it does not show that the tree passes in a fresh checkout, in words.
    pub fn not_in_a_fresh_checkout(&self) -> Option<String> {
        if self.outside.is_none() {
            return Some(
                "it does not say whether the tree passes in a fresh checkout: run `redgreen gate` and export it anew"
                    .to_owned(),
            );
        }
        self.made_beside_others()
    }

    /// Why it was made beside things that a fresh checkout does not have, in words.
    pub fn made_beside_others(&self) -> Option<String> {
        let outside = self.outside.as_ref()?;
        match outside.seen {
            CleanSeen::NothingChanged | CleanSeen::Passed => None,
            CleanSeen::Failed | CleanSeen::NotLookedAt => Some(format!(
                "it was made beside {} that a fresh checkout does not have",
                outside.changed.first().map_or("files", String::as_str)
            )),
        }
    }

    /// By what it was judged.
    pub fn judged_by(&self) -> JudgedBy {
        JudgedBy {
            redgreen: self.redgreen.clone(),
            rules: self.rules.clone(),
            variables: self.environment.variables.clone(),
        }
    }
}

/// A verdict to come back to: small, because it is read whenever an agent wants to stop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictMemory {
    /// The version of this document.
    pub version: u32,
    /// By what it was judged.
    #[serde(flatten)]
    pub by: JudgedBy,
    /// The tree before the change; none where nothing was compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<TreeState>,
    /// The result.
    pub result: TestsResult,
    /// The tests of the tree.
    pub counts: Counts,
    /// Whether nobody looked if it passes in a fresh checkout: then whoever can look asks again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlooked: bool,
    /// When, RFC 3339.
    pub at: String,
}

/// An execution to come back to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeenExecution {
    /// The version of this document.
    pub version: u32,
    /// What was executed by.
    #[serde(flatten)]
    pub by: JudgedBy,
    /// Only these tests; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<TestId>,
    /// What it shows by itself.
    pub verdict: Verdict,
    /// When it ended, RFC 3339.
    pub at: String,
    /// What was seen.
    pub execution: Execution,
}

impl Predicate for Evidence {
    const TYPE: &'static str = "https://redgreen.dev/execution/v1";
}

impl Predicate for VerdictMemory {
    const TYPE: &'static str = "https://redgreen.dev/verdict/v1";
}

impl Predicate for SeenExecution {
    const TYPE: &'static str = "https://redgreen.dev/seen/v1";
}

impl From<&Execution> for ExecutionEvidence {
    fn from(execution: &Execution) -> Self {
        let skipped = |run: &crate::execution::CheckRun| {
            let skipped = run.report.tests.iter().filter(|test| !test.outcome.executed());
            skipped.map(|test| test.id.clone()).collect()
        };
        let check = |run: &crate::execution::CheckRun| CheckEvidence {
            name: run.check.clone(),
            command: run.command.clone(),
            framework: run.framework,
            judge_by: run.judge_by,
            required: run.required,
            ended: run.ended.clone(),
            duration_ms: run.duration_ms,
            counts: run.report.counts(),
            skipped: skipped(run),
        };
        Self {
            purpose: execution.purpose,
            tree: execution.ran_on().clone(),
            started_at: execution.started_at.clone(),
            duration_ms: execution.duration_ms,
            only: 0,
            checks: execution.checks.iter().map(check).collect(),
        }
    }
}

/// The JSON Schema (draft 2020-12) of a statement with [`Evidence`].
pub fn evidence_schema() -> serde_json::Value {
    schema::generate::<Statement<Evidence>>(EVIDENCE_SCHEMA_ID, "redgreen evidence")
}
