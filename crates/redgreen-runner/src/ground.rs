//! Where checks run: in the work tree itself, or in a corner of the square.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use redgreen_exec::View;
use redgreen_model::tree::{FileChange, FileRole, TreeState};
use redgreen_workspace::Sight;

use crate::RunnerError;
use crate::square::copy::PlainCopy;
use crate::trees::Trees;

/// The most files that are named of an execution: where there are more, nobody reads on.
const NAMED_MAX: usize = 100;

/// The tree of a place; and the look at it, where others may write there.
pub(crate) type Found = (TreeState, Option<Sight>);

/// A place with a tree in it, as a command sees it and as redgreen finds it afterwards.
pub(crate) enum Ground {
    /// The work tree itself.
    WorkTree,
    /// A tree that is mounted at the work tree's own path for the command alone.
    View {
        /// The tree.
        tree: TreeState,
        /// What differs from the work tree, and what the command writes.
        upper: PathBuf,
        /// How it is mounted.
        view: View,
        /// What a command in it must be given.
        environment: Vec<(OsString, OsString)>,
    },
    /// A copy of a tree somewhere else.
    Copy {
        /// The tree.
        tree: TreeState,
        /// Where it is, and what was put into it.
        copy: PlainCopy,
    },
}

impl Ground {
    /// Whether it is a corner: not the work tree itself.
    pub(crate) fn is_corner(&self) -> bool {
        !matches!(self, Self::WorkTree)
    }

    /// Where the command sees the project.
    pub(crate) fn root<'ground>(&'ground self, trees: &'ground Trees) -> &'ground Path {
        match self {
            Self::WorkTree | Self::View { .. } => trees.workspace.root(),
            Self::Copy { copy, .. } => &copy.folder,
        }
    }

    /// Whether the command sees the project where it is, with what was built there.
    pub(crate) fn is_in_place(&self) -> bool {
        !matches!(self, Self::Copy { .. })
    }

    /// Where what the command writes is found.
    pub(crate) fn written<'ground>(&'ground self, trees: &'ground Trees) -> &'ground Path {
        match self {
            Self::WorkTree => trees.workspace.root(),
            Self::View { upper, .. } => upper,
            Self::Copy { copy, .. } => &copy.folder,
        }
    }

    /// Where a file of the project is found; the path is from its root.
    pub(crate) fn file(&self, trees: &Trees, path: &str) -> PathBuf {
        let written = self.written(trees).join(path);
        match self {
            Self::View { .. } if !written.exists() => trees.workspace.root().join(path),
            _ => written,
        }
    }

    /// The view to run in.
    pub(crate) fn view(&self) -> Option<&View> {
        match self {
            Self::View { view, .. } => Some(view),
            Self::WorkTree | Self::Copy { .. } => None,
        }
    }

    /// What a command must be given beside what its check says.
    pub(crate) fn environment(&self) -> &[(OsString, OsString)] {
        match self {
            Self::Copy { copy, .. } => &copy.environment,
            Self::View { environment, .. } => environment,
            Self::WorkTree => &[],
        }
    }

    /// The tree that is there, before something runs in it; what is in the work tree was seen by the last look.
    pub(crate) fn before(&self, trees: &Trees) -> Result<Found, RunnerError> {
        let found = match self {
            Self::WorkTree => {
                let sight = trees.workspace.last_look()?;
                (trees.state_of(sight.tree.clone())?, Some(sight))
            }
            Self::View { tree, .. } | Self::Copy { tree, .. } => (tree.clone(), None),
        };
        trees.workspace.may_be_written();
        Ok(found)
    }

    /// The same, once it has run.
    pub(crate) fn after(&self, trees: &Trees) -> Result<Found, RunnerError> {
        match self {
            Self::WorkTree => {
                let sight = trees.workspace.look()?;
                Ok((trees.state_of(sight.tree.clone())?, Some(sight)))
            }
            Self::View { tree, .. } | Self::Copy { tree, .. } => Ok((tree.clone(), None)),
        }
    }

    /// The code and tests that changed while `before` became `after`.
    pub(crate) fn changes(
        &self,
        trees: &Trees,
        before: &TreeState,
        after: &TreeState,
    ) -> Result<Vec<FileChange>, RunnerError> {
        let mut changes = match self {
            Self::WorkTree if after.code == before.code => Vec::new(),
            Self::WorkTree => trees.changes(&before.tree, &after.tree)?,
            Self::View { tree, upper, .. } => {
                trees.workspace.layer_changes(&tree.tree, upper, &|path| trees.role(path))?
            }
            Self::Copy { tree, copy } => {
                let role = |path: &str| trees.role(path);
                trees.workspace.copy_changes(&tree.tree, &copy.folder, &copy.linked, &role)?
            }
        };
        changes.retain(|change| change.role != FileRole::Inert);
        Ok(changes)
    }

    /// Code and tests that were written since the look at `before` began, though they are `after` it as they were.
    pub(crate) fn rewritten(
        &self,
        trees: &Trees,
        before: &Found,
        after: &Found,
    ) -> Result<Vec<String>, RunnerError> {
        let (Some(began), Some(ended)) = (&before.1, &after.1) else {
            return Ok(Vec::new()); // Nobody else comes into a corner.
        };
        if ended.shows_nothing_written_since(began) {
            return Ok(Vec::new());
        }
        let counts = |path: &str| trees.role(path) != FileRole::Inert;
        let mut written = trees.workspace.written_since(&ended.tree, began.began, &counts)?;
        written.truncate(NAMED_MAX);
        Ok(written)
    }

    /// Other files of the tree that are not as they were `before`, but for what is generated. Elsewhere
    /// than in the work tree what is written is thrown away.
    pub(crate) fn wrote(
        &self,
        trees: &Trees,
        before: &TreeState,
        after: &TreeState,
    ) -> Result<Vec<String>, RunnerError> {
        if self.is_corner() {
            return Ok(Vec::new());
        }
        let mut wrote = trees.workspace.differing(&before.tree, &after.tree)?;
        wrote.retain(|path| trees.role(path) == FileRole::Inert && !trees.is_generated(path));
        wrote.truncate(NAMED_MAX);
        Ok(wrote)
    }
}
