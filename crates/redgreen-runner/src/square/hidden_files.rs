//! Files that judge, and that git was configured not to see: they are in every corner, so none shows what
//! they do.
//!
//! A rule that the baseline has is the project's own habit. One that the change brought, or that lies
//! where no tree has it, could hide a configuration beside the one that is judged.

use std::fs;
use std::path::Path;

use redgreen_frameworks::sides::{Side, Sides};
use redgreen_frameworks::{ProjectFiles, file_role};
use redgreen_model::tree::{FileRole, TreeHash};
use redgreen_workspace::{Ignored, Workspace};

use crate::RunnerError;

/// The most files that are looked at in an ignored folder.
const LOOKED_AT: usize = 1000;
/// Where a project says what git does to its files.
const ATTRIBUTES: &str = ".gitattributes";

/// The first file that judges and that git does not see by a rule that is not the baseline's, in words.
pub(crate) fn hidden_judge(
    workspace: &Workspace,
    ignored: &[Ignored],
    sides: &Sides,
    base: &dyn ProjectFiles,
) -> Option<String> {
    let fresh = ignored.iter().filter(|ignored| !is_known(ignored, base));
    for ignored in fresh {
        let found = files_of(workspace.root(), &ignored.path)
            .into_iter()
            .filter(|path| file_role(path) != FileRole::Inert)
            .find(|path| matches!(sides.side(path), Side::Tests | Side::Mixed));
        if let Some(path) = found {
            let Ignored { source, pattern, .. } = ignored;
            return Some(format!(
                "{path} belongs to the tests ({}), but git ignores it: `{pattern}` in {source}",
                sides.reason(&path)
            ));
        }
    }
    None
}

/// The first file of which git keeps another text than the one that was run, in words: what passed is
/// then not what the tree has. What the baseline's own attributes say is the project's habit.
pub(crate) fn other_text(
    workspace: &Workspace,
    tree: &TreeHash,
    base: &dyn ProjectFiles,
) -> Result<Option<String>, RunnerError> {
    let text = base.has(ATTRIBUTES).then(|| base.read(ATTRIBUTES)).flatten().unwrap_or_default();
    let is_known = |attribute: &str| {
        let mut words = text.lines().flat_map(str::split_whitespace);
        words.any(|word| word == attribute)
    };
    let transformed = workspace.transformed(tree)?;
    let found = transformed
        .iter()
        .find(|file| file_role(&file.path) != FileRole::Inert && !is_known(&file.attribute));
    Ok(found.map(|file| {
        let (path, attribute) = (&file.path, &file.attribute);
        format!("git keeps another text of {path} than the one that ran ({attribute})")
    }))
}

/// Whether the baseline has the rule.
fn is_known(ignored: &Ignored, base: &dyn ProjectFiles) -> bool {
    let text = base.has(&ignored.source).then(|| base.read(&ignored.source)).flatten();
    text.is_some_and(|text| text.lines().any(|line| line.trim() == ignored.pattern.trim()))
}

/// A file, or those of a folder.
fn files_of(root: &Path, path: &str) -> Vec<String> {
    let mut files = Vec::new();
    let mut open = vec![path.to_owned()];
    while let Some(path) = open.pop() {
        if !path.ends_with('/') {
            files.push(path);
        } else if file_role(&format!("{path}x.js")) != FileRole::Inert {
            let entries = fs::read_dir(root.join(&path)).into_iter().flatten().flatten();
            open.extend(entries.take(LOOKED_AT).map(|entry| {
                let folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                let name = entry.file_name();
                format!("{path}{}{}", name.to_string_lossy(), if folder { "/" } else { "" })
            }));
        }
        if files.len() >= LOOKED_AT {
            break;
        }
    }
    files
}
