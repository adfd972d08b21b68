//! Files: written whole, and read without waiting, following or swelling.

use std::fs::{self, File, Metadata};
use std::io::{Error, ErrorKind, Read as _, Result, Write as _};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sys::statvfs::statvfs;

/// A disk with less space than that is full.
const SPARE_BYTES: u64 = 256 * 1024;
/// What a draft's name ends with.
pub const DRAFT: &str = ".draft";
/// The mode of a file for everybody, before the user's mask.
pub const OPEN_MODE: u32 = 0o666;

/// A file that has no name yet that anybody looks for. Unless it is given one, it goes.
pub struct Draft {
    path: PathBuf,
    file: File,
    placed: bool,
}

impl Draft {
    /// A new, empty one in a folder, under a name that nobody else uses.
    pub fn in_folder(folder: &Path, name: &str, mode: u32) -> Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let moment = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let moment = moment.map(|since| since.as_nanos()).unwrap_or_default();
        let path = folder.join(format!(".{name}.{}-{moment:x}-{count}{DRAFT}", std::process::id()));
        let file = File::options().write(true).create_new(true).mode(mode).open(&path)?;
        Ok(Self { path, file, placed: false })
    }

    /// The same in the folder of the file that it is to become.
    pub fn beside(path: &Path, mode: u32) -> Result<Self> {
        let (folder, name) = folder_and_name(path)?;
        Self::in_folder(folder, &name, mode)
    }

    /// The file, to be written to.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Where it is for now.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes all of its content; it is on disk when this returns.
    pub fn fill(&self, content: &[u8]) -> Result<()> {
        (&self.file).write_all(content)?;
        self.file.sync_all()
    }

    /// Gives it its name, once: there it is the old file or this one, never half of it.
    pub fn place(&mut self, path: &Path) -> Result<()> {
        if !self.placed {
            fs::rename(&self.path, path)?;
            self.placed = true;
        }
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.placed {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn folder_and_name(path: &Path) -> Result<(&Path, String)> {
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => {
            let here = folder.as_os_str().is_empty();
            Ok((if here { Path::new(".") } else { folder }, name.to_string_lossy().into_owned()))
        }
        _ => Err(Error::new(ErrorKind::InvalidInput, "a file has a name")),
    }
}

/// Writes a file so that it is the old one or the new one, whatever happens; it is on disk when this
/// returns.
pub fn write_whole(path: &Path, content: &[u8]) -> Result<()> {
    write_with_mode(path, content, OPEN_MODE)
}

/// The same for a file of this mode.
pub fn write_with_mode(path: &Path, content: &[u8], mode: u32) -> Result<()> {
    let mut draft = Draft::beside(path, mode)?;
    draft.fill(content)?;
    draft.place(path)?;
    sync_folder(folder_and_name(path)?.0)
}

/// The same for what can be made again: others never see half of it, but it may be gone or empty after a
/// failure of the machine. That takes no time to speak of.
pub fn write_cache(path: &Path, content: &[u8]) -> Result<()> {
    let mut draft = Draft::beside(path, OPEN_MODE)?;
    draft.file().write_all(content)?;
    draft.place(path)
}

/// Makes the names in a folder last.
pub fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder).and_then(|folder| folder.sync_all())
}

/// What writing ends with where a folder is, if there is no space to speak of.
pub fn no_space(folder: &Path) -> Option<Error> {
    let found = statvfs(folder).ok()?;
    let spare = found.blocks_available().saturating_mul(found.fragment_size());
    (spare < SPARE_BYTES).then(|| Error::from(Errno::ENOSPC))
}

/// Why a file is not read.
#[derive(Debug)]
pub enum Unfit {
    /// It is no regular file but this.
    Kind(&'static str),
    /// The system said no.
    Io(Error),
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Kind(kind) => write!(formatter, "it is {kind}"),
            Self::Io(error) => error.fmt(formatter),
        }
    }
}

/// A regular file that is open.
pub struct Opened {
    /// It.
    pub file: File,
    /// What it was when it was opened.
    pub metadata: Metadata,
}

/// Opens a regular file that somebody else may have put there, and nothing else; none if there is none.
pub fn open_regular(path: &Path) -> std::result::Result<Option<Opened>, Unfit> {
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
pub fn read_at_most(file: File, bytes_max: u64) -> Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= bytes_max).then_some(bytes))
}

#[cfg(test)]
mod tests;
