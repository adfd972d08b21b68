//! Files that somebody else may have put there: read without waiting, following or swelling, and
//! written whole.

use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use nix::errno::Errno;
use nix::fcntl::OFlag;

/// What a draft's name ends with.
pub(crate) const DRAFT: &str = ".draft";

/// Why a file is not read.
#[derive(Debug)]
pub(crate) enum Unfit {
    /// It is no regular file but this.
    Kind(&'static str),
    /// The system said no.
    Io(std::io::Error),
}

/// A regular file that is open.
pub(crate) struct Opened {
    pub(crate) file: File,
    pub(crate) metadata: Metadata,
}

/// Opens a regular file, and nothing else; none if there is none.
pub(crate) fn open_regular(path: &Path) -> Result<Option<Opened>, Unfit> {
    // Without O_NONBLOCK, opening a FIFO waits for somebody to write.
    let flags = (OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits();
    let file = match File::options().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) if error.raw_os_error() == Some(Errno::ELOOP as i32) => {
            return Err(Unfit::Kind("a symbolic link"));
        }
        Err(error) if error.raw_os_error() == Some(Errno::ENXIO as i32) => {
            return Err(Unfit::Kind("a socket"));
        }
        Err(error) => return Err(Unfit::Io(error)),
    };
    let metadata = file.metadata().map_err(Unfit::Io)?;
    let kind = metadata.file_type();
    if kind.is_file() {
        Ok(Some(Opened { file, metadata }))
    } else if kind.is_dir() {
        Err(Unfit::Kind("a folder"))
    } else if kind.is_fifo() {
        Err(Unfit::Kind("a pipe"))
    } else {
        Err(Unfit::Kind("no file"))
    }
}

/// All bytes of a file; none if they are more than that.
pub(crate) fn read_at_most(file: File, bytes_max: u64) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= bytes_max).then_some(bytes))
}

/// A name that nobody else uses now.
pub(crate) fn draft_name(name: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let moment = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let moment = moment.map(|since| since.as_nanos()).unwrap_or_default();
    format!(".{name}.{}-{moment:x}-{count}{DRAFT}", std::process::id())
}

/// Writes a file so that it is the old one or the new one, whatever happens; it is on disk when this
/// returns.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(std::io::Error::new(ErrorKind::InvalidInput, "a file has a name"));
    };
    let draft = folder.join(draft_name(&name.to_string_lossy()));
    let written = File::options().write(true).create_new(true).open(&draft).and_then(|mut file| {
        file.write_all(content)?;
        file.sync_all()
    });
    let placed = written.and_then(|()| fs::rename(&draft, path));
    if placed.is_err() {
        let _ = fs::remove_file(&draft);
    }
    placed.and_then(|()| sync_folder(folder))
}

/// Makes the names in a folder last.
pub(crate) fn sync_folder(folder: &Path) -> std::io::Result<()> {
    File::open(folder).and_then(|folder| folder.sync_all())
}
