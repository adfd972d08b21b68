//! Work on many things, in parts at once.

use std::thread;

use crate::error::WorkspaceError;

/// How many work at once: more do not make the system quicker.
const THREADS_MAX: usize = 8;
/// How many things are worth a thread.
const PART_MIN: usize = 2_000;

/// What comes of each part, in order. `action` is what could not be done where it fails.
pub(crate) fn in_parts<T: Sync, R: Send>(
    things: &[T],
    action: &'static str,
    work: impl Fn(&[T]) -> R + Sync,
) -> Result<Vec<R>, WorkspaceError> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    let part = things.len().div_ceil(threads).max(PART_MIN);
    let work = &work;
    thread::scope(|scope| {
        let parts = things.chunks(part);
        let parts: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        let failed = |_| WorkspaceError::answer(action);
        parts.into_iter().map(|part| part.join().map_err(failed)).collect()
    })
}
