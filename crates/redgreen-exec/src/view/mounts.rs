//! The mounts of a view.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::libc;
use nix::mount::{MsFlags, mount as mount_at};

use super::namespace::refused;
use super::removal::remove;
use super::{Layer, View};

/// How an overlay is wanted, best first. Marks in attributes of the user's, because others need a
/// right; no waiting for the disk, because what is written here need not survive a crash.
const WAYS: [&str; 4] = [
    "userxattr,volatile",
    "userxattr",
    "index=off,metacopy=off,redirect_dir=off,volatile",
    "index=off,metacopy=off,redirect_dir=off",
];
/// What an overlay leaves in its work folder. One that did not wait for the disk has a mark in it, so
/// that nobody trusts its layers after a crash; we never do.
const LEFT_OVER: &str = "work";

/// A folder that stays reachable when something is mounted over it.
struct Held(File);

impl Held {
    fn open(folder: &Path) -> Result<Self, String> {
        Self::open_as(folder, libc::O_DIRECTORY)
    }

    fn open_as(folder: &Path, kind: libc::c_int) -> Result<Self, String> {
        let flags = libc::O_PATH | libc::O_CLOEXEC | kind;
        let file = OpenOptions::new().read(true).custom_flags(flags).open(folder);
        file.map(Self).map_err(|error| format!("folder `{}`: {error}", folder.display()))
    }

    /// A path that needs no escaping, whatever the folder's name is.
    fn path(&self) -> String {
        format!("/proc/self/fd/{}", self.0.as_raw_fd())
    }
}

/// A layer whose folders are open.
struct OpenLayer<'a> {
    layer: &'a Layer,
    folders: [Held; 3],
    /// What is mounted in the folder already, and would be hidden.
    inside: Vec<(PathBuf, Held)>,
}

/// Mounts a view. Everything that lies below is opened first.
pub fn mount(view: &View) -> Result<(), String> {
    let mounted = mount_points()?;
    let open = |layer| OpenLayer::open(layer, view, &mounted);
    let layers: Vec<_> = view.layers.iter().map(open).collect::<Result<_, _>>()?;
    let hold = |folder: &PathBuf| Ok((folder.clone(), Held::open(folder)?));
    let shared: Vec<_> = view.shared.iter().map(hold).collect::<Result<_, String>>()?;
    let cover_with = |(at, with): &(PathBuf, PathBuf)| Ok((at.clone(), Held::open_as(with, 0)?));
    let covers: Vec<_> = view.covered.iter().map(cover_with).collect::<Result<_, String>>()?;
    for layer in &layers {
        layer.mount()?;
    }
    for path in &view.deleted {
        remove(path, &view.layers)?;
    }
    let inside = layers.iter().flat_map(|layer| &layer.inside);
    for (path, held) in inside.chain(&shared).chain(&covers) {
        bind(held, path)?;
    }
    view.emptied.iter().try_for_each(|folder| cover(folder))
}

/// An empty file system over a folder.
fn cover(folder: &Path) -> Result<(), String> {
    let kind = Some("tmpfs");
    mount_at(kind, folder, kind, MsFlags::empty(), Some("mode=755"))
        .map_err(|error| refused(&format!("empty folder `{}`", folder.display()), error))
}

impl<'a> OpenLayer<'a> {
    fn open(layer: &'a Layer, view: &View, mounted: &[PathBuf]) -> Result<Self, String> {
        let folders = [&layer.at, &layer.upper, &layer.work].map(|folder| Held::open(folder));
        let [at, upper, work] = folders;
        let mut inside = Vec::new();
        for point in mounted.iter().filter(|point| **point != layer.at) {
            let Ok(inner) = point.strip_prefix(&layer.at) else { continue };
            if view.shared.iter().any(|shared| point.starts_with(shared)) {
                continue;
            }
            let differs = fs::symlink_metadata(layer.upper.join(inner)).is_ok()
                || view.deleted.iter().any(|path| path.starts_with(point));
            if differs {
                let point = point.display();
                return Err(format!(
                    "another file system is mounted at `{point}`, where files differ"
                ));
            }
            inside.push((point.clone(), Held::open(point)?));
        }
        Ok(Self { layer, folders: [at?, upper?, work?], inside })
    }

    fn mount(&self) -> Result<(), String> {
        let [at, upper, work] = &self.folders;
        // The folder looks like the upper one, so that must look like the folder.
        let _ = fs::metadata(at.path())
            .and_then(|it| fs::set_permissions(upper.path(), it.permissions()));
        let mut first = None;
        for way in WAYS {
            let _ = fs::remove_dir_all(self.layer.work.join(LEFT_OVER));
            let (at, upper, work) = (at.path(), upper.path(), work.path());
            let options = format!("lowerdir={at},upperdir={upper},workdir={work},{way}");
            let (kind, flags) = (Some("overlay"), MsFlags::empty());
            match mount_at(kind, &self.layer.at, kind, flags, Some(options.as_str())) {
                Ok(()) => return Ok(()),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(self.refused(first.unwrap_or(Errno::EINVAL)))
    }

    fn refused(&self, error: Errno) -> String {
        let Layer { at, upper, .. } = self.layer;
        let what = format!("overlay of `{}` over `{}`", upper.display(), at.display());
        match self.inside.first() {
            // Without rights, what is mounted in a folder must not be uncovered.
            Some((point, _)) => format!(
                "{what}: {}; another file system is mounted at `{}`",
                error.desc(),
                point.display()
            ),
            None => refused(&what, error),
        }
    }
}

fn bind(held: &Held, path: &Path) -> Result<(), String> {
    let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
    mount_at(Some(held.path().as_str()), path, None::<&str>, flags, None::<&str>)
        .map_err(|error| refused(&format!("real folder `{}`", path.display()), error))
}

/// Where something is mounted.
fn mount_points() -> Result<Vec<PathBuf>, String> {
    let table = fs::read("/proc/self/mountinfo")
        .map_err(|error| format!("/proc/self/mountinfo: {error}"))?;
    let point = |line: &[u8]| {
        let field = line.split(|byte| *byte == b' ').nth(4)?;
        Some(PathBuf::from(OsStr::from_bytes(&unescaped(field))))
    };
    Ok(table.split(|byte| *byte == b'\n').filter_map(point).collect())
}

/// Blanks, line ends and backslashes are written as `\040`.
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = code.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match code.filter(|_| *first == b'\\') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(3..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_the_table_of_mounts_are_read_back() {
        assert_eq!(unescaped(br"/a\040b\134c\012"), b"/a b\\c\n");
        assert_eq!(unescaped(br"/a\04"), br"/a\04");
        assert!(mount_points().expect("a table").contains(&PathBuf::from("/")));
    }
}
