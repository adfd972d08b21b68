//! Snapshots: trees that are kept under `refs/redgreen/`.

use redgreen_model::tree::TreeHash;

use crate::checkout::Checkout;
use crate::content::TreeEntry;
use crate::error::WorkspaceError;
use crate::git::{Call, records};

/// Where redgreen's refs are.
const REFS: &str = "refs/redgreen";
/// Who commits snapshots, and when: always the same, so that equal content is an equal commit.
const IDENTITY: [(&str, &str); 6] = [
    ("GIT_AUTHOR_NAME", "redgreen"),
    ("GIT_AUTHOR_EMAIL", "redgreen@localhost"),
    ("GIT_AUTHOR_DATE", "@0 +0000"),
    ("GIT_COMMITTER_NAME", "redgreen"),
    ("GIT_COMMITTER_EMAIL", "redgreen@localhost"),
    ("GIT_COMMITTER_DATE", "@0 +0000"),
];

/// A tree that is kept under a name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Saved {
    /// The name, without `refs/redgreen/`.
    pub name: String,
    /// What it keeps.
    pub tree: TreeHash,
}

impl Checkout {
    /// The tree of a revision or an object; `None` if there is none.
    pub(crate) fn tree_of(&self, revision: &str) -> Result<Option<TreeHash>, WorkspaceError> {
        let revision = format!("{revision}^{{tree}}");
        let call = ["rev-parse", "--quiet", "--verify", "--end-of-options", &revision];
        let tree = self.git.call("find a tree", &call).line_if_any()?;
        // Older versions of git print the separator, too.
        let tree = tree.map(|lines| lines.lines().last().unwrap_or_default().to_owned());
        Ok(tree.filter(|tree| !tree.is_empty()).map(TreeHash))
    }

    /// A call about trees, whose ids say all that the answer depends on: nothing is asked twice. That one of them is not
    /// there is looked for once git fails: asking before would be one more process for every call that is right.
    pub(crate) fn about_trees(
        &self,
        trees: &[&TreeHash],
        call: Call,
    ) -> Result<Vec<u8>, WorkspaceError> {
        let unknown = |tree: &TreeHash| WorkspaceError::UnknownTree { tree: tree.0.clone() };
        let digits = self.hash_bytes * 2;
        let is_id = |tree: &TreeHash| {
            tree.0.len() == digits && tree.0.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        // Anything else could be an option, or the name of a branch.
        if let Some(tree) = trees.iter().find(|tree| !is_id(tree)) {
            return Err(unknown(tree));
        }
        let question = call.question();
        if let Some(answer) = self.kept.get(&question) {
            return Ok(answer);
        }
        let answer = call.run().map_err(|error| {
            let missing = trees.iter().find(|tree| matches!(self.tree_of(&tree.0), Ok(None)));
            missing.map_or(error, |tree| unknown(tree))
        })?;
        self.kept.keep(&question, &answer);
        Ok(answer)
    }

    /// Makes a commit of a tree, without a parent and without a ref.
    pub(crate) fn commit(&self, tree: &TreeHash, message: &str) -> Result<String, WorkspaceError> {
        self.commit_after(tree, message, &[])
    }

    /// The same with more arguments.
    pub(crate) fn commit_after(
        &self,
        tree: &TreeHash,
        message: &str,
        more: &[&str],
    ) -> Result<String, WorkspaceError> {
        let ask = ["commit-tree", &tree.0, "-F", "-"];
        let mut call = self.git.call("make a snapshot", &ask).args(more);
        for (name, value) in IDENTITY {
            call = call.env(name, value);
        }
        call.stdin(message.as_bytes().to_vec()).line()
    }

    /// Keeps a tree, and the content of its submodules, under a name. Returns the ref.
    pub(crate) fn snapshot(
        &self,
        tree: &TreeHash,
        name: &str,
        message: &str,
        entries: &[TreeEntry],
    ) -> Result<String, WorkspaceError> {
        let reference = self.reference(name)?;
        let commit = self.commit(tree, message)?;
        for link in entries.iter().filter(|entry| entry.is_gitlink()) {
            if let Some(submodule) = self.submodule(&link.path)? {
                submodule.keep_submodule(&link.object, name)?;
            }
        }
        self.create(&reference, &commit)?;
        Ok(reference)
    }

    /// Keeps a commit of this submodule, and those of its own submodules.
    fn keep_submodule(&self, commit: &str, name: &str) -> Result<(), WorkspaceError> {
        let reference = self.reference(name)?;
        let Some(tree) = self.tree_of(commit)? else { return Ok(()) };
        for link in self.entries(&tree)?.iter().filter(|entry| entry.is_gitlink()) {
            if let Some(submodule) = self.submodule(&link.path)? {
                submodule.keep_submodule(&link.object, name)?;
            }
        }
        self.create(&reference, commit)
    }

    /// Creates a ref; one that exists must keep the same tree already.
    fn create(&self, reference: &str, commit: &str) -> Result<(), WorkspaceError> {
        let none = "0".repeat(self.hash_bytes * 2);
        let call = ["update-ref", "--no-deref", reference, commit, &none];
        let Err(error) = self.git.call("keep a snapshot", &call).run() else { return Ok(()) };
        match self.tree_of(reference)? {
            Some(kept) if Some(&kept) == self.tree_of(commit)?.as_ref() => Ok(()),
            Some(tree) => Err(WorkspaceError::NameTaken { reference: reference.to_owned(), tree }),
            None => Err(error),
        }
    }

    /// The full name of a snapshot's ref.
    pub(crate) fn reference(&self, name: &str) -> Result<String, WorkspaceError> {
        let reference = format!("{REFS}/{name}");
        if is_plain(name) {
            return Ok(reference);
        }
        let call = self.git.call("check a name", &["check-ref-format", &reference]);
        match call.line_if_any()? {
            Some(_) => Ok(reference),
            None => Err(WorkspaceError::BadName { name: name.to_owned() }),
        }
    }

    /// What is kept under a prefix: a whole name or the folders of one; empty for everything.
    pub(crate) fn saved_under(&self, prefix: &str) -> Result<Vec<Saved>, WorkspaceError> {
        let action = "list snapshots";
        let pattern = match prefix {
            "" => REFS.to_owned(),
            _ => self.reference(prefix.trim_end_matches('/'))?,
        };
        let call = ["for-each-ref", "--format=%(refname)%00%(tree)%00", &pattern];
        let listed = self.git.call(action, &call).run()?;
        let text = String::from_utf8_lossy(&listed).into_owned();
        let fields: Vec<&str> = records(text.as_bytes())
            .filter_map(|field| std::str::from_utf8(field).ok())
            .map(|field| field.trim_start_matches('\n'))
            .filter(|field| !field.is_empty())
            .collect();
        let (pairs, []) = fields.as_chunks::<2>() else {
            return Err(WorkspaceError::answer(action));
        };
        let saved = pairs.iter().map(|[reference, tree]| Saved {
            name: reference.trim_start_matches(REFS).trim_start_matches('/').to_owned(),
            tree: TreeHash((*tree).to_owned()),
        });
        Ok(saved.collect())
    }

    /// Deletes what is kept under a prefix, in submodules too. Returns how many names that were.
    pub(crate) fn forget(&self, prefix: &str) -> Result<usize, WorkspaceError> {
        let saved = self.saved_under(prefix)?;
        let mut lines = Vec::new();
        for Saved { name, .. } in &saved {
            lines.extend_from_slice(format!("delete {REFS}/{name}\0\0").as_bytes());
        }
        if !lines.is_empty() {
            let call = ["update-ref", "--no-deref", "-z", "--stdin"];
            self.git.call("delete snapshots", &call).stdin(lines).run()?;
        }
        for link in self.users_index()?.entries.iter().filter(|entry| entry.is_gitlink()) {
            if let Some(submodule) = self.submodule(&link.path)? {
                submodule.forget(prefix)?;
            }
        }
        Ok(saved.len())
    }
}

/// Whether a name is a ref's without asking git: the ones that redgreen makes are.
fn is_plain(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    name.split('/').all(|part| !part.is_empty() && part.bytes().all(is_plain))
}
