//! What was written since a moment, by the clock of the file system: also where it is the same again.
//!
//! Nobody can set a `ctime`, so a file that was put in place and put back has a young one.

use std::collections::BTreeSet;
use std::time::SystemTime;

use nix::sys::stat::FileStat;
use redgreen_model::tree::TreeHash;

use crate::error::WorkspaceError;
use crate::examine::{is_file, since_epoch};
use crate::folders::Folders;
use crate::git::shown;
use crate::private_index::WorkIndex;
use crate::workspace::Workspace;

/// A time by the clock that stamps files, in seconds and nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment((i64, i64));

/// A file that is dated before it was put where it is: copied with its times, moved, or dated by somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatedBack {
    dated: (i64, i64),
    put_there: (i64, i64),
}

impl DatedBack {
    /// Whether what was made at this time, from what was there before, is newer than the file.
    pub fn is_hidden_from(self, made: SystemTime) -> bool {
        let made = since_epoch(made);
        self.dated <= made && made <= self.put_there
    }
}

impl Workspace {
    /// Now.
    pub fn moment(&self) -> Result<Moment, WorkspaceError> {
        Ok(Moment::of(&WorkIndex::create(&self.state_dir()?)?))
    }

    /// The files of the work tree, whose tree this is, that are dated before they were put there.
    pub fn dated_back(&self, tree: &TreeHash) -> Result<Vec<DatedBack>, WorkspaceError> {
        let mut folders = Folders::below(self.root());
        let mut found = Vec::new();
        for entry in self.list(tree)?.iter() {
            // What cannot be looked at, no build reads either.
            let Ok(Some(file)) = folders.look_at(&entry.path) else { continue };
            let (dated, put_there) =
                ((file.st_mtime, file.st_mtime_nsec), (file.st_ctime, file.st_ctime_nsec));
            if is_file(&file) && dated < put_there {
                found.push(DatedBack { dated, put_there });
            }
        }
        Ok(found)
    }

    /// Which files of the work tree, whose tree this is, were written after a moment, and which of their
    /// folders were moved or given other rights; by path, those that are included.
    pub fn written_since(
        &self,
        tree: &TreeHash,
        moment: Moment,
        include: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<String>, WorkspaceError> {
        let mut folders = Folders::below(self.root());
        let mut look = |path: &[u8]| {
            let reason = |error: nix::errno::Errno| WorkspaceError::Unreadable {
                path: shown(path),
                reason: error.to_string(),
            };
            folders.look_at(path).map_err(reason)
        };
        let (mut written, mut above) = (Vec::new(), BTreeSet::new());
        for entry in self.list(tree)?.iter() {
            if !include(&shown(&entry.path)) {
                continue;
            }
            let slashes = entry.path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
            above.extend(slashes.map(|(at, _)| entry.path[..at].to_vec()));
            if look(&entry.path)?.is_some_and(|found| is_file(&found) && moment.is_before(&found)) {
                written.push(shown(&entry.path));
            }
        }
        for folder in above {
            // A folder in which something is made or removed is written, too: that says nothing.
            let moved = |found: FileStat| {
                moment.is_before(&found) && (found.st_mtime, found.st_mtime_nsec) <= moment.0
            };
            if look(&folder)?.is_some_and(moved) {
                written.push(shown(&folder));
            }
        }
        Ok(written)
    }
}

impl Moment {
    /// When a call began.
    pub(crate) fn of(work: &WorkIndex) -> Self {
        Self(work.started_at())
    }

    /// What was written in the very tick of the moment was there before it, as far as one can tell.
    fn is_before(self, found: &FileStat) -> bool {
        (found.st_ctime, found.st_ctime_nsec) > self.0
    }
}
