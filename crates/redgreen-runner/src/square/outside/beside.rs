//! A copy of the project with what lies beside the tree: a view has that by itself.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use redgreen_frameworks::is_cache;
use redgreen_workspace::Ignored;

/// Copies what git ignores into a copy, but for what is hidden, for caches, and for what is there already.
pub(super) fn put(
    root: &Path,
    copy: &Path,
    ignored: &[Ignored],
    hidden: &[PathBuf],
    own: &[PathBuf],
) -> io::Result<()> {
    let mut open: Vec<String> =
        ignored.iter().map(|it| it.path.trim_end_matches('/').to_owned()).collect();
    while let Some(path) = open.pop() {
        let (from, to) = (root.join(&path), copy.join(&path));
        let is_left_out =
            hidden.contains(&from) || own.contains(&from) || fs::symlink_metadata(&to).is_ok();
        if is_left_out || path.split('/').any(is_cache) {
            continue;
        }
        let metadata = fs::symlink_metadata(&from)?;
        if metadata.is_dir() {
            for entry in fs::read_dir(&from)? {
                open.push(format!("{path}/{}", entry?.file_name().to_string_lossy()));
            }
            continue;
        }
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        if metadata.is_symlink() {
            symlink(fs::read_link(&from)?, &to)?;
        } else if metadata.is_file() {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}
