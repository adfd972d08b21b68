//! The variables that redgreen was started with: a check sees them, and `PYTEST_ADDOPTS=-k …` decides
//! as much as its command does. So evidence counts only where they are the same.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

use redgreen_model::text::{LINE_CHARS, MESSAGE_CHARS, clean_line, distinct_line};
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

/// Variables by which an interpreter, a loader, a build tool or a framework runs something else than the
/// command says: other tests, other options, other code first.
const STEERING: [&str; 52] = [
    "BASHOPTS",
    "BASH_ENV",
    "CARGO_BUILD_RUSTC",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_ENCODED_RUSTFLAGS",
    "CGO_CFLAGS",
    "CLASSPATH",
    "DOTNET_STARTUP_HOOKS",
    "ENV",
    "GNUMAKEFLAGS",
    "GODEBUG",
    "GOENV",
    "GOEXPERIMENT",
    "GOFLAGS",
    "GOTOOLCHAIN",
    "GOWORK",
    "GRADLE_OPTS",
    "JAVA_OPTS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "MAKEFLAGS",
    "MAVEN_ARGS",
    "MAVEN_OPTS",
    "MFLAGS",
    "NODE_ENV",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_TEST_CONTEXT",
    "PERL5LIB",
    "PERL5OPT",
    "PYTHONEXECUTABLE",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PYTHONOPTIMIZE",
    "PYTHONPATH",
    "PYTHONPLATLIBDIR",
    "PYTHONSTARTUP",
    "PYTHONUSERBASE",
    "PYTHONWARNINGS",
    "RUBYLIB",
    "RUBYOPT",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTDOCFLAGS",
    "RUSTFLAGS",
    "SHELLOPTS",
    "_JAVA_OPTIONS",
    "npm_config_node_options",
    "npm_config_script_shell",
];
/// What those begin with of which there are many.
const STEERING_STARTS: [&str; 10] = [
    "PYTEST_",
    "JEST_",
    "VITEST_",
    "MOCHA_",
    "NEXTEST_",
    "RUST_TEST_",
    "CARGO_PROFILE_",
    "CARGO_TARGET_",
    "LD_",
    "DYLD_",
];

/// The variables of this process that steer what a command runs, by name, with secrets redacted. Evidence
/// that was made with others is evidence of something else.
pub fn steering() -> BTreeMap<String, String> {
    steering_of(std::env::vars_os())
}

/// The names of variables that are not the same in both.
pub fn steered_apart(
    left: &BTreeMap<String, String>,
    right: &BTreeMap<String, String>,
) -> Vec<String> {
    let names = left.keys().chain(right.keys().filter(|name| !left.contains_key(*name)));
    let apart = names.filter(|name| left.get(*name) != right.get(*name));
    let mut apart: Vec<String> = apart.cloned().collect();
    apart.sort_unstable();
    apart
}

fn steering_of(variables: impl Iterator<Item = (OsString, OsString)>) -> BTreeMap<String, String> {
    let steers = |name: &str| {
        STEERING.contains(&name) || STEERING_STARTS.iter().any(|start| name.starts_with(start))
    };
    let named = variables.map(|(name, value)| (name.to_string_lossy().into_owned(), value));
    let steering = named.filter(|(name, value)| steers(name) && !value.is_empty());
    steering.map(|(name, value)| (clean_line(&name, LINE_CHARS), shown(&value))).collect()
}

/// A value that can be read and compared, however long it is.
fn shown(value: &OsStr) -> String {
    let text = value.to_string_lossy();
    if text.len() <= MESSAGE_CHARS {
        return distinct_line(&text, MESSAGE_CHARS);
    }
    let digest = Sha256::digest(value.as_bytes());
    let digest: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{} ({digest})", distinct_line(&text, MESSAGE_CHARS))
}

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

    #[test]
    fn what_steers_is_told_by_name_and_value() {
        let of = |variables: &[(&str, &str)]| {
            let pair = |(name, value): &(&str, &str)| (OsString::from(name), OsString::from(value));
            steering_of(variables.iter().map(pair).collect::<Vec<_>>().into_iter())
        };
        let plain = of(&[("HOME", "/h"), ("GOFLAGS", ""), ("PYTHON", "x"), ("NODE_PATHS", "x")]);
        assert_eq!(plain, BTreeMap::new());
        let secret = ["ghp_x7Qa2RTmmmWm222amq", "8a4RqqkRR2axZW4qWk"].concat();
        let steered = of(&[("PYTEST_ADDOPTS", "-k add"), ("NODE_OPTIONS", &secret), ("A", "1")]);
        assert_eq!(steered["PYTEST_ADDOPTS"], "-k add");
        assert!(!steered["NODE_OPTIONS"].contains(&secret), "{steered:?}");
        assert_eq!(steered_apart(&plain, &steered), ["NODE_OPTIONS", "PYTEST_ADDOPTS"]);
        assert_eq!(steered_apart(&steered, &steered), [""; 0]);
        let long = |end: &str| of(&[("PYTHONPATH", &format!("{}{end}", "x".repeat(10_000)))]);
        assert_eq!(steered_apart(&long("a"), &long("b")), ["PYTHONPATH"]);
        assert!(long("a")["PYTHONPATH"].len() < 2 * MESSAGE_CHARS);
    }
}
