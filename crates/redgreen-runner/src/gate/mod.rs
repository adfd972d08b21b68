//! The gate: may this tree be returned?
//!
//! An agent that people run as they always do is met each time it wants to end. The loop is the same
//! as in [`crate::session`], one process for each end: the agent's edit is what is in the work tree,
//! and what it is told is why it may not go yet.
//!
//! ```text
//! hook ─▶ as it was at a glance? ─▶ answer at once, without git
//!  └─ no ─▶ known? (signed evidence · nothing to judge · let go before) ─▶ answer at once
//!            └─ no ─▶ worker: the session goes on until the agent is to do something ─▶ answer
//! ```
//!
//! What the gate itself has to remember lies outside of the work tree (`record`): the agent's session,
//! the tree it started from, the journal.

mod glance;
mod log;
mod record;
pub mod trust;
mod work;

use std::collections::BTreeSet;
use std::time::Duration;

use redgreen_engine::feedback::{self, AtFault};
use redgreen_engine::state::State;
use redgreen_model::config::MemorySettings;
use redgreen_model::debug_memory::Recalled;
use redgreen_model::evidence::{Rules, TestsResult};
use redgreen_model::tree::{TreeHash, TreeState};
use redgreen_model::verdict::StopReason;
use redgreen_model::workflow::LoopStatus;
use redgreen_workspace::{Workspace, WorkspaceError};
use serde::{Deserialize, Serialize};

use crate::RunnerError;
use crate::evidence::{KeptEvidence, execution_rules, steered_apart, steering, verdict_rules};
use crate::layout::{SessionFolder, forget};
use crate::memory::{placed, recall};
use crate::plan::Plan;
use crate::session::{Session, Tools};
use crate::trees::Trees;

pub use crate::square::other_text;
pub use glance::{Against, nothing_to_do, remember, verified_at_a_glance};
pub use log::{Entry, entries};
pub use record::{Guest, Held, Record, Skip, began_at, give_up, held, skip};
pub use work::{Waited, Work};

/// How often a work tree that another redgreen works in is tried.
const LOCK_INTERVAL: Duration = Duration::from_millis(100);

/// What the gate says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum Decision {
    /// Go.
    Allow {
        /// Why, in words.
        why: String,
        /// What a person should know of it: expectations that were declared, doubts.
        #[serde(default)]
        remarks: Vec<String>,
    },
    /// Not yet.
    Block {
        /// What the agent is told.
        reason: String,
    },
    /// Go, not verified: the bound is reached, or nothing can be judged.
    LetGo {
        /// What is said of it.
        message: String,
    },
}

/// The gate of one agent session in one work tree.
pub struct Gate {
    workspace: Workspace,
    guest: Guest,
    record: Record,
}

impl Gate {
    /// Opens the gate of an agent session.
    pub fn open(workspace: Workspace, guest: &Guest) -> Result<Self, RunnerError> {
        let record = Record::open(workspace.root(), guest)?;
        let workspace = placed(workspace, record.base())?;
        Ok(Self { workspace, guest: guest.clone(), record })
    }

    /// The work tree.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The session begins: the tree as it is now is what its change is compared with.
    pub fn begin(&mut self) -> Result<(), RunnerError> {
        record::begin_at(self.workspace.root(), &self.guest)?;
        if self.record.base().is_some() {
            return Ok(()); // The session was taken up again.
        }
        self.record.set_steering(steering())?;
        let tree = self.workspace.tree()?;
        self.record.set_base(&self.workspace, &tree)
    }

    /// What the debug memory has to say to an agent that reads it when its session begins. It is kept
    /// that this was said: whether it helped is seen at the end.
    pub fn brief(&mut self, settings: &MemorySettings) -> Result<Option<String>, RunnerError> {
        let Some(told) = recall::at_session_start(&self.workspace, settings)? else {
            return Ok(None);
        };
        self.record.set_briefed(told.recalled)?;
        Ok(Some(feedback::briefed(&told.text)))
    }

    /// What the agent was told when its session began.
    pub fn briefed(&self) -> Option<&Recalled> {
        self.record.briefed()
    }

    /// Whether nothing has changed since the session began here.
    pub fn is_untouched(&self) -> Result<bool, RunnerError> {
        Ok(self.workspace.tree_anew()? == self.base()?)
    }

    /// The tree that the session's change is compared with: the one it started from, or the last
    /// commit where nobody saw it start.
    pub fn base(&self) -> Result<TreeHash, RunnerError> {
        if let Some(base) = self.record.base() {
            return Ok(base.clone());
        }
        match self.workspace.tree_of("HEAD")? {
            Some(head) => Ok(head),
            None => Ok(self.workspace.tree()?),
        }
    }

    /// What steers the frameworks and is not as it was when the session began, in words.
    pub fn bent(&self) -> Option<String> {
        let apart = steered_apart(self.record.steering()?, &steering());
        (!apart.is_empty()).then(|| {
            format!(
                "{}: not as it was when the session began, and it decides what is run",
                apart.join(", ")
            )
        })
    }

    /// What can be said of the tree without running anything.
    pub fn known(&mut self, plan: &Plan) -> Result<Option<Decision>, RunnerError> {
        let tree = self.workspace.tree_anew()?;
        let base = self.base()?;
        let mut refused = Vec::new();
        let seen = verified(&self.workspace, plan, &tree, &base, &mut refused)?;
        for problem in refused {
            log::append(&self.workspace, &Entry::new(&self.record, "refused", &problem, &tree))?;
        }
        if let Some(seen) = seen {
            return Ok(Some(self.passed(&tree, seen)?));
        }
        let code = trees(&self.workspace, plan)?.code_of(&tree)?;
        if self.record.was_let_go(&code) {
            let message = "redgreen: nothing has changed since this tree was let go: it is still not verified".to_owned();
            return Ok(Some(Decision::LetGo { message }));
        }
        if without_code(&self.workspace, plan, &tree, &base)? {
            let why = "no code was changed".to_owned();
            log::append(&self.workspace, &Entry::new(&self.record, "skipped", &why, &tree))?;
            return Ok(Some(Decision::Allow { why, remarks: Vec::new() }));
        }
        if let Some(why) = skipped(&self.workspace, plan, &tree)? {
            log::append(&self.workspace, &Entry::new(&self.record, "skipped", &why, &tree))?;
            let let_go = "let go without a run".to_owned();
            return Ok(Some(Decision::Allow { why: let_go, remarks: vec![why] }));
        }
        Ok(None)
    }

    /// Lets the session's loop go on until the agent is to do something or it ends.
    pub fn judge(&mut self, plan: Plan, tools: &Tools<'_>) -> Result<Decision, RunnerError> {
        let id = match self.record.session().filter(|id| self.folder(id).has_begun()) {
            Some(id) => id.to_owned(),
            None => {
                self.record.set_session(Some(plan.session.clone()))?;
                plan.session.clone()
            }
        };
        let folder = self.folder(&id);
        let state = patiently(tools, || {
            let workspace = Workspace::discover(self.workspace.root())?;
            match folder.has_begun() {
                true => Session::resume_in(workspace, folder.clone(), tools),
                false => Session::start_in(workspace, folder.clone(), plan.clone(), tools),
            }
        })?
        .run()?;
        self.conclude(&state, &folder)
    }

    /// What a session's state means for the agent.
    fn conclude(&mut self, state: &State, folder: &SessionFolder) -> Result<Decision, RunnerError> {
        if let Some(request) = feedback::asked(state) {
            let whole = folder.agent(request.attempt, request.phase().as_str());
            let whole = folder.shown(&whole.join("feedback.json"));
            let reason = feedback::blocked(state, &whole).unwrap_or_default();
            return Ok(Decision::Block { reason });
        }
        forget(&folder.give_up())?;
        self.record.set_session(None)?;
        let tree = state.tree().cloned();
        if let (LoopStatus::Passed, Some(tree)) = (state.status, &tree) {
            let seen = state.attempts.last().and_then(|attempt| attempt.square.as_ref());
            let remarks = seen.map(|seen| feedback::remarks(&seen.square)).unwrap_or_default();
            return self.passed(&tree.tree, Seen { why: "seen to pass".to_owned(), remarks });
        }
        let stop = state.stop.as_ref();
        let detail = stop.map(|stop| stop.detail.as_str()).unwrap_or_default();
        match stop.map(|stop| stop.reason) {
            Some(StopReason::ToolingError) => self.fault(detail, tree.as_ref()),
            reason => self.let_go(reason, detail, tree.as_ref(), &folder.shown(&folder.report())),
        }
    }

    fn passed(&mut self, tree: &TreeHash, seen: Seen) -> Result<Decision, RunnerError> {
        self.record.passed(&self.workspace, tree)?;
        log::append(&self.workspace, &Entry::new(&self.record, "allowed", &seen.why, tree))?;
        Ok(Decision::Allow { why: seen.why, remarks: seen.remarks })
    }

    /// Makes the next answer quick, where this tree has just been let go as verified.
    pub fn remember(&self, plan: &Plan) {
        if let Some(tree) = self.record.settled_at() {
            remember(&self.workspace, plan, tree, Against::Tree(tree.clone()), tree);
        }
    }

    fn let_go(
        &mut self,
        reason: Option<StopReason>,
        detail: &str,
        tree: Option<&TreeState>,
        report: &str,
    ) -> Result<Decision, RunnerError> {
        let reason = reason.map(|reason| reason.to_string()).unwrap_or_default();
        if let Some(tree) = tree {
            self.record.let_go(&tree.code)?;
            let why = format!("{reason}: {detail}");
            log::append(&self.workspace, &Entry::new(&self.record, "let_go", &why, &tree.tree))?;
        }
        let stop = if detail.trim_end().ends_with(['.', '?', '!', '…']) { "" } else { "." };
        let message = format!(
            "redgreen: NOT VERIFIED ({reason}): {}{stop} A person has to look at it; the report is {report}",
            detail.trim_end()
        );
        Ok(Decision::LetGo { message })
    }

    /// See [`fault`].
    pub fn fault(
        &mut self,
        problem: &str,
        tree: Option<&TreeState>,
    ) -> Result<Decision, RunnerError> {
        let decision = fault(&mut self.record, problem)?;
        if let (Decision::LetGo { message }, Some(tree)) = (&decision, tree) {
            log::append(
                &self.workspace,
                &Entry::new(&self.record, "skipped", message, &tree.tree),
            )?;
        }
        Ok(decision)
    }

    /// Where the worker for this session keeps what it is doing.
    pub fn work(&self) -> Work {
        Work::new(self.record.path())
    }

    /// The code in the work tree, by the plan's rules.
    pub fn code(&self, plan: &Plan) -> Result<TreeState, RunnerError> {
        trees(&self.workspace, plan)?.now()
    }

    fn folder(&self, session: &str) -> SessionFolder {
        self.record.session_folder(&self.workspace, session)
    }
}

/// Nothing could be judged, through no fault of the agent's: counted, and held or let go.
pub fn fault(record: &mut Record, problem: &str) -> Result<Decision, RunnerError> {
    Ok(match feedback::at_fault(record.count_fault()?, problem) {
        AtFault::Held { reason } => Decision::Block { reason },
        AtFault::LetGo { message } => Decision::LetGo { message },
    })
}

/// A tree that was seen to pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// When, in words.
    pub why: String,
    /// What a person should know of it.
    pub remarks: Vec<String>,
}

/// Whether a tree counts as verified against a base: there is signed evidence of exactly this, and git
/// keeps the text that is there. What is there and not believed goes to `refused`.
pub fn verified(
    workspace: &Workspace,
    plan: &Plan,
    tree: &TreeHash,
    base: &TreeHash,
    refused: &mut Vec<String>,
) -> Result<Option<Seen>, RunnerError> {
    let rules = verdict_rules(&plan.checks, &plan.config, plan.code_type);
    let evidence = KeptEvidence::of(workspace.root());
    let mut seen = verified_by(&evidence, &rules, tree, base, refused);
    if seen.is_none() && tree == base {
        let executed = execution_rules(&plan.checks, &plan.config);
        seen = evidence.ran_green(tree, &executed).map(|at| Seen {
            why: format!("nothing was changed, and it was seen to pass at {at}"),
            remarks: Vec::new(),
        });
    }
    if seen.is_some()
        && let Some(problem) = other_text(workspace, tree, base)?
    {
        refused.push(problem);
        return Ok(None);
    }
    Ok(seen)
}

fn verified_by(
    evidence: &KeptEvidence,
    rules: &Rules,
    tree: &TreeHash,
    base: &TreeHash,
    refused: &mut Vec<String>,
) -> Option<Seen> {
    let looked = if tree == base {
        evidence.passed_alone(tree, rules) // Where nothing changed there is nothing to compare.
    } else {
        evidence.passed_tree(tree, rules, Some(base))
    };
    refused.extend(looked.refused);
    let verdict = looked.found?.verdict;
    let warned = verdict.result == TestsResult::Warned;
    let remark = "something about it was declared, waived or doubted: `redgreen evidence show`";
    Some(Seen {
        why: format!("seen to pass at {}", verdict.at),
        remarks: warned.then(|| remark.to_owned()).into_iter().collect(),
    })
}

/// Somebody's word that this tree need not be run, in words.
pub fn skipped(
    workspace: &Workspace,
    plan: &Plan,
    tree: &TreeHash,
) -> Result<Option<String>, RunnerError> {
    let code = trees(workspace, plan)?.code_of(tree)?;
    let skip = record::skipped(workspace.root(), &code, plan.config.gate.agent_may_skip);
    Ok(skip.map(|skip| format!("skipped by {}: {}", skip.by, skip.reason)))
}

/// Whether something changed, and nothing but documents that no code or test names.
pub fn without_code(
    workspace: &Workspace,
    plan: &Plan,
    tree: &TreeHash,
    base: &TreeHash,
) -> Result<bool, RunnerError> {
    let changes = trees(workspace, plan)?.changes(base, tree)?;
    let documents = |path: &str| redgreen_frameworks::is_document(path);
    if changes.is_empty() || !changes.iter().all(|change| documents(&change.path)) {
        return Ok(false);
    }
    // By its name, or by all of its kind: `docs/*.md`.
    let mut words = BTreeSet::new();
    for change in &changes {
        let name = change.path.rsplit('/').next().unwrap_or(&change.path);
        let kind = name.rsplit_once('.').map(|(_, kind)| format!("*.{kind}"));
        words.extend(kind.into_iter().chain([name.to_owned()]));
    }
    let words: Vec<String> = words.into_iter().collect();
    for side in [base, tree] {
        if !workspace.mentioning(side, &words)?.iter().all(|path| documents(path)) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn trees(workspace: &Workspace, plan: &Plan) -> Result<Trees, RunnerError> {
    Trees::new(Workspace::discover(workspace.root())?, &plan.config)
}

/// Somebody else may be at work in the tree: that one ends.
fn patiently<T>(
    tools: &Tools<'_>,
    mut begin: impl FnMut() -> Result<T, RunnerError>,
) -> Result<T, RunnerError> {
    loop {
        match begin() {
            Err(RunnerError::Workspace(WorkspaceError::Locked { .. })) => {
                if tools.stop.wait(LOCK_INTERVAL) {
                    return Err(RunnerError::Interrupted);
                }
            }
            other => return other,
        }
    }
}
