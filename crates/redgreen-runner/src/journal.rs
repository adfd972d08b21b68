//! The journal of a session, or of an outer loop: append, sync, then act. What is in it happened; the rest did not. That of a single judgement,
//! which nobody resumes, is not waited for until it is on disk.

mod secret_plan;

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use redgreen_engine::input::Stamped;
use redgreen_evidence::{Content, Seal};
use redgreen_model::digest::hex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::RunnerError;
use crate::layout::SessionFolder;
use crate::plan::Plan;

/// The newest version of the journal's format: the plan may be without its secrets.
const VERSION: u32 = 2;
/// The version of one whose plan is all there.
const VERSION_WITH_ALL: u32 = 1;

/// How many folders up from a journal may be new: its own, `sessions`, `.redgreen`, and the root that
/// names it.
const FOLDERS_ABOVE: usize = 4;

/// The first line.
#[derive(Serialize, Deserialize)]
struct Header {
    journal: u32,
    plan: Plan,
    /// Whether the plan's secrets are elsewhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    withheld: bool,
}

impl Header {
    /// What of a plan may lie in the journal; the rest is put where it may. Where there is no such place,
    /// all of it is in the journal, which is for its owner alone. Nobody comes back to a single judgement: its
    /// secrets are kept nowhere.
    fn of(plan: &Plan, folder: &SessionFolder) -> Self {
        let is_kept =
            || folder.withheld_plan().is_some_and(|path| secret_plan::keep(&path, plan).is_ok());
        match secret_plan::shown(plan).filter(|_| plan.single.is_some() || is_kept()) {
            Some(plan) => Self { journal: VERSION, plan, withheld: true },
            None => Self { journal: VERSION_WITH_ALL, plan: plan.clone(), withheld: false },
        }
    }
}

/// What every version's first line has.
#[derive(Deserialize)]
struct AnyHeader {
    journal: u32,
}

/// An open journal.
pub(crate) struct Journal {
    path: PathBuf,
    /// Whose it is.
    of: String,
    file: File,
    /// Whether somebody may come back to it, even after a failure of the machine.
    lasts: bool,
    length: u64,
    hash: Sha256,
}

/// What a journal holds.
pub(crate) struct Recorded<I = Stamped> {
    pub(crate) plan: Plan,
    /// Whether the plan is as it was given, with the secrets that are in it.
    pub(crate) is_whole: bool,
    pub(crate) inputs: Vec<I>,
    /// Where the last whole line ends: a crash may have left half a line after it.
    length: u64,
    /// Of everything up to there.
    hash: Sha256,
}

impl<I> Recorded<I> {
    /// Without the secrets in its commands a loop cannot go on.
    pub(crate) fn require_whole(&self, folder: &SessionFolder) -> Result<(), RunnerError> {
        if self.is_whole {
            return Ok(());
        }
        let place = folder.withheld_plan().unwrap_or_default();
        Err(RunnerError::Session(format!(
            "{} cannot be resumed: the secrets in its commands were kept in {}, which is gone; begin again with `redgreen run`",
            folder.name(),
            place.display()
        )))
    }

    /// How much of the journal this is.
    pub(crate) fn content(&self) -> Content {
        content(self.length, &self.hash)
    }
}

fn content(bytes: u64, hash: &Sha256) -> Content {
    Content { bytes, sha256: hex(&hash.clone().finalize()) }
}

impl Journal {
    /// Begins a journal; where it lasts, its folder and name are on disk before this returns.
    pub(crate) fn create(
        folder: &SessionFolder,
        plan: &Plan,
        seal: impl FnOnce(&Seal) -> Result<(), RunnerError>,
    ) -> Result<Self, RunnerError> {
        let path = &folder.journal();
        let file = create(path)?;
        let (path, of) = (path.to_owned(), folder.name());
        let lasts = plan.lasts();
        let mut journal = Self { path, of, file, lasts, length: 0, hash: Sha256::new() };
        journal.write_line(&Header::of(plan, folder), seal)?;
        if lasts {
            sync_folders(&journal.path)?;
        }
        Ok(journal)
    }

    /// Takes up a journal after what was read of it, and cuts off what a crash left there.
    pub(crate) fn reopen<I>(
        folder: &SessionFolder,
        recorded: &Recorded<I>,
    ) -> Result<Self, RunnerError> {
        let path = &folder.journal();
        let mut file = File::options()
            .read(true)
            .write(true)
            .open(path)
            .map_err(RunnerError::file("open", path))?;
        file.set_len(recorded.length).map_err(RunnerError::file("repair", path))?;
        file.seek(SeekFrom::Start(recorded.length)).map_err(RunnerError::file("open", path))?;
        let (path, of, length) = (path.to_owned(), folder.name(), recorded.length);
        Ok(Self { path, of, file, lasts: true, length, hash: recorded.hash.clone() })
    }

    /// Records an input; it is on disk when this returns, and sealed where there is a key. If it cannot be recorded, the
    /// journal is as it was before.
    pub(crate) fn append(
        &mut self,
        input: &impl Serialize,
        seal: impl FnOnce(&Seal) -> Result<(), RunnerError>,
    ) -> Result<(), RunnerError> {
        self.write_line(input, seal)
    }

    /// Writes all of it once more where its file is gone: what was written is still at hand. Only what
    /// was written here counts.
    pub(crate) fn put_back(&mut self) -> Result<(), RunnerError> {
        if self.path.exists() {
            return Ok(());
        }
        let mut text = Vec::new();
        self.file
            .seek(SeekFrom::Start(0))
            .and_then(|_| self.file.read_to_end(&mut text))
            .map_err(RunnerError::file("read", &self.path))?;
        if Sha256::digest(&text) != self.hash.clone().finalize() {
            return Err(RunnerError::Session(
                "the journal was changed and then removed by somebody else".to_owned(),
            ));
        }
        let mut file = create(&self.path)?;
        file.write_all(&text)
            .and_then(|()| file.sync_data())
            .map_err(RunnerError::file("write", &self.path))?;
        self.file = file;
        sync_folders(&self.path)
    }

    fn write_line(
        &mut self,
        value: &impl Serialize,
        seal: impl FnOnce(&Seal) -> Result<(), RunnerError>,
    ) -> Result<(), RunnerError> {
        let mut line = serde_json::to_vec(value)
            .map_err(|error| RunnerError::Session(format!("cannot write the journal: {error}")))?;
        line.push(b'\n');
        let (length, mut hash) = (self.length + line.len() as u64, self.hash.clone());
        hash.update(&line);
        let (now, before) = (content(length, &hash), Some(content(self.length, &self.hash)));
        // First the seal: whenever a crash comes, it is on what is there.
        seal(&Seal { of: self.of.clone(), now, before })?;
        let sync = || if self.lasts { self.file.sync_data() } else { Ok(()) };
        let written = (&self.file).write_all(&line).and_then(|()| sync());
        if let Err(error) = written {
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::Start(self.length));
            return Err(RunnerError::file("write", &self.path)(error));
        }
        (self.length, self.hash) = (length, hash);
        Ok(())
    }
}

fn create(path: &Path) -> Result<File, RunnerError> {
    File::options()
        .create_new(true)
        .read(true)
        .write(true)
        // The plan may be in it as it was configured, or nobody could take it up again.
        .mode(0o600)
        .open(path)
        .map_err(RunnerError::file("create", path))
}

fn sync_folders(path: &Path) -> Result<(), RunnerError> {
    for folder in path.ancestors().skip(1).take(FOLDERS_ABOVE) {
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(RunnerError::file("sync", folder))?;
    }
    Ok(())
}

/// Reads a journal without opening it for writing.
pub(crate) fn read<I: DeserializeOwned>(
    folder: &SessionFolder,
) -> Result<Recorded<I>, RunnerError> {
    read_up_to(folder, u64::MAX)
}

/// Reads what a seal is on, if that is how the journal begins.
pub(crate) fn read_sealed<I: DeserializeOwned>(
    folder: &SessionFolder,
    seal: &Seal,
) -> Option<Recorded<I>> {
    let recorded = read_up_to(folder, seal.now.bytes).ok()?;
    let content = recorded.content();
    let is_sealed = content == seal.now || seal.before.as_ref() == Some(&content);
    (seal.of == folder.name() && is_sealed).then_some(recorded)
}

fn read_up_to<I: DeserializeOwned>(
    folder: &SessionFolder,
    bytes: u64,
) -> Result<Recorded<I>, RunnerError> {
    let path = &folder.journal();
    let mut text = Vec::new();
    File::open(path)
        .and_then(|file| file.take(bytes).read_to_end(&mut text))
        .map_err(RunnerError::file("read", path))?;
    let damaged = |line: usize, problem: String| RunnerError::Journal {
        path: path.to_owned(),
        line,
        problem,
    };
    let mut length = 0_u64;
    let mut hash = Sha256::new();
    let mut header = None;
    let mut inputs = Vec::new();
    for (index, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if line.last() != Some(&b'\n') {
            break;
        }
        if index == 0 {
            let unreadable = |error: serde_json::Error| damaged(1, error.to_string());
            let AnyHeader { journal: found } = serde_json::from_slice(line).map_err(unreadable)?;
            if found > VERSION {
                let path = path.to_owned();
                return Err(RunnerError::JournalVersion { path, found, known: VERSION });
            }
            header = Some(serde_json::from_slice(line).map_err(unreadable)?);
        } else {
            inputs.push(
                serde_json::from_slice(line)
                    .map_err(|error| damaged(index + 1, error.to_string()))?,
            );
        }
        length += line.len() as u64;
        hash.update(line);
    }
    let Header { plan, withheld, .. } = header.ok_or_else(|| {
        damaged(1, "its first line is not complete: nothing had begun".to_owned())
    })?;
    let kept = folder.withheld_plan().filter(|_| withheld);
    let whole = kept.and_then(|path| secret_plan::read(&path, &plan.session));
    let is_whole = whole.is_some() || !withheld;
    Ok(Recorded { plan: whole.unwrap_or(plan), is_whole, inputs, length, hash })
}

/// Whether a journal has its first line: if not, a crash or a full disk came before anything began.
pub(crate) fn has_begun(path: &Path) -> bool {
    let mut line = Vec::new();
    let read = File::open(path).and_then(|file| BufReader::new(file).read_until(b'\n', &mut line));
    read.is_ok() && line.last() == Some(&b'\n')
}

/// Whether a journal exists.
pub(crate) fn exists(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
}
