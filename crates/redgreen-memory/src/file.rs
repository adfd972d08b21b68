//! Files: written whole, read without waiting or swelling, and compared with what they were before.

use std::fs::{self, File, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use nix::fcntl::OFlag;
use redgreen_files::{Draft, OPEN_MODE, Opened, open_regular, read_at_most, sync_folder};

use crate::MemoryError;
use crate::layout::Layout;

/// A larger file is no record.
pub(crate) const RECORD_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// What tells a file or a folder from what it was before, without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) size: i64,
    pub(crate) modified_ns: i64,
    pub(crate) inode: i64,
}

/// Two changes within one tick of the file system's clock leave the same time: what changed so
/// shortly before it was looked at may change again without showing it.
const TICK_NS: i64 = 100_000_000;

impl Stamp {
    /// The stamp of what these are the facts of.
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self {
            size: i64::try_from(metadata.len()).unwrap_or(i64::MAX),
            modified_ns: changed_ns(metadata),
            inode: i64::from_ne_bytes(metadata.ino().to_ne_bytes()),
        }
    }

    /// The stamp of a path, followed; none if there is nothing.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|metadata| Self::of(&metadata))
    }

    /// The stamp of a record's file; a link has its own.
    pub(crate) fn of_record(path: &Path) -> Option<Self> {
        fs::symlink_metadata(path).ok().map(|metadata| Self::of(&metadata))
    }

    /// Whether an equal stamp will mean that nothing changed since `looked_ns`.
    pub(crate) fn settled(self, looked_ns: i64) -> bool {
        self.modified_ns.saturating_add(TICK_NS) < looked_ns
    }

    /// Its time, in milliseconds.
    pub(crate) fn milliseconds(self) -> i64 {
        self.modified_ns / 1_000_000
    }

    /// A stamp that nothing has: it is looked at again.
    pub(crate) const UNSETTLED: Self = Self { size: -1, modified_ns: -1, inode: -1 };
}

/// When content or attributes changed last. The time of the content alone can be set by anybody, to any day.
fn changed_ns(metadata: &Metadata) -> i64 {
    metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec())
}

/// The time on the clock that files are stamped by.
pub(crate) fn clock_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// The bytes of a record and their stamp; why it is not read, in words.
pub(crate) fn read_record(path: &Path) -> Result<(Vec<u8>, Stamp), String> {
    // A link may lead out of the project, and git brings links.
    let Opened { file, metadata } = open_regular(path)
        .map_err(|unfit| format!("{unfit}: only files are read"))?
        .ok_or_else(|| "it is gone".to_owned())?;
    let bytes = read_at_most(file, RECORD_BYTES_MAX).map_err(|error| error.to_string())?;
    let bytes = bytes.ok_or_else(|| format!("it has more than {RECORD_BYTES_MAX} bytes"))?;
    Ok((bytes, Stamp::of(&metadata)))
}

/// Opens a file without waiting: a FIFO would wait for somebody to write.
pub(crate) fn open(path: &Path, flags: OFlag) -> std::io::Result<File> {
    File::options().read(true).custom_flags((OFlag::O_NONBLOCK | flags).bits()).open(path)
}

/// A file with this content that is on disk and has no name yet that anybody looks for.
pub(crate) fn draft(layout: &Layout, content: &[u8]) -> Result<Draft, MemoryError> {
    let folder = layout.drafts();
    make_folder(&folder)?;
    let drafted = Draft::in_folder(&folder, "record", OPEN_MODE)
        .and_then(|draft| draft.fill(content).map(|()| draft));
    drafted.map_err(MemoryError::file("write", &folder))
}

/// Gives a draft its name.
pub(crate) fn place(draft: &mut Draft, path: &Path) -> Result<(), MemoryError> {
    draft.place(path).map_err(MemoryError::file("write", path))
}

/// Writes a file of the memory so that it is the old one or the new one, whatever happens.
pub(crate) fn write_whole(layout: &Layout, path: &Path, content: &[u8]) -> Result<(), MemoryError> {
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    place(&mut draft(layout, content)?, path)?;
    sync_folder_of(path)
}

/// Makes the names in a file's folder last.
pub(crate) fn sync_folder_of(path: &Path) -> Result<(), MemoryError> {
    let folder = path.parent().unwrap_or(path);
    sync_folder(folder).map_err(MemoryError::file("sync", folder))
}

/// Makes a folder and those above it, if they are not there.
pub(crate) fn make_folder(path: &Path) -> Result<(), MemoryError> {
    fs::create_dir_all(path).map_err(MemoryError::file("make the folder", path))
}

/// The names in a folder, in order; none if it is not there.
pub(crate) fn names(folder: &Path) -> Result<Vec<String>, MemoryError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(MemoryError::file("list", folder)(error)),
    };
    // A name that is not UTF-8 is none of ours, and no other tool writes such.
    let mut names: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    Ok(names)
}
