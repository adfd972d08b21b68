//! What the gate remembers of an agent session. It lies outside of the work tree, where an edit of
//! the project does not come to.

use std::fs;
use std::path::{Path, PathBuf};

use redgreen_model::text::{LINE_CHARS, MESSAGE_CHARS, clean_block, clean_line};
use redgreen_model::tree::{CodeHash, TreeHash};
use redgreen_workspace::{Workspace, state_path};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::layout::{SessionFolder, write_whole};
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base: Option<TreeHash>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    let_go: Option<CodeHash>,
    #[serde(default)]
    faults: u32,
    updated_at: String,
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
        let name = format!("{}-{}", plain(&guest.agent), digest(&guest.session));
        let path = folder.join(format!("{name}.json"));
        let fresh = || Kept {
            version: VERSION,
            agent: clean_line(&guest.agent, LINE_CHARS),
            agent_session: clean_line(&guest.session, LINE_CHARS),
            worktree: root.to_owned(),
            base: None,
            session: None,
            let_go: None,
            faults: 0,
            updated_at: clock::now(),
        };
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

    pub(super) fn base(&self) -> Option<&TreeHash> {
        self.kept.base.as_ref()
    }

    /// The tree that passed last, where nothing happened since.
    pub(super) fn settled_at(&self) -> Option<&TreeHash> {
        self.kept.base.as_ref().filter(|_| self.kept.faults == 0 && self.kept.session.is_none())
    }

    /// The tree is kept in git, whatever becomes of it.
    pub(super) fn set_base(
        &mut self,
        workspace: &Workspace,
        tree: &TreeHash,
    ) -> Result<(), RunnerError> {
        let reference = format!("gate/{}-{}", digest(&self.kept.agent_session), tree.short());
        workspace.snapshot(tree, &reference, "redgreen gate: what a session is compared with")?;
        self.kept.base = Some(tree.clone());
        self.save()
    }

    pub(super) fn session(&self) -> Option<&str> {
        self.kept.session.as_deref()
    }

    pub(super) fn set_session(&mut self, session: Option<String>) -> Result<(), RunnerError> {
        self.kept.session = session;
        self.save()
    }

    /// The folder of one of its loops; the journal is outside of the work tree.
    pub(super) fn session_folder(&self, workspace: &Workspace, session: &str) -> SessionFolder {
        let journal = self.path.with_extension("").join(format!("{}.jsonl", plain(session)));
        SessionFolder::with_journal(workspace.root(), &workspace.state_path(), session, journal)
    }

    /// A tree passed: what comes next is compared with it.
    pub(super) fn passed(
        &mut self,
        workspace: &Workspace,
        tree: &TreeHash,
    ) -> Result<(), RunnerError> {
        if self.kept.base.as_ref() == Some(tree) && self.kept.faults == 0 {
            return Ok(());
        }
        self.kept.faults = 0;
        self.kept.let_go = None;
        self.set_base(workspace, tree)
    }

    pub(super) fn let_go(&mut self, code: &CodeHash) -> Result<(), RunnerError> {
        self.kept.let_go = Some(code.clone());
        self.save()
    }

    pub(super) fn was_let_go(&self, code: &CodeHash) -> bool {
        self.kept.let_go.as_ref() == Some(code)
    }

    /// Counts one more thing that went wrong, and says how many there were.
    pub(super) fn count_fault(&mut self) -> Result<u32, RunnerError> {
        self.kept.faults += 1;
        self.save()?;
        Ok(self.kept.faults)
    }

    /// Who said that this code need not be run; an agent's word counts where it may say so.
    pub(super) fn skipped(&self, code: &CodeHash, agent_may: bool) -> Option<Skip> {
        let path = self.path.parent()?.join(SKIPS);
        lines::read::<Skip>(&path)
            .into_iter()
            .find(|skip| skip.code == *code && (skip.by_person || agent_may))
    }

    fn save(&mut self) -> Result<(), RunnerError> {
        self.kept.updated_at = clock::now();
        let folder = self.path.with_extension("");
        fs::create_dir_all(&folder).map_err(RunnerError::file("make the folder", &folder))?;
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

/// The newest session that is being held in this work tree.
pub fn held(workspace: &Workspace) -> Result<Option<SessionFolder>, RunnerError> {
    let entries = fs::read_dir(folder(workspace.root())).into_iter().flatten().flatten();
    let held = entries
        .filter_map(|entry| read(&entry.path()).map(|kept| (entry.path(), kept)))
        .filter(|(_, kept)| kept.session.is_some());
    let newest = held.max_by(|(_, one), (_, other)| one.updated_at.cmp(&other.updated_at));
    Ok(newest.and_then(|(path, kept)| {
        let session = kept.session.clone()?;
        Some(Record { path, kept }.session_folder(workspace, &session))
    }))
}

/// The agent that is being held in this work tree says that it is stuck. False where nobody is held.
pub fn give_up(workspace: &Workspace, reason: &str) -> Result<bool, RunnerError> {
    let Some(folder) = held(workspace)? else { return Ok(false) };
    write_whole(&folder.give_up(), clean_block(reason.as_bytes(), MESSAGE_CHARS).as_bytes())?;
    Ok(true)
}

fn read(path: &Path) -> Option<Kept> {
    let text = fs::read(path).ok()?;
    serde_json::from_slice::<Kept>(&text).ok().filter(|kept| kept.version == VERSION)
}

/// The folder of a work tree's gates: outside of it, wherever there is such a place.
fn folder(root: &Path) -> PathBuf {
    let home = crate::square::home_state().unwrap_or_else(|| state_path(root));
    home.join("gates").join(digest(&root.to_string_lossy()))
}

/// A file name for any text.
pub(super) fn digest(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(NAME_BYTES).map(|byte| format!("{byte:02x}")).collect()
}

/// The letters of a name that can be in a file name.
fn plain(name: &str) -> String {
    name.chars().filter(|it| it.is_ascii_alphanumeric() || *it == '-').take(64).collect()
}
