//! What helps to find a fault is added to what was seen: the part of the change that turned tests red, and the code at
//! the places that the loop will suspect.

use redgreen_engine::input::{Input, Stamped};
use redgreen_engine::state::State;
use redgreen_engine::step;
use redgreen_model::analysis::Analysis;
use redgreen_model::execution::Execution;

use super::Session;
use crate::excerpts;

impl Session<'_> {
    /// What helps to find the fault: the part of the change that turned tests red, and the code at the places that
    /// are suspected. Only who is asked for a fix needs that.
    pub(super) fn add_what_helps(&self, execution: &mut Execution) {
        let judged = if self.plan.single.is_some() { None } else { self.after(execution) };
        if let Some(state) = &judged {
            execution.turning = self.turning(state, execution);
        }
        let judged = judged.and_then(|state| match execution.turning {
            Some(_) => self.after(execution),
            None => Some(state),
        });
        let suspects = judged.as_ref().map(suspected).unwrap_or_default();
        execution.excerpts = excerpts::around(&self.trees, execution, &suspects);
    }

    /// What the loop would make of an execution; none where it would not say yet why it is red.
    fn after(&self, execution: &Execution) -> Option<State> {
        let id = self.state.pending.as_ref()?.id;
        let input = Input::Executed { id, execution: Box::new(execution.clone()) };
        let stamped = Stamped { at: self.state.updated_at.clone(), input };
        let judged = |state: &State| state.attempts.iter().filter(|it| it.judged.is_some()).count();
        let after = step(self.state.clone(), &stamped).state;
        let is_analysed = analysis(&after).is_some();
        (is_analysed && judged(&after) > judged(&self.state)).then_some(after)
    }
}

/// The analysis of the attempt that was judged last.
fn analysis(state: &State) -> Option<&Analysis> {
    let judged = state.attempts.iter().rev().find(|attempt| attempt.judged.is_some());
    judged.and_then(|attempt| attempt.analysis.as_deref())
}

/// The places that the last analysis suspects, the likeliest first.
fn suspected(state: &State) -> Vec<(String, u32)> {
    let analysis = analysis(state);
    let places = analysis.iter().flat_map(|it| it.suspects.iter().map(|suspect| &suspect.place));
    places.filter_map(|place| Some((place.file.clone(), place.line?))).collect()
}
