//! Whether the files of an index were touched since a look at them began: the kernel says it, and no file has to be looked at
//! once more. Where it cannot be sure, they are.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::thread;

use nix::errno::Errno;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, InotifyEvent, WatchDescriptor};
use nix::sys::statfs::{
    BTRFS_SUPER_MAGIC, EXT4_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC, TMPFS_MAGIC, XFS_SUPER_MAGIC,
    statfs,
};

use crate::git::below;
use crate::index_file::Index;

/// With fewer files it is as quick to look at them.
const FILES_MIN: usize = 2_000;
/// Which part of what the system allows may be taken: editors watch, too.
const SHARE_OF_WATCHES: usize = 8;
/// How many watches the system allows.
const WATCHES_FILE: &str = "/proc/sys/fs/inotify/max_user_watches";

/// Folders that are watched.
#[derive(Debug)]
pub(crate) struct Watch {
    inotify: Option<Inotify>,
    folders: HashMap<WatchDescriptor, Vec<u8>>,
}

impl Watch {
    /// Begins before the files of an index are looked at; nothing where that is not worth it or cannot be relied on.
    pub(crate) fn start(root: &Path, index: &Index) -> Option<Self> {
        if index.entries.len() < FILES_MIN {
            return None;
        }
        // Elsewhere others can write without that this system knows.
        let local = [
            EXT4_SUPER_MAGIC,
            XFS_SUPER_MAGIC,
            BTRFS_SUPER_MAGIC,
            TMPFS_MAGIC,
            OVERLAYFS_SUPER_MAGIC,
        ];
        local.contains(&statfs(root).ok()?.filesystem_type()).then_some(())?;
        let wanted = folders(index);
        let most: usize = fs::read_to_string(WATCHES_FILE).ok()?.trim().parse().ok()?;
        (wanted.len() <= most / SHARE_OF_WATCHES).then_some(())?;
        let inotify = Inotify::init(InitFlags::IN_CLOEXEC | InitFlags::IN_NONBLOCK).ok()?;
        let mut watch = Self { inotify: None, folders: HashMap::with_capacity(wanted.len()) };
        for folder in wanted {
            let descriptor = inotify.add_watch(&below(root, folder), touches()).ok()?;
            watch.folders.insert(descriptor, folder.to_vec());
        }
        watch.inotify = Some(inotify);
        Some(watch)
    }

    /// Whether nothing was done to the files of the index, or to folders that they are in.
    pub(crate) fn is_quiet(&self, index: &Index) -> bool {
        let Some(inotify) = &self.inotify else { return false };
        loop {
            match inotify.read_events() {
                Ok(events) if events.iter().any(|event| self.concerns(index, event)) => {
                    return false;
                }
                Ok(_) => {}
                Err(Errno::EAGAIN) => return true,
                Err(_) => return false,
            }
        }
    }

    fn concerns(&self, index: &Index, event: &InotifyEvent) -> bool {
        // Without a name it is the folder itself, or that the kernel has lost count.
        let (Some(name), Some(folder)) = (&event.name, self.folders.get(&event.wd)) else {
            return true;
        };
        let slash = if folder.is_empty() { &b""[..] } else { b"/" };
        let path = [folder, slash, name.as_bytes()].concat();
        let inside = [&path, &b"/"[..]].concat();
        let next = index.entries.partition_point(|entry| *entry.path < *inside);
        let holds_files = index.entries.get(next).is_some_and(|it| it.path.starts_with(&inside));
        holds_files || index.find(&path).is_some()
    }
}

impl Drop for Watch {
    /// The kernel takes its time to forget what was watched, and nobody has to wait for that.
    fn drop(&mut self) {
        let inotify = self.inotify.take();
        let _ = thread::Builder::new().spawn(move || drop(inotify));
    }
}

/// All that can change what is at a path, its content or its stamps.
fn touches() -> AddWatchFlags {
    AddWatchFlags::IN_MODIFY
        | AddWatchFlags::IN_CLOSE_WRITE
        | AddWatchFlags::IN_ATTRIB
        | AddWatchFlags::IN_CREATE
        | AddWatchFlags::IN_DELETE
        | AddWatchFlags::IN_MOVE
        | AddWatchFlags::IN_DELETE_SELF
        | AddWatchFlags::IN_MOVE_SELF
        | AddWatchFlags::IN_ONLYDIR
        | AddWatchFlags::IN_DONT_FOLLOW
}

/// The folders that the files of an index are in, and those above them; the root has no name.
fn folders(index: &Index) -> BTreeSet<&[u8]> {
    let mut folders = BTreeSet::from([&b""[..]]);
    let mut last: &[u8] = b"";
    for entry in &index.entries {
        let end = entry.path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        let mut folder = &entry.path[..end];
        if folder == last {
            continue;
        }
        last = folder;
        while folders.insert(folder) {
            let end = folder.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
            folder = &folder[..end];
        }
    }
    folders
}
