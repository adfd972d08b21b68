//! What a change is compared with: the last tree of this line of history that a person vouched for.
//!
//! People vouch by committing and by editing while no agent is at work, and by `redgreen base --accept`; what came from a
//! remote was vouched for elsewhere. That a tree passed is no reason: it proves the code and not the tests.
//!
//! An agent is at work from the beginning of its session, or from a prompt, until it is let go. Commits that HEAD and
//! the branches got meanwhile are agents' commits; the base is the newest commit before HEAD that is none, with what people
//! had edited beyond it.

mod ledger;

use std::path::Path;

use redgreen_agents::AGENTS;
use redgreen_exec::{caller, is_there};
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::tree::TreeHash;
use redgreen_workspace::{Heads, Line, TreeEdit, Workspace};
use serde::{Deserialize, Serialize};

use super::Guest;
use crate::RunnerError;
use ledger::{Ledger, Left, Opened};

/// How many digits of a commit are shown.
const SHORT: usize = 10;
/// The most files and branches that are named in a line.
const NAMED_MAX: usize = 5;
/// What is checked out.
const HEAD: &str = "HEAD";

/// What a change is compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// The tree.
    pub tree: TreeHash,
    /// The newest commits on the way to HEAD that people vouched for.
    pub commits: Vec<String>,
    /// What it is, and why, in words.
    pub what: String,
    /// Whether people had edited something beyond that when an agent began.
    #[serde(default)]
    pub edited: bool,
}

/// The base, and what is known of who works here.
#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    /// The base.
    #[serde(flatten)]
    pub base: Base,
    /// Whether an agent is at work, as far as its hooks tell.
    pub agent_at_work: bool,
    /// How many commits that agents made are remembered.
    pub commits_of_agents: usize,
    /// What is wrong with what is kept of this.
    pub problem: Option<String>,
}

/// Whether an agent without hooks has left something of its own here: nobody could see it begin.
fn has_been_left_here(root: &Path) -> bool {
    let mut left = AGENTS.iter().flat_map(|agent| agent.leaves);
    left.any(|file| root.join(file).exists())
}

/// Whether an author's name is that of an agent.
fn is_an_agents(name: &str) -> bool {
    AGENTS.iter().filter_map(|agent| agent.signs).any(|sign| name.ends_with(sign))
}

impl Base {
    /// What a change in a work tree is compared with. Nothing is written by looking.
    pub fn of(workspace: &Workspace) -> Result<Self, RunnerError> {
        let ledger = ledger::known(workspace.root());
        // Where no agent was ever seen, that is a question for git alone.
        let is_new = ledger.base.is_none() && !ledger.is_at_work();
        if is_new
            && !has_been_left_here(workspace.root())
            && let Some(tree) = workspace.tree_of(HEAD)?
        {
            return Ok(Self { tree, commits: Vec::new(), what: HEAD.to_owned(), edited: false });
        }
        ledger.base_at(workspace, &workspace.heads()?)
    }

    /// A short name of it.
    pub fn name(&self, workspace: &Workspace) -> Result<String, RunnerError> {
        let is_head = self.what == HEAD || workspace.tree_of(HEAD)?.as_ref() == Some(&self.tree);
        Ok(if is_head { HEAD.to_owned() } else { self.in_words() })
    }

    /// What it is, and why.
    pub fn in_words(&self) -> String {
        let edited = if self.edited { ", with what people had edited" } else { "" };
        format!("{}{edited}", self.what)
    }
}

/// The base of a work tree, and why.
pub fn standing(workspace: &Workspace) -> Result<Standing, RunnerError> {
    let ledger = ledger::known(workspace.root());
    Ok(Standing {
        base: ledger.base_at(workspace, &workspace.heads()?)?,
        agent_at_work: ledger.is_at_work(),
        commits_of_agents: ledger.agents.len(),
        problem: problem(workspace),
    })
}

/// The base as it was when somebody was last at work here, or is: no look at git.
pub(super) fn last_known(root: &Path) -> Option<TreeHash> {
    ledger::known(root).base.map(|base| base.tree)
}

/// What is wrong with what is kept of who was at work, in words.
pub(super) fn problem(workspace: &Workspace) -> Option<String> {
    ledger::problem(workspace.root())
}

/// What people had when a session began.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Vouched {
    pub base: Base,
    pub heads: Heads,
}

/// How it was when a session began.
pub(super) struct Beginning {
    pub vouched: Option<Vouched>,
    /// Whether there is something that was not verified, and that was there before this session.
    pub in_debt: bool,
    /// Whether nobody was at work.
    pub was_at_rest: bool,
}

/// An agent begins to work, or goes on: what changed while nobody was at work, people have done.
pub(super) fn begins(
    workspace: &Workspace,
    guest: &Guest,
    tree: &TreeHash,
) -> Result<Beginning, RunnerError> {
    let mut opened = Opened::at(workspace.root())?;
    let ledger = &mut opened.ledger;
    let heads = workspace.heads()?;
    let was_at_rest = !ledger.is_at_work();
    let is_unclear = !was_at_rest || ledger.left.as_ref().is_some_and(|left| !left.verified);
    if !ledger.at_work.contains_key(&guest.name()) {
        // Where one was killed, nobody knows what is its work: it stays the agents'.
        ledger.at_work.retain(|_, program| program.is_none_or(is_there));
        match was_at_rest {
            true => ledger.take_over(workspace, &heads, tree)?,
            false => ledger.note_commits(workspace, &heads)?,
        }
        ledger.at_work.insert(guest.name(), caller());
    }
    let base = ledger.base.as_ref();
    let in_debt = is_unclear && base.is_some_and(|base| base.tree != *tree);
    let vouched = base.map(|base| Vouched { base: base.clone(), heads });
    opened.write()?;
    Ok(Beginning { vouched, in_debt, was_at_rest })
}

/// An agent wants to end: if nobody saw it begin, it has been at work since it was last known that nobody was.
pub(super) fn works(workspace: &Workspace, guest: &Guest) -> Result<(), RunnerError> {
    let mut opened = Opened::at(workspace.root())?;
    let ledger = &mut opened.ledger;
    ledger.at_work.entry(guest.name()).or_insert_with(caller);
    ledger.note_commits(workspace, &workspace.heads()?)?;
    opened.write()
}

/// An agent was let go; `verified` says whether as verified. What a person should know of what was not looked at.
pub(super) fn rests(
    workspace: &Workspace,
    guest: &Guest,
    verified: bool,
) -> Result<Vec<String>, RunnerError> {
    let mut opened = Opened::at(workspace.root())?;
    let ledger = &mut opened.ledger;
    let (heads, tree) = (workspace.heads()?, workspace.last_look()?.tree);
    ledger.note_commits(workspace, &heads)?;
    let remarks = ledger.not_looked_at(workspace, &heads, &tree)?;
    ledger.at_work.remove(&guest.name());
    ledger.leave(&tree, verified);
    opened.write()?;
    Ok(remarks)
}

/// The same where nothing has changed since it was let go with this tree as verified.
pub(super) fn rests_at_a_glance(
    root: &Path,
    guest: &Guest,
    tree: &TreeHash,
) -> Result<(), RunnerError> {
    let mut opened = Opened::at(root)?;
    if opened.ledger.base.is_none() {
        return Err(RunnerError::Session("nothing is known of who was at work".to_owned()));
    }
    opened.ledger.at_work.remove(&guest.name());
    opened.ledger.leave(tree, true);
    opened.write_for_now()
}

/// A person accepts the work tree as it is.
pub fn accept(workspace: &Workspace, reason: &str, by: &str) -> Result<Base, RunnerError> {
    let mut opened = Opened::at(workspace.root())?;
    let (heads, tree) = (workspace.heads()?, workspace.tree_anew()?);
    let base = Base {
        tree: tree.clone(),
        commits: heads.commit.iter().cloned().collect(),
        what: format!(
            "tree {}, which {} accepted: {}",
            tree.short(),
            clean_line(by, LINE_CHARS),
            clean_line(reason, LINE_CHARS)
        ),
        edited: false,
    };
    let ledger = &mut opened.ledger;
    ledger.agents.retain(|commit| heads.commit.as_ref() != Some(commit));
    ledger.set(workspace, base.clone(), &heads)?;
    ledger.at_work.remove(ledger::NOBODY_KNOWS);
    ledger.leave(&tree, true);
    opened.write()?;
    Ok(base)
}

impl Ledger {
    fn is_at_work(&self) -> bool {
        !self.at_work.is_empty()
    }

    /// The base, where HEAD and the branches are there.
    fn base_at(&self, workspace: &Workspace, heads: &Heads) -> Result<Base, RunnerError> {
        let is_at_head = |base: &&Base| base.commits.iter().eq(&heads.commit);
        if let Some(base) = self.known().find(is_at_head) {
            return Ok(base.clone());
        }
        let line = workspace.line()?;
        let made = self.made(workspace, heads)?;
        let newest = line.newest_but(|commit, names| {
            let is_it = |known: &String| known == commit;
            let is_signed = || names.split('\t').any(is_an_agents);
            made.iter().any(is_it) || self.agents.iter().any(is_it) || is_signed()
        });
        if let Some(base) = self.known().find(|base| base.commits == newest) {
            return Ok(base.clone());
        }
        match &self.base {
            Some(base) if newest.is_empty() => Ok(base.clone()),
            // What people had stays, whatever an agent fetches or rewrites; another branch has a base of its own.
            Some(base) if self.is_at_work() && self.is_same_line(base, heads, &line) => {
                let tree = workspace.carried(&base.tree, &base.commits, &newest)?;
                let tree = tree.unwrap_or_else(|| base.tree.clone());
                Ok(Base { tree, what: named(&newest, &line), commits: newest, edited: base.edited })
            }
            _ => match workspace.tree_of_all(&newest)? {
                Some(tree) => {
                    let what = named(&newest, &line);
                    Ok(Base { tree, what, commits: newest, edited: false })
                }
                None => {
                    let what = "the work tree as it was when redgreen first saw it".to_owned();
                    let tree = workspace.last_look()?.tree;
                    Ok(Base { tree, what, commits: newest, edited: false })
                }
            },
        }
    }

    /// The commits that agents who are at work have made since that was last noted. Of an agent that nobody saw begin,
    /// where nothing was known before, only what was fetched is not its work.
    fn made(&self, workspace: &Workspace, heads: &Heads) -> Result<Vec<String>, RunnerError> {
        match &self.heads {
            _ if !self.is_at_work() => Ok(Vec::new()),
            Some(before) => Ok(workspace.made_since(before, heads)?),
            None => Ok(workspace.line()?.after_fetched()),
        }
    }

    /// Whether HEAD still leads to what people had when the agent began, or the agent has rewritten that.
    fn is_same_line(&self, base: &Base, heads: &Heads, line: &Line) -> bool {
        let before = self.heads.as_ref();
        let same_branch = before.is_some_and(|it| it.branch.is_some() && it.branch == heads.branch);
        same_branch || base.commits.iter().all(|commit| line.has(commit))
    }

    /// Keeps which commits were made since an agent is at work, and what the base is by that.
    fn note_commits(&mut self, workspace: &Workspace, heads: &Heads) -> Result<(), RunnerError> {
        let (base, made) = (self.base_at(workspace, heads)?, self.made(workspace, heads)?);
        if self.is_at_work()
            && let Some(before) = &self.heads
        {
            let is_other = |name: &String| Some(name) != heads.branch.as_ref();
            let changed = heads.refs.iter().filter(|(name, at)| before.refs.get(*name) != Some(at));
            let gone = before.refs.keys().filter(|name| !heads.refs.contains_key(*name));
            let changed = changed.map(|(name, _)| name).chain(gone);
            self.elsewhere.extend(changed.filter(|name| is_other(name)).cloned());
        }
        self.agents.retain(|commit| !made.contains(commit));
        self.agents.extend(made);
        self.set(workspace, base, heads)
    }

    /// What changed while nobody was at work becomes the base: people have done it. Where an agent had changed the same
    /// file before, and it is not committed, what the agent did stays to be judged.
    fn take_over(
        &mut self,
        workspace: &Workspace,
        heads: &Heads,
        now: &TreeHash,
    ) -> Result<(), RunnerError> {
        let mut base = self.base_at(workspace, heads)?;
        let by_agents = match (&self.left, &self.base) {
            (Some(left), Some(before)) => workspace.differing(&before.tree, &left.tree),
            _ => Ok(Vec::new()),
        };
        // What an agent left long ago may be gone from git: then all that is not committed may be its work.
        if let Ok(by_agents) = by_agents {
            let by_people = workspace.differing(&base.tree, now)?.into_iter();
            let edits: Vec<TreeEdit> = by_people
                .filter(|path| !by_agents.contains(path))
                .map(|path| TreeEdit::Take { path, from: now.clone() })
                .collect();
            if !edits.is_empty() {
                base.tree = workspace.edited_tree(&base.tree, &edits)?;
                base.edited = true;
            }
        }
        self.set(workspace, base, heads)
    }

    /// What agents changed where nobody looked, once: other branches, the stash, and a commit that is not the tree that
    /// was judged.
    fn not_looked_at(
        &mut self,
        workspace: &Workspace,
        heads: &Heads,
        tree: &TreeHash,
    ) -> Result<Vec<String>, RunnerError> {
        let mut remarks = Vec::new();
        let elsewhere = std::mem::take(&mut self.elsewhere);
        if !elsewhere.is_empty() {
            let line = workspace.line()?;
            let is_here = |name: &String| heads.refs.get(name).is_some_and(|at| line.has(at));
            let elsewhere = elsewhere.iter().filter(|name| !is_here(name));
            let names: Vec<&str> = elsewhere.take(NAMED_MAX).map(|name| in_words(name)).collect();
            if !names.is_empty() {
                let names = clean_line(&names.join(", "), LINE_CHARS);
                remarks
                    .push(format!("also changed in this repository, and not looked at: {names}"));
            }
        }
        let is_agents = |commit: &String| self.agents.contains(commit);
        if heads.commit.as_ref().is_some_and(is_agents)
            && let (Some(head), Some(base)) = (workspace.tree_of(HEAD)?, &self.base)
        {
            let apart = workspace.differing(&head, tree)?;
            let changed = workspace.differing(&base.tree, tree)?;
            let (missing, kept): (Vec<&str>, Vec<&str>) = changed
                .iter()
                .map(String::as_str)
                .partition(|path| apart.iter().any(|it| it == path));
            if !missing.is_empty() && !kept.is_empty() {
                let more = missing.len().saturating_sub(NAMED_MAX);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                let names = missing.into_iter().take(NAMED_MAX).collect::<Vec<_>>().join(", ");
                let names = clean_line(&names, LINE_CHARS);
                remarks.push(format!(
                    "HEAD is not the tree that passed: {names}{more} is not committed as it is here"
                ));
            }
        }
        Ok(remarks)
    }

    /// The base, and those of other lines of history.
    fn known(&self) -> impl Iterator<Item = &Base> {
        self.base.iter().chain(self.past.iter().rev())
    }

    fn set(&mut self, workspace: &Workspace, base: Base, heads: &Heads) -> Result<(), RunnerError> {
        self.heads = Some(heads.clone());
        if self.base.as_ref() == Some(&base) {
            return Ok(());
        }
        keep(workspace, &base.tree)?;
        self.past.retain(|past| past.commits != base.commits);
        self.past.extend(self.base.replace(base));
        Ok(())
    }

    /// How the last agent that was let go left the work tree.
    fn leave(&mut self, tree: &TreeHash, verified: bool) {
        let as_before = self.left.as_ref().is_some_and(|it| it.verified && it.tree == *tree);
        let as_base = self.base.as_ref().is_some_and(|base| base.tree == *tree);
        let verified = verified || as_before || as_base;
        self.left = Some(Left { tree: tree.clone(), verified });
    }
}

/// The tree stays in git, whatever becomes of the work tree.
fn keep(workspace: &Workspace, tree: &TreeHash) -> Result<(), RunnerError> {
    let name = format!("gate/base-{}", tree.short());
    workspace.snapshot(tree, &name, "redgreen gate: what changes are compared with")?;
    Ok(())
}

/// A ref, as people call it.
fn in_words(name: &str) -> &str {
    if name == "refs/stash" { "the stash" } else { name.trim_start_matches("refs/heads/") }
}

fn named(commits: &[String], line: &Line) -> String {
    let short = |commit: &String| commit.get(..SHORT).unwrap_or(commit).to_owned();
    match commits {
        [] => "nothing".to_owned(),
        [one] if line.is_fetched(one) => format!("commit {}, which came from a remote", short(one)),
        [one] => format!("commit {}, which was made while no agent was at work", short(one)),
        several => {
            let several: Vec<String> = several.iter().map(short).collect();
            format!("commits {}, brought together", several.join(" and "))
        }
    }
}
