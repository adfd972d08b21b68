//! The variables that redgreen was started with: a check sees them, and `PYTEST_ADDOPTS=-k …` decides
//! as much as its command does. So evidence counts only where they are the same.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

use sha2::{Digest as _, Sha256};

/// Variables that shells change with every start: the shell that runs a check sets its own.
const UNSTEADY: [&str; 4] = ["_", "SHLVL", "PWD", "OLDPWD"];
/// What the variables begin with that agents set for what they start: their sessions, not the project's.
const OF_AGENTS: [&str; 7] =
    ["CLAUDE", "CODEX_", "GEMINI_", "QWEN_", "COPILOT_", "OPENCODE", "CURSOR_"];
/// What git sets for a hook: there it leads to that repository's own commit, and a check that runs git
/// would work on it.
const OF_GIT_HOOKS: [&str; 10] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_EDITOR",
    "GIT_EXEC_PATH",
    "GIT_AUTHOR_DATE",
    "GIT_REFLOG_ACTION",
    "GIT_QUARANTINE_PATH",
    "GIT_PUSH_OPTION_COUNT",
];
/// How keys end, which a project's own tests may need.
const KEYS: [&str; 2] = ["_KEY", "_TOKEN"];

/// Who commits, which git says to a hook, too: tests that commit may need it, and nothing passes by it.
const IDENTITY: [&str; 2] = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL"];

/// Whether a variable says something of who started redgreen, and nothing of the project. It is not
/// counted, and no check is given it.
pub(crate) fn is_unsteady(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let of_agent = OF_AGENTS.iter().any(|start| name.starts_with(start));
    let steady = !UNSTEADY.contains(&&*name) && !OF_GIT_HOOKS.contains(&&*name);
    !steady || (of_agent && !KEYS.iter().any(|end| name.ends_with(end)))
}

/// The SHA-256 of the variables of this process.
pub(super) fn digest() -> String {
    digest_of(std::env::vars_os().collect())
}

fn digest_of(mut variables: Vec<(OsString, OsString)>) -> String {
    variables
        .retain(|(name, _)| !is_unsteady(name) && !IDENTITY.contains(&&*name.to_string_lossy()));
    variables.sort_unstable();
    let mut sha = Sha256::new();
    let mut add = |text: &OsStr| {
        sha.update((text.len() as u64).to_le_bytes());
        sha.update(text.as_bytes());
    };
    for (name, value) in &variables {
        add(name);
        add(value);
    }
    sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> String {
        let pair = |(name, value): &(&str, &str)| (OsString::from(name), OsString::from(value));
        digest_of(variables.iter().map(pair).collect())
    }

    #[test]
    fn values_count_and_order_does_not() {
        let plain = of(&[("A", "1"), ("B", "2")]);
        assert_eq!(of(&[("B", "2"), ("SHLVL", "3"), ("_", "/x"), ("A", "1")]), plain);
        let hook = [("A", "1"), ("GIT_INDEX_FILE", "x"), ("GIT_AUTHOR_NAME", "x"), ("B", "2")];
        assert_eq!(of(&hook), plain, "in a git hook");
        let agents = [("A", "1"), ("CLAUDE_CODE_SESSION_ID", "7"), ("B", "2")];
        assert_eq!(of(&agents), plain, "who started it");
        assert_ne!(of(&[("A", "1"), ("B", "2"), ("GEMINI_API_KEY", "k")]), plain);
        for other in [&[("A", "1")][..], &[("A", "1"), ("B", "")], &[("A", "1B"), ("", "2")]] {
            assert_ne!(of(other), plain);
        }
        assert_ne!(of(&[("A", "1"), ("B", "2"), ("PYTEST_ADDOPTS", "-k x")]), plain);
    }
}
