//! The folders of the store. Whoever works in the tree can put anything in their place, so nothing is
//! followed out of the store, and nothing is removed that has not a name of ours.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use redgreen_files::DRAFT;

use super::{StoreError, io};

/// How old half a file must be before it is somebody's who is dead.
const DRAFT_AGE: Duration = Duration::from_secs(3600);

/// The shortest hash that a name begins with.
const HASH_CHARS_MIN: usize = 32;

/// Makes a folder below the store's.
pub(super) fn prepare(store: &Path, parts: &[&str]) -> Result<PathBuf, StoreError> {
    let mut folder = store.to_owned();
    for part in std::iter::once(None).chain(parts.iter().map(Some)) {
        folder.extend(part);
        match fs::create_dir(&folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                if !is_folder(&folder) {
                    return Err(io("use the folder", &folder)(ErrorKind::NotADirectory.into()));
                }
            }
            made => made.map_err(io("make the folder", &folder))?,
        }
    }
    Ok(folder)
}

/// A folder below the store's; none if any part of the way is something else.
pub(super) fn existing(store: &Path, parts: &[&str]) -> Option<PathBuf> {
    let mut folder = store.to_owned();
    if !is_folder(&folder) {
        return None;
    }
    for part in parts {
        // A hash, and nothing that leads elsewhere.
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return None;
        }
        folder.push(part);
        if !is_folder(&folder) {
            return None;
        }
    }
    Some(folder)
}

fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// The names in a folder.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

/// The names in a folder, the newest first.
pub(super) fn names_by_age(folder: &Path) -> Vec<String> {
    entries_by_age(folder).into_iter().map(|(_, _, name)| name).collect()
}

/// Time, size and name of what is ours in a folder, the newest first.
fn entries_by_age(folder: &Path) -> Vec<(SystemTime, u64, String)> {
    let entry = |name: String| {
        let found = fs::symlink_metadata(folder.join(&name)).ok()?;
        Some((found.modified().ok()?, found.len(), name))
    };
    let mut entries: Vec<_> =
        names(folder).into_iter().filter(|name| is_ours(name)).filter_map(entry).collect();
    entries.sort_unstable_by(|left, right| right.cmp(left));
    entries
}

/// A name that begins with a hash.
fn is_ours(name: &str) -> bool {
    let hash = name.as_bytes().get(..HASH_CHARS_MIN);
    hash.is_some_and(|hash| hash.iter().all(u8::is_ascii_hexdigit))
}

/// Removes all but the newest, and of those what is too much together; and half files of the dead.
/// What cannot be removed is no reason to fail: it is tried again with the next one.
pub(super) fn keep_newest(folder: &Path, count: usize, bytes_max: u64) {
    if !is_folder(folder) {
        return;
    }
    let mut bytes = 0_u64;
    for (index, (_, size, name)) in entries_by_age(folder).into_iter().enumerate() {
        bytes = bytes.saturating_add(size);
        if index >= count || (index > 0 && bytes > bytes_max) {
            remove_entry(&folder.join(name));
        }
    }
    let is_old = |path: &Path| {
        let modified = fs::symlink_metadata(path).and_then(|found| found.modified());
        modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > DRAFT_AGE))
    };
    for name in names(folder).iter().filter(|name| name.ends_with(DRAFT)) {
        let path = folder.join(name);
        if is_old(&path) {
            remove_entry(&path);
        }
    }
}

/// A file or a folder; a link goes itself, not what it leads to.
fn remove_entry(path: &Path) {
    let _ = if is_folder(path) { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}
