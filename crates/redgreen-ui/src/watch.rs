//! What has changed: the kernel says it, for the two folders that all sessions write to. Nothing is polled.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
use redgreen_runner::overview::Overview;
use redgreen_runner::{overview, people};

use crate::UiError;

/// So many changes are remembered; who is further behind looks at everything.
const CHANGES_KEPT: usize = 1_000;

/// All sessions, and who waits for their changes.
pub(crate) struct Watched {
    board: Mutex<Board>,
    changed: Condvar,
}

struct Board {
    overview: Overview,
    /// The sessions that changed, each with the number of the change.
    changes: Vec<(u64, String)>,
    last: u64,
}

/// What has changed since a moment.
pub(crate) struct News {
    /// The number of the last change.
    pub(crate) last: u64,
    /// The sessions; none where there are too many to name.
    pub(crate) sessions: Option<BTreeSet<String>>,
}

impl Watched {
    /// Begins to watch, and reads what is there.
    pub(crate) fn start() -> Result<Arc<Self>, UiError> {
        let unwatched = |error: Errno| UiError::Watch(error.to_string());
        let inotify = Inotify::init(InitFlags::IN_CLOEXEC).map_err(unwatched)?;
        let folders: Vec<PathBuf> =
            [overview::folder(), people::folder()].into_iter().flatten().collect();
        for folder in &folders {
            std::fs::create_dir_all(folder)
                .map_err(|error| UiError::Watch(format!("{}: {error}", folder.display())))?;
            // A card and a case are never written in place: they are put there whole.
            let flags = AddWatchFlags::IN_MOVED_TO | AddWatchFlags::IN_DELETE;
            inotify.add_watch(folder, flags).map_err(unwatched)?;
        }
        let board = Board { overview: Overview::default(), changes: Vec::new(), last: 0 };
        let watched = Arc::new(Self { board: Mutex::new(board), changed: Condvar::new() });
        watched.refresh();
        thread::spawn({
            let watched = Arc::clone(&watched);
            move || {
                loop {
                    match inotify.read_events() {
                        Ok(_) => watched.refresh(),
                        Err(Errno::EINTR) => {}
                        Err(error) => {
                            return tracing::error!(%error, "changes are not seen any more");
                        }
                    }
                }
            }
        });
        Ok(watched)
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refresh(&self) {
        let mut board = self.board();
        let changed = board.overview.refresh();
        if changed.is_empty() {
            return;
        }
        board.last += 1;
        let number = board.last;
        board.changes.extend(changed.into_iter().map(|session| (number, session)));
        let surplus = board.changes.len().saturating_sub(CHANGES_KEPT);
        board.changes.drain(..surplus);
        self.changed.notify_all();
    }

    /// Looks at all sessions.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Overview) -> T) -> T {
        look(&self.board().overview)
    }

    /// The number of the last change.
    pub(crate) fn last(&self) -> u64 {
        self.board().last
    }

    /// Waits for something new, so long at most; none if nothing came.
    pub(crate) fn wait(&self, since: u64, at_most: Duration) -> Option<News> {
        let is_old = |board: &mut Board| board.last <= since;
        let waited = self.changed.wait_timeout_while(self.board(), at_most, is_old);
        let board = waited.unwrap_or_else(PoisonError::into_inner).0;
        if board.last <= since {
            return None;
        }
        let is_whole = board.changes.first().is_none_or(|(first, _)| *first <= since + 1);
        let new = board.changes.iter().filter(|(number, _)| *number > since);
        let sessions = is_whole.then(|| new.map(|(_, session)| session.clone()).collect());
        Some(News { last: board.last, sessions })
    }
}
