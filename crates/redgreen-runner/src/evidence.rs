//! Signs what was seen, and finds it again: verdicts and executions of trees, in this process or in
//! another one.
//!
//! Evidence is written beside the work, never instead of it: if there is no key, or the store cannot
//! be written, that is said, and the verdict is what it is.

mod rules;
mod variables;
mod witness;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use redgreen_engine::judge::judge;
use redgreen_evidence::{Asked, KeptVerdict, Key, Looked, Seal, Store};
use redgreen_model::evidence::{JudgedBy, Rules};
use redgreen_model::tree::{CodeHash, TreeHash};
use redgreen_model::verdict::Verdict;
use redgreen_workspace::state_path;
use serde::{Deserialize, Serialize};

use crate::journal;
use crate::layout::SessionFolder;
use crate::square::home_state;

pub use rules::{execution_rules, verdict_rules};
pub(crate) use variables::is_unsteady;
pub use variables::{steered_apart, steering};
pub(crate) use witness::{Ways, Witness};

/// This redgreen, and the variables that it would give to the commands now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JudgedNow {
    redgreen: String,
    variables: String,
}

impl JudgedNow {
    pub(crate) fn new() -> Self {
        let redgreen = env!("CARGO_PKG_VERSION").to_owned();
        Self { redgreen, variables: variables::digest() }
    }
}

/// This redgreen with these rules, and with the variables of now.
pub(crate) fn judged_by(rules: Rules) -> JudgedBy {
    let JudgedNow { redgreen, variables } = JudgedNow::new();
    JudgedBy { redgreen, rules, variables }
}

/// The signed evidence of a work tree, for reading. Nothing is made by looking.
pub struct KeptEvidence {
    store: Store,
    key: Option<Key>,
    problem: Option<String>,
}

impl KeptEvidence {
    /// What is kept in the work tree with this root.
    pub fn of(root: &Path) -> Self {
        let store = Store::new(&state_path(root));
        match key_folder(root).and_then(|folder| open(&folder)) {
            Ok(key) => Self { store, key, problem: None },
            Err(problem) => Self { store, key: None, problem: Some(problem) },
        }
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
            let (all, sealed) = (journal::read(folder), journal::read_sealed(folder, &seal));
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
        self.look(|key, asked| self.store.passed_tree(key, tree, asked), rules, base)
    }

    /// A signed pass of exactly this tree, by these rules and in this environment, whatever it was
    /// compared with.
    pub fn passed_alone(&self, tree: &TreeHash, rules: &Rules) -> Looked<KeptVerdict> {
        match &self.key {
            Some(key) => self.store.passed_alone(&key.public(), tree, &judged_by(rules.clone())),
            None => self.nothing(),
        }
    }

    /// When all checks were seen to pass on exactly this tree, compared with nothing.
    pub fn ran_green(&self, tree: &TreeHash, executed: &Rules) -> Option<String> {
        let key = self.key.as_ref()?;
        let by = judged_by(executed.clone());
        let seen = self.store.seen_to_pass(&key.public(), (tree, &[]), &by).found?;
        let passes = judge(&seen.execution, &BTreeSet::new()).verdict == Verdict::Passed;
        let unchanged = seen.execution.before.tree == seen.execution.after.tree;
        (passes && unchanged).then_some(seen.at)
    }

    /// The tests that were red when exactly this tree was last run, where that is known.
    pub fn last_red(&self, tree: &TreeHash, executed: &Rules) -> Vec<String> {
        let by = judged_by(executed.clone());
        let seen = self.key.as_ref().map(|key| self.store.seen(&key.public(), (tree, &[]), &by));
        let Some(seen) = seen.and_then(|looked| looked.found) else { return Vec::new() };
        let judged = judge(&seen.execution, &BTreeSet::new());
        judged.red.into_iter().map(|test| test.test).collect()
    }

    /// The signed pass of a tree with the same code: one that differs only in by-products.
    pub fn passed_code(
        &self,
        code: &CodeHash,
        rules: &Rules,
        base: Option<&TreeHash>,
    ) -> Looked<KeptVerdict> {
        self.look(|key, asked| self.store.passed_code(key, code, asked), rules, base)
    }

    fn look(
        &self,
        look: impl FnOnce(&redgreen_evidence::PublicKey, &Asked<'_>) -> Looked<KeptVerdict>,
        rules: &Rules,
        base: Option<&TreeHash>,
    ) -> Looked<KeptVerdict> {
        match &self.key {
            Some(key) => look(&key.public(), &Asked { by: &judged_by(rules.clone()), base }),
            None => self.nothing(),
        }
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
    let folder = home_state()
        .ok_or_else(|| format!("neither XDG_STATE_HOME nor HOME says where {what} is"))?;
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    let real = folder.ancestors().find_map(|above| above.canonicalize().ok());
    if folder.starts_with(root) || real.is_some_and(|real| real.starts_with(root)) {
        return Err(format!(
            "{what} would lie in the work tree ({}), where whoever works there could {harm}",
            folder.display()
        ));
    }
    Ok(folder)
}
