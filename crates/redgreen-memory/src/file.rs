//! Files: written whole, read without waiting or swelling, and told from what they were before.

use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use nix::errno::Errno;
use nix::fcntl::OFlag;

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
    let file = open(path, OFlag::O_NOFOLLOW).map_err(|error| match error.raw_os_error() {
        Some(code) if code == Errno::ELOOP as i32 => "it is a link: only files are read".to_owned(),
        _ => error.to_string(),
    })?;
    let metadata = file.metadata().map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is no file".to_owned());
    }
    let stamp = Stamp::of(&metadata);
    let mut bytes =
        Vec::with_capacity(usize::try_from(metadata.len().min(RECORD_BYTES_MAX)).unwrap_or(0));
    file.take(RECORD_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > RECORD_BYTES_MAX {
        return Err(format!("it has more than {RECORD_BYTES_MAX} bytes"));
    }
    Ok((bytes, stamp))
}

/// Opens a file without waiting: a FIFO would wait for somebody to write.
pub(crate) fn open(path: &Path, flags: OFlag) -> std::io::Result<File> {
    File::options().read(true).custom_flags((OFlag::O_NONBLOCK | flags).bits()).open(path)
}

/// A file that is on disk and has no name yet that anybody looks for.
pub(crate) struct Draft {
    path: PathBuf,
    placed: bool,
}

impl Draft {
    /// Writes a draft; it is on disk when this returns.
    pub(crate) fn write(layout: &Layout, content: &[u8]) -> Result<Self, MemoryError> {
        let folder = layout.drafts();
        make_folder(&folder)?;
        let path = folder.join(uuid::Uuid::now_v7().to_string());
        let draft = Self { path, placed: false };
        File::options()
            .write(true)
            .create_new(true)
            .open(&draft.path)
            .and_then(|mut file| {
                file.write_all(content)?;
                file.sync_all()
            })
            .map_err(MemoryError::file("write", &draft.path))?;
        Ok(draft)
    }

    /// Gives it its name: there it is the old file or this one, never half of it.
    pub(crate) fn place(&mut self, path: &Path) -> Result<(), MemoryError> {
        fs::rename(&self.path, path).map_err(MemoryError::file("write", path))?;
        self.placed = true;
        Ok(())
    }
}

impl Draft {
    /// Gives it its name, unless it has it already.
    pub(crate) fn place_once(&mut self, path: &Path) -> Result<(), MemoryError> {
        if self.placed { Ok(()) } else { self.place(path) }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.placed {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Writes a file of the memory so that it is the old one or the new one, whatever happens.
pub(crate) fn write_whole(layout: &Layout, path: &Path, content: &[u8]) -> Result<(), MemoryError> {
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    Draft::write(layout, content)?.place(path)?;
    sync_folder_of(path)
}

/// Makes the names in a file's folder last.
pub(crate) fn sync_folder_of(path: &Path) -> Result<(), MemoryError> {
    let folder = path.parent().unwrap_or(path);
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(MemoryError::file("sync", folder))
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
