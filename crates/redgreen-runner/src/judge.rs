//! A change that is there already, judged once: the loop with nobody to ask. `test`, `square` and the gate outside of
//! agents go this way, so that whoever asks gets the same verdict on the same change.

use std::path::{Path, PathBuf};

use redgreen_engine::classes::Judged;
use redgreen_engine::state::{Review, SquareRead, State};
use redgreen_model::tree::TreeHash;
use redgreen_model::verdict::Verdict;
use redgreen_workspace::Workspace;

use crate::layout::{SessionFolder, forget_old_runs};
use crate::plan::Plan;
use crate::session::{Session, SessionRecord, read};
use crate::{RunnerError, Tools};

/// In how many of the judgements before it the last one of the same kind is looked for.
const LOOKED_AT: usize = 5;

/// What came of it.
pub struct Outcome {
    /// New code, new tests, as the square leaves it.
    pub run: Judged,
    /// Old code, old tests; the run itself where it was compared with nothing.
    pub baseline: Judged,
    /// What the square shows; none where the run itself decides.
    pub square: Option<SquareRead>,
    /// What a reviewer said, where one was asked.
    pub review: Option<Review>,
    /// What was seen, on disk.
    pub record: PathBuf,
}

/// Judges what a plan says, once.
pub fn judge(workspace: Workspace, plan: Plan, tools: &Tools<'_>) -> Result<Outcome, RunnerError> {
    let state_dir = workspace.state_dir()?;
    let folder = SessionFolder::of_run(workspace.root(), &state_dir, &plan.session);
    let record = folder.journal();
    let state = Session::start_in(workspace, folder, plan, tools)?.run()?;
    forget_old_runs(&state_dir);
    outcome(state, record)
}

/// The last judgement against this tree that is kept and that saw the tests of it.
pub fn last_against(root: &Path, state_dir: &Path, base: &TreeHash) -> Option<SessionRecord> {
    SessionFolder::runs(root, state_dir).iter().find_map(|folder| {
        let record = read(folder).ok()?;
        let baseline = record.state.baseline.as_ref()?;
        (baseline.ran_on().tree == *base).then_some(record)
    })
}

/// The judgement before this one that was asked for with the same words and ran the same commands, where it is kept.
pub fn last_time(root: &Path, state_dir: &Path, seen: &Outcome) -> Option<Judged> {
    let folders = SessionFolder::runs(root, state_dir);
    let is_this = |folder: &&SessionFolder| folder.journal() == seen.record;
    let this = read(folders.iter().find(is_this)?).ok()?.plan;
    let mut others = folders.iter().filter(|folder| !is_this(folder)).take(LOOKED_AT);
    others.find_map(|folder| {
        let record = read(folder).ok()?;
        let is_like = record.plan.task == this.task && record.plan.commands() == this.commands();
        is_like.then(|| record.state.attempts.into_iter().last()?.judged)?
    })
}

fn outcome(mut state: State, record: PathBuf) -> Result<Outcome, RunnerError> {
    let stop = state.stop.take().map(|stop| stop.detail);
    let attempt = state.attempts.pop();
    let review = attempt.as_ref().and_then(|attempt| attempt.review.clone());
    let (run, square) = attempt.map_or((None, None), |attempt| (attempt.judged, attempt.square));
    let (Some(mut run), Some(baseline)) = (run, state.baseline) else {
        let detail = stop.unwrap_or_else(|| "nothing was judged".to_owned());
        return Err(RunnerError::Session(detail));
    };
    // What ended the judgement before its end is said by nobody else.
    if let Some(detail) = stop.filter(|_| run.verdict != Verdict::ToolingError) {
        run.verdict = Verdict::ToolingError;
        run.reasons.push(detail);
    }
    Ok(Outcome { run, baseline, square, review, record })
}
