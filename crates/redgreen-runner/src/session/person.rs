//! A person is asked before a step: it waits in their inbox, and the loop waits for them. And what they accept, although
//! it did not pass, is signed as their word.

use std::time::{Duration, Instant};

use redgreen_engine::evidence::{Compared, PassedTree};
use redgreen_engine::input::{Input, PersonsWord};
use redgreen_model::event::Event;
use redgreen_model::evidence::Acceptance;
use redgreen_workspace::Workspace;

use super::{Session, read, witness};
use crate::events::Events;
use crate::evidence::KeptEvidence;
use crate::layout::SessionFolder;
use crate::trees::Trees;
use crate::{RunnerError, Tools, people};

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
                "a person is asked: {question}. They have {seconds} s: redgreen answer {session} --accept REASON | --hint TEXT | --reject REASON"
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

/// Signs what a session saw of the tree as it is now, with a person's word for it. Whether there was something to sign:
/// nobody's journal is believed, and a tree that was not run has nothing to be said of.
pub fn accept(
    workspace: Workspace,
    folder: &SessionFolder,
    accepted: Acceptance,
    tools: &Tools<'_>,
) -> Result<bool, RunnerError> {
    if !KeptEvidence::of(workspace.root()).has_sealed(folder) {
        return Ok(false);
    }
    let record = read(folder)?;
    let (plan, state) = (&record.plan, &record.state);
    let events = Events::open(tools.display, &folder.events())?;
    let trees = Trees::new(workspace, &plan.config)?;
    let now = trees.now()?;
    let attempts = state.attempts.iter().rev();
    let seen = attempts.filter_map(|attempt| Some((attempt, attempt.judged.as_ref()?)));
    let Some((attempt, run)) = seen.into_iter().find(|(_, run)| run.tree().tree == now.tree) else {
        return Ok(false);
    };
    let square = attempt.square.as_ref().zip(state.baseline.as_ref());
    let signer = witness(&trees, plan, &events);
    let word = PassedTree {
        run,
        compared: square.map(|(seen, baseline)| Compared {
            baseline,
            facts: &seen.facts,
            square: &seen.square,
        }),
        outside: attempt.square.as_ref().and_then(|seen| seen.facts.outside.as_ref()),
        code_type: plan.code_type,
        known: &plan.known,
        session: Some((&plan.session, state.attempts_charged())),
        accepted: Some(accepted),
    };
    signer.attest(&events, &now, &word);
    Ok(signer.can_sign())
}
