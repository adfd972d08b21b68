//! The in-toto side: statements about a git tree, and the test result that everybody knows.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Rules, TestsResult};
use crate::config::JudgeBy;
use crate::framework::FrameworkId;
use crate::tree::{CodeHash, TreeHash, TreeState};

/// The type of an in-toto statement, version 1.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// What the subject is called.
const SUBJECT: &str = "work tree";

/// What a statement says of its subject.
pub trait Predicate {
    /// Its address.
    const TYPE: &'static str;
}

/// An in-toto statement about one tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Statement<P> {
    /// [`STATEMENT_TYPE`].
    #[serde(rename = "_type")]
    pub statement_type: String,
    /// The tree.
    pub subject: Vec<Subject>,
    /// Which predicate it is.
    #[serde(rename = "predicateType")]
    pub predicate_type: String,
    /// What is said.
    pub predicate: P,
}

/// What a statement is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    /// A name for people.
    pub name: String,
    /// What it is.
    pub digest: SubjectDigest,
}

/// The tree: exactly, and its code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubjectDigest {
    /// The git tree.
    #[serde(rename = "gitTree")]
    pub git_tree: TreeHash,
    /// The SHA-256 over what in it can change a test's outcome.
    #[serde(rename = "redgreenCode")]
    pub code: CodeHash,
}

impl<P: Predicate> Statement<P> {
    /// A statement about a tree.
    pub fn about(tree: &TreeState, predicate: P) -> Self {
        let digest = SubjectDigest { git_tree: tree.tree.clone(), code: tree.code.clone() };
        Self {
            statement_type: STATEMENT_TYPE.to_owned(),
            subject: vec![Subject { name: SUBJECT.to_owned(), digest }],
            predicate_type: P::TYPE.to_owned(),
            predicate,
        }
    }

    /// Whether it is what it says: an in-toto statement about one tree, with this predicate.
    pub fn is_whole(&self) -> bool {
        self.statement_type == STATEMENT_TYPE
            && self.predicate_type == P::TYPE
            && self.subject.len() == 1
    }
}

impl<P> Statement<P> {
    /// The tree that it is about.
    pub fn tree(&self) -> Option<TreeState> {
        let digest = &self.subject.first()?.digest;
        Some(TreeState { tree: digest.git_tree.clone(), code: digest.code.clone() })
    }
}

/// `https://in-toto.io/attestation/test-result/v0.1`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TestResult {
    /// The result.
    pub result: TestsResult,
    /// What the tests were configured by.
    pub configuration: Vec<Configuration>,
    /// Tests that passed, as `check: test`.
    #[serde(default)]
    pub passed_tests: Vec<String>,
    /// Tests that passed with something to know.
    #[serde(default)]
    pub warned_tests: Vec<String>,
    /// Tests that failed.
    #[serde(default)]
    pub failed_tests: Vec<String>,
}

impl Predicate for TestResult {
    const TYPE: &'static str = "https://in-toto.io/attestation/test-result/v0.1";
}

/// An in-toto resource descriptor of the rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Configuration {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub digest: RulesSha256,
    /// The checks, by name.
    #[serde(default)]
    pub annotations: BTreeMap<String, ConfiguredCheck>,
}

/// The digest of the rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RulesSha256 {
    /// SHA-256.
    pub sha256: Rules,
}

/// A check, for whoever reads a test result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfiguredCheck {
    /// The command.
    pub command: String,
    /// The framework.
    pub framework: FrameworkId,
    /// What makes it green.
    pub judge_by: JudgeBy,
    /// Whether green needs it.
    pub required: bool,
}
