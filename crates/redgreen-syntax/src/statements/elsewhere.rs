//! What runs on another platform, or with another version of the language: no test here can run it.

use crate::tree::Node;

/// The platform that this program is for.
const OS: &str = if cfg!(windows) {
    "windows"
} else if cfg!(target_os = "macos") {
    "macos"
} else if cfg!(target_os = "freebsd") {
    "freebsd"
} else {
    "linux"
};

/// What asks for the platform.
const PLATFORM: &[&str] = &[
    "sys.platform",
    "os.name",
    "platform.system()",
    "process.platform",
    "os.platform()",
    "runtime.GOOS",
];
/// How platforms are called there, and in Rust.
const NAMES: &[(&str, &[&str])] = &[
    ("windows", &["win32", "win", "nt", "Windows", "windows", "cygwin"]),
    ("macos", &["darwin", "Darwin"]),
    ("linux", &["linux", "linux2", "Linux"]),
    ("freebsd", &["freebsd"]),
];
/// Names that say the same alone.
const WINDOWS: &[&str] =
    &["WINDOWS", "IS_WINDOWS", "is_windows", "isWindows", "IS_WIN", "isWin", "WIN"];
/// What asks for the version: which of the branches runs here, the source does not say.
const VERSION: &str = "sys.version_info";

/// What comes with the language's runtime and differs from one version to the next.
const RUNTIME: &[&str] = &[
    "zlib",
    "fs",
    "os",
    "crypto",
    "http",
    "http2",
    "https",
    "url",
    "util",
    "stream",
    "process",
    "vm",
    "v8",
    "dns",
    "net",
    "tls",
    "events",
    "buffer",
    "timers",
    "performance",
    "worker_threads",
    "globalThis",
    "sys",
    "socket",
    "signal",
    "time",
    "typing",
    "ssl",
    "select",
    "inspect",
    "asyncio",
    "threading",
    "resource",
    "math",
    "types",
    "itertools",
    "functools",
];

/// Whether a statement stands in a branch that is not for this place.
pub(super) fn is_for_elsewhere(node: Node<'_>) -> bool {
    node.ancestors().filter(|above| above.is(&["if_statement", "elif_clause"])).any(|above| {
        let condition = above.field_text("condition").trim_matches(['(', ')', ' ']);
        let is_in = |field: &str| above.fields(field).any(|branch| node.is_in(branch));
        if condition.starts_with(VERSION) || asks_runtime(condition, node) {
            return is_in("consequence") || is_in("alternative");
        }
        match holds_here(condition) {
            Some(true) => is_in("alternative"),
            Some(false) => is_in("consequence"),
            None => false,
        }
    })
}

/// Whether a condition asks for what the runtime has (`"x" in zlib`, `hasattr(os, "x")`), or is the name of such an answer.
fn asks_runtime(condition: &str, within: Node<'_>) -> bool {
    let condition = condition.trim_start_matches(['!', ' ']).trim_start_matches("not ");
    if !is_name(condition) {
        return is_question(condition);
    }
    let Some(root) = within.ancestors().last() else { return false };
    let mut outermost = root.children().flat_map(Node::children);
    outermost.any(|it| {
        let name = [it.field_text("name"), it.field_text("left")].contains(&condition);
        name && ["value", "right"].iter().any(|field| is_question(it.field_text(field)))
    })
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|it| it.is_alphanumeric() || it == '_')
}

fn is_question(text: &str) -> bool {
    let is_of_runtime = |name: &str| RUNTIME.contains(&name.trim());
    let is_text = |it: &str| it.trim().starts_with(['"', '\'']) && !it.contains(['(', '&', '|']);
    if let Some((asked, of)) = text.rsplit_once(" in ") {
        return is_text(asked) && is_of_runtime(of);
    }
    let Some(rest) = text.strip_prefix("hasattr(") else { return false };
    let Some((of, asked)) = rest.trim_end_matches(')').split_once(',') else { return false };
    is_text(asked) && is_of_runtime(of)
}

/// Whether a condition that asks for nothing but the platform holds here.
fn holds_here(condition: &str) -> Option<bool> {
    let (is_not, asked) = match condition.strip_prefix("not ").or(condition.strip_prefix('!')) {
        Some(rest) => (true, rest),
        None => (false, condition),
    };
    if WINDOWS.contains(&asked) {
        return Some((OS == "windows") != is_not);
    }
    let rest = PLATFORM.iter().find_map(|asks| asked.strip_prefix(asks))?.trim_start();
    let (is_not, rest) = match rest.strip_prefix("!==").or(rest.strip_prefix("!=")) {
        Some(rest) => (!is_not, rest),
        None => {
            let mut ways = ["===", "==", ".startswith(", ".startsWith("].iter();
            (is_not, ways.find_map(|way| rest.strip_prefix(way))?)
        }
    };
    let name = rest.trim_matches([' ', ')', '"', '\'']);
    let (system, _) = NAMES.iter().find(|(_, names)| names.contains(&name))?;
    Some((*system == OS) != is_not)
}
