//! Runs one corner: a tree that is not the work tree, at the work tree's own path.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use redgreen_exec::{Layer, View};
use redgreen_model::tree::{TreeHash, TreeState};
use uuid::Uuid;

use crate::RunnerError;
use crate::ground::Ground;
use crate::trees::Trees;

/// Folders for the layers of views; they go when this does.
pub(crate) struct Room {
    folder: PathBuf,
}

impl Room {
    /// A room outside of the work tree: a layer cannot lie below what it covers.
    pub(crate) fn new() -> Result<Self, RunnerError> {
        let folder = std::env::temp_dir().join(format!("redgreen-{}", Uuid::now_v7()));
        fs::create_dir_all(&folder).map_err(RunnerError::file("make the folder", &folder))?;
        Ok(Self { folder })
    }

    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf, RunnerError> {
        let folder = self.folder.join(name);
        fs::create_dir_all(&folder).map_err(RunnerError::file("make the folder", &folder))?;
        Ok(folder)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

/// Removes a folder; the kernel leaves some in a layer's work folder that may not be looked into.
fn remove(folder: &Path) {
    if fs::remove_dir_all(folder).is_ok() {
        return;
    }
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let _ = fs::set_permissions(&folder, fs::Permissions::from_mode(0o700));
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        folders.extend(
            entries
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                .map(|entry| entry.path()),
        );
    }
    let _ = fs::remove_dir_all(folder);
}

/// The ground of a tree that differs from the one in the work tree, which is `there`.
/// `elsewhere` are folders outside of the work tree that a build writes into.
pub(crate) fn view(
    trees: &Trees,
    tree: &TreeHash,
    there: &TreeHash,
    room: &Path,
    elsewhere: &[PathBuf],
) -> Result<Ground, RunnerError> {
    let root = trees.workspace.root();
    let layer = |at: &Path, name: &str| -> Result<Layer, RunnerError> {
        let (upper, work) = (room.join(format!("{name}-upper")), room.join(format!("{name}-work")));
        for folder in [&upper, &work] {
            fs::create_dir_all(folder).map_err(RunnerError::file("make the folder", folder))?;
        }
        Ok(Layer { at: at.to_owned(), upper, work })
    };
    let first = layer(root, "root")?;
    let upper = first.upper.clone();
    let staged = trees.workspace.stage(tree, there, &upper)?;
    let mut layers = vec![first];
    for (index, folder) in elsewhere.iter().enumerate() {
        layers.push(layer(folder, &format!("elsewhere-{index}"))?);
    }
    Ok(Ground::View {
        tree: state_of(trees, tree)?,
        upper,
        view: View {
            layers,
            shared: vec![trees.workspace.state_dir()?],
            deleted: staged.deleted.iter().map(|path| root.join(path)).collect(),
        },
    })
}

/// A tree and its code.
pub(crate) fn state_of(trees: &Trees, tree: &TreeHash) -> Result<TreeState, RunnerError> {
    Ok(TreeState { tree: tree.clone(), code: trees.code_of(tree)? })
}
