//! What differs between the work tree and the private index.

use std::collections::{BTreeSet, HashSet};
use std::thread;

use crate::checkout::Checkout;
use crate::error::{Diagnostic, WorkspaceError};
use crate::examine::{Examiner, FileState};
use crate::git::{records, shown, unreadable};
use crate::glance::searched_folders::SearchedFolders;
use crate::index_file::{Entry, Index};
use crate::parts::in_parts;
use crate::private_index::WorkIndex;

/// An entry below a nested repository, so that git looks inside. It is never written to a tree: its
/// object does not exist.
const PLACEHOLDER: &[u8] = b".redgreen-placeholder";

/// The root of the work tree, in a path.
const HERE: &[u8] = b"./";
/// The exit code of `check-ignore` when no path is ignored.
const NONE_IGNORED: i32 = 1;

/// What has to be done to the private index.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// Files to hash.
    pub(crate) update: Vec<Vec<u8>>,
    /// Files to hash that git could take for unchanged: their entries go first.
    pub(crate) unseen: Vec<Vec<u8>>,
    /// Entries to remove.
    pub(crate) dropped: Vec<Vec<u8>>,
    /// How many entries stay as they are.
    pub(crate) kept: usize,
    /// The look of the folders, where there is no file in them that the index does not know.
    pub(crate) walked: Option<SearchedFolders>,
    /// Whether that is the look that was kept before.
    pub(crate) is_as_walked: bool,
    /// Whether a file has another name, or lies on another file system: it can be written where nobody watches.
    pub(crate) has_shared_files: bool,
}

impl Scan {
    pub(crate) fn is_empty(&self) -> bool {
        self.update.is_empty() && self.unseen.is_empty() && self.dropped.is_empty()
    }
}

/// What `git ls-files --others` finds, and the placeholders that were needed for it.
#[derive(Default)]
struct Others {
    files: Vec<Vec<u8>>,
    placeholders: Vec<Vec<u8>>,
    notes: BTreeSet<Diagnostic>,
}

type States = Vec<FileState>;

impl Checkout {
    /// Compares the work tree with an index. `tracked` is the user's: what is in there stays in the
    /// tree even if it is ignored.
    pub(crate) fn scan(
        &self,
        work: &WorkIndex,
        index: &Index,
        tracked: &Index,
        notes: &mut BTreeSet<Diagnostic>,
    ) -> Result<Scan, WorkspaceError> {
        let only_ours = index.paths_missing_in(tracked);
        let (others, states) = thread::scope(|scope| {
            let others = scope.spawn(|| self.new_files(work, index));
            let states = self.examine(work, index);
            (others.join(), states)
        });
        let (others, walked, is_as_walked) =
            others.map_err(|_| WorkspaceError::answer("look for new files"))??;
        let (states, has_shared_files) = states?;
        let ignored = self.ignored(index, &states, &only_ours)?;
        let mut scan = self.sort_out(index, &states, &ignored);
        (scan.walked, scan.is_as_walked) = (walked, is_as_walked);
        scan.has_shared_files = has_shared_files;
        notes.extend(others.notes);
        scan.dropped.extend(others.placeholders);
        scan.update.extend(others.files.into_iter().filter(|path| !self.is_own(path)));
        self.add_tracked(&mut scan, work, index, tracked)?;
        Ok(scan)
    }

    fn examine(&self, work: &WorkIndex, index: &Index) -> Result<(States, bool), WorkspaceError> {
        let some = |entries: &[Entry]| -> Result<(States, bool), WorkspaceError> {
            let times = (work.hashed_at, index.amended_at);
            let mut examiner = Examiner::new(self.root(), self.modes, times);
            let state = |entry: &Entry| {
                // Submodules have been compared already.
                let compared = entry.is_gitlink() && entry.plain;
                if compared { Ok(FileState::Unchanged) } else { examiner.examine(entry) }
            };
            let states = entries.iter().map(state).collect::<Result<_, _>>()?;
            Ok((states, examiner.has_shared_files))
        };
        let parts = in_parts(&index.entries, "look at files", some)?;
        let (mut all, mut any_shared) = (States::with_capacity(index.entries.len()), false);
        for part in parts {
            let (states, has_shared_files) = part?;
            all.extend(states);
            any_shared |= has_shared_files;
        }
        Ok((all, any_shared))
    }

    fn sort_out(&self, index: &Index, states: &States, ignored: &HashSet<Vec<u8>>) -> Scan {
        let mut scan = Scan::default();
        for (entry, state) in index.entries.iter().zip(states) {
            let gone = *state == FileState::Missing
                || self.is_own(&entry.path)
                || (!ignored.is_empty() && ignored.contains(&*entry.path));
            match state {
                _ if gone => scan.dropped.push(entry.path.to_vec()),
                FileState::Changed => scan.update.push(entry.path.to_vec()),
                FileState::ChangedUnseen => scan.unseen.push(entry.path.to_vec()),
                _ => scan.kept += 1,
            }
        }
        scan
    }

    /// Files that the user's index has and ours has not: ignored ones that were added by force.
    fn add_tracked(
        &self,
        scan: &mut Scan,
        work: &WorkIndex,
        index: &Index,
        tracked: &Index,
    ) -> Result<(), WorkspaceError> {
        let times = (work.hashed_at, index.amended_at);
        let mut examiner = Examiner::new(self.root(), self.modes, times);
        for path in tracked.paths_missing_in(index) {
            if !self.is_own(path) && examiner.file(path)?.is_some() {
                scan.update.push(path.to_vec());
            }
        }
        scan.update.sort_unstable();
        scan.update.dedup();
        Ok(())
    }

    /// New files, and the look of the folders where there are none; and whether that is the one that was kept.
    fn new_files(
        &self,
        work: &WorkIndex,
        index: &Index,
    ) -> Result<(Others, Option<SearchedFolders>, bool), WorkspaceError> {
        if let Some(walked) = work.identity().and_then(|index| self.still_walked(&index)) {
            return Ok((Others::default(), Some(walked), true));
        }
        let now = self.folders_now(work, index);
        let mut others = self.others(work)?;
        others.files.retain(|path| index.find(path).is_none());
        let is_whole = others.files.is_empty() && others.placeholders.is_empty();
        Ok((others, now.filter(|_| is_whole), false))
    }

    /// New files that are not ignored, also those in nested repositories, into which git does not
    /// look on its own.
    fn others(&self, work: &WorkIndex) -> Result<Others, WorkspaceError> {
        let mut others = Others::default();
        let mut opened: HashSet<Vec<u8>> = HashSet::new();
        loop {
            let call = ["ls-files", "--others", "--exclude-standard", "-z"];
            let (listed, complaints) =
                self.git.call("look for new files", &call).index(&work.path).outputs()?;
            if let Some(error) = unreadable(&complaints) {
                return Err(error);
            }
            let (folders, files): (Vec<&[u8]>, Vec<&[u8]>) =
                records(&listed).partition(|path| path.ends_with(b"/"));
            let closed: Vec<&[u8]> = folders
                .into_iter()
                .filter(|folder| !self.is_own(folder) && !opened.contains(*folder))
                .collect();
            if closed.is_empty() {
                others.files = files.into_iter().map(<[u8]>::to_vec).collect();
                return Ok(others);
            }
            self.open_nested(work, &closed, &mut others)?;
            opened.extend(closed.into_iter().map(<[u8]>::to_vec));
        }
    }

    /// git looks into a folder once its index has something in it, repository or not.
    fn open_nested(
        &self,
        work: &WorkIndex,
        folders: &[&[u8]],
        others: &mut Others,
    ) -> Result<(), WorkspaceError> {
        let no_such_object = "1".repeat(self.hash_bytes * 2);
        let mut lines = Vec::new();
        for folder in folders {
            let placeholder = [folder, PLACEHOLDER].concat();
            lines.extend_from_slice(format!("100644 {no_such_object}\t").as_bytes());
            lines.extend_from_slice(&placeholder);
            lines.push(0);
            others.placeholders.push(placeholder);
            let path = shown(folder.strip_suffix(b"/").unwrap_or(folder));
            others.notes.insert(Diagnostic::NestedRepository { path });
        }
        let call = ["update-index", "--add", "-z", "--index-info"];
        self.git
            .call("look into a nested repository", &call)
            .index(&work.path)
            .stdin(lines)
            .run()?;
        Ok(())
    }

    /// Which of our entries are ignored now, and are not tracked by the user. Only files that are
    /// there may be asked for: git refuses a path that leads through a symbolic link.
    fn ignored(
        &self,
        index: &Index,
        states: &States,
        only_ours: &[&[u8]],
    ) -> Result<HashSet<Vec<u8>>, WorkspaceError> {
        let mut rest = only_ours.iter().peekable();
        let mut asked = Vec::new();
        for (entry, state) in index.entries.iter().zip(states) {
            let ours = rest.next_if(|path| ***path == *entry.path).is_some();
            if ours && *state != FileState::Missing && !self.is_own(&entry.path) {
                // With a folder in front, a path that starts with a colon is no pathspec magic.
                asked.extend_from_slice(HERE);
                asked.extend_from_slice(&entry.path);
                asked.push(0);
            }
        }
        if asked.is_empty() {
            return Ok(HashSet::new());
        }
        let call = ["check-ignore", "--no-index", "-z", "--stdin"];
        let call = self.git.call("look for ignored files", &call).stdin(asked);
        let paths = call.run_or(NONE_IGNORED)?;
        Ok(records(&paths).map(|path| path.strip_prefix(HERE).unwrap_or(path).to_vec()).collect())
    }
}
