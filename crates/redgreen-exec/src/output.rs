//! Keeping output: all of it on disk up to a cap, its ends in memory.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use crate::{Captured, Job, LogFilter};

/// Takes the output of a job as it comes.
pub struct Recorder {
    head: Vec<u8>,
    head_limit: usize,
    tail: Ring,
    total: u64,
    log: Log,
}

/// What a [`Recorder`] has kept.
pub struct Recording {
    pub output: Captured,
    pub log_dropped_bytes: u64,
    pub log_error: Option<String>,
}

impl Recorder {
    pub fn new(job: &Job) -> Self {
        Self {
            head: Vec::new(),
            head_limit: job.keep_head_bytes,
            tail: Ring::new(job.keep_tail_bytes),
            total: 0,
            log: Log::create(job),
        }
    }

    pub fn take(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        self.log.append(bytes);
        let to_head = bytes.len().min(self.head_limit - self.head.len());
        let (head, rest) = bytes.split_at(to_head);
        self.head.extend_from_slice(head);
        self.tail.push(rest);
    }

    pub fn finish(mut self) -> Recording {
        let tail = self.tail.into_bytes();
        self.log.close(self.total, &tail);
        let kept = (self.head.len() + tail.len()) as u64;
        Recording {
            log_dropped_bytes: self.total - self.log.taken,
            log_error: self.log.error,
            output: Captured {
                head: self.head,
                tail,
                total_bytes: self.total,
                dropped_bytes: self.total - kept,
            },
        }
    }
}

/// The log file. A failure is remembered and ends the writing, not the run.
struct Log {
    path: PathBuf,
    file: Option<File>,
    filter: Box<dyn LogFilter>,
    cap: u64,
    /// Bytes of output that went into the file, through the filter.
    taken: u64,
    error: Option<String>,
}

impl Log {
    fn create(job: &Job) -> Self {
        let (path, filter) = (job.log.clone(), (job.log_filter)());
        let mut log =
            Self { path, file: None, filter, cap: job.log_cap_bytes, taken: 0, error: None };
        match File::create(&log.path) {
            Ok(file) => log.file = Some(file),
            Err(error) => log.failed(&error),
        }
        log
    }

    fn failed(&mut self, error: &std::io::Error) {
        self.file = None;
        self.error = Some(format!("log `{}`: {error}", self.path.display()));
    }

    /// Writes what fits below the cap.
    fn append(&mut self, bytes: &[u8]) {
        let room = usize::try_from(self.cap - self.taken).unwrap_or(usize::MAX);
        self.take(&bytes[..bytes.len().min(room)]);
    }

    fn take(&mut self, bytes: &[u8]) {
        if self.file.is_none() || bytes.is_empty() {
            return;
        }
        self.write(|filter, write| filter.take(bytes, write));
        if self.file.is_some() {
            self.taken += bytes.len() as u64;
        }
    }

    /// Writes what comes out of the filter.
    fn write(&mut self, fill: impl FnOnce(&mut dyn LogFilter, &mut dyn FnMut(&[u8]))) {
        let Some(file) = self.file.as_mut() else { return };
        let mut written = Ok(());
        fill(&mut *self.filter, &mut |clean| {
            if written.is_ok() {
                written = file.write_all(clean);
            }
        });
        if let Err(error) = written {
            self.failed(&error);
        }
    }

    /// Adds the end of the output where the cap has cut it off.
    fn close(&mut self, total: u64, tail: &[u8]) {
        let missing = total - self.taken;
        let kept = tail.len().min(usize::try_from(missing).unwrap_or(usize::MAX));
        let dropped = missing - kept as u64;
        if dropped > 0 {
            let note = format!(
                "\n[redgreen: {dropped} bytes of output dropped here, past the log limit of {} \
                 bytes]\n",
                self.cap
            );
            // The filter has to know that something is missing: it may be half of what it looks for.
            self.write(|filter, write| filter.take(note.as_bytes(), write));
        }
        self.take(&tail[tail.len() - kept..]);
        self.write(|filter, write| filter.end(write));
    }
}

/// The last bytes of a stream.
struct Ring {
    bytes: Vec<u8>,
    limit: usize,
    /// Where the oldest byte is, once `limit` bytes are there.
    oldest: usize,
}

impl Ring {
    fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit, oldest: 0 }
    }

    fn push(&mut self, bytes: &[u8]) {
        let mut bytes = &bytes[bytes.len().saturating_sub(self.limit)..];
        let grow = bytes.len().min(self.limit - self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..grow]);
        bytes = &bytes[grow..];
        while !bytes.is_empty() {
            let count = bytes.len().min(self.limit - self.oldest);
            self.bytes[self.oldest..self.oldest + count].copy_from_slice(&bytes[..count]);
            self.oldest = (self.oldest + count) % self.limit;
            bytes = &bytes[count..];
        }
    }

    fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.rotate_left(self.oldest);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_keeps_the_last_bytes_whatever_the_pieces() {
        let all: Vec<u8> = (0..=255).cycle().take(1000).collect();
        for limit in [0, 1, 2, 7, 64, 999, 1000, 1001] {
            for piece in [1, 2, 3, 63, 64, 65, 1000] {
                let mut ring = Ring::new(limit);
                for bytes in all.chunks(piece) {
                    ring.push(bytes);
                }
                let expected = &all[all.len().saturating_sub(limit)..];
                assert_eq!(ring.into_bytes(), expected, "limit {limit}, pieces of {piece}");
            }
        }
    }
}
