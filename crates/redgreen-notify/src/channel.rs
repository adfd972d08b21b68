//! What every channel does: send one message, or say why not.

use redgreen_model::config::{Channel, NotifySettings};

use crate::comments::OneComment;
use crate::email::Email;
use crate::github::GitHub;
use crate::gitlab::GitLab;
use crate::message::Message;
use crate::repository::{Forge, Repository};
use crate::slack::Slack;
use crate::surroundings::Surroundings;
use crate::webhook::Webhook;

/// A way to reach people.
pub(crate) trait Way {
    /// Sends a message. `known` is what an earlier delivery of the same case was called there.
    fn send(&self, message: &Message, known: Option<&str>) -> Result<Sent, Refusal>;
}

/// A message that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    /// Where, for people.
    pub(crate) to: String,
    /// What it is called there, to be written over later.
    pub(crate) known: Option<String>,
}

/// Why a message did not arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// In words, with what to do.
    pub problem: String,
    /// Whether it is worth another try.
    pub again: Again,
}

/// Whether a delivery is worth another try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// Not before so many seconds.
    After(u64),
    /// Not as long as nothing is changed.
    Never,
    /// Nor that: what was to be written over is gone, or was never to be seen.
    NotThere,
}

impl Refusal {
    /// Something has to be changed first.
    pub(crate) fn never(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), again: Again::Never }
    }

    /// It may go better later.
    pub(crate) fn later(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), again: Again::After(0) }
    }
}

/// The terminal of who sends: they show what was [`Attempted`](crate::Attempted).
struct Terminal;

impl Way for Terminal {
    fn send(&self, _message: &Message, _known: Option<&str>) -> Result<Sent, Refusal> {
        Ok(Sent { to: "this terminal".to_owned(), known: None })
    }
}

/// The channel of some settings; `remote` is the address that the repository came from.
pub(crate) fn way(
    settings: &NotifySettings,
    remote: Option<&str>,
    surroundings: &Surroundings,
) -> Result<Box<dyn Way>, Refusal> {
    Ok(match settings.channel {
        Channel::Cli => Box::new(Terminal),
        Channel::Slack => Box::new(Slack::new(surroundings)?),
        Channel::Webhook => Box::new(Webhook::new(settings, surroundings)?),
        Channel::Email => Box::new(Email::new(settings, surroundings)?),
        Channel::IssueComment => {
            let repository = Repository::of(settings, remote, surroundings)?;
            match repository.forge {
                Forge::GitHub => Box::new(OneComment(GitHub::new(repository, surroundings)?)),
                Forge::GitLab => Box::new(OneComment(GitLab::new(repository, surroundings)?)),
            }
        }
    })
}
