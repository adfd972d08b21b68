//! Whether an agent still runs redgreen's hooks as it did when its session began, as far as settings say that no
//! tree has: the user's own, and those of the project that git ignores. What is in the tree is for the square to judge.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use redgreen_agents::Agent;
use redgreen_agents::settings::{HookState, Surroundings};
use redgreen_model::tree::TreeHash;
use redgreen_workspace::Workspace;

use crate::RunnerError;

/// What the settings of an agent say now; nothing of one that redgreen does not know.
pub(super) fn state(root: &Path, agent: &str) -> Option<HookState> {
    let home = std::env::home_dir().filter(|home| home.is_absolute())?;
    let variables = std::env::vars_os().collect();
    let around = Surroundings { root: root.to_owned(), home, variables };
    Some(HookState::look(Agent::named(agent)?, &around))
}

/// What keeps the agent from running redgreen's hooks that did not when its session began, in words.
pub(super) fn loosened(
    workspace: &Workspace,
    agent: &str,
    before: &HookState,
    base: &TreeHash,
) -> Result<Option<String>, RunnerError> {
    let root = workspace.root();
    let Some(now) = state(root, agent) else { return Ok(None) };
    if before.loosened(&now, |_| false).is_empty() {
        return Ok(None);
    }
    let mut in_tree = BTreeSet::new();
    for tree in [base, &workspace.tree()?] {
        in_tree.extend(workspace.paths(tree)?.iter().map(PathBuf::from));
    }
    let judged = |path: &Path| path.strip_prefix(root).is_ok_and(|path| in_tree.contains(path));
    let loosened = before.loosened(&now, judged);
    Ok((!loosened.is_empty()).then(|| {
        format!("{}; only a person may change that, so put it back as it was", loosened.join("; "))
    }))
}
