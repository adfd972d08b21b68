//! The sides of a whole tree, for those who want to see them.

use redgreen_frameworks::ProjectFiles as _;
use redgreen_frameworks::sides::Side;
use redgreen_model::config::Config;
use redgreen_model::reach::Reached;
use redgreen_model::tree::TreeHash;
use redgreen_workspace::Workspace;

use super::mix::TreeFiles;
use super::sides;
use crate::RunnerError;
use crate::plan::PlannedCheck;

/// A file, and the side that it is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SidedFile {
    /// The path from the root of the work tree.
    pub path: String,
    /// The side.
    pub side: Side,
    /// Which rule says so.
    pub reason: String,
    /// Of a mixed file, what judges.
    pub parts: &'static [&'static str],
}

/// The files of a tree in the order of their paths, by the rules of the tree before a change, which may be the same, and by
/// what a run of it reached.
pub fn list_sides(
    workspace: &Workspace,
    base: &TreeHash,
    tree: &TreeHash,
    (config, checks): (&Config, &[PlannedCheck]),
    seen: Reached,
) -> Result<Vec<SidedFile>, RunnerError> {
    let files = TreeFiles::new(workspace, base, &[])?;
    let sides = sides(&files, checks, config, (seen, Reached::default()));
    let sided = |path: &String| SidedFile {
        path: path.clone(),
        side: sides.side(path),
        reason: sides.reason(path),
        parts: sides.parts(path),
    };
    let shown = TreeFiles::new(workspace, tree, &[])?;
    Ok(shown.paths().iter().map(sided).collect())
}
