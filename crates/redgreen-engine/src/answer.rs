//! A person answers a loop that ended without green: it goes on, with a bound of its own. What they say goes to the
//! agent as theirs and is never counted as the agent's.

use redgreen_model::tree::TreeState;
use redgreen_model::workflow::LoopStatus;

use crate::input::PersonsAnswer;
use crate::state::State;
use crate::step::Turn;

impl State {
    /// Whether a person's answer lets it go on: it ended without green, and its agent can be asked again.
    pub fn may_be_answered(&self) -> bool {
        let is_own = self.settings.as_ref().is_some_and(|it| !it.hosted && !it.single);
        is_own && self.ended() && self.status != LoopStatus::Passed
    }

    /// When the time that the loop may take began: at its start, or when a person last answered.
    pub fn clock_began(&self) -> &str {
        self.answers.last().map_or(&self.started_at, |answer| &answer.at)
    }

    /// How many rounds there were, each with the same bound.
    pub(crate) fn rounds(&self) -> usize {
        let senior = self.attempts.iter().any(|attempt| attempt.senior);
        1 + usize::from(senior) + self.answers.len()
    }
}

impl Turn {
    /// The loop goes on from the tree as the person left it.
    pub(crate) fn answered(&mut self, answer: &PersonsAnswer, tree: &TreeState) {
        let state = &mut self.state;
        let stop = state.stop.take();
        let ended = stop.map(|stop| format!("{}: {}", stop.reason, stop.detail));
        state.flags.push(format!("{}; {} let it go on", ended.unwrap_or_default(), answer.by));
        state.status = LoopStatus::InProgress;
        state.sealed = None;
        state.time_is_up = false;
        state.redone = 0;
        state.put_back = Some(tree.clone());
        state.answers.push(PersonsAnswer { at: state.updated_at.clone(), ..answer.clone() });
        state.round_start = state.attempts.len();
        state.tests_asked = false;
        self.ask_again();
    }
}
