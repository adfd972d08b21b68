//! Watches the report stream of a running check, so that tests are reported as they end.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use redgreen_frameworks::stream::{StreamEvent, StreamReader};

/// How often the stream is looked at.
const INTERVAL: Duration = Duration::from_millis(50);
/// The most bytes that are read at once.
const CHUNK_BYTES: usize = 256 * 1024;

/// Runs `work` while every event of the stream is given to `tell`, to the last.
pub(crate) fn while_telling<T>(
    stream: &Path,
    tell: &(dyn Fn(&StreamEvent) + Sync),
    work: impl FnOnce() -> T,
) -> T {
    std::thread::scope(|scope| {
        let (done, until): (Sender<()>, Receiver<()>) = channel();
        let path = stream.to_owned();
        scope.spawn(move || follow(path, tell, &until));
        let result = work();
        drop(done);
        result
    })
}

fn follow(path: PathBuf, tell: &(dyn Fn(&StreamEvent) + Sync), until: &Receiver<()>) {
    let mut reader = StreamReader::default();
    let mut file = None;
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let last = !matches!(until.recv_timeout(INTERVAL), Err(RecvTimeoutError::Timeout));
        if file.is_none() {
            file = File::open(&path).ok();
        }
        while let Some(count) =
            file.as_mut().and_then(|file| file.read(&mut chunk).ok()).filter(|count| *count > 0)
        {
            for event in reader.feed(&chunk[..count]) {
                tell(&event);
            }
        }
        if last {
            return;
        }
    }
}
