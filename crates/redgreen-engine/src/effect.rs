//! What the engine wants done. The driver performs it and answers with an input.

use redgreen_model::config::AskBefore;
use redgreen_model::event::Event;
use redgreen_model::execution::{Purpose, TestId};
use redgreen_model::tree::{TreeHash, TreeState};
use redgreen_model::workflow::Phase;

use crate::analysis::AcceptedAnalysis;
use crate::feedback::Feedback;

/// A consequence of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Do this, then answer with its id.
    Perform(Pending),
    /// Say this.
    Announce(Event),
}

/// An action that is waited for; there is never more than one.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    /// Answers carry it.
    pub id: u64,
    /// What to do.
    pub action: Action,
}

/// Something that only the outside can do.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Execute the checks on the tree as it is.
    Execute {
        /// Why.
        purpose: Purpose,
        /// The attempt that it judges; 0 at the baseline.
        attempt: u32,
        /// Only these tests; empty for all.
        only: Vec<TestId>,
    },
    /// Ask the agent for an edit.
    AskAgent(Box<AgentRequest>),
    /// Wait before the next attempt.
    Wait {
        /// For how long.
        seconds: u64,
    },
    /// Save what is there and put this tree back.
    Restore {
        /// The tree.
        tree: TreeHash,
        /// Why, in words.
        reason: String,
    },
    /// Run the other corners of the square: the change as it is against the tests as they were.
    Square {
        /// The tree before the agent came.
        base: TreeState,
        /// The tree that passed.
        tree: TreeState,
    },
    /// Ask a person before a step.
    AskPerson {
        /// The step.
        before: AskBefore,
        /// What is asked, in words.
        question: String,
    },
    /// Look at the tree once more: is it still the one that passed?
    Seal {
        /// The tree that passed.
        tree: TreeState,
    },
}

/// What the agent is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentRequest {
    /// The attempt, from 1.
    pub attempt: u32,
    /// The attempt's number in its round: what the bound counts.
    pub attempt_in_round: u32,
    /// Whether the second agent is asked.
    pub senior: bool,
    /// What for.
    pub ask: Ask,
    /// The tree before it begins.
    pub tree: TreeState,
    /// The prompt.
    pub prompt: String,
    /// The same as data.
    pub feedback: Feedback,
}

/// What for. A fix cannot be asked for without an analysis: there is no way to write it down.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Code for the task.
    Code,
    /// Tests for the code.
    Tests,
    /// A fix of these failures.
    Fix(AcceptedAnalysis),
    /// How the task is to be done; nothing is edited.
    Plan,
    /// What is wrong with a change that passed; nothing is edited.
    Review,
}

impl AgentRequest {
    /// The phase of the workflow schema.
    pub fn phase(&self) -> Phase {
        self.ask.phase()
    }
}

impl Ask {
    /// The phase of the workflow schema.
    pub fn phase(&self) -> Phase {
        match self {
            Self::Code => Phase::GenerateCode,
            Self::Tests => Phase::GenerateTests,
            Self::Fix(_) => Phase::ApplyFix,
            Self::Plan => Phase::GenerateCode,
            Self::Review => Phase::VerifyFix,
        }
    }

    /// What it is called for the agent.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Review => "review",
            edit => edit.phase().as_str(),
        }
    }

    /// Whether an edit is asked for.
    pub fn is_edit(&self) -> bool {
        !matches!(self, Self::Plan | Self::Review)
    }
}
