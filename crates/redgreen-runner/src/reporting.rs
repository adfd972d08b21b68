//! A loop's report: what the engine says, and what only git knows.

use std::fs;

use redgreen_engine::report::{ReportFacts, markdown};
use redgreen_engine::state::State;
use redgreen_model::text::clean_block;
use redgreen_workspace::Workspace;

use crate::layout::SessionFolder;

/// Where a reporter's summary is kept, in the session's folder, and how long it may be.
pub(crate) const SUMMARY: &str = "summary.md";
const SUMMARY_CHARS: usize = 8_000;
/// The most bytes of a diff.
const DIFF_BYTES_MAX: usize = 64 * 1024;

/// The report of a session. What git cannot say any more is left out.
pub fn report(workspace: &Workspace, folder: &SessionFolder, state: &State) -> String {
    let best = || {
        let (start, (_, best)) = (state.start.as_ref()?, state.best()?);
        workspace.diff(&start.tree, &best.tree, DIFF_BYTES_MAX).ok()
    };
    let session = state.settings.as_ref().map(|settings| &settings.session);
    let refs = session.and_then(|session| workspace.saved_under(session).ok()).unwrap_or_default();
    let summary = fs::read(folder.path().join(SUMMARY)).unwrap_or_default();
    let facts = ReportFacts {
        summary: clean_block(&summary, SUMMARY_CHARS),
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
