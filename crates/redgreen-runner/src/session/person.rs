//! A person is asked before a step: it waits in their inbox, and the loop waits for them.

use std::time::{Duration, Instant};

use redgreen_engine::input::{Input, PersonsWord};
use redgreen_model::event::Event;

use super::Session;
use crate::{RunnerError, people};

/// How often it is looked whether somebody has answered.
const LOOK_EVERY: Duration = Duration::from_millis(500);

impl Session<'_> {
    /// Asks, and waits as long as the rules say.
    pub(super) fn ask_person(&self, id: u64, question: &str) -> Result<Input, RunnerError> {
        let rules = &self.plan.config.loop_settings;
        let seconds = rules.ask_timeout_seconds;
        let (session, ways) = (&self.plan.session, &self.plan.config.notify);
        people::ask(&self.trees.workspace, ways, &self.state, question)
            .map_err(|error| RunnerError::Session(error.to_string()))?;
        let _ = people::deliver(false);
        self.events.say(&Event::Notice {
            text: format!(
                "a person is asked: {question} They have {seconds} s: redgreen answer {session} --accept REASON | --hint TEXT | --reject REASON"
            ),
        });
        self.trees.workspace.may_be_written();
        let began = Instant::now();
        loop {
            if let Some(word) = people::word(session) {
                return Ok(Input::PersonSaid { id, word });
            }
            if let Some(limit_seconds) = self.deadline_passed() {
                return Ok(Input::DeadlinePassed { limit_seconds });
            }
            if began.elapsed() >= Duration::from_secs(seconds) {
                let _ = people::answer(session, "nobody answered in time");
                return Ok(Input::PersonSaid { id, word: PersonsWord::Nobody { seconds } });
            }
            if self.tools.stop.wait(LOOK_EVERY) {
                return Err(RunnerError::Interrupted);
            }
        }
    }
}
