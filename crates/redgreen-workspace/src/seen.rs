//! What the last look left. A judgement looks before a run and after it, and mostly nothing was written in between: then there
//! is nothing to look at. Else it takes longer to read an index again than to see that it is the same.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redgreen_model::tree::TreeHash;

use crate::checkout::Checkout;
use crate::content::TreeEntry;
use crate::examine::{Examiner, FileState};
use crate::index_file::{Entry, Index};
use crate::moment::Moment;
use crate::private_index::{Identity, WorkIndex};
use crate::sight::Sight;
use crate::watch::Watch;

/// An index as a look left it.
#[derive(Debug)]
pub(crate) struct Seen {
    /// Which one it is.
    pub(crate) identity: Identity,
    /// What is in it.
    pub(crate) index: Index,
    /// What was touched since.
    pub(crate) watch: Option<Watched>,
}

/// Files that are watched since before they were looked at.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) files: Watch,
    /// The user's index, which says what is tracked.
    pub(crate) users: Option<Stamp>,
}

/// Tells a file from the same one with another content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

impl Stamp {
    /// Nothing where there is no file.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        let changed = (found.ctime(), found.ctime_nsec());
        Some(Self { inode: found.ino(), size: found.size(), changed })
    }
}

/// The last look's index, for all who share a work tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastSeen(Arc<Mutex<Option<Seen>>>);

impl LastSeen {
    fn locked(&self) -> MutexGuard<'_, Option<Seen>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The index, if it is this one.
    pub(crate) fn take(&self, identity: &Identity) -> Option<Index> {
        Some(self.locked().take_if(|seen| seen.identity == *identity)?.index)
    }

    pub(crate) fn put(&self, seen: Seen) {
        *self.locked() = Some(seen);
    }

    /// The files of a tree, if that is what the index makes.
    pub(crate) fn files_of(&self, tree: &TreeHash) -> Option<Vec<TreeEntry>> {
        let seen = self.locked();
        let index = &seen.as_ref()?.index;
        (index.root_tree.as_ref() == Some(&tree.0)).then_some(())?;
        let file = |entry: &Entry| TreeEntry {
            mode: entry.mode,
            object: entry.object.to_hex(),
            path: entry.path.to_vec(),
        };
        Some(index.entries.iter().map(file).collect())
    }
}

impl Checkout {
    /// Watches the files of an index until somebody looks again; nothing where only looking is sure.
    pub(crate) fn watched(&self, work: &WorkIndex, index: &Index) -> Option<Watched> {
        self.outside.as_ref()?;
        let users = Stamp::of(&self.users_index_path());
        // What is as young as the look may change again without a trace.
        let is_settled = users.as_ref().is_none_or(|users| users.changed < work.started_at());
        let has_submodules = index.entries.iter().any(Entry::is_gitlink);
        (is_settled && !has_submodules).then_some(())?;
        Some(Watched { files: Watch::start(self.root(), index)?, users })
    }

    /// What the last look showed, if nothing at all has happened since: no file was touched that it saw, no folder has
    /// another one, and the rules are the same.
    pub(crate) fn as_last_seen(&self, work: &WorkIndex) -> Option<Sight> {
        let seen = self.last_seen.locked();
        let Seen { identity, index, watch } = seen.as_ref()?;
        let Watched { files, users } = watch.as_ref()?;
        let tree = TreeHash(index.root_tree.clone()?);
        let mut examiner =
            Examiner::new(self.root(), self.modes, (work.hashed_at, index.amended_at));
        // What is new since git wrote its own index lies in folders that nobody may have watched.
        let mut amended = index.entries.iter().filter(|entry| entry.amended);
        let is_same = amended.all(|it| matches!(examiner.examine(it), Ok(FileState::Unchanged)));
        let is_quiet = is_same
            && !examiner.has_shared_files
            && files.is_quiet(index)
            && Stamp::of(&self.users_index_path()) == *users
            && self.still_walked(identity).is_some()
            && self.still_there(tree.0.clone()).is_ok();
        let (began, stamps) = (Moment::of(work), Some(identity.clone()));
        is_quiet.then_some(Sight { tree, began, stamps, is_as_kept: true })
    }
}
