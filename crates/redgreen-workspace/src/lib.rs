//! The only place that runs git: tree hashes, snapshots, restore, changed lines.
//!
//! It decides nothing: it says what is in the work tree, keeps it, puts it back, and tells two
//! trees apart.
//!
//! # How the tree hash is made
//!
//! redgreen keeps an index of its own, `.redgreen/index`, seeded once from the user's. A call of
//! [`Workspace::tree`]
//!
//! 1. reads that index in-process and looks at every entry's file (`lstat`), while `git ls-files
//!    --others` looks for new files at the same time;
//! 2. has git hash what differs, into an index with nothing else in it: the *amendment* of the large
//!    one, which stays as it is until much has changed;
//! 3. makes the trees of the folders that something differs in, those of the others being known, and
//!    has git write them.
//!
//! Where much differs, or what is no plain file, git hashes on a hard link of the whole index that this
//! call owns and writes the tree, and the link is renamed over `.redgreen/index`. When nothing differs,
//! nothing is written: index and amendment carry the tree's id. No call waits for another, and none can
//! spoil another's index.
//!
//! Before a run and after it somebody looks. Where there are many files they are watched in between
//! (inotify): if nothing was touched, the second look is the first one.
//!
//! # Invariants
//!
//! - **The user's index, HEAD, branches and stash are never written.** Only objects, refs under
//!   `refs/redgreen/`, `.redgreen/` and, on [`Workspace::restore`], files of the work tree are.
//! - **What git can be made to overlook still counts**: `assume-unchanged` and `skip-worktree`
//!   bits, sparse checkouts, `core.ignoreStat` and its relatives, a repository planted in a
//!   folder, a submodule without its `.git`, time stamps that were set back.
//! - **A file that may have changed after it was hashed is hashed again.** The private index is
//!   dated to the moment before its files were looked at; whatever has a later `ctime` is not
//!   trusted. Nanoseconds count, unlike in git.
//! - **Nothing is restored before what it replaces is kept** under a ref.
//!
//! Files pass git's own clean and smudge filters and line-ending conversion, so that the hash of a
//! clean checkout is the tree of its commit.

mod amendment;
mod changes;
mod checkout;
mod commit;
mod content;
mod content_cache;
mod edit;
mod error;
mod examine;
mod folder_trees;
mod folders;
mod git;
mod glance;
mod history;
mod ignored;
mod index_file;
mod layer;
mod lock;
mod moment;
mod parts;
mod patch;
mod private_index;
mod read;
mod refs;
mod restore;
mod scan;
mod search;
mod seen;
mod sight;
mod stage;
mod state;
mod submodules;
mod transformed;
mod tree;
mod watch;
mod workspace;

pub use commit::{CommitOrder, Head};
pub use edit::TreeEdit;
pub use error::{Diagnostic, WorkspaceError};
pub use git::git_version;
pub use glance::{Glance, likely_root};
pub use history::{Heads, Line};
pub use ignored::Ignored;
pub use lock::WorktreeLock;
pub use moment::{DatedBack, Moment};
pub use read::Content;
pub use refs::Saved;
pub use restore::Restored;
pub use sight::Sight;
pub use stage::Staged;
pub use state::state_path;
pub use transformed::Transformed;
pub use workspace::Workspace;
