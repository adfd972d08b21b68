//! A loop's report: what the engine says, and what only git knows.

use redgreen_engine::report::{ReportFacts, markdown};
use redgreen_engine::state::State;
use redgreen_model::text::clean_block;
use redgreen_workspace::Workspace;

/// The most bytes of a diff.
const DIFF_BYTES_MAX: usize = 64 * 1024;

/// The report of a session. What git cannot say any more is left out.
pub fn report(workspace: &Workspace, session: &str, state: &State) -> String {
    let best = || {
        let (start, (_, best)) = (state.start.as_ref()?, state.best()?);
        workspace.diff(&start.tree, &best.tree, DIFF_BYTES_MAX).ok()
    };
    let refs = workspace.saved_under(session).unwrap_or_default();
    let facts = ReportFacts {
        best: clean_block(best().unwrap_or_default().as_bytes(), DIFF_BYTES_MAX),
        refs: refs
            .into_iter()
            .filter(|saved| is_for_people(&saved.name))
            .map(|saved| format!("refs/redgreen/{}", saved.name))
            .collect(),
    };
    markdown(state, &facts)
}

/// Whether a person may want a tree back: what was there before and what each attempt left, not every look at it.
fn is_for_people(name: &str) -> bool {
    name.rsplit('/').next().is_some_and(|last| !last.starts_with("execution-"))
}
