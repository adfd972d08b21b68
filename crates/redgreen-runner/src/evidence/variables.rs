//! The variables that redgreen was started with: a check sees them, and `PYTEST_ADDOPTS=-k …` decides
//! as much as its command does. So evidence counts only where those are the same that can decide something: those that tools
//! are known to read, and those that the project names. What a terminal says of itself is neither.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use redgreen_agents::AGENTS;
use redgreen_evidence::Key;
use redgreen_frameworks::{ADAPTERS, Variables};
use redgreen_model::digest::sha256;
use redgreen_model::text::{LINE_CHARS, MESSAGE_CHARS, clean_line, distinct_line};
use redgreen_model::tree::TreeHash;

use super::named::named;

/// As what a variable is signed for its mark.
const MARK_TYPE: &str = "application/vnd.redgreen.variable";
/// The bytes of a mark.
const MARK_BYTES: usize = 6;

/// Variables that shells change with every start: the shell that runs a check sets its own.
const UNSTEADY: [&str; 4] = ["_", "SHLVL", "PWD", "OLDPWD"];
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

/// Variables of shells, loaders and tools without a framework's folder. Those of a framework are in its folder.
const VARIABLES: Variables = Variables {
    steering: &[
        "BASHOPTS",
        "BASH_ENV",
        "DOTNET_STARTUP_HOOKS",
        "DYLD_*",
        "ENV",
        "GNUMAKEFLAGS",
        "LD_*",
        "MAKEFLAGS",
        "MFLAGS",
        "PERL5LIB",
        "PERL5OPT",
        "SHELLOPTS",
    ],
    read: &[
        "ALL_PROXY",
        "APP_*",
        "AWS_*",
        "AZURE_*",
        "CC",
        "CFLAGS",
        "CI",
        "CXX",
        "CXXFLAGS",
        "DATABASE_URL",
        "DOCKER_*",
        "DOTNET_*",
        "GIT_*",
        "HOME",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "LANG",
        "LANGUAGE",
        "LC_*",
        "LDFLAGS",
        "NO_PROXY",
        "PATH",
        "SHELL",
        "SOURCE_DATE_EPOCH",
        "SSL_CERT_FILE",
        "TMPDIR",
        "TZ",
        "USER",
        "http_proxy",
        "https_proxy",
        "no_proxy",
    ],
};

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
    let named = variables.map(|(name, value)| (name.to_string_lossy().into_owned(), value));
    let steering = named.filter(|(name, value)| steers(name) && !value.is_empty());
    steering.map(|(name, value)| (clean_line(&name, LINE_CHARS), shown(&value))).collect()
}

/// Whether a variable makes a tool run something else than the command says.
fn steers(name: &str) -> bool {
    all_variables().any(|variables| Variables::have(variables.steering, name))
}

/// Whether a tool is known to read a variable.
fn is_read(name: &str) -> bool {
    steers(name) || all_variables().any(|variables| Variables::have(variables.read, name))
}

fn all_variables() -> impl Iterator<Item = Variables> {
    ADAPTERS.iter().map(|adapter| adapter.variables()).chain([VARIABLES])
}

/// A value that can be read and compared, however long it is.
fn shown(value: &OsStr) -> String {
    let text = value.to_string_lossy();
    if text.len() <= MESSAGE_CHARS {
        return distinct_line(&text, MESSAGE_CHARS);
    }
    format!("{} ({})", distinct_line(&text, MESSAGE_CHARS), sha256(value.as_bytes(), 8))
}

/// Whether a variable says something of who started redgreen, and nothing of the project. It is not
/// counted, and no check is given it.
pub(crate) fn is_unsteady(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let mut of_agents = AGENTS.iter().flat_map(|agent| agent.variables);
    let of_agent = of_agents.any(|start| name.starts_with(start));
    let steady = !UNSTEADY.contains(&&*name) && !OF_GIT_HOOKS.contains(&&*name);
    !steady || (of_agent && !KEYS.iter().any(|end| name.ends_with(end)))
}

/// The variables of this process that count for a tree: `NAME:MARK`, by name. Without the key a mark says nothing of
/// the value, which may be a secret.
pub(super) fn counted(key: &Key, root: &Path, tree: &TreeHash) -> String {
    let named = |names: &BTreeSet<String>| named(root, tree, names);
    counted_of(std::env::vars_os().collect(), key, &named)
}

fn counted_of(
    variables: Vec<(OsString, OsString)>,
    key: &Key,
    named: &dyn Fn(&BTreeSet<String>) -> BTreeSet<String>,
) -> String {
    let counts = |name: &OsStr| {
        !is_unsteady(name) && name.to_str().is_some_and(|name| !IDENTITY.contains(&name))
    };
    let mut variables: BTreeMap<String, OsString> = variables
        .into_iter()
        .filter(|(name, _)| counts(name))
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value))
        .collect();
    let is_word = |name: &String| name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
    let unknown = variables.keys().filter(|name| !is_read(name) && is_word(name));
    let named = named(&unknown.cloned().collect());
    variables.retain(|name, _| is_read(name) || named.contains(name));
    let mark = |name: &str, value: &OsStr| {
        let text = [name.as_bytes(), b"=", value.as_bytes()].concat();
        sha256(key.sign_as(MARK_TYPE, &text).as_bytes(), MARK_BYTES)
    };
    let marked = variables.iter().map(|(name, value)| format!("{name}:{}", mark(name, value)));
    marked.collect::<Vec<_>>().join(" ")
}

/// The names of variables that counted then or count now, and are not the same; none where nobody knows which ones counted.
pub(super) fn apart(then: &str, now: &str) -> Option<Vec<String>> {
    let marks = |text: &str| -> Option<BTreeMap<String, String>> {
        let pair =
            |it: &str| it.split_once(':').map(|(name, mark)| (name.to_owned(), mark.to_owned()));
        text.split_whitespace().map(pair).collect()
    };
    Some(steered_apart(&marks(then)?, &marks(now)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What counts, in a project that names `NAMED`.
    fn of(key: &Key, variables: &[(&str, &str)]) -> String {
        let pair = |(name, value): &(&str, &str)| (OsString::from(name), OsString::from(value));
        let named = |names: &BTreeSet<String>| names & &BTreeSet::from(["NAMED".to_owned()]);
        counted_of(variables.iter().map(pair).collect(), key, &named)
    }

    #[test]
    fn what_is_read_or_named_counts_and_a_terminal_does_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let key = Key::open_or_make(folder.path()).expect("a key");
        let plain = of(&key, &[("PATH", "/bin"), ("NAMED", "2")]);
        let terminal = [
            ("FOO", "1"),
            ("TERM_SESSION_ID", "x"),
            ("WINDOWID", "7"),
            ("COLORTERM", "truecolor"),
            ("SSH_CONNECTION", "x"),
            ("TMUX", "x"),
            ("SHLVL", "3"),
            ("GIT_INDEX_FILE", "x"),
            ("GIT_AUTHOR_NAME", "x"),
            ("CLAUDE_CODE_SESSION_ID", "7"),
        ];
        let with =
            |more: &[(&str, &str)]| of(&key, &[more, &[("NAMED", "2"), ("PATH", "/bin")]].concat());
        assert_eq!(with(&terminal), plain);
        for (name, value) in [("PYTEST_ADDOPTS", "-k x"), ("LC_ALL", "C"), ("NODE_ENV", "")] {
            let other = with(&[(name, value)]);
            assert_eq!(apart(&plain, &other), Some(vec![name.to_owned()]));
        }
        let other = of(&key, &[("PATH", "/bin"), ("NAMED", "3")]);
        assert_eq!(apart(&plain, &other), Some(vec!["NAMED".to_owned()]));
        assert_eq!(apart(&plain, &plain), Some(Vec::new()));
        assert_eq!(apart("a digest of all of them, as it was", &plain), None);
        // Whoever has no key learns nothing of a value.
        let another = tempfile::tempdir().expect("a folder");
        let another = Key::open_or_make(another.path()).expect("a key");
        assert_ne!(of(&another, &[("PATH", "/bin"), ("NAMED", "2")]), plain);
    }

    #[test]
    fn what_an_agent_says_of_its_session_is_not_the_projects() {
        let is_unsteady = |name: &str| is_unsteady(OsStr::new(name));
        let marks = AGENTS.iter().flat_map(|agent| agent.marks);
        for name in marks.chain(&["CLAUDE_CODE_SESSION_ID", "COPILOT_MODEL", "KILOCODE_VERSION"]) {
            assert!(is_unsteady(name), "{name}");
        }
        for name in ["GEMINI_API_KEY", "CURSORS", "CODEXES", "HOME"] {
            assert!(!is_unsteady(name), "{name}");
        }
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
