//! What runs on another platform, or with another version of the language: no test here can run it.

use std::env::consts::OS;

use crate::tree::Node;

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

/// Whether a statement stands in a branch that is not for this place.
pub(super) fn is_for_elsewhere(node: Node<'_>) -> bool {
    node.ancestors().filter(|above| above.is(&["if_statement", "elif_clause"])).any(|above| {
        let condition = above.field_text("condition").trim_matches(['(', ')', ' ']);
        let is_in = |field: &str| above.fields(field).any(|branch| node.is_in(branch));
        if condition.starts_with(VERSION) {
            return is_in("consequence") || is_in("alternative");
        }
        match holds_here(condition) {
            Some(true) => is_in("alternative"),
            Some(false) => is_in("consequence"),
            None => false,
        }
    })
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
