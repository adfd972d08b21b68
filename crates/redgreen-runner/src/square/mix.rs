//! Makes the tree of a corner: the code of one tree with the tests of another.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use redgreen_frameworks::ProjectFiles;
use redgreen_frameworks::sides::{Side, Sides};
use redgreen_model::square::SideChange;
use redgreen_model::tree::{FileChange, TreeHash};
use redgreen_workspace::{Content, TreeEdit, Workspace};

use crate::RunnerError;

/// The most bytes of a file that is taken apart.
const MIXED_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The files of a tree, as the frameworks look at them.
pub(crate) struct TreeFiles<'tree> {
    workspace: &'tree Workspace,
    tree: &'tree TreeHash,
    paths: Arc<[String]>,
    /// What was read, several files in one go.
    texts: RefCell<BTreeMap<String, Option<String>>>,
}

impl<'tree> TreeFiles<'tree> {
    /// The files of a tree; those of `changes` are read at once.
    pub(crate) fn new(
        workspace: &'tree Workspace,
        tree: &'tree TreeHash,
        changes: &[FileChange],
    ) -> Result<Self, RunnerError> {
        let paths = workspace.paths(tree)?;
        let wanted = changes.iter().map(|change| change.path.as_str());
        let has = |path: &&str| workspace.has(tree, path).unwrap_or(false);
        let wanted: Vec<&str> = wanted.filter(has).collect();
        let texts = texts(workspace, tree, &wanted)?;
        Ok(Self { workspace, tree, paths, texts: RefCell::new(texts) })
    }
}

impl TreeFiles<'_> {
    /// Files of the same kind that are not read yet: all of them, or those in the same folder.
    fn neighbours(&self, path: &str) -> Vec<&str> {
        const TOGETHER_MAX: usize = 2_000;
        let parts = |path: &str| {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let kind = name.rsplit_once('.').map_or(name, |(_, extension)| extension);
            (folder.len(), kind.to_owned())
        };
        let ((folder, kind), read) = (parts(path), self.texts.borrow());
        let others = self.paths.iter().map(String::as_str);
        let alike: Vec<&str> = others
            .filter(|other| *other != path && parts(other).1 == kind)
            .filter(|other| !read.contains_key(*other))
            .collect();
        if alike.len() <= TOGETHER_MAX {
            return alike;
        }
        let beside =
            |other: &&str| parts(other).0 == folder && other.get(..folder) == path.get(..folder);
        alike.into_iter().filter(beside).take(TOGETHER_MAX).collect()
    }
}

fn texts(
    workspace: &Workspace,
    tree: &TreeHash,
    paths: &[&str],
) -> Result<BTreeMap<String, Option<String>>, RunnerError> {
    let contents = workspace.read_all(tree, paths, MIXED_BYTES_MAX)?;
    let text = |content: Content| match content {
        Content::Bytes(bytes) => String::from_utf8(bytes).ok(),
        Content::Absent | Content::TooLarge { .. } => None,
    };
    let paths = paths.iter().map(|path| (*path).to_owned());
    Ok(paths.zip(contents.into_iter().map(text)).collect())
}

impl ProjectFiles for TreeFiles<'_> {
    fn paths(&self) -> &[String] {
        &self.paths
    }

    fn read(&self, path: &str) -> Option<String> {
        if let Some(text) = self.texts.borrow().get(path) {
            return text.clone();
        }
        // Who reads one file reads those beside it, too; a call of git for each would take long.
        let mut wanted = if self.has(path) { self.neighbours(path) } else { Vec::new() };
        wanted.push(path);
        let found = texts(self.workspace, self.tree, &wanted).ok()?;
        let text = found.get(path).cloned().flatten();
        self.texts.borrow_mut().extend(found);
        text
    }

    fn read_all(&self, paths: &[&str]) -> Vec<Option<String>> {
        let Ok(contents) = self.workspace.read_all(self.tree, paths, MIXED_BYTES_MAX) else {
            return vec![None; paths.len()];
        };
        let text = |content: Content| match content {
            Content::Bytes(bytes) => String::from_utf8(bytes).ok(),
            Content::Absent | Content::TooLarge { .. } => None,
        };
        contents.into_iter().map(text).collect()
    }

    fn has(&self, path: &str) -> bool {
        self.workspace.has(self.tree, path).unwrap_or(false)
    }
}

/// A tree of two, or why there is none.
pub(crate) enum Mixed {
    /// The tree, and how it differs from the one that the code is of.
    Tree { tree: TreeHash, taken: Vec<String> },
    /// A file that cannot be taken apart.
    Refused(String),
}

/// The code of one tree with the tests of another. `changes` are the files that differ between them.
pub(crate) fn mix(
    workspace: &Workspace,
    sides: &Sides,
    changes: &[FileChange],
    code: &TreeHash,
    tests: &TreeHash,
) -> Result<Mixed, RunnerError> {
    mix_taking(workspace, sides, changes, (code, tests), false)
}

/// The same, with what code and tests share as it is in the tree of the tests.
pub(crate) fn mix_shared(
    workspace: &Workspace,
    sides: &Sides,
    changes: &[FileChange],
    code: &TreeHash,
    tests: &TreeHash,
) -> Result<Mixed, RunnerError> {
    mix_taking(workspace, sides, changes, (code, tests), true)
}

fn mix_taking(
    workspace: &Workspace,
    sides: &Sides,
    changes: &[FileChange],
    (code, tests): (&TreeHash, &TreeHash),
    takes_shared: bool,
) -> Result<Mixed, RunnerError> {
    let of_side = |side: Side| {
        let chosen = changes.iter().filter(move |change| sides.side(&change.path) == side);
        chosen.map(|change| change.path.as_str()).collect::<Vec<&str>>()
    };
    let shared = if takes_shared { of_side(Side::Shared) } else { Vec::new() };
    let (whole, parted): (Vec<&str>, Vec<&str>) =
        shared.into_iter().partition(|path| sides.parts(path).is_empty());
    let mut edits: Vec<TreeEdit> = of_side(Side::Tests)
        .into_iter()
        .chain(whole)
        .map(|path| TreeEdit::Take { path: path.to_owned(), from: tests.clone() })
        .collect();
    let mixed: Vec<&str> = of_side(Side::Mixed).into_iter().chain(parted).collect();
    let of_code = workspace.read_all(code, &mixed, MIXED_BYTES_MAX)?;
    let of_tests = workspace.read_all(tests, &mixed, MIXED_BYTES_MAX)?;
    for (path, pair) in mixed.iter().zip(of_code.iter().zip(&of_tests)) {
        let (Some(code), Some(tests)) = (bytes(pair.0), bytes(pair.1)) else {
            return Ok(Mixed::Refused(format!("{path} is too large to be taken apart")));
        };
        match sides.splice(path, code, tests) {
            Err(why) => return Ok(Mixed::Refused(why)),
            Ok(spliced) if spliced.as_deref() == code => {}
            Ok(None) => edits.push(TreeEdit::Remove { path: (*path).to_owned() }),
            Ok(Some(content)) => edits.push(TreeEdit::Write { path: (*path).to_owned(), content }),
        }
    }
    let taken = edits.iter().map(|edit| edit.path().to_owned()).collect();
    let tree = if edits.is_empty() { code.clone() } else { workspace.edited_tree(code, &edits)? };
    Ok(Mixed::Tree { tree, taken })
}

/// A file that may be absent; none for one that is too large.
#[expect(clippy::option_option, reason = "absent and unreadable are two things")]
fn bytes(content: &Content) -> Option<Option<&[u8]>> {
    match content {
        Content::Absent => Some(None),
        Content::Bytes(bytes) => Some(Some(bytes)),
        Content::TooLarge { .. } => None,
    }
}

/// The files of the tests' side among those that differ.
pub(crate) fn side_changes(
    sides: &Sides,
    changes: &[FileChange],
    taken: &[String],
) -> Vec<SideChange> {
    let taken: BTreeSet<&String> = taken.iter().collect();
    changes
        .iter()
        .filter(|change| taken.contains(&change.path))
        .map(|change| SideChange {
            path: change.path.clone(),
            kind: change.kind,
            reason: sides.reason(&change.path),
            guessed: sides.is_guess(&change.path),
            whole: redgreen_frameworks::is_unread_source(&change.path),
        })
        .collect()
}
