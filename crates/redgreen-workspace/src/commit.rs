//! Commits on the branch that is checked out, for a person who asked for them: each of exactly the tree that was seen
//! to pass, on the last one, whatever an agent committed meanwhile.

use redgreen_model::tree::TreeHash;

use crate::error::WorkspaceError;
use crate::workspace::Workspace;

/// Where evidence is kept as notes.
const NOTES: &str = "redgreen";
/// The user's index is read by other versions of git, which may want its checksum.
const WITH_CHECKSUM: [&str; 2] = ["-c", "index.skipHash=false"];

/// What is checked out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The branch, by its full name; none where HEAD is detached.
    pub branch: Option<String>,
    /// The commit; none before the first.
    pub commit: Option<String>,
}

/// A commit to be made.
#[derive(Clone, Copy, Debug)]
pub struct CommitOrder<'order> {
    /// What is committed: a tree without redgreen's own folders, which stay as the parent has them.
    pub tree: &'order TreeHash,
    /// On what, and on which branch.
    pub on: &'order Head,
    /// The message.
    pub message: &'order str,
    /// The time, RFC 3339: the same order makes the same commit.
    pub at: &'order str,
    /// The name under which another commit is kept that HEAD is at.
    pub keep_as: &'order str,
}

impl Workspace {
    /// What is checked out.
    pub fn head(&self) -> Result<Head, WorkspaceError> {
        let git = &self.checkout().git;
        let ask = ["symbolic-ref", "--quiet", "HEAD"];
        let branch = git.call("look which branch is checked out", &ask).line_if_any()?;
        let ask = ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"];
        let commit = git.call("look which commit is checked out", &ask).line_if_any()?;
        let said = |line: &String| !line.is_empty();
        Ok(Head { branch: branch.filter(said), commit: commit.filter(said) })
    }

    /// Why nothing can be committed here, in words; none where it can.
    pub fn uncommittable(&self) -> Result<Option<String>, WorkspaceError> {
        let git = &self.checkout().git;
        for name in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
            if git.call("look who you are", &["var", name]).line_if_any()?.is_none() {
                let text =
                    "git does not know who you are: set user.name and user.email with `git config`";
                return Ok(Some(text.to_owned()));
            }
        }
        let now = self.tree()?;
        if self.list(&now)?.iter().any(crate::content::TreeEntry::is_gitlink) {
            return Ok(Some(
                "there are submodules, whose content would have to be committed first".to_owned(),
            ));
        }
        let committed = self.tree_of("HEAD")?;
        let (differing, staged) = match &committed {
            Some(head) => (self.differing(head, &now)?, self.staged()? != *head),
            None => (self.paths(&now)?.to_vec(), false),
        };
        let first = match (differing.first(), staged) {
            (Some(path), _) => format!("{path} is not committed"),
            (None, true) => "something is staged that is not in the work tree".to_owned(),
            (None, false) => return Ok(None),
        };
        Ok(Some(format!(
            "the work tree is not clean: {first}; commit, stash or remove what is there"
        )))
    }

    /// Makes a commit, and has the branch and the index at it. An order that was carried out before changes nothing.
    /// Hold the lock.
    pub fn commit(&self, order: &CommitOrder<'_>) -> Result<String, WorkspaceError> {
        let git = &self.checkout().git;
        let tree = self.with_own_of(order.tree, order.on.commit.as_deref())?;
        let ask = ["commit-tree", &tree.0, "-F", "-"];
        let parent = order.on.commit.iter().flat_map(|parent| ["-p", parent.as_str()]);
        let call = git.call("commit", &ask).args(&parent.collect::<Vec<_>>());
        let call = call.env("GIT_AUTHOR_DATE", order.at).env("GIT_COMMITTER_DATE", order.at);
        let commit = call.stdin(order.message.as_bytes().to_vec()).line()?;
        let head = Head { commit: Some(commit.clone()), ..order.on.clone() };
        self.put_head_back(&head, order.keep_as)?;
        Ok(commit)
    }

    /// Has HEAD, its branch and the index where they were; another commit that HEAD is at is kept under a name, and
    /// that is returned. Hold the lock.
    pub fn put_head_back(
        &self,
        head: &Head,
        keep_as: &str,
    ) -> Result<Option<String>, WorkspaceError> {
        let git = &self.checkout().git;
        let now = self.head()?;
        let is_past = match (&now.commit, &head.commit) {
            (Some(now), Some(wanted)) => self.is_ancestor(now, wanted)?,
            (None, _) => true,
            (Some(_), None) => false,
        };
        let mut kept = None;
        if let Some(commit) = now.commit.as_ref().filter(|_| !is_past) {
            let short = commit.get(..12).unwrap_or(commit);
            let reference = self.checkout().reference(&format!("{keep_as}-{short}"))?;
            git.call("keep a commit", &["update-ref", "--no-deref", &reference, commit]).run()?;
            kept = Some(reference);
        }
        let action = "put the branch where it was";
        match (&head.branch, &head.commit) {
            (Some(branch), commit) => {
                if now.branch.as_ref() != Some(branch) {
                    git.call(action, &["symbolic-ref", "HEAD", branch]).run()?;
                }
                match commit {
                    Some(commit) => git.call(action, &["update-ref", branch, commit]).run()?,
                    None => git.call(action, &["update-ref", "-d", branch]).run()?,
                };
            }
            (None, Some(commit)) => {
                git.call(action, &["update-ref", "--no-deref", "HEAD", commit]).run()?;
            }
            (None, None) => {}
        }
        self.put_index_back(head.commit.as_deref())?;
        Ok(kept)
    }

    /// Has the user's index hold what a commit has.
    fn put_index_back(&self, commit: Option<&str>) -> Result<(), WorkspaceError> {
        let git = &self.checkout().git;
        let action = "have the index hold what is committed";
        let read = ["read-tree", commit.unwrap_or("--empty")];
        git.call(action, &WITH_CHECKSUM).args(&read).run()?;
        // Only so that nothing looks changed; whoever asks git next would do it, too.
        let refresh = ["update-index", "-q", "--refresh"];
        git.call(action, &WITH_CHECKSUM).args(&refresh).output().map(|_| ())
    }

    /// Adds a note to a commit, under `refs/notes/redgreen`; one that is there is replaced.
    pub fn add_note(&self, commit: &str, text: &str) -> Result<(), WorkspaceError> {
        let ask = ["notes", "--ref", NOTES, "add", "-f", "-F", "-", commit];
        let call = self.checkout().git.call("add a note to a commit", &ask);
        call.stdin(text.as_bytes().to_vec()).run().map(|_| ())
    }

    fn is_ancestor(&self, commit: &str, of: &str) -> Result<bool, WorkspaceError> {
        let ask = ["merge-base", "--is-ancestor", commit, of];
        Ok(self.checkout().git.call("compare commits", &ask).output()?.status.success())
    }

    /// A tree with redgreen's own folders as a commit has them: people may keep the debug memory in git.
    fn with_own_of(
        &self,
        tree: &TreeHash,
        commit: Option<&str>,
    ) -> Result<TreeHash, WorkspaceError> {
        let Some(commit) = commit else { return Ok(tree.clone()) };
        let git = &self.checkout().git;
        let own: Vec<&str> = self.checkout().own.names().collect();
        let ask = ["ls-tree", "-r", "-z", "--full-tree", commit, "--"];
        let listed = git.call("look into a commit", &ask).args(&own).run()?;
        if listed.is_empty() {
            return Ok(tree.clone());
        }
        let action = "write the tree of a commit";
        let work = crate::private_index::WorkIndex::create(&self.state_dir()?)?;
        git.call(action, &["read-tree", &tree.0]).index(&work.path).run()?;
        let add = ["update-index", "-z", "--add", "--index-info"];
        git.call(action, &add).index(&work.path).stdin(listed).run()?;
        git.call(action, &["write-tree"]).index(&work.path).line().map(TreeHash)
    }
}
