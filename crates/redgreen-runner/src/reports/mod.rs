//! The report files that a run wrote, and only those.
//!
//! A report that an earlier run left behind says nothing about this one. So what is there is noted
//! before the command starts, together with a mark: the time that the file system itself gives to a
//! file of ours. The mark is made anew until it is later than every report that is there, whatever
//! the clock's grain. Afterwards a file counts if it is new or was written again *and* its time is
//! not before the mark. Written again with the same bytes, it has another time; touched by `chmod`,
//! or an old copy put there with its old time, it is not written by this run, and that is said.

mod walk;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use redgreen_frameworks::ReportFile;
use redgreen_frameworks::junit::Shortener;

use self::walk::{Globs, Walk};
use crate::RunnerError;
use crate::layout::shown;

/// The most report files that are looked at.
const FILES_MAX: usize = 20_000;
/// The most bytes of all report files of a run that are read.
const BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Files above this size are read in pieces.
const LARGE_BYTES: u64 = 4 * 1024 * 1024;
/// The size of a piece.
const PIECE_BYTES: usize = 64 * 1024;
/// How many files are named in a sentence.
const NAMED: usize = 3;
/// How long it takes at most until the mark is later than what is there: file systems with the
/// coarsest clocks count in steps of two seconds.
const MARK_TRIES: u32 = 2_100;
/// The pause between two tries.
const MARK_PAUSE: Duration = Duration::from_millis(1);
/// Reports with a time this far ahead are not waited for: whoever writes them gives another time.
const AHEAD_SECONDS: i64 = 5;

/// Where reports are looked for, and what was there before the command.
pub(crate) struct Reports {
    globs: Globs,
    folder: PathBuf,
    before: BTreeMap<PathBuf, Version>,
    walk: Walk,
    mark: Mark,
}

/// The time that the file system gives to what is written right before the command.
#[derive(Clone, Copy, Default)]
struct Mark {
    time: Time,
    device: u64,
}

/// What a run wrote.
#[derive(Default)]
pub(crate) struct Written {
    pub(crate) files: Vec<ReportFile>,
    /// What was not read, and why. Not empty means that reports are missing.
    pub(crate) left_out: Vec<String>,
    /// What is worth knowing when no report is there.
    pub(crate) remarks: Vec<String>,
}

/// Seconds and nanoseconds, as the file system counts them.
type Time = (i64, i64);

/// What tells a file from the same one written again.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Version {
    modified: Time,
    size: u64,
    inode: u64,
    device: u64,
}

impl Version {
    fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        Some(Self {
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            size: metadata.len(),
            inode: metadata.ino(),
            device: metadata.dev(),
        })
    }
}

impl Reports {
    /// Notes what is there. To be called right before the command starts; `mark` is a file that may
    /// be written.
    pub(crate) fn before(
        folder: PathBuf,
        of_framework: &[&str],
        of_check: &[String],
        mark: &Path,
    ) -> Result<Self, RunnerError> {
        let globs = Globs::new(of_framework, of_check)?;
        let (before, walk) = (BTreeMap::new(), Walk::default());
        let mut reports = Self { globs, folder, before, walk, mark: Mark::default() };
        if !reports.globs.is_empty() {
            reports.walk = reports.globs.walk(&reports.folder, FILES_MAX, None);
            let version = |path: &PathBuf| Some((path.clone(), Version::of(path)?));
            reports.before = reports.walk.files.iter().filter_map(version).collect();
            reports.mark = mark_after(mark, reports.before.values())?;
        }
        Ok(reports)
    }

    /// Reads what the command has written; paths are from the root.
    pub(crate) fn written(&self, root: &Path) -> Written {
        let mut written = Written::default();
        if self.globs.is_empty() {
            return written;
        }
        let before = Some((&self.walk, self.mark));
        let Walk { files, is_cut, .. } = self.globs.walk(&self.folder, FILES_MAX, before);
        if is_cut {
            written.left_out.push(format!("there are more than {FILES_MAX} report files"));
        }
        let (mut old, mut room) = (Vec::new(), BYTES_MAX);
        for path in files {
            let Some(version) = Version::of(&path) else { continue };
            if self.before.get(&path) == Some(&version)
                || is_before(version.modified, self.mark.time)
            {
                old.push(shown(root, &path));
                continue;
            }
            match read(&path, version.size, &mut room) {
                Ok(bytes) => written.files.push(ReportFile { path: shown(root, &path), bytes }),
                Err(reason) => written.left_out.push(format!("{}: {reason}", shown(root, &path))),
            }
        }
        written.remarks.extend(not_from_this_run(&old));
        written
    }
}

/// Whether a time is before the mark. One without nanoseconds may be from a coarser clock than the
/// mark's: then up to two seconds say nothing, and only what has changed counts anyway.
fn is_before(time: Time, mark: Time) -> bool {
    let coarse = time.1 == 0 && time.0.saturating_add(2) > mark.0;
    time < mark && !coarse
}

fn read(path: &Path, size: u64, room: &mut u64) -> Result<Vec<u8>, String> {
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    let bytes = if size > LARGE_BYTES {
        read_large(&mut file, *room)
    } else {
        let mut bytes = Vec::new();
        // It may have grown since it was looked at.
        file.take(*room + 1).read_to_end(&mut bytes).map(|_| bytes)
    };
    let bytes = bytes.map_err(|error| error.to_string())?;
    if bytes.len() as u64 > *room {
        return Err(format!("more than {BYTES_MAX} bytes of report files are not read"));
    }
    *room = room.saturating_sub(bytes.len() as u64);
    Ok(bytes)
}

/// Large reports are large because of what tests printed; of XML that is left out on the way.
fn read_large(file: &mut File, room: u64) -> std::io::Result<Vec<u8>> {
    let mut piece = vec![0; PIECE_BYTES];
    let mut shortener = Shortener::default();
    let mut whole = None;
    loop {
        let count = file.read(&mut piece)?;
        let read = piece.get(..count).unwrap_or_default();
        if shortener.is_empty() && whole.is_none() && !read.trim_ascii_start().starts_with(b"<") {
            whole = Some(Vec::new());
        }
        let kept = match &mut whole {
            Some(whole) => {
                whole.extend_from_slice(read);
                whole.len()
            }
            None => {
                shortener.feed(read);
                shortener.len()
            }
        };
        if count == 0 || kept as u64 > room {
            return Ok(whole.unwrap_or_else(|| shortener.finish()));
        }
    }
}

fn not_from_this_run(old: &[String]) -> Option<String> {
    let named = old.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match old.len().saturating_sub(NAMED) {
        _ if old.is_empty() => None,
        0 => Some(format!("not read, because this run did not write it: {named}")),
        more => {
            Some(format!("not read, because this run did not write it: {named} and {more} more"))
        }
    }
}

/// Writes the mark until it is later than what is there, and returns its time.
fn mark_after<'versions>(
    mark: &Path,
    versions: impl Iterator<Item = &'versions Version> + Clone,
) -> Result<Mark, RunnerError> {
    let mut last = write_mark(mark)?;
    let ahead = last.time.0.saturating_add(AHEAD_SECONDS);
    let newest = versions.map(|version| version.modified).filter(|time| time.0 < ahead).max();
    for _ in 0..MARK_TRIES {
        if newest.is_none_or(|newest| newest < last.time) {
            break;
        }
        std::thread::sleep(MARK_PAUSE);
        last = write_mark(mark)?;
    }
    Ok(last)
}

fn write_mark(mark: &Path) -> Result<Mark, RunnerError> {
    fs::write(mark, "the reports of this run are not older than this file\n")
        .map_err(RunnerError::file("write", mark))?;
    let metadata = fs::metadata(mark).map_err(RunnerError::file("look at", mark))?;
    let time = (metadata.mtime(), metadata.mtime_nsec());
    Ok(Mark { time, device: metadata.dev() })
}

#[cfg(test)]
mod tests;
