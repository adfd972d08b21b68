//! Everything that was seen of a square.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes::{
    Declaration, Heirs, SettingsChange, SideChange, Silenced, TestEdit, Waiver, Warning,
};
use super::corners::CornerSeen;
use crate::coverage::CoverageFacts;
use crate::execution::TestId;
use crate::outside::Outside;
use crate::tree::TreeState;

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
    /// What code and tests were both seen to read, and what changed, by file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<TestEdit>,
    /// New code, old tests, and that as it was; none where nothing of the kind changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with_old_shared: Option<CornerSeen>,
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
