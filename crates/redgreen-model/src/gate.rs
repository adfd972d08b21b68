//! What the gate says, to whoever asks.

use serde::{Deserialize, Serialize};

/// May this tree be returned?
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum Answer {
    /// Go.
    Allow {
        /// Why, in words.
        why: String,
        /// What a person should know of it: expectations that were declared, doubts. Without any, nothing is said.
        #[serde(default)]
        remarks: Vec<String>,
    },
    /// Not yet.
    Block {
        /// Why: an agent reads it and goes on working.
        reason: String,
    },
    /// Go, not verified: the bound is reached, or nothing can be judged.
    LetGo {
        /// The last word.
        message: String,
    },
}

impl Answer {
    /// Go, without a word.
    pub fn allow(why: impl Into<String>) -> Self {
        Self::Allow { why: why.into(), remarks: Vec::new() }
    }

    /// The same, and a person should know this, too.
    #[must_use]
    pub fn with(mut self, more: Vec<String>) -> Self {
        match &mut self {
            Self::Allow { remarks, .. } => remarks.extend(more),
            Self::LetGo { message } => more.iter().for_each(|it| {
                message.push_str("; ");
                message.push_str(it);
            }),
            Self::Block { .. } => {}
        }
        self
    }

    /// Go on, and know this.
    pub fn tell(text: impl Into<String>) -> Self {
        Self::Allow { why: String::new(), remarks: vec![text.into()] }
    }

    /// Not yet.
    pub fn block(reason: impl Into<String>) -> Self {
        Self::Block { reason: reason.into() }
    }

    /// Go, not verified.
    pub fn let_go(message: impl Into<String>) -> Self {
        Self::LetGo { message: message.into() }
    }

    /// What is said, if anything is.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Allow { remarks, .. } if remarks.is_empty() => None,
            Self::Allow { why, remarks } if why.is_empty() => Some(remarks.join("\n")),
            Self::Allow { why, remarks } => {
                Some(format!("redgreen: {why}. Please note:\n- {}", remarks.join("\n- ")))
            }
            Self::Block { reason } => Some(reason.clone()),
            Self::LetGo { message } => Some(message.clone()),
        }
    }
}
