//! What the gate remembers of an agent session. It lies outside of the work tree, where an edit of
//! the project does not come to.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use redgreen_agents::settings::HookState;
use redgreen_model::debug_memory::Recalled;
use redgreen_model::digest::sha256;
use redgreen_model::text::{LINE_CHARS, MESSAGE_CHARS, clean_block, clean_line};
use redgreen_model::tree::{CodeHash, TreeHash, TreeState};
use redgreen_workspace::{Workspace, state_path};
use serde::{Deserialize, Serialize};

use super::base::Vouched;
use crate::layout::{SessionFolder, home_state, write_whole};
use crate::{RunnerError, clock, lines};

/// The version of the record.
const VERSION: u32 = 1;
/// How many bytes of a digest make a file name.
const NAME_BYTES: usize = 16;

/// Who is met at the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guest {
    /// The agent.
    pub agent: String,
    /// Its own session.
    pub session: String,
}

impl Guest {
    /// A file name of its own.
    pub(super) fn name(&self) -> String {
        format!("{}-{}", plain(&self.agent), digest(&self.session))
    }
}

/// Somebody's word that this code need not be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skip {
    /// The code that it holds for.
    pub code: CodeHash,
    /// Why.
    pub reason: String,
    /// Who.
    pub by: String,
    /// Whether a person said so, at a terminal.
    pub by_person: bool,
    /// When, RFC 3339.
    pub at: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Kept {
    version: u32,
    agent: String,
    agent_session: String,
    worktree: PathBuf,
    /// The tree that the session began with, or that was let go last as verified.
    #[serde(default, rename = "base", skip_serializing_if = "Option::is_none")]
    start: Option<TreeHash>,
    /// What people had when the session began: a copy, for the case that the ledger is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    vouched: Option<Vouched>,
    /// The tree that was seen to pass last, or in which nothing that runs was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    passed: Option<TreeHash>,
    /// What that was compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    passed_against: Option<TreeHash>,
    /// The tree that the session began with, where an earlier one had left in it what was not verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    debt: Option<TreeHash>,
    /// Whether the agent was informed of that.
    #[serde(default)]
    debt_told: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    /// What that loop compares with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    against: Option<TreeHash>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    let_go: Option<CodeHash>,
    /// The tree that it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    let_go_tree: Option<TreeHash>,
    #[serde(default)]
    faults: u32,
    /// When the session was seen to begin, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    began_at: Option<String>,
    /// What steered the frameworks when the session began, where that was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    steering: Option<BTreeMap<String, String>>,
    /// What the agent's settings said about redgreen's hooks when the session began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hooks: Option<HookState>,
    /// What the agent got from the debug memory when its session began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    briefed: Option<Recalled>,
    updated_at: String,
}

impl Kept {
    fn new(root: &Path, agent: &str, session: &str) -> Self {
        Self {
            version: VERSION,
            agent: clean_line(agent, LINE_CHARS),
            agent_session: clean_line(session, LINE_CHARS),
            worktree: root.to_owned(),
            start: None,
            vouched: None,
            passed: None,
            passed_against: None,
            debt: None,
            debt_told: false,
            session: None,
            against: None,
            let_go: None,
            let_go_tree: None,
            faults: 0,
            began_at: None,
            steering: None,
            hooks: None,
            briefed: None,
            updated_at: clock::now(),
        }
    }
}

/// The record of one agent session in one work tree.
pub struct Record {
    path: PathBuf,
    kept: Kept,
}

impl Record {
    /// Reads the record, or begins one.
    pub fn open(root: &Path, guest: &Guest) -> Result<Self, RunnerError> {
        let folder = folder(root);
        let path = folder.join(format!("{}.json", guest.name()));
        let fresh = || Kept::new(root, &guest.agent, &guest.session);
        let kept = read(&path).unwrap_or_else(fresh);
        Ok(Self { path, kept })
    }

    /// The record's own file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The agent.
    pub fn agent(&self) -> &str {
        &self.kept.agent
    }

    /// The agent's own session.
    pub fn agent_session(&self) -> &str {
        &self.kept.agent_session
    }

    /// The tree that the session began with, or that was let go last as verified.
    pub(super) fn start(&self) -> Option<&TreeHash> {
        self.kept.start.as_ref()
    }

    /// The tree that the session began with, where an earlier one had left in it what was not verified.
    pub(super) fn debt(&self) -> Option<&TreeHash> {
        self.kept.debt.as_ref()
    }

    /// Whether this tree was seen to pass, compared with that one, or nothing that runs was changed in it.
    pub(super) fn has_passed(&self, tree: &TreeHash, base: &TreeHash) -> bool {
        self.passed_against(base) == Some(tree)
    }

    /// The tree that was seen to pass last, if it was compared with this one.
    pub(super) fn passed_against(&self, base: &TreeHash) -> Option<&TreeHash> {
        let is_it = self.kept.passed_against.as_ref() == Some(base);
        self.kept.passed.as_ref().filter(|_| is_it)
    }

    /// Nothing that runs was changed in this tree.
    pub(super) fn is_idle(&mut self, tree: &TreeHash, base: &TreeHash) -> Result<(), RunnerError> {
        self.update(|kept| {
            (kept.passed, kept.passed_against) = (Some(tree.clone()), Some(base.clone()));
        })
    }

    /// Says that the agent is informed of what an earlier one had left; whether it was before.
    pub(super) fn tell_debt(&mut self) -> Result<bool, RunnerError> {
        let was = self.kept.debt_told;
        self.update(|kept| kept.debt_told = true)?;
        Ok(was)
    }

    /// The tree that passed last, where nothing happened since.
    pub(super) fn settled_at(&self) -> Option<&TreeHash> {
        self.kept.start.as_ref().filter(|_| self.kept.faults == 0 && self.kept.session.is_none())
    }

    /// The session begins with this tree, or with this debt. It is kept in git, whatever becomes of it.
    pub(super) fn set_start(
        &mut self,
        workspace: &Workspace,
        tree: &TreeHash,
        in_debt: bool,
    ) -> Result<(), RunnerError> {
        self.goes_on_from(workspace, tree)?;
        self.update(|kept| kept.debt = in_debt.then(|| tree.clone()))
    }

    /// People have changed the tree: what passed before is no longer what the session goes on from.
    pub(super) fn taken_over(
        &mut self,
        workspace: &Workspace,
        tree: &TreeHash,
    ) -> Result<(), RunnerError> {
        self.goes_on_from(workspace, tree)?;
        self.update(|kept| kept.passed = None)
    }

    /// The session goes on, and has edited nothing while the tree is this one.
    fn goes_on_from(&mut self, workspace: &Workspace, tree: &TreeHash) -> Result<(), RunnerError> {
        let reference = format!("gate/{}-{}", digest(&self.kept.agent_session), tree.short());
        workspace.snapshot(tree, &reference, "redgreen gate: what a session began with")?;
        self.update(|kept| kept.start = Some(tree.clone()))
    }

    /// Keeps what people had when the session began.
    pub(super) fn set_vouched(&mut self, vouched: Vouched) -> Result<(), RunnerError> {
        self.update(|kept| kept.vouched = Some(vouched))
    }

    /// Keeps when the session began, what steers the frameworks, and what settings say about
    /// redgreen's hooks, once.
    pub(super) fn set_beginning(
        &mut self,
        steering: BTreeMap<String, String>,
        hooks: Option<HookState>,
    ) -> Result<(), RunnerError> {
        self.update(|kept| {
            if kept.began_at.is_none() {
                kept.began_at = Some(clock::now());
            }
            kept.steering = kept.steering.take().or(Some(steering));
            kept.hooks = kept.hooks.take().or(hooks);
        })
    }

    /// When the session was seen to begin.
    pub(super) fn began_at(&self) -> Option<&str> {
        self.kept.began_at.as_deref()
    }

    pub(super) fn steering(&self) -> Option<&BTreeMap<String, String>> {
        self.kept.steering.as_ref()
    }

    pub(super) fn hooks(&self) -> Option<&HookState> {
        self.kept.hooks.as_ref()
    }

    pub(super) fn set_briefed(&mut self, briefed: Recalled) -> Result<(), RunnerError> {
        self.update(|kept| kept.briefed = Some(briefed))
    }

    pub(super) fn briefed(&self) -> Option<&Recalled> {
        self.kept.briefed.as_ref()
    }

    pub(super) fn session(&self) -> Option<&str> {
        self.kept.session.as_deref()
    }

    /// The loop that goes on, if it compares with this tree.
    pub(super) fn session_against(&self, base: Option<&TreeHash>) -> Option<&str> {
        self.session().filter(|_| self.kept.against.as_ref() == base)
    }

    pub(super) fn set_session(
        &mut self,
        session: Option<String>,
        against: Option<TreeHash>,
    ) -> Result<(), RunnerError> {
        self.update(|kept| (kept.session, kept.against) = (session, against))
    }

    /// The folder of one of its loops; the journal is outside of the work tree.
    pub(super) fn session_folder(&self, workspace: &Workspace, session: &str) -> SessionFolder {
        let journal = self.path.with_extension("").join(format!("{}.jsonl", plain(session)));
        SessionFolder::with_journal(workspace.root(), &workspace.state_path(), session, journal)
    }

    /// A tree passed against what people had: what comes next is another task.
    pub(super) fn passed(
        &mut self,
        workspace: &Workspace,
        tree: &TreeHash,
        base: &TreeHash,
    ) -> Result<(), RunnerError> {
        if self.settled_at() == Some(tree) && self.has_passed(tree, base) {
            return Ok(());
        }
        self.update(|kept| {
            kept.faults = 0;
            (kept.let_go, kept.let_go_tree) = (None, None);
            kept.session = None;
            (kept.passed, kept.passed_against) = (Some(tree.clone()), Some(base.clone()));
        })?;
        self.set_start(workspace, tree, false)
    }

    pub(super) fn let_go(&mut self, state: &TreeState) -> Result<(), RunnerError> {
        self.update(|kept| {
            kept.let_go = Some(state.code.clone());
            kept.let_go_tree = Some(state.tree.clone());
        })
    }

    /// The tree that was let go last as not verified.
    pub(super) fn let_go_tree(&self) -> Option<&TreeHash> {
        self.kept.let_go_tree.as_ref()
    }

    pub(super) fn was_let_go(&self, code: &CodeHash) -> bool {
        self.kept.let_go.as_ref() == Some(code)
    }

    /// Counts one more thing that went wrong, and says how many there were.
    pub(super) fn count_fault(&mut self) -> Result<u32, RunnerError> {
        self.update(|kept| kept.faults += 1)?;
        Ok(self.kept.faults)
    }

    /// Changes what is on disk: another hook of the same session may have written since it was read.
    fn update(&mut self, change: impl FnOnce(&mut Kept)) -> Result<(), RunnerError> {
        let folder = self.path.with_extension("");
        fs::create_dir_all(&folder).map_err(RunnerError::file("make the folder", &folder))?;
        let lock = folder.join("lock");
        let locked = File::create(&lock).and_then(|file| file.lock().map(|()| file));
        let _locked = locked.map_err(RunnerError::file("lock", &lock))?;
        if let Some(kept) = read(&self.path) {
            self.kept = kept;
        }
        change(&mut self.kept);
        self.kept.updated_at = clock::now();
        let text = serde_json::to_vec_pretty(&self.kept)
            .map_err(|error| RunnerError::Session(format!("cannot write the record: {error}")))?;
        write_whole(&self.path, &text)
    }
}

/// The file with what was skipped, for all sessions of a work tree.
const SKIPS: &str = "skips.jsonl";

/// Says that the code as it is need not be run.
pub fn skip(workspace: &Workspace, skip: &Skip) -> Result<(), RunnerError> {
    lines::append(&folder(workspace.root()).join(SKIPS), skip)
}

/// Who said that this code need not be run; an agent's word counts where it may say so.
pub(super) fn skipped(root: &Path, code: &CodeHash, agent_may: bool) -> Option<Skip> {
    lines::read::<Skip>(&folder(root).join(SKIPS))
        .into_iter()
        .find(|skip| skip.code == *code && (skip.by_person || agent_may))
}

/// What people said to agents that were gone by then.
const HINTS: &str = "hints.txt";

/// Keeps what a person has to say to whichever agent wants to end next in this work tree.
pub fn leave_hint(workspace: &Workspace, hint: &str, by: &str) -> Result<(), RunnerError> {
    let path = folder(workspace.root()).join(HINTS);
    let there = fs::read_to_string(&path).unwrap_or_default();
    let hint = clean_block(format!("{there}{by}: {hint}\n").as_bytes(), MESSAGE_CHARS);
    write_whole(&path, hint.as_bytes())
}

/// What people have to say to the agent, once.
pub fn take_hints(root: &Path) -> Option<String> {
    let path = folder(root).join(HINTS);
    let hints = fs::read_to_string(&path).ok().filter(|hints| !hints.trim().is_empty())?;
    fs::remove_file(&path).ok()?;
    Some(hints)
}

/// A session that is being held in a work tree.
pub struct Held {
    /// Who it is.
    pub guest: Guest,
    /// The folder of its loop.
    pub folder: SessionFolder,
}

/// All that is remembered of sessions in a work tree, the newest first.
fn records(root: &Path) -> Vec<Record> {
    let entries = fs::read_dir(folder(root)).into_iter().flatten().flatten();
    let mut records: Vec<Record> = entries
        .filter_map(|entry| read(&entry.path()).map(|kept| Record { path: entry.path(), kept }))
        .collect();
    records.sort_by(|one, other| other.kept.updated_at.cmp(&one.kept.updated_at));
    records
}

/// What people had when the last session began here.
pub(super) fn last_vouched(root: &Path) -> Option<Vouched> {
    records(root).into_iter().find_map(|record| record.kept.vouched)
}

/// The sessions that are being held in this work tree, the newest first.
pub fn held(workspace: &Workspace) -> Vec<Held> {
    records(workspace.root())
        .iter()
        .filter(|record| record.session().is_some())
        .filter_map(|record| {
            let Kept { agent, agent_session, session, .. } = &record.kept;
            let guest = Guest { agent: agent.clone(), session: agent_session.clone() };
            let folder = record.session_folder(workspace, session.as_deref()?);
            Some(Held { guest, folder })
        })
        .collect()
}

/// An agent that is being held says that it is stuck.
pub fn give_up(held: &Held, reason: &str) -> Result<(), RunnerError> {
    let reason = clean_block(reason.as_bytes(), MESSAGE_CHARS);
    write_whole(&held.folder.give_up(), reason.as_bytes())
}

/// Keeps where an agent's session began. The first word counts: wherever the agent goes, that is the
/// work tree which it was asked to change.
pub(super) fn begin_at(root: &Path, guest: &Guest) -> Result<(), RunnerError> {
    let Some(path) = beginning(guest).filter(|path| !path.exists()) else { return Ok(()) };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(RunnerError::file("make the folder", folder))?;
    }
    write_whole(&path, root.as_os_str().as_bytes())
}

/// The work tree that an agent's session began in, where that was seen.
pub fn began_at(guest: &Guest) -> Option<PathBuf> {
    let bytes = fs::read(beginning(guest)?).ok()?;
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

fn beginning(guest: &Guest) -> Option<PathBuf> {
    let home = home_state()?;
    Some(home.join("sessions").join(format!("{}.root", guest.name())))
}

fn read(path: &Path) -> Option<Kept> {
    let text = fs::read(path).ok()?;
    serde_json::from_slice::<Kept>(&text).ok().filter(|kept| kept.version == VERSION)
}

/// The folder of a work tree's gates: outside of it, wherever there is such a place.
pub(super) fn folder(root: &Path) -> PathBuf {
    let home = home_state().unwrap_or_else(|| state_path(root));
    home.join("gates").join(digest(&root.to_string_lossy()))
}

/// The same; nowhere, if that would be in the work tree.
pub(crate) fn folder_outside(root: &Path) -> Option<PathBuf> {
    crate::evidence::key_folder(root).ok()?;
    Some(folder(root))
}

/// A file name for any text.
pub(super) fn digest(text: &str) -> String {
    sha256(text.as_bytes(), NAME_BYTES)
}

/// The letters of a name that can be in a file name.
fn plain(name: &str) -> String {
    name.chars().filter(|it| it.is_ascii_alphanumeric() || *it == '-').take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_hooks_of_one_session_do_not_undo_each_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = || Record {
            path: folder.path().join("claude-1.json"),
            kept: Kept::new(folder.path(), "claude", "1"),
        };
        let (mut one, mut other) = (open(), open());
        one.set_session(Some("s".to_owned()), None).expect("kept");
        assert_eq!(other.count_fault().expect("counted"), 1);
        assert_eq!(other.session(), Some("s"));
        assert_eq!(one.count_fault().expect("counted"), 2);
    }
}
