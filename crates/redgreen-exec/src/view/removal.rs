//! Takes files out of a view.

use std::fs;
use std::io;
use std::path::Path;

use super::Layer;

/// Removes a file, or a folder with all that is in it, and the folders above it that have nothing
/// else. Goes through no link: what is behind one lies somewhere else.
pub fn remove(path: &Path, layers: &[Layer]) -> Result<(), String> {
    let above = |layer: &&Layer| path != layer.at && path.starts_with(&layer.at);
    let top = layers.iter().filter(above).max_by_key(|layer| layer.at.as_os_str().len());
    let top = &top.ok_or_else(|| format!("`{}` lies in no layer", path.display()))?.at;
    let mut folders: Vec<&Path> =
        path.ancestors().skip(1).take_while(|folder| folder != top).collect();
    folders.reverse();
    for folder in &folders {
        if !fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
            return Ok(());
        }
    }
    match remove_whole(path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(format!("`{}` cannot be taken out: {error}", path.display())),
    }
    // The first that has something else stays, and so do those above it.
    let _ = folders.iter().rev().try_for_each(fs::remove_dir);
    Ok(())
}

fn remove_whole(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}
