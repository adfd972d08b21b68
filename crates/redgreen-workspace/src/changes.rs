//! What differs between two trees.

use std::path::Path;

use redgreen_model::tree::{ChangeKind, FileChange, FileRole, TreeHash};

use crate::checkout::Checkout;
use crate::error::WorkspaceError;
use crate::git::{Call, shown};
use crate::index_file::GITLINK;
use crate::patch::{Section, sections};

const ACTION: &str = "compare two trees";
/// Larger files are compared as binary ones: their lines are nobody's to read.
const TEXT_LIMIT: &str = "core.bigFileThreshold=16m";

/// What differs, and the lines of it.
const WITH_LINES: &[&str] = &["-z", "--raw", "-p", "-U0"];

/// The paths that differ between two trees.
pub(crate) struct Differing {
    /// The files that only the second tree has.
    pub(crate) added: Vec<Vec<u8>>,
    pub(crate) all: Vec<Vec<u8>>,
}

/// One record of `diff-tree --raw`.
pub(crate) struct Raw {
    pub(crate) modes: (u32, u32),
    pub(crate) objects: (String, String),
    status: u8,
    path: Vec<u8>,
}

impl Raw {
    pub(crate) fn path(&self) -> &[u8] {
        &self.path
    }

    /// Whether the second tree has a file here: no submodule, and not nothing.
    pub(crate) fn is_there(&self) -> bool {
        self.modes.1 != 0 && self.modes.1 != GITLINK
    }

    /// Whether one of the trees has a submodule here.
    pub(crate) fn has_link(&self) -> bool {
        self.modes.0 == GITLINK || self.modes.1 == GITLINK
    }

    /// Both sides, where at least one is a submodule's commit; the other may be nothing.
    fn links(&self) -> Option<(&str, &str)> {
        let is_link_or_nothing = |mode: u32| mode == GITLINK || mode == 0;
        let link = is_link_or_nothing(self.modes.0) && is_link_or_nothing(self.modes.1);
        link.then_some((&self.objects.0, &self.objects.1))
    }

    /// `:100644 100755 OLD NEW M`
    fn parse(header: &[u8], path: &[u8]) -> Option<Self> {
        let mut fields = std::str::from_utf8(header.strip_prefix(b":")?).ok()?.split(' ');
        let mut mode = || u32::from_str_radix(fields.next()?, 8).ok();
        let modes = (mode()?, mode()?);
        let objects = (fields.next()?.to_owned(), fields.next()?.to_owned());
        let status = *fields.next()?.as_bytes().first()?;
        Some(Self { modes, objects, status, path: path.to_vec() })
    }

    fn kind(&self) -> ChangeKind {
        match self.status {
            b'A' => ChangeKind::Added,
            b'D' => ChangeKind::Deleted,
            _ => ChangeKind::Modified,
        }
    }
}

impl Checkout {
    /// `diff-tree` of two trees. It sees no `.gitattributes`, with which a file's changes can be
    /// hidden by calling it binary: neither those of an index, nor those of a work tree, which git
    /// looks for from the folder it is started in.
    fn diff_call(&self, from: &str, to: &str, args: &[&str]) -> Call {
        let mut call = self
            .git
            .call(ACTION, &["-c", TEXT_LIMIT, "diff-tree", "-r", "--no-renames", "--no-color"])
            .args(&["--no-ext-diff", "--no-textconv", "--ignore-submodules=none"])
            .folder(Path::new("/dev"))
            .env("GIT_WORK_TREE", "/dev/null")
            .index(&self.state.join("no-index"));
        if self.git.git_dir.join("info/attributes").exists() {
            call = call.args(&["--text"]);
        }
        call.args(args).args(&[from, to])
    }

    fn compared(
        &self,
        from: &TreeHash,
        to: &TreeHash,
        args: &[&str],
    ) -> Result<Vec<u8>, WorkspaceError> {
        let call = self.diff_call(&from.0, &to.0, args);
        self.about_trees(&[from, to], call)
    }

    /// The files that differ, by path, those in submodules included.
    pub(crate) fn changes(
        &self,
        from: &TreeHash,
        to: &TreeHash,
        prefix: &str,
        role: &dyn Fn(&str) -> FileRole,
    ) -> Result<Vec<FileChange>, WorkspaceError> {
        let output = self.compared(from, to, WITH_LINES)?;
        let (raws, patch) = split(&output).ok_or_else(|| WorkspaceError::answer(ACTION))?;
        let mut sections = sections(patch).into_iter();
        let mut changes = Vec::new();
        for raw in raws {
            let count = if raw.status == b'T' { 2 } else { 1 };
            let parts: Vec<Section> = sections.by_ref().take(count).collect();
            if parts.len() != count {
                return Err(WorkspaceError::answer(ACTION));
            }
            match self.submodule_trees(&raw)? {
                Some((submodule, old, new)) => {
                    let inner = format!("{prefix}{}/", shown(&raw.path));
                    changes.extend(submodule.changes(&old, &new, &inner, role)?);
                }
                None => changes.push(change(&raw, parts, prefix, role)),
            }
        }
        Ok(changes)
    }

    /// A submodule and its trees before and after, where its repository has both.
    fn submodule_trees(
        &self,
        raw: &Raw,
    ) -> Result<Option<(Self, TreeHash, TreeHash)>, WorkspaceError> {
        let Some((old, new)) = raw.links() else { return Ok(None) };
        let Some(submodule) = self.submodule(&raw.path)? else { return Ok(None) };
        let trees = (submodule.tree_or_empty(old)?, submodule.tree_or_empty(new)?);
        let (Some(old), Some(new)) = trees else { return Ok(None) };
        Ok(Some((submodule, old, new)))
    }

    fn tree_or_empty(&self, commit: &str) -> Result<Option<TreeHash>, WorkspaceError> {
        if commit.bytes().any(|digit| digit != b'0') {
            return self.tree_of(commit);
        }
        self.empty_tree().map(Some)
    }

    pub(crate) fn empty_tree(&self) -> Result<TreeHash, WorkspaceError> {
        self.git.call("write an empty tree", &["mktree"]).line().map(TreeHash)
    }

    /// The unified diff, with that of submodules after that of the files.
    pub(crate) fn diff(
        &self,
        from: &TreeHash,
        to: &TreeHash,
        prefix: &str,
    ) -> Result<Vec<u8>, WorkspaceError> {
        let sides = [format!("--src-prefix=a/{prefix}"), format!("--dst-prefix=b/{prefix}")];
        let mut diff = self.compared(from, to, &["-p", &sides[0], &sides[1]])?;
        for raw in self.raw_changes(from, to)? {
            if let Some((submodule, old, new)) = self.submodule_trees(&raw)? {
                let inner = format!("{prefix}{}/", shown(&raw.path));
                diff.extend(submodule.diff(&old, &new, &inner)?);
            }
        }
        Ok(diff)
    }

    /// What differs, submodules as one.
    pub(crate) fn raw_changes(
        &self,
        from: &TreeHash,
        to: &TreeHash,
    ) -> Result<Vec<Raw>, WorkspaceError> {
        let with_lines = self.kept.get(&self.diff_call(&from.0, &to.0, WITH_LINES).question());
        let output = with_lines.map_or_else(|| self.compared(from, to, &["-z", "--raw"]), Ok)?;
        let (raws, _) = split(&output).ok_or_else(|| WorkspaceError::answer(ACTION))?;
        Ok(raws)
    }

    /// The paths that differ.
    pub(crate) fn differing(
        &self,
        from: &TreeHash,
        to: &TreeHash,
    ) -> Result<Differing, WorkspaceError> {
        let raws = self.raw_changes(from, to)?;
        let files = raws.iter().filter(|raw| raw.status == b'A' && raw.modes.1 != GITLINK);
        let added = files.map(|raw| raw.path.clone()).collect();
        Ok(Differing { added, all: raws.into_iter().map(|raw| raw.path).collect() })
    }
}

/// Splits the output into its records and the patch, which a single NUL separates.
fn split(output: &[u8]) -> Option<(Vec<Raw>, &[u8])> {
    let mut raws = Vec::new();
    let mut rest = output;
    while rest.starts_with(b":") {
        let mut parts = rest.splitn(3, |byte| *byte == 0);
        raws.push(Raw::parse(parts.next()?, parts.next()?)?);
        rest = parts.next()?;
    }
    Some((raws, rest.strip_prefix(b"\0").unwrap_or(rest)))
}

fn change(
    raw: &Raw,
    parts: Vec<Section>,
    prefix: &str,
    role: &dyn Fn(&str) -> FileRole,
) -> FileChange {
    let path = format!("{prefix}{}", shown(&raw.path));
    let kind = raw.kind();
    let mut hunks: Vec<_> = parts.iter().flat_map(|part| part.hunks.iter().copied()).collect();
    match kind {
        ChangeKind::Deleted => hunks.clear(),
        _ if raw.status == b'T' => hunks.retain(|hunk| hunk.count > 0),
        _ => {}
    }
    FileChange {
        role: role(&path),
        path,
        kind,
        added: parts.iter().map(|part| part.added).fold(0, u32::saturating_add),
        removed: parts.iter().map(|part| part.removed).fold(0, u32::saturating_add),
        hunks,
    }
}

/// Cuts a text to a size, saying what was cut.
pub(crate) fn bounded(bytes: &[u8], max_bytes: usize) -> String {
    let text = String::from_utf8_lossy(bytes);
    if text.len() <= max_bytes {
        return text.into_owned();
    }
    let note = |cut: usize| format!("\n[{cut} more bytes of this diff are not shown]\n");
    let room = max_bytes.saturating_sub(note(text.len()).len());
    let end = text.floor_char_boundary(room);
    let kept = text[..end].rfind('\n').map_or(end, |line_end| line_end);
    format!("{}{}", &text[..kept], note(text.len() - kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_diff_says_so_and_stays_in_its_bound() {
        let text = "+grün\n".repeat(100);
        let cut = bounded(text.as_bytes(), 200);
        assert!(cut.len() <= 200, "{}", cut.len());
        assert!(cut.ends_with("more bytes of this diff are not shown]\n"));
        assert!(cut.starts_with("+grün\n+grün"));
        assert_eq!(bounded(b"short", 5), "short");
    }
}
