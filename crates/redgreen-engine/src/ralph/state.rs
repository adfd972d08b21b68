//! The state of an outer loop.

use redgreen_model::tree::TreeHash;
use serde::Serialize;

use super::input::{Checked, IterationResult, Outcome, Rules, Tests};

/// How an item stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It is to be done.
    #[default]
    Open,
    /// Seen to be done, or done by the plan's own word before the loop began.
    Done,
    /// It was tried as often as may be: a person is needed.
    Escalated,
}

impl Standing {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::Escalated => "escalated",
        }
    }
}

/// What became of an item so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemState {
    /// How it stands.
    pub standing: Standing,
    /// How often it was tried since a person last looked.
    pub tries: u32,
    /// The commit of it.
    pub commit: Option<String>,
    /// Whether people were called.
    pub called: bool,
}

/// An iteration that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// Its number, from 1; in a loop of somebody's own, as that counts.
    pub number: u32,
    /// The item; none in a loop of somebody's own.
    pub item: Option<usize>,
    /// What came of it.
    pub result: IterationResult,
    /// Whether it counts: it passed, and something was done.
    pub counts: bool,
    /// Whether it gained an item or a test.
    pub gained: bool,
    /// When it ended, RFC 3339.
    pub at: String,
}

/// The last tree that was seen to pass, or the one that the loop began with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Green {
    /// It.
    pub tree: TreeHash,
    /// What is checked out with it.
    pub head: Checked,
    /// Its tests, as far as they are known.
    pub tests: Tests,
}

impl Default for Green {
    fn default() -> Self {
        Self { tree: TreeHash(String::new()), head: Checked::default(), tests: Tests::default() }
    }
}

/// What was used since the loop began, or since a person took it up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spent {
    /// Iterations.
    pub iterations: u32,
    /// Seconds.
    pub seconds: u64,
    /// Attempts of agents.
    pub attempts: u32,
    /// What agents say that they cost, in millionths of a dollar.
    pub cost_micros: u64,
}

impl Spent {
    pub(super) fn add(&mut self, result: &IterationResult) {
        self.iterations = self.iterations.saturating_add(1);
        self.seconds = self.seconds.saturating_add(result.seconds);
        self.attempts = self.attempts.saturating_add(result.attempts);
        self.cost_micros = self.cost_micros.saturating_add(result.cost_micros);
    }
}

/// Why an outer loop has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// All items are done.
    Complete,
    /// All were tried, and some need a person.
    Escalated,
    /// So many iterations were allowed.
    MaxIterations,
    /// The time is used up.
    Time,
    /// The attempts are used up.
    Attempts,
    /// The money is used up.
    Cost,
    /// Several iterations in a row gained nothing.
    NoGain,
    /// A person ended it.
    Person,
    /// The tools could not do their work.
    ToolingError,
}

impl EndReason {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Escalated => "escalated",
            Self::MaxIterations => "max_iterations",
            Self::Time => "time",
            Self::Attempts => "attempts",
            Self::Cost => "cost",
            Self::NoGain => "no_gain",
            Self::Person => "person",
            Self::ToolingError => "tooling_error",
        }
    }
}

/// What is to be done next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// An item's loop is to be run.
    Iterate {
        /// The item.
        item: usize,
        /// The number of the iteration.
        number: u32,
        /// Its session, once that is about to begin.
        session: Option<String>,
    },
    /// What an item did is to be committed, on the last green commit.
    Commit {
        /// The item.
        item: usize,
        /// The tree that was seen to pass.
        tree: TreeHash,
        /// When it was, RFC 3339: a commit that is made again is the same.
        at: String,
    },
    /// The last green tree is to be put back.
    PutBack,
    /// People are to be called about an item.
    Call {
        /// The item.
        item: usize,
    },
}

/// An action that is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// Its id: the answer carries it.
    pub id: u64,
    /// It.
    pub action: Action,
}

/// An outer loop. Only [`super::step()`] changes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Its rules; none before it begins.
    pub rules: Option<Rules>,
    /// Its items, as in the rules.
    pub items: Vec<ItemState>,
    /// Its iterations.
    pub iterations: Vec<Iteration>,
    /// The last green tree.
    pub green: Green,
    /// What was used.
    pub spent: Spent,
    /// Iterations since the last one that gained something.
    pub without_gain: u32,
    /// The most tests that ever passed.
    pub most_passed: u64,
    /// What is waited for.
    pub pending: Option<Pending>,
    /// Why it has ended; also said while something is left to do before.
    pub end: Option<EndReason>,
    /// Who ended it.
    pub ended_by: String,
    pub(super) next_id: u64,
}

impl State {
    /// Whether nothing is left to do.
    pub fn ended(&self) -> bool {
        self.end.is_some() && self.pending.is_none()
    }

    /// The items that are done.
    pub fn done(&self) -> usize {
        self.count(Standing::Done)
    }

    /// The items that need a person.
    pub fn escalated(&self) -> usize {
        self.count(Standing::Escalated)
    }

    fn count(&self, standing: Standing) -> usize {
        self.items.iter().filter(|item| item.standing == standing).count()
    }

    /// The last iteration of an item.
    pub fn last_of(&self, item: usize) -> Option<&Iteration> {
        self.iterations.iter().rev().find(|iteration| iteration.item == Some(item))
    }
}

impl IterationResult {
    /// Whether its item is done.
    pub fn is_done(&self) -> bool {
        matches!(self.outcome, Outcome::Passed | Outcome::AlreadyThere)
    }
}
