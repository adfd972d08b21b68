//! What the outer loop is given. Inputs are what its journal records; the state is their fold.

use redgreen_model::plan_file::Item;
use redgreen_model::tree::TreeHash;
use redgreen_model::verdict::StopReason;
use serde::{Deserialize, Serialize};

use super::{DEFAULT_PASS_RATE_WEIGHT, DEFAULT_PATIENCE, DEFAULT_TRIES};

/// The rules of an outer loop, fixed at its start: an edit of the plan changes the next one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// The loop's id.
    pub id: String,
    /// Where the plan was, as it was named; empty for a loop of somebody's own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub plan: String,
    /// What every task should know.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The items; none for a loop of somebody's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
    /// When it ends.
    #[serde(default)]
    pub bounds: Bounds,
    /// Whether each item that is done becomes a commit.
    #[serde(default)]
    pub commit: bool,
}

/// When an outer loop ends before all items are done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// After so many iterations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u32>,
    /// How often an item is tried.
    pub tries: u32,
    /// After so many iterations without a gain.
    pub patience: u32,
    /// What it may use.
    #[serde(flatten)]
    pub budget: Budget,
    /// How much the share of passing tests weighs in the progress, from 0 to 1.
    pub pass_rate_weight: f64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            iterations: None,
            tries: DEFAULT_TRIES,
            patience: DEFAULT_PATIENCE,
            budget: Budget::default(),
            pass_rate_weight: DEFAULT_PASS_RATE_WEIGHT,
        }
    }
}

/// What an outer loop may use. The iteration that goes beyond is the last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Seconds of work; the time in which no redgreen ran does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// Attempts of agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// What agents say that they cost, in millionths of a dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

/// What is checked out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// The commit; none before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The branch, by its full name; none where HEAD is detached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

/// How an iteration ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// Its loop was seen to pass.
    Passed,
    /// All checks passed before the agent did anything, the item's own commands too, and it changed nothing.
    AlreadyThere,
    /// Its loop ended without green.
    Red {
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<StopReason>,
    },
    /// The tools could not do their work: nobody's failure.
    ToolingError,
}

/// Tests of an execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tests {
    /// Those that passed.
    pub passed: u64,
    /// Those that ran.
    pub ran: u64,
}

/// What came of an iteration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationResult {
    /// The session of its loop.
    pub session: String,
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// More of it, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The tree that it left.
    pub tree: TreeHash,
    /// The tests before the agent came.
    pub before: Tests,
    /// The tests of the last execution.
    pub after: Tests,
    /// How many attempts there were.
    pub attempts: u32,
    /// How long it took.
    pub seconds: u64,
    /// What the agent says that it cost.
    #[serde(default)]
    pub cost_micros: u64,
}

/// Something that happened. The answer to an action carries the action's id: an answer that nobody waits for changes
/// nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "input", rename_all = "snake_case")]
pub enum Input {
    /// The loop begins.
    Began {
        /// Its rules.
        rules: Box<Rules>,
        /// The tree that it starts from.
        tree: TreeHash,
        /// What is checked out.
        #[serde(flatten)]
        head: Checked,
    },
    /// An item's loop is about to begin.
    Opened {
        /// The action's id.
        id: u64,
        /// Its session.
        session: String,
    },
    /// An item's loop has ended.
    Iterated {
        /// The action's id.
        id: u64,
        /// What came of it.
        result: Box<IterationResult>,
    },
    /// What an item did is committed.
    Committed {
        /// The action's id.
        id: u64,
        /// The commit.
        commit: String,
    },
    /// The last green tree is back.
    PutBack {
        /// The action's id.
        id: u64,
        /// The ref under which what was there is kept; empty where nothing had to be put back.
        saved: String,
    },
    /// People were called.
    Called {
        /// The action's id.
        id: u64,
        /// The green tree with what was written for people, where the project keeps a list of issues.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<TreeHash>,
    },
    /// A person ends it.
    Ended {
        /// Who.
        by: String,
    },
    /// It goes on after its end, with bounds of its own: items that are not done are tried afresh.
    TakenUp {
        /// The tree as it is now.
        tree: TreeHash,
        /// What is checked out.
        #[serde(flatten)]
        head: Checked,
    },
    /// An iteration of a loop of somebody's own was judged.
    Claimed {
        /// Its number, as the loop counts.
        number: u32,
        /// Whether its tree may be returned.
        allowed: bool,
        /// Why, or why not.
        why: String,
        /// The tree.
        tree: TreeHash,
        /// Its tests; none where nothing had to be run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tests: Option<Tests>,
    },
}

/// An input and when it was recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stamped {
    /// RFC 3339.
    pub at: String,
    /// What happened.
    #[serde(flatten)]
    pub input: Input,
}
