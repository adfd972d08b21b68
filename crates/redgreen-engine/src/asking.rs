//! Human gates: steps that a person is asked about before they are taken. Whatever is said, nothing is added to the
//! bound: a hint is answered by an attempt, if there is one left.

use redgreen_model::config::{AskBefore, NoAnswer};
use redgreen_model::tree::TreeState;
use redgreen_model::verdict::StopReason;

use crate::effect::{Action, Ask};
use crate::input::PersonsWord;
use crate::state::State;
use crate::step::Turn;

impl State {
    /// The step that a person is asked about now.
    pub fn asks_before(&self) -> Option<AskBefore> {
        match self.pending.as_ref().map(|pending| &pending.action) {
            Some(Action::AskPerson { before, .. }) => Some(*before),
            _ => None,
        }
    }
}

impl Turn {
    /// Asks before a step, where that is wanted and nobody has said so yet. Whether it waits for that.
    pub(crate) fn waits_for_a_person(&mut self, before: AskBefore) -> bool {
        let settings = self.state.settings.as_ref();
        let asks = settings.is_some_and(|settings| settings.ask_before.contains(&before));
        if !asks || self.state.permitted {
            return false;
        }
        let how = self.state.last_judged().map(|it| format!("{} ({})", it.verdict, it.counts()));
        let question = match before {
            AskBefore::ApplyFix => {
                let left = self.state.max_attempts().saturating_sub(self.attempts_in_round());
                format!("may a fix be asked for ({left} left)? {}", self.how_it_stands())
            }
            AskBefore::Return => format!("may this be returned? {}", how.unwrap_or_default()),
        };
        self.perform(Action::AskPerson { before, question });
        true
    }

    /// The tree passed, and all who have a word said it: it is looked at once more.
    pub(crate) fn seal(&mut self, tree: TreeState) {
        if !self.waits_for_a_person(AskBefore::Return) {
            self.perform(Action::Seal { tree });
        }
    }

    /// A person has said what is to become of a step, or nobody has.
    pub(crate) fn person_said(&mut self, word: &PersonsWord, before: AskBefore) {
        let no_answer = self.state.settings.as_ref().map(|it| it.on_no_answer).unwrap_or_default();
        match word {
            PersonsWord::GoOn { .. } => self.go_on_with(before),
            PersonsWord::Hint { by, text } => {
                self.state.hints.push(text.clone());
                self.state.flags.push(format!("{by}: {text}"));
                match before {
                    AskBefore::ApplyFix => self.go_on_with(before),
                    // Who says something to a change that passed wants another one.
                    AskBefore::Return if self.attempts_in_round() < self.state.max_attempts() => {
                        self.ask(Ask::Code);
                    }
                    AskBefore::Return => {
                        let detail = format!("{by} wants more, and no attempt is left: {text}");
                        self.stop(StopReason::PersonNeeded, detail);
                    }
                }
            }
            PersonsWord::Stop { by, reason } => {
                self.stop(StopReason::StoppedByPerson, format!("{by}: {reason}"));
            }
            PersonsWord::Nobody { seconds } => {
                let detail = format!("nobody answered within {seconds} s before {before}");
                match no_answer {
                    NoAnswer::Stop => self.stop(StopReason::PersonNeeded, detail),
                    NoAnswer::GoOn => {
                        self.state.flags.push(detail);
                        self.go_on_with(before);
                    }
                }
            }
        }
    }

    fn go_on_with(&mut self, before: AskBefore) {
        self.state.permitted = true;
        let tree = self.state.last_judged().map(|judged| judged.tree().clone());
        match (before, tree) {
            (AskBefore::ApplyFix, _) => self.ask_for_fix(),
            (AskBefore::Return, Some(tree)) => self.seal(tree),
            (AskBefore::Return, None) => {
                self.stop(StopReason::ToolingError, "there is nothing to return".to_owned());
            }
        }
    }
}
