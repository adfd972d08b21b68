//! Signs what was seen, and finds it again: verdicts and executions of trees, in this process or in
//! another one.
//!
//! Evidence is written beside the work, never instead of it: if there is no key, or the store cannot
//! be written, that is said, and the verdict is what it is.

mod named;
mod rules;
mod variables;
mod witness;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use redgreen_engine::input::Stamped;
use redgreen_engine::judge::judge;
use redgreen_evidence::{Asked, KeptVerdict, Key, Looked, Seal, Store};
use redgreen_model::evidence::{JudgedBy, Rules};
use redgreen_model::execution::Execution;
use redgreen_model::reach::Reached;
use redgreen_model::tree::TreeHash;
use redgreen_model::verdict::Verdict;
use redgreen_workspace::state_path;

use crate::journal;
use crate::layout::SessionFolder;
use crate::layout::home_state;

pub use rules::{execution_rules, verdict_rules};
pub(crate) use variables::is_unsteady;
pub use variables::{steered_apart, steering};
pub(crate) use witness::{Ways, Witness};

/// This redgreen.
pub(crate) const REDGREEN: &str = env!("CARGO_PKG_VERSION");

/// This redgreen with these rules, and with the variables of now that count for a tree.
pub(crate) fn judged_by(key: &Key, root: &Path, tree: &TreeHash, rules: &Rules) -> JudgedBy {
    let (redgreen, rules) = (REDGREEN.to_owned(), rules.clone());
    JudgedBy { redgreen, rules, variables: variables::counted(key, root, tree) }
}

/// The signed evidence of a work tree, for reading. Nothing is made by looking.
pub struct KeptEvidence {
    root: PathBuf,
    store: Store,
    key: Option<Key>,
    problem: Option<String>,
}

impl KeptEvidence {
    /// What is kept in the work tree with this root.
    pub fn of(root: &Path) -> Self {
        let store = Store::new(&state_path(root));
        let (key, problem) = match key_folder(root).and_then(|folder| open(&folder)) {
            Ok(key) => (key, None),
            Err(problem) => (None, Some(problem)),
        };
        Self { root: root.to_owned(), store, key, problem }
    }

    /// The key, if there is one.
    pub fn key(&self) -> Option<&Key> {
        self.key.as_ref()
    }

    /// Why the key cannot be used, in words: then no evidence can be believed.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// Whether a session's record is as redgreen wrote it: whoever works in the tree can edit it.
    pub fn has_sealed(&self, folder: &SessionFolder) -> bool {
        let seal = self.key.as_ref().and_then(|key| Seal::read(&key.public(), &folder.seal()));
        seal.is_some_and(|seal| {
            let all = journal::read::<Stamped>(folder);
            let sealed = journal::read_sealed::<Stamped>(folder, &seal);
            all.is_ok_and(|all| sealed.is_some_and(|sealed| sealed.content() == all.content()))
        })
    }

    /// The store itself.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The signed pass of exactly this tree, by these rules and in this environment, against this base.
    /// Reads one small file.
    pub fn passed_tree(
        &self,
        tree: &TreeHash,
        rules: &Rules,
        base: Option<&TreeHash>,
    ) -> Looked<KeptVerdict> {
        let Some(key) = &self.key else { return self.nothing() };
        let by = judged_by(key, &self.root, tree, rules);
        let asked = Asked { by: &by, base };
        let mut looked = self.store.passed_tree(&key.public(), tree, &asked);
        if looked.found.is_none() {
            looked.refused.extend(self.made_with_others(key, tree, &by));
        }
        looked
    }

    /// Which variables are not as they were when the tree was last seen to pass by the same rules, in words.
    fn made_with_others(&self, key: &Key, tree: &TreeHash, by: &JudgedBy) -> Option<String> {
        let (bundles, _) = self.store.bundles(&key.public(), tree);
        let theirs = bundles.iter().map(redgreen_evidence::Bundle::judged_by);
        let theirs = theirs.filter(|it| (&it.redgreen, &it.rules) == (&by.redgreen, &by.rules));
        let apart = theirs.filter_map(|it| variables::apart(&it.variables, &by.variables));
        let apart = apart.min_by_key(Vec::len)?;
        let (is, was) = if apart.len() == 1 { ("is", "it was") } else { ("are", "they were") };
        let names = apart.join(", ");
        (!apart.is_empty()).then(|| format!("run again, because {names} {is} not what {was}"))
    }

    /// A signed pass of exactly this tree, by these rules and in this environment, whatever it was
    /// compared with.
    pub fn passed_alone(&self, tree: &TreeHash, rules: &Rules) -> Looked<KeptVerdict> {
        let Some(key) = &self.key else { return self.nothing() };
        let by = judged_by(key, &self.root, tree, rules);
        let mut looked = self.store.passed_alone(&key.public(), tree, &by);
        if looked.found.is_none() {
            looked.refused.extend(self.made_with_others(key, tree, &by));
        }
        looked
    }

    /// When all checks were seen to pass on exactly this tree, compared with nothing.
    pub fn ran_green(&self, tree: &TreeHash, executed: &Rules) -> Option<String> {
        let key = self.key.as_ref()?;
        let by = judged_by(key, &self.root, tree, executed);
        let seen = self.store.seen_to_pass(&key.public(), (tree, &[]), &by).found?;
        let passes = judge(&seen.execution, &BTreeSet::new()).verdict == Verdict::Passed;
        let unchanged = seen.execution.before.tree == seen.execution.after.tree;
        (passes && unchanged).then_some(seen.at)
    }

    /// The tests that were red when exactly this tree was last run, where that is known.
    pub fn last_red(&self, tree: &TreeHash, executed: &Rules) -> Vec<String> {
        let Some(execution) = self.execution(tree, executed) else { return Vec::new() };
        let judged = judge(&execution, &BTreeSet::new());
        judged.red.into_iter().map(|test| test.test).collect()
    }

    /// What was opened and loaded when exactly this tree was last run, where that is known.
    pub fn reached(&self, tree: &TreeHash, executed: &Rules) -> Reached {
        self.execution(tree, executed).map(|it| it.reached()).unwrap_or_default()
    }

    fn execution(&self, tree: &TreeHash, executed: &Rules) -> Option<Execution> {
        let key = self.key.as_ref()?;
        let by = judged_by(key, &self.root, tree, executed);
        Some(self.store.seen(&key.public(), (tree, &[]), &by).found?.execution)
    }

    /// Without a key nothing can be believed.
    fn nothing(&self) -> Looked<KeptVerdict> {
        Looked { found: None, refused: self.problem.clone().into_iter().collect() }
    }
}

fn open(folder: &Path) -> Result<Option<Key>, String> {
    Key::open(folder).map_err(|error| error.to_string())
}

/// Where the key is: outside of the work tree, or whoever works there could sign.
pub(crate) fn key_folder(root: &Path) -> Result<PathBuf, String> {
    state_outside(root, "the key", "sign with it")
}

/// Where redgreen's state is, for something that must not be in the work tree: whoever works there could do something
/// with it. Why there is no such place, in words.
pub(crate) fn state_outside(root: &Path, what: &str, harm: &str) -> Result<PathBuf, String> {
    let folder = home_state().ok_or_else(|| {
        format!("neither XDG_STATE_HOME nor HOME is set, so there is no place for {what}")
    })?;
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    let real = folder.ancestors().find_map(|above| above.canonicalize().ok());
    if folder.starts_with(root) || real.is_some_and(|real| real.starts_with(root)) {
        return Err(format!(
            "{what} would be inside of the work tree ({}), where an agent could {harm}",
            folder.display()
        ));
    }
    Ok(folder)
}
