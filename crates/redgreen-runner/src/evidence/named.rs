//! Which variables a project names: one that nothing in the tree names, and that no tool is known to read, decides nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use redgreen_files::write_cache;
use redgreen_model::tree::TreeHash;
use redgreen_workspace::{Workspace, WorkspaceError};
use serde::{Deserialize, Serialize};

/// The file's name, beside what the gate remembers.
const FILE: &str = "named-variables";
/// How many trees are remembered.
const TREES_MAX: usize = 16;
/// Where more files differ, all are looked at.
const DIFFERING_MAX: usize = 500;

/// What was found in a tree.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Found {
    tree: TreeHash,
    /// The names that were looked for.
    asked: BTreeSet<String>,
    /// Those that are there, or were in a tree before it.
    named: BTreeSet<String>,
}

/// Which of these names a tree has in its text. All of them, where that cannot be found out.
pub(super) fn named(root: &Path, tree: &TreeHash, names: &BTreeSet<String>) -> BTreeSet<String> {
    let place = crate::gate::folder_outside(root).map(|folder| folder.join(FILE));
    let text = place.as_ref().and_then(|place| fs::read(place).ok()).unwrap_or_default();
    let mut known: Vec<Found> = serde_json::from_slice(&text).unwrap_or_default();
    let of_tree = known.iter().find(|found| found.tree == *tree);
    if let Some(found) = of_tree.filter(|found| names.is_subset(&found.asked)) {
        return &found.named & names;
    }
    let Ok(found) = look(root, tree, names, of_tree.or(known.first())) else {
        return names.clone();
    };
    let named = &found.named & names;
    known.retain(|known| known.tree != *tree);
    known.insert(0, found);
    known.truncate(TREES_MAX);
    if let (Some(place), Ok(text)) = (place, serde_json::to_vec(&known)) {
        // Where it cannot be kept, it is looked for again.
        let _ = place.parent().map(fs::create_dir_all);
        let _ = write_cache(&place, &text);
    }
    named
}

/// Looks where something may be new: at names that nobody asked for yet, and at files that differ.
fn look(
    root: &Path,
    tree: &TreeHash,
    names: &BTreeSet<String>,
    last: Option<&Found>,
) -> Result<Found, WorkspaceError> {
    let workspace = Workspace::discover(root)?;
    // A tree that git has thrown away says nothing.
    let last = last.and_then(|last| Some((workspace.differing(&last.tree, tree).ok()?, last)));
    let last = last.filter(|(differing, _)| differing.len() <= DIFFERING_MAX);
    let Some((differing, last)) = last else {
        let named = workspace.named_in(tree, names, None)?;
        return Ok(Found { tree: tree.clone(), asked: names.clone(), named });
    };
    let mut named = &last.named | &workspace.named_in(tree, &(names - &last.asked), None)?;
    named.extend(workspace.named_in(tree, &last.asked, Some(&differing))?);
    Ok(Found { tree: tree.clone(), asked: &last.asked | names, named })
}
