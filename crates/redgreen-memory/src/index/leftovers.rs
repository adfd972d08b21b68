//! What nobody will ask any more: indexes of memories that are gone, and those that older versions kept among the
//! records. All of it could be made anew, so what cannot be taken away stays.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::home::{BESIDE, FILE, LABEL, LOCK, name_of};

/// So many indexes are looked at: this is done on the way to something else.
const LOOKED_AT_MAX: usize = 1_000;
/// No path is longer.
const PATH_BYTES_MAX: u64 = 64 * 1024;
/// In front of the name of an index that is being taken away.
const GOING: &str = "gone-";
/// What older versions held while a damaged index was replaced.
const OLD_LOCK: &str = ".index-lock";

/// Takes away the indexes of memories whose folders are gone.
pub(super) fn forget_gone(indexes: &Path) {
    for entry in fs::read_dir(indexes).into_iter().flatten().flatten().take(LOOKED_AT_MAX) {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = entry.path();
        if !is_folder || !holds_an_index_alone(&path) {
            continue;
        }
        // Somebody was killed on the way.
        if name.strip_prefix(GOING).is_some_and(is_name) {
            empty(&path);
        } else if labelled(&path).is_some_and(|memory| name_of(&memory) == name && is_gone(&memory))
        {
            // In one step: nobody finds half of it.
            let going = path.with_file_name(format!("{GOING}{name}"));
            if fs::rename(&path, &going).is_ok() {
                empty(&going);
            }
        }
    }
}

/// Takes away an index that lies among the records.
pub(super) fn forget_old(memory: &Path) {
    let names = files().chain([OLD_LOCK.to_owned()]);
    for path in names.map(|name| memory.join(name)).filter(|path| is_plain(path)) {
        let _ = fs::remove_file(path);
    }
}

/// The files of an index, its log first.
fn files() -> impl Iterator<Item = String> {
    BESIDE.iter().map(|suffix| format!("{FILE}{suffix}")).chain([FILE.to_owned()])
}

fn is_plain(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

/// Whether a text can be the name of an index's folder.
fn is_name(text: &str) -> bool {
    text.len() == name_of(Path::new("")).len()
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether there is nothing in a folder but what we put there.
fn holds_an_index_alone(folder: &Path) -> bool {
    let ours: Vec<String> = files().chain([LOCK, LABEL].map(str::to_owned)).collect();
    fs::read_dir(folder).is_ok_and(|mut entries| {
        entries.all(|entry| {
            entry.is_ok_and(|entry| {
                ours.iter().any(|ours| entry.file_name() == OsStr::new(ours))
                    && entry.file_type().is_ok_and(|kind| kind.is_file())
            })
        })
    })
}

/// The memory that an index is of.
fn labelled(folder: &Path) -> Option<PathBuf> {
    let mut label = Vec::new();
    let file = File::open(folder.join(LABEL)).ok()?;
    file.take(PATH_BYTES_MAX).read_to_end(&mut label).ok()?;
    let path = label.strip_suffix(b"\n")?;
    Some(PathBuf::from(OsStr::from_bytes(path)))
}

/// Whether a folder is not there. One that cannot be looked at, for want of rights or of a disk that answers, may be.
fn is_gone(folder: &Path) -> bool {
    let found = fs::symlink_metadata(folder);
    folder.is_absolute() && found.is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// Takes away what we put into a folder, and the folder.
fn empty(folder: &Path) {
    for name in files().chain([LOCK, LABEL].map(str::to_owned)) {
        let _ = fs::remove_file(folder.join(name));
    }
    let _ = fs::remove_dir(folder);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An index's folder, as if it were of this memory.
    fn index_of(indexes: &Path, memory: &Path) -> PathBuf {
        let folder = indexes.join(name_of(memory));
        fs::create_dir_all(&folder).expect("a folder");
        let label = [memory.as_os_str().as_bytes(), b"\n"].concat();
        fs::write(folder.join(LABEL), label).expect("a file");
        fs::write(folder.join(FILE), "").expect("a file");
        folder
    }

    #[test]
    fn the_index_of_a_memory_that_is_gone_is_taken_away_and_no_other_folder() {
        let place = tempfile::tempdir().expect("a folder");
        let (indexes, here) = (place.path().join("indexes"), place.path().join("here"));
        fs::create_dir(&here).expect("a folder");
        fs::write(place.path().join("file"), "").expect("a file");
        let gone = index_of(&indexes, &place.path().join("gone"));
        let half = indexes.join(format!("{GOING}0123456789abcdef"));
        fs::create_dir(&half).expect("a folder");
        fs::write(half.join(LOCK), "").expect("a file");
        let kept = [
            index_of(&indexes, &here),
            // Not the system's word for "not there".
            index_of(&indexes, &place.path().join("file/memory")),
            index_of(&indexes, Path::new("nowhere")),
        ];
        let used = index_of(&indexes, &place.path().join("used"));
        fs::write(used.join("notes.txt"), "").expect("a file");
        let renamed = indexes.join("0000000000000000");
        fs::rename(index_of(&indexes, &place.path().join("renamed")), &renamed).expect("renamed");
        let foreign = indexes.join(format!("{GOING}away"));
        fs::create_dir(&foreign).expect("a folder");
        forget_gone(&indexes);
        assert!(!gone.exists() && !half.exists());
        for kept in kept.iter().chain([&used, &renamed, &foreign]) {
            assert!(kept.exists(), "{}", kept.display());
        }
        assert_eq!(fs::read_dir(&indexes).expect("a folder").count(), 6);
    }

    #[test]
    fn an_index_among_the_records_is_taken_away_if_it_is_one() {
        let memory = tempfile::tempdir().expect("a folder");
        let at = |name: &str| memory.path().join(name);
        for name in ["index.sqlite3", "index.sqlite3-wal", ".index-lock", "session-1.json"] {
            fs::write(at(name), "").expect("a file");
        }
        std::os::unix::fs::symlink("session-1.json", at("index.sqlite3-shm")).expect("a link");
        forget_old(memory.path());
        let mut left: Vec<_> = fs::read_dir(memory.path())
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        left.sort();
        assert_eq!(left, ["index.sqlite3-shm", "session-1.json"]);
    }
}
