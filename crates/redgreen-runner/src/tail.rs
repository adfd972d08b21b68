//! Watches the report stream of a running check, so that tests are reported as they end.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use redgreen_frameworks::stream::{StreamEvent, StreamReader};

/// How often the stream is looked at.
const INTERVAL: Duration = Duration::from_millis(50);
/// The most bytes that are read at once.
const CHUNK_BYTES: usize = 256 * 1024;

/// The most tests that are followed at a time: they are shown, nothing more.
const RUNNING_MAX: usize = 256;

/// What is told of a stream.
pub(crate) enum Heard<'stream> {
    /// Something that stands in it.
    Event(&'stream StreamEvent),
    /// A test that had begun and not ended when the stream was looked at.
    Running(&'stream str),
}

/// The tests that run, and whether that was told.
#[derive(Default)]
struct Running(HashMap<String, bool>);

impl Running {
    fn follow(&mut self, event: &StreamEvent) {
        match event {
            StreamEvent::Start { test, .. } if self.0.len() < RUNNING_MAX => {
                self.0.insert(test.clone(), false);
            }
            StreamEvent::Paused { test, .. } | StreamEvent::End { test, .. } => {
                self.0.remove(test);
            }
            _ => {}
        }
    }

    fn tell(&mut self, tell: &(dyn Fn(Heard<'_>) + Sync)) {
        for (test, told) in self.0.iter_mut().filter(|(_, told)| !**told) {
            tell(Heard::Running(test));
            *told = true;
        }
    }
}

/// Runs `work` while it is looked again and again at what it does, the last time when it is done.
pub fn while_looking<T>(mut look: impl FnMut() + Send, work: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        let (done, until): (Sender<()>, Receiver<()>) = channel();
        scope.spawn(move || {
            while matches!(until.recv_timeout(INTERVAL), Err(RecvTimeoutError::Timeout)) {
                look();
            }
            look();
        });
        let result = work();
        drop(done);
        result
    })
}

/// Runs `work` while every event of the stream is given to `tell`, to the last, and which tests run meanwhile.
pub(crate) fn while_telling<T>(
    stream: &Path,
    tell: &(dyn Fn(Heard<'_>) + Sync),
    work: impl FnOnce() -> T,
) -> T {
    let mut reader = StreamReader::default();
    let mut running = Running::default();
    let mut file = None;
    let mut chunk = vec![0; CHUNK_BYTES];
    let look = || {
        if file.is_none() {
            file = File::open(stream).ok();
        }
        while let Some(count) =
            file.as_mut().and_then(|file| file.read(&mut chunk).ok()).filter(|count| *count > 0)
        {
            for event in reader.feed(&chunk[..count]) {
                running.follow(&event);
                tell(Heard::Event(&event));
            }
        }
        running.tell(tell);
    };
    while_looking(look, work)
}
