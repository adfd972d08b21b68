//! Where it is kept who is at work, and what people had: outside of the work tree, and sealed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use redgreen_evidence::Key;
use redgreen_files::write_cache;
use redgreen_model::tree::TreeHash;
use redgreen_workspace::Heads;
use serde::{Deserialize, Serialize};

use super::{Base, Vouched};
use crate::RunnerError;
use crate::evidence::key_folder;
use crate::gate::record::{folder, last_vouched};
use crate::layout::write_whole;

/// Who is at work where that was lost, until a person says how it is.
pub(super) const NOBODY_KNOWS: &str = "nobody knows who";
/// The version of what is kept.
const VERSION: u32 = 1;
/// The file's name, beside the records of the work tree.
const FILE: &str = "base.json";
/// What the seal says that it is on.
const SEALED_AS: &str = "application/vnd.redgreen.base+json";
/// How many commits of agents are kept: those that are older lie behind one that a person vouched for.
const AGENTS_MAX: usize = 5000;

/// How many bases of other lines of history are kept.
const PAST_MAX: usize = 20;

/// Who is at work, which commits agents made, and what people had.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ledger {
    version: u32,
    /// The work tree that it is about.
    root: PathBuf,
    /// Who is at work, with its program where that is known.
    pub at_work: BTreeMap<String, Option<(i32, u64)>>,
    /// Commits that agents made, the oldest first.
    pub agents: Vec<String>,
    /// What people had when the agents began.
    pub base: Option<Base>,
    /// The bases of other lines of history, the oldest first: somebody may come back to them.
    #[serde(default)]
    pub past: Vec<Base>,
    /// Where HEAD and the branches were when that was last noted.
    pub heads: Option<Heads>,
    /// What else agents changed in the repository and nobody has been informed of.
    #[serde(default)]
    pub elsewhere: BTreeSet<String>,
    /// How the last agent that was let go left the work tree.
    pub left: Option<Left>,
}

/// How an agent left the work tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Left {
    pub tree: TreeHash,
    pub verified: bool,
}

/// What is on disk.
#[derive(Serialize, Deserialize)]
struct Sealed {
    ledger: String,
    seal: String,
}

/// The ledger of a work tree, for one who changes it.
pub(super) struct Opened {
    path: PathBuf,
    root: PathBuf,
    pub ledger: Ledger,
    _lock: File,
}

/// It is there, and redgreen did not write it.
struct Forged;

impl Opened {
    /// The ledger as it is; what can be known again where it was lost or edited.
    pub fn at(root: &Path) -> Result<Self, RunnerError> {
        let path = path(root);
        let folder = folder(root);
        fs::create_dir_all(&folder).map_err(RunnerError::file("make the folder", &folder))?;
        let lock = path.with_extension("lock");
        let locked = File::create(&lock).and_then(|file| file.lock().map(|()| file));
        let _lock = locked.map_err(RunnerError::file("lock", &lock))?;
        Ok(Self { path, root: root.to_owned(), ledger: known(root), _lock })
    }

    /// It is on disk when this returns.
    pub fn write(self) -> Result<(), RunnerError> {
        self.write_by(write_whole)
    }

    /// The same where a failure of the machine may undo it.
    pub fn write_for_now(self) -> Result<(), RunnerError> {
        self.write_by(|path, text| {
            write_cache(path, text).map_err(RunnerError::file("write", path))
        })
    }

    fn write_by(
        mut self,
        write: impl FnOnce(&Path, &[u8]) -> Result<(), RunnerError>,
    ) -> Result<(), RunnerError> {
        let ledger = &mut self.ledger;
        (ledger.version, ledger.root) = (VERSION, self.root.clone());
        let too_many = ledger.agents.len().saturating_sub(AGENTS_MAX);
        ledger.agents.drain(..too_many);
        let too_many = ledger.past.len().saturating_sub(PAST_MAX);
        ledger.past.drain(..too_many);
        let unwritable = |error| RunnerError::Session(format!("cannot write the base: {error}"));
        let text = serde_json::to_string(ledger).map_err(unwritable)?;
        // Where there can be no key, nothing that redgreen signs is believed anyway.
        let key = key_folder(&self.root).ok().and_then(|it| Key::open_or_make(&it).ok());
        let seal = key.map(|key| key.sign_as(SEALED_AS, text.as_bytes())).unwrap_or_default();
        let sealed = serde_json::to_vec(&Sealed { ledger: text, seal }).map_err(unwritable)?;
        if fs::read(&self.path).is_ok_and(|there| there == sealed) {
            return Ok(());
        }
        write(&self.path, &sealed)
    }
}

/// The ledger of a work tree. Where it was lost or edited, what the last session knew when it began counts, and all
/// that happened since is agents' work.
pub(super) fn known(root: &Path) -> Ledger {
    if let Ok(Some(ledger)) = read(root) {
        return ledger;
    }
    let Some(Vouched { base, heads }) = last_vouched(root) else { return Ledger::default() };
    let at_work = BTreeMap::from([(NOBODY_KNOWS.to_owned(), None)]);
    Ledger { at_work, base: Some(base), heads: Some(heads), ..Ledger::default() }
}

/// What is wrong with the ledger of a work tree in which sessions were seen to begin, in words.
pub(super) fn problem(root: &Path) -> Option<String> {
    let what = match read(root) {
        Ok(Some(_)) => return None,
        Ok(None) => last_vouched(root).map(|_| "deleted")?,
        Err(Forged) => "edited, and not by redgreen",
    };
    Some(format!(
        "{} was {what}: it says what changes are compared with. A person who has looked at the work tree runs `redgreen base --accept REASON`",
        path(root).display()
    ))
}

/// The ledger as it is on disk, if there is one.
fn read(root: &Path) -> Result<Option<Ledger>, Forged> {
    let Ok(bytes) = fs::read(path(root)) else { return Ok(None) };
    let sealed: Sealed = serde_json::from_slice(&bytes).map_err(|_| Forged)?;
    let key = key_folder(root).ok().and_then(|folder| Key::open(&folder).ok().flatten());
    let is_ours = |key: Key| key.has_signed_as(SEALED_AS, sealed.ledger.as_bytes(), &sealed.seal);
    if !key.is_none_or(is_ours) {
        return Err(Forged);
    }
    let ledger: Ledger = serde_json::from_str(&sealed.ledger).map_err(|_| Forged)?;
    // A newer redgreen, or the ledger of another work tree: then it says nothing here.
    Ok(Some(ledger).filter(|ledger| ledger.version == VERSION && ledger.root == root))
}

fn path(root: &Path) -> PathBuf {
    folder(root).join(FILE)
}
