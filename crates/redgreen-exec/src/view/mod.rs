//! A view: a folder that one job sees with other files in it, at its own path.
//!
//! The supervisor enters a mount namespace of its own and lays an overlay over the folder: what lies
//! in the upper layer hides what the folder has, everything else is as it is, and whatever the job
//! writes goes to the upper layer. Absolute paths, links, installed packages and caches stay right,
//! for the path is the same; nothing is copied, and nothing of it can be seen from outside. The
//! mounts go with the last process of the job.
//!
//! Without the right to mount, the namespace is one of a user's own. There the job has no right that
//! its user has not: ids are mapped to themselves, programs that are set-user-id are ordinary ones,
//! and root's capabilities are those from before. Root that may mount gets a mount namespace alone, and
//! so stays what it is; it could also take the overlay off again.
//!
//! Two things differ from the folder itself, as in every overlay. To rename a folder that was there
//! before is refused (`EXDEV`), and programs then copy it. And with a user namespace, a file of another
//! user's or group's can be read as ever but not be written.
//!
//! What cannot be set up is [`Ended::NotStarted`](crate::Ended::NotStarted) with a reason that begins
//! with `view: `: a job never runs in the folder itself instead.

mod layer;
mod mounts;
mod namespace;
mod network;
mod probe;
mod removal;

use std::path::PathBuf;

pub use layer::{hides_what_is_below, remove_layers};
pub use probe::{NO_VIEWS_VARIABLE, place_for_layers, views_work};

/// What a job sees instead of what is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct View {
    /// The folders that look different. None may lie in another's upper layer.
    pub layers: Vec<Layer>,
    /// Folders in these that are the real ones nevertheless: what the job writes there stays.
    pub shared: Vec<PathBuf>,
    /// Files, as absolute paths, that the job does not see; nor does it see folders above them that
    /// have nothing else. They must lie in one of the layers' folders.
    pub deleted: Vec<PathBuf>,
    /// Folders in which the job sees nothing, and in which nothing of it stays. They may be large: nothing of them is
    /// looked at.
    pub emptied: Vec<PathBuf>,
    /// Files in whose place the job sees others: the place, and what is there instead. They lie in no layer.
    pub covered: Vec<(PathBuf, PathBuf)>,
    /// Whether the job has no network but a loopback of its own.
    pub offline: bool,
}

/// A folder that looks different in a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// The folder.
    pub at: PathBuf,
    /// What it has instead, and where the job's own writes go. It exists, and may have files; the job
    /// must be the only one that uses it. It may lie in the folder itself, below one that is shared.
    pub upper: PathBuf,
    /// An empty folder beside `upper`, on the same file system.
    pub work: PathBuf,
}

/// Puts this process, and with it all that it starts, into a view. An error says what could not be
/// done; then nothing may be started.
pub fn enter(view: &View) -> Result<(), String> {
    probe::allowed()?;
    let here = std::env::current_dir();
    namespace::enter()?;
    if view.offline {
        network::leave()?;
    }
    mounts::mount(view)?;
    // The folder that this process is in is still the one below; in the view it may be gone.
    let inside = here.and_then(std::env::set_current_dir);
    inside
        .or_else(|_| std::env::set_current_dir("/"))
        .map_err(|error| format!("folder `/`: {error}"))
}
