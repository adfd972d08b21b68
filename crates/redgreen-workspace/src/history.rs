//! Where HEAD and the branches are, and the line of history that leads to HEAD.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::PathBuf;

use redgreen_model::tree::TreeHash;
use serde::{Deserialize, Serialize};

use crate::checkout::Checkout;
use crate::error::WorkspaceError;
use crate::git::{records, shown};
use crate::workspace::Workspace;

/// The most commits that are looked at: the base of a change is mostly a few commits away.
const COMMITS_MAX: &str = "500";
/// What a reflog says of a value that was sent to the remote, and did not come from there.
const SENT: &str = "update by push";
/// What HEAD's file begins with where a branch is checked out.
const ON_BRANCH: &str = "ref: ";

/// Where HEAD, the branches and the stash are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heads {
    /// The commit that is checked out; none before the first.
    pub commit: Option<String>,
    /// The branch that is checked out, by its full name.
    pub branch: Option<String>,
    /// All branches and the stash, by their full names.
    pub refs: BTreeMap<String, String>,
}

/// The line of history that leads to HEAD, down to what came from a remote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    head: Option<String>,
    commits: HashMap<String, Ancestor>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Ancestor {
    parents: Vec<String>,
    /// Nobody who works here has made it.
    fetched: bool,
    /// Who wrote it and who committed it.
    names: String,
}

impl Line {
    /// The newest commits of the line that are not of some kind, of which none has another one in its history that is
    /// seen here; what came from a remote is never of that kind. `is_it` is given a commit and the names in it.
    pub fn newest_but(&self, is_it: impl Fn(&str, &str) -> bool) -> Vec<String> {
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        let mut open: Vec<&str> = self.head.as_deref().into_iter().collect();
        while let Some(commit) = open.pop() {
            let Some(ancestor) = self.commits.get(commit).filter(|_| seen.insert(commit)) else {
                continue;
            };
            if ancestor.fetched || !is_it(commit, &ancestor.names) {
                found.push(commit.to_owned());
            } else {
                open.extend(ancestor.parents.iter().map(String::as_str));
            }
        }
        found.sort();
        found
    }

    /// Whether a commit of the line came from a remote.
    pub fn is_fetched(&self, commit: &str) -> bool {
        self.commits.get(commit).is_some_and(|ancestor| ancestor.fetched)
    }

    /// The commits after the newest ones that came from a remote; none where nothing did.
    pub fn after_fetched(&self) -> Vec<String> {
        if !self.commits.values().any(|ancestor| ancestor.fetched) {
            return Vec::new();
        }
        let own = self.commits.iter().filter(|(_, ancestor)| !ancestor.fetched);
        own.map(|(commit, _)| commit.clone()).collect()
    }

    /// Whether a commit is in the line, as far as it is looked at.
    pub fn has(&self, commit: &str) -> bool {
        self.commits.contains_key(commit)
    }
}

impl Workspace {
    /// Where HEAD, the branches and the stash are.
    pub fn heads(&self) -> Result<Heads, WorkspaceError> {
        self.checkout().heads()
    }

    /// The line of history that leads to HEAD, down to what came from a remote.
    pub fn line(&self) -> Result<Line, WorkspaceError> {
        self.checkout().line()
    }

    /// The commits that HEAD and the branches have now, had not before, and that did not come from a remote.
    pub fn made_since(&self, before: &Heads, now: &Heads) -> Result<Vec<String>, WorkspaceError> {
        self.checkout().made_since(before, now)
    }

    /// The tree of several commits, brought together where none of two has the other in its history.
    pub fn tree_of_all(&self, commits: &[String]) -> Result<Option<TreeHash>, WorkspaceError> {
        let apart = self.checkout().independent(commits)?;
        let Some(tree) = self.checkout().merged(&apart)? else { return Ok(None) };
        self.without_own(tree).map(Some)
    }

    /// The same with a tree that follows on others, which counts where they cannot be brought together.
    pub fn carried(
        &self,
        tree: &TreeHash,
        parents: &[String],
        commits: &[String],
    ) -> Result<Option<TreeHash>, WorkspaceError> {
        let first = self.checkout().commit_on(tree, parents)?;
        self.tree_of_all(&[&[first], commits].concat())
    }
}

impl Checkout {
    /// Where HEAD and the branches are.
    pub(crate) fn heads(&self) -> Result<Heads, WorkspaceError> {
        let ask = ["for-each-ref", "--format=%(refname)%00%(objectname)%00"];
        let call = self.git.call("list branches", &ask).args(&["refs/heads", "refs/stash"]);
        let refs: BTreeMap<String, String> = pairs(&call.run()?).collect();
        let path = self.git.git_dir.join("HEAD");
        let head = fs::read_to_string(&path).map_err(WorkspaceError::io("read", &path))?;
        let (commit, branch) = match head.trim_end().strip_prefix(ON_BRANCH) {
            Some(branch) => (refs.get(branch).cloned(), Some(branch.to_owned())),
            None => (Some(head.trim_end().to_owned()), None),
        };
        Ok(Heads { commit, branch, refs })
    }

    /// The line of history that leads to HEAD.
    pub(crate) fn line(&self) -> Result<Line, WorkspaceError> {
        let ask = ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"];
        let head = self.git.call("find HEAD", &ask).line_if_any()?.filter(|it| !it.is_empty());
        let Some(head) = head else { return Ok(Line::default()) };
        let form = "--format=%m%H %P%x00%an\t%cn";
        let ask = ["rev-list", "--boundary", "--ignore-missing", form, "--max-count", COMMITS_MAX];
        let call = self.git.call("look at the history", &ask).args(&[&head, "--not"]);
        let listed = call.args(&self.fetched()?).run()?;
        let mut commits = HashMap::new();
        for line in listed.split(|byte| *byte == b'\n').map(shown) {
            let Some((ids, names)) = line.split_once('\0') else { continue };
            let fetched = ids.starts_with('-');
            let mut ids = ids.get(1..).unwrap_or_default().split(' ');
            let Some(commit) = ids.next() else { continue };
            let parents = ids.filter(|id| !id.is_empty()).map(str::to_owned).collect();
            commits
                .insert(commit.to_owned(), Ancestor { parents, fetched, names: names.to_owned() });
        }
        if commits.is_empty() {
            // All of it came from a remote: then nothing is between HEAD and that.
            let all = Ancestor { parents: Vec::new(), fetched: true, names: String::new() };
            commits.insert(head.clone(), all);
        }
        Ok(Line { head: Some(head), commits })
    }

    /// The commits that HEAD and the branches have now, had not before, and that did not come from a remote.
    pub(crate) fn made_since(
        &self,
        before: &Heads,
        now: &Heads,
    ) -> Result<Vec<String>, WorkspaceError> {
        let tips = |heads: &Heads| -> HashSet<String> {
            let branches = heads.refs.iter().filter(|(name, _)| name.starts_with("refs/heads/"));
            branches.map(|(_, commit)| commit).chain(&heads.commit).cloned().collect()
        };
        let (before, now) = (tips(before), tips(now));
        let new: Vec<&String> = now.difference(&before).collect();
        if new.is_empty() {
            return Ok(Vec::new());
        }
        let mut asked = String::new();
        new.iter().for_each(|commit| asked.push_str(&format!("{commit}\n")));
        let fetched = self.fetched()?;
        asked.extend(before.iter().chain(&fetched).map(|it| format!("^{it}\n")));
        let ask = ["rev-list", "--ignore-missing", "--stdin", "--max-count", COMMITS_MAX];
        let listed = self.git.call("list new commits", &ask).stdin(asked.into_bytes()).run()?;
        let lines = listed.split(|byte| *byte == b'\n').map(shown);
        Ok(lines.filter(|line| !line.is_empty()).collect())
    }

    /// What remote branches have been found to be. What was sent there says nothing of who made it.
    fn fetched(&self) -> Result<Vec<String>, WorkspaceError> {
        let ask = ["for-each-ref", "--format=%(refname)%00%(objectname)%00", "refs/remotes"];
        let listed = self.git.call("list remote branches", &ask).run()?;
        let mut fetched = Vec::new();
        for (name, commit) in pairs(&listed) {
            let log = fs::read_to_string(self.log_of(&name)).unwrap_or_default();
            // A clone writes no log of what it brings.
            let at_first = log.split_once(' ').map_or(&*commit, |(before, _)| before);
            fetched.push(at_first.to_owned());
            fetched.extend(log.lines().filter_map(value_fetched));
        }
        fetched.sort();
        fetched.dedup();
        fetched.retain(|value| value.bytes().any(|byte| byte != b'0'));
        Ok(fetched)
    }

    fn log_of(&self, reference: &str) -> PathBuf {
        self.repository().join("logs").join(reference)
    }

    /// One tree of several commits: what each of them has is in it. The first where they cannot be brought together.
    pub(crate) fn merged(&self, commits: &[String]) -> Result<Option<TreeHash>, WorkspaceError> {
        let Some((first, rest)) = commits.split_first() else { return Ok(None) };
        let [other] = rest else { return self.tree_of(first) };
        let ask = ["merge-tree", "--write-tree", "--no-messages", first, other];
        match self.git.call("bring two commits together", &ask).line() {
            Ok(tree) => Ok(Some(TreeHash(tree))),
            Err(_) => self.tree_of(first),
        }
    }

    /// Those of some commits that none of the others has in its history, in the order in which they are given.
    pub(crate) fn independent(&self, commits: &[String]) -> Result<Vec<String>, WorkspaceError> {
        if commits.len() < 2 {
            return Ok(commits.to_vec());
        }
        let ask = ["merge-base", "--independent"];
        let listed = self.git.call("compare commits", &ask).args(commits).run()?;
        let apart: HashSet<String> = listed.split(|byte| *byte == b'\n').map(shown).collect();
        Ok(commits.iter().filter(|commit| apart.contains(*commit)).cloned().collect())
    }

    /// A commit of a tree that follows on others, without a ref.
    pub(crate) fn commit_on(
        &self,
        tree: &TreeHash,
        parents: &[String],
    ) -> Result<String, WorkspaceError> {
        let parents: Vec<&str> = parents.iter().flat_map(|it| ["-p", it.as_str()]).collect();
        self.commit_after(tree, "redgreen gate: what people had", &parents)
    }
}

/// The pairs that `for-each-ref` prints: each of two fields with a NUL after it.
fn pairs(listed: &[u8]) -> impl Iterator<Item = (String, String)> {
    let fields: Vec<String> = records(listed).map(|field| shown(field).trim().to_owned()).collect();
    let pairs = fields.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone()));
    pairs.collect::<Vec<_>>().into_iter()
}

/// What a line of a reflog says a branch has become, where that came from the remote.
fn value_fetched(line: &str) -> Option<String> {
    let (values, message) = line.split_once('\t').unwrap_or((line, ""));
    let value = values.split(' ').nth(1).filter(|_| !message.starts_with(SENT))?;
    Some(value.to_owned())
}
