//! What a tree's hash depends on beside the files of the work tree: git's own files.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::checkout::Checkout;
use crate::error::WorkspaceError;
use crate::git::records;

/// In the repository of a work tree.
const IN_REPOSITORY: [&str; 2] = ["config.worktree", "info/sparse-checkout"];
/// There as well: what is checked out, and what git tracks.
const CHECKED_OUT: [&str; 2] = ["HEAD", "index"];
/// In the repository that all its work trees share.
const SHARED: [&str; 6] =
    ["config", "info/exclude", "info/attributes", "packed-refs", "reftable/tables.list", "shallow"];
/// In the folder of a person's settings for git.
const PERSONAL: [&str; 3] = ["config", "ignore", "attributes"];
/// Settings that name files.
const NAMING: [&[u8]; 2] = [b"core.excludesfile", b"core.attributesfile"];
/// How many references a reference is followed through.
const STEPS: usize = 5;

/// All of them, whether they exist or not.
pub(super) fn files(checkout: &Checkout) -> Result<BTreeSet<PathBuf>, WorkspaceError> {
    let mut files = rules(checkout)?;
    let repository = checkout.git.git_dir.as_path();
    files.extend(CHECKED_OUT.iter().map(|name| repository.join(name)));
    files.extend(references(repository, &checkout.repository()));
    Ok(files)
}

/// Those of them that say what git ignores, whether they exist or not; and the root of the work tree.
pub(super) fn rules(checkout: &Checkout) -> Result<BTreeSet<PathBuf>, WorkspaceError> {
    let git = &checkout.git;
    let (root, repository) = (checkout.root(), git.git_dir.as_path());
    let shared = checkout.repository();
    let mut files = BTreeSet::from([root.to_owned(), PathBuf::from("/etc/gitconfig")]);
    let link = root.join(".git");
    if link.is_file() {
        files.insert(link);
    }
    files.extend(IN_REPOSITORY.iter().map(|name| repository.join(name)));
    files.extend(SHARED.iter().map(|name| shared.join(name)));
    let variable = |name: &str| git.variable(name).map(PathBuf::from);
    let home = variable("HOME").unwrap_or_default();
    let personal = variable("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    files.extend(PERSONAL.iter().map(|name| personal.join("git").join(name)));
    files.insert(variable("GIT_CONFIG_GLOBAL").unwrap_or_else(|| home.join(".gitconfig")));
    let list = ["config", "--list", "--show-origin", "-z"];
    let listed = git.call("read its configuration", &list).run()?;
    let fields: Vec<&[u8]> = records(&listed).collect();
    for pair in fields.chunks_exact(2) {
        let origin = pair[0].strip_prefix(b"file:").map(|path| root.join(OsStr::from_bytes(path)));
        let named = NAMING.iter().find_map(|key| pair[1].strip_prefix(*key)?.strip_prefix(b"\n"));
        let named = named.map(|path| match path.strip_prefix(b"~/") {
            Some(below) => home.join(OsStr::from_bytes(below)),
            None => root.join(OsStr::from_bytes(path)),
        });
        files.extend(origin.into_iter().chain(named));
    }
    Ok(files)
}

/// The files of the branch that is checked out.
fn references(repository: &Path, shared: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut next = repository.join("HEAD");
    for _ in 0..STEPS {
        let Ok(text) = fs::read(&next) else { break };
        let Some(name) = text.strip_prefix(b"ref: ") else { break };
        next = shared.join(OsStr::from_bytes(name.trim_ascii_end()));
        files.push(next.clone());
    }
    files
}
