//! The door to a memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use redgreen_files::Draft;
use redgreen_model::debug_memory::Record;
use redgreen_model::report::Failure;

use crate::facts::Facts;
use crate::file::{clock_ns, draft, make_folder, place, sync_folder_of, write_whole};
use crate::index::{Effort, Index, IndexError, IndexHome};
use crate::layout::{Layout, Shelf};
use crate::reader::Reader;
use crate::recall::{Brief, BriefRequest, Recollection};
use crate::record::{Read, complete, file_name, is_ours, written};
use crate::seal::{Notary, Provenance, seal};
use crate::{Format, MemoryError, Settings};

/// The debug memory of a project: a folder of records, and the index over them.
///
/// Opening one costs nothing; the index is opened by the first question. Any number of processes may
/// use the same folder.
pub struct Memory {
    pub(crate) layout: Layout,
    pub(crate) settings: Settings,
    pub(crate) reader: Reader,
    pub(crate) index: Option<Index>,
    pub(crate) notes: Vec<String>,
    /// Whether the index can be kept nowhere; and what is to be said of that.
    pub(crate) is_unkept: bool,
    pub(crate) unkept: Option<String>,
    /// Whether anything was said.
    said: bool,
    /// Whether it was said that records are not sealed.
    said_unsealed: bool,
    /// Why nothing is sealed.
    unsealed: Option<String>,
}

/// Records and patterns are for the project's history; the rest is of this machine.
const IGNORED: [&str; 3] = [".drafts/", ".in-use/", ".index-*"];

/// Where older versions keep their index.
const ONCE_IGNORED: &str = "index.sqlite3*";

/// The patterns are derived: a merge takes the lines of both sides, and they are written anew.
const MERGED: &[u8] = b"patterns/learned-patterns.yaml merge=union\n";

impl Memory {
    /// The memory in a folder, which need not exist. Its index is kept in a folder for those of all memories, where
    /// nobody writes who works with the records; if there is none, for the reason given, every process makes its own.
    /// The notary seals what is written, and says what was seen.
    pub fn new(
        folder: &Path,
        indexes: Result<&Path, String>,
        settings: Settings,
        notary: Arc<dyn Notary>,
    ) -> Self {
        let layout = Layout::new(folder, indexes);
        Self {
            reader: Reader { layout: layout.clone(), notary },
            layout,
            settings,
            index: None,
            notes: Vec::new(),
            is_unkept: false,
            unkept: None,
            said: false,
            said_unsealed: false,
            unsealed: None,
        }
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        self.layout.root()
    }

    /// The file that its index is kept in, whether it is there or not; none if it is kept nowhere.
    pub fn index_file(&self) -> Option<PathBuf> {
        self.layout.index().ok().filter(|_| !self.is_unkept).map(IndexHome::file)
    }

    /// What the user should be informed of, in lines of their own, since the last call.
    pub fn take_notes(&mut self) -> Vec<String> {
        let problem = self.reader.notary.take_problem();
        self.notes.extend(problem.filter(|_| !self.said_unsealed));
        // That makes it slow, no more; and what keeps the index away keeps the key away, too.
        let unkept = self.unkept.take();
        self.notes.extend(unkept.filter(|_| self.notes.is_empty() && !self.said));
        self.said |= !self.notes.is_empty();
        std::mem::take(&mut self.notes)
    }

    /// Writes the record of a session, in the place of what was written of it before, and returns where.
    /// It is whole and on disk when this returns, whatever becomes of the index; and sealed, if redgreen saw it and
    /// there is a key.
    pub fn write(&mut self, record: &Record, now: Timestamp) -> Result<PathBuf, MemoryError> {
        let format = self.format_of(record)?;
        let name = file_name(record, format)?;
        let read = self.sealed(complete(record, &now.to_string()));
        let text = written(&read.record, format)?;
        let path = self.layout.shelf(Shelf::Sessions).join(&name);
        self.make_folders()?;
        self.leave_stand_in();
        let mut draft = draft(&self.layout, text.as_bytes())?;
        let facts = Facts::said(&read);
        let name = format!("{}{name}", Shelf::Sessions.prefix());
        let indexed = match self.opened() {
            Ok(index) => index.place(&mut draft, &path, &name, facts),
            Err(error) => Err(error.into()),
        };
        match indexed {
            Ok(true) => {}
            Ok(false) => self.mark_indexes_stale()?,
            Err(error) => self.place_without_index(&mut draft, &path, error)?,
        }
        sync_folder_of(&path)?;
        Ok(path)
    }

    /// From now on nothing that is written is sealed, because of this, in words: it counts as unverified.
    pub fn seal_nothing(&mut self, because: &str) {
        self.unsealed = Some(because.to_owned());
    }

    /// A record that is to be written, with its seal. That there is none is said once: what was seen counts as unverified.
    fn sealed(&mut self, mut record: Record) -> Read {
        let shown = match &self.unsealed {
            _ if !is_ours(&record) => Ok(Provenance::unverified()),
            Some(because) => Err(because.clone()),
            None => seal(&mut record, &*self.reader.notary),
        };
        let shown = shown.unwrap_or_else(|problem| {
            if !std::mem::replace(&mut self.said_unsealed, true) {
                self.notes.push(format!(
                    "what the debug memory records is not sealed, and counts as unverified: {problem}"
                ));
            }
            Provenance::unverified()
        });
        Read { record, shown }
    }

    /// How a record is written: as it was before, so that a session stays in one file.
    fn format_of(&self, record: &Record) -> Result<Format, MemoryError> {
        let sessions = self.layout.shelf(Shelf::Sessions);
        let is_there = |format| Ok(sessions.join(file_name(record, format)?).exists());
        let (set, other) = match self.settings.format {
            Format::Json => (Format::Json, Format::Yaml),
            Format::Yaml => (Format::Yaml, Format::Json),
        };
        Ok(if is_there(other)? && !is_there(set)? { other } else { set })
    }

    pub(crate) fn make_folders(&self) -> Result<(), MemoryError> {
        make_folder(&self.layout.shelf(Shelf::Sessions))?;
        let ignored = IGNORED.iter().chain([&ONCE_IGNORED]).map(|line| format!("{line}\n"));
        let ignored: String = ignored.collect();
        for (path, content) in [
            (self.layout.ignore_file(), ignored.as_bytes()),
            (self.layout.attributes_file(), MERGED),
        ] {
            if !path.exists() {
                write_whole(&self.layout, &path, content)?;
            }
        }
        Ok(())
    }

    /// The record comes first: the index is marked as behind, and catches up later.
    fn place_without_index(
        &mut self,
        draft: &mut Draft,
        path: &Path,
        error: IndexError,
    ) -> Result<(), MemoryError> {
        if let IndexError::Other(error) = error {
            return Err(error);
        }
        self.index = None;
        place(draft, path)?;
        self.mark_indexes_stale()
    }

    /// Every index over this folder looks through it before the next answer.
    fn mark_indexes_stale(&self) -> Result<(), MemoryError> {
        write_whole(&self.layout, &self.layout.stale_mark(), clock_ns().to_string().as_bytes())
    }

    /// What to know before touching files.
    pub fn brief(&mut self, request: &BriefRequest) -> Result<Brief, MemoryError> {
        let lookback = self.settings.lookback;
        self.ask(Effort::Quick, |index| index.brief(request, lookback))
    }

    /// What to know about failures that were just seen; those of which nothing is known are left out.
    /// What the session that asks wrote itself is no news.
    pub fn at_failure(
        &mut self,
        failures: &[Failure],
        asking_session: Option<&str>,
    ) -> Result<Vec<Recollection>, MemoryError> {
        self.ask(Effort::Quick, |index| index.at_failure(failures, asking_session))
    }

    /// What is missing in a `.gitignore` that somebody else wrote into the folder: it is left as it is.
    pub(crate) fn unignored(&self) -> Option<String> {
        let path = self.layout.ignore_file();
        let text = fs::read_to_string(&path).ok()?;
        let is_ignored = |wanted: &str| {
            text.lines().map(|line| line.trim().trim_start_matches('/')).any(|line| {
                line == "*" || line.trim_end_matches('/') == wanted.trim_end_matches('/')
            })
        };
        let missing: Vec<&str> = IGNORED.into_iter().filter(|line| !is_ignored(line)).collect();
        (!missing.is_empty()).then(|| {
            format!(
                "{} does not make git ignore the files that redgreen derives or locks: if git shows them, add {}",
                path.display(),
                missing.join(" ")
            )
        })
    }
}
