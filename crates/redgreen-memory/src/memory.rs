//! The door to a memory.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use redgreen_model::debug_memory::Record;
use redgreen_model::report::Failure;

use crate::facts::Facts;
use crate::file::{Draft, clock_ns, make_folder, sync_folder_of, write_whole};
use crate::index::{Effort, Index, IndexError, Trouble, replace_damaged, trouble};
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
    index: Option<Index>,
    pub(crate) notes: Vec<String>,
    /// Whether it was said that records are not sealed.
    said_unsealed: bool,
    /// Why nothing is sealed.
    unsealed: Option<String>,
}

/// Records and patterns are for the project's history; the rest is of this machine.
const IGNORED: &[u8] = b"index.sqlite3*\n.drafts/\n.in-use/\n.index-*\n";

/// The patterns are derived: a merge takes the lines of both sides, and they are written anew.
const MERGED: &[u8] = b"patterns/learned-patterns.yaml merge=union\n";

/// A damaged index is replaced once; what fails after that fails for another reason.
const TRIES: u32 = 2;

impl Memory {
    /// The memory in a folder, which need not exist. The notary seals what is written, and says what was seen.
    pub fn new(folder: &Path, settings: Settings, notary: Arc<dyn Notary>) -> Self {
        let layout = Layout::new(folder);
        let reader = Reader { layout: layout.clone(), notary };
        let (index, notes) = (None, Vec::new());
        Self { layout, settings, reader, index, notes, said_unsealed: false, unsealed: None }
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        self.layout.root()
    }

    /// What the user should be told, in lines of their own, since the last call.
    pub fn take_notes(&mut self) -> Vec<String> {
        let problem = self.reader.notary.take_problem();
        self.notes.extend(problem.filter(|_| !self.said_unsealed));
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
        let mut draft = Draft::write(&self.layout, text.as_bytes())?;
        let facts = Facts::said(&read);
        let name = format!("{}{name}", Shelf::Sessions.prefix());
        let indexed = match self.opened() {
            Ok(index) => index.place(&mut draft, &path, &name, facts),
            Err(error) => Err(error.into()),
        };
        if let Err(error) = indexed {
            self.place_without_index(&mut draft, &path, error)?;
        }
        sync_folder_of(&path)?;
        Ok(path)
    }

    /// From now on nothing that is written is sealed, because of this, in words: it counts as told.
    pub fn seal_nothing(&mut self, because: &str) {
        self.unsealed = Some(because.to_owned());
    }

    /// A record that is to be written, with its seal. That there is none is said once: what was seen counts as told.
    fn sealed(&mut self, mut record: Record) -> Read {
        let shown = match &self.unsealed {
            _ if !is_ours(&record) => Ok(Provenance::told()),
            Some(because) => Err(because.clone()),
            None => seal(&mut record, &*self.reader.notary),
        };
        let shown = shown.unwrap_or_else(|problem| {
            if !std::mem::replace(&mut self.said_unsealed, true) {
                self.notes.push(format!(
                    "what the debug memory records is not sealed, and counts as told: {problem}"
                ));
            }
            Provenance::told()
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
        for (path, content) in
            [(self.layout.ignore_file(), IGNORED), (self.layout.attributes_file(), MERGED)]
        {
            if !path.exists() {
                write_whole(&self.layout, &path, content)?;
            }
        }
        Ok(())
    }

    /// The record comes first: the index is told that it is behind, and catches up later.
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
        draft.place_once(path)?;
        write_whole(&self.layout, &self.layout.stale_mark(), &clock_ns().to_string().into_bytes())
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

    /// Asks the index, which is brought up to date first, and replaced if it is damaged.
    pub(crate) fn ask<T>(
        &mut self,
        effort: Effort,
        question: impl Fn(&mut Index) -> Result<T, IndexError>,
    ) -> Result<T, MemoryError> {
        let mut left = TRIES;
        loop {
            let asked = self.opened().map_err(IndexError::from).and_then(|index| {
                match index.refresh(effort) {
                    // Others are at work: what is there is answered from.
                    Err(IndexError::Sql(error)) if trouble(&error) == Trouble::Busy => {}
                    other => other?,
                }
                question(index)
            });
            let error = match asked {
                Err(IndexError::Sql(error)) => error,
                Err(IndexError::Other(error)) => return Err(error),
                Ok(answer) => return Ok(answer),
            };
            if left == 0 {
                return Err(MemoryError::Index { path: self.layout.index(), source: error });
            }
            left -= 1;
            self.recover(&error, left == 0)?;
        }
    }

    /// Throws everything in the index away.
    pub(crate) fn clear_index(&mut self) -> Result<(), MemoryError> {
        match self.opened().and_then(Index::clear) {
            Err(error) if trouble(&error) == Trouble::Damaged => {
                let inode = self.index.take().and_then(|index| index.inode());
                replace_damaged(&self.layout, inode)
            }
            Err(source) => Err(MemoryError::Index { path: self.layout.index(), source }),
            Ok(()) => Ok(()),
        }
    }

    /// Makes the next try better. The last one does without the file: that is slow, and right.
    fn recover(&mut self, error: &rusqlite::Error, is_last: bool) -> Result<(), MemoryError> {
        let inode = self.index.take().and_then(|index| index.inode());
        match trouble(error) {
            Trouble::Busy if !is_last => return Ok(()),
            Trouble::Damaged if !is_last => {
                self.notes.push(format!("the index of the debug memory was rebuilt: {error}"));
                return replace_damaged(&self.layout, inode);
            }
            // That others are at work is no news.
            Trouble::Busy => {}
            Trouble::Damaged | Trouble::NoPlace => {
                self.notes.push(format!("the index of the debug memory is not kept: {error}"));
            }
        }
        let index = Index::in_memory(&self.reader)
            .map_err(|source| MemoryError::Index { path: self.layout.index(), source })?;
        self.index = Some(index);
        Ok(())
    }

    /// A folder that others made has nothing yet that keeps a new index out of the project's history. What cannot
    /// be written there cannot be shown by git either.
    fn ignore_what_is_derived(&self) {
        if !self.layout.index().exists() {
            let file = File::options().write(true).create_new(true).open(self.layout.ignore_file());
            let _ = file.and_then(|mut file| file.write_all(IGNORED));
        }
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
        let lines = std::str::from_utf8(IGNORED).unwrap_or_default().lines();
        let missing: Vec<&str> = lines.filter(|line| !is_ignored(line)).collect();
        (!missing.is_empty()).then(|| {
            format!(
                "{} does not keep out of git what redgreen derives or locks: if git shows it, add {}",
                path.display(),
                missing.join(" ")
            )
        })
    }

    fn opened(&mut self) -> Result<&mut Index, rusqlite::Error> {
        let index = match self.index.take() {
            Some(index) => index,
            None if self.layout.root().is_dir() => {
                self.ignore_what_is_derived();
                Index::open(&self.reader, self.settings.patience)?
            }
            // Asking makes no folders.
            None => Index::in_memory(&self.reader)?,
        };
        Ok(self.index.insert(index))
    }
}
