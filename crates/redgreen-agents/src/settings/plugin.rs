//! A settings file that is redgreen's own from its first line to its last.

use super::entries::{Condition, Left};

/// The first line of every file of redgreen's own.
pub const FIRST_LINE: &str =
    "// Written by `redgreen hooks install`; taken away by `redgreen hooks uninstall`.";
/// What comes before the program's path in it.
pub const PROGRAM_LINE: &str = "const REDGREEN = ";

/// Whether it is one.
pub fn is_own(text: &str) -> bool {
    text.lines().next() == Some(FIRST_LINE)
}

/// What a file is, compared with the one for a program.
pub fn condition(text: &str, wanted: fn(&str) -> String, program: &str) -> Condition {
    if !is_own(text) {
        Condition::Absent
    } else if text == wanted(program) {
        Condition::Current
    } else if self::program(text).is_some_and(|program| text == wanted(&program)) {
        Condition::Outdated
    } else {
        Condition::Changed
    }
}

/// What is left of a file.
pub fn uninstalled(text: &str) -> Left {
    if is_own(text) { Left::Nothing } else { Left::Same }
}

/// The program that a file names.
pub fn program(text: &str) -> Option<String> {
    let named = text.lines().find_map(|line| line.strip_prefix(PROGRAM_LINE))?;
    serde_json::from_str(named).ok()
}
