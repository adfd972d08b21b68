//! `CMakeLists.txt`: which tests there are, and what they are made of, is the tests' side; the rest builds the code.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::sides::{has_name_of_test, is_source};
use crate::roles::{name_of, split};
use crate::sides::Mixture;
use crate::sides::splice::{Body, Group, Judges, spliced};

/// Commands that are about tests alone.
const OF_TESTS: &[&str] = &[
    "add_test",
    "catch_discover_tests",
    "doctest_discover_tests",
    "enable_testing",
    "gtest_add_tests",
    "gtest_discover_tests",
    "set_tests_properties",
];
/// Modules and packages that judge, in small letters.
const JUDGES: &[&str] = &["ctest", "googletest", "gtest", "catch", "catch2", "doctest"];
/// Commands whose first word is a target, and which name its sources behind it.
const SOURCES: &[&str] = &["add_executable", "target_sources"];
/// Folders of tests.
const FOLDERS: &[&str] = &["test", "tests", "unittest", "unittests", "unit_tests"];

/// A file of which the part about tests judges.
pub(super) fn mixture() -> Arc<Mixture> {
    let parts = &["add_test and the like", "targets of tests", "which libraries judge"];
    Mixture::new(parts, |code, tests| {
        let mut targets = BTreeSet::new();
        for text in [code, tests].into_iter().flatten() {
            targets.extend(test_targets(&commands(text)));
        }
        spliced(|text| Ok(group(text, &targets)), code, tests)
    })
}

/// A command with what is before it.
struct Command<'text> {
    text: &'text str,
    name: String,
    words: Vec<&'text str>,
}

/// The commands of a file. What is behind the last one is one without a name.
fn commands(text: &str) -> Vec<Command<'_>> {
    let mut found = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(open) = next(text, at, b'(') {
        let name = text.get(at..open).unwrap_or_default();
        let name = name.rsplit(|c: char| c.is_whitespace()).find(|word| !word.is_empty());
        let (mut depth, mut end) = (1_usize, open + 1);
        while depth > 0 {
            let close = next(text, end, b')').unwrap_or(text.len());
            depth += count(text.get(end..close).unwrap_or_default());
            depth -= 1;
            end = (close + 1).min(text.len());
            if end == text.len() {
                break;
            }
        }
        let inside = text.get(open + 1..end.saturating_sub(1)).unwrap_or_default();
        let line =
            text.get(end..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| end + at + 1);
        // What follows on the line belongs to it, unless it is another command.
        let rest = text.get(end..line).unwrap_or_default().trim();
        at = if rest.is_empty() || rest.starts_with('#') { line } else { end };
        found.push(Command {
            text: text.get(start..at).unwrap_or_default(),
            name: name.unwrap_or_default().to_lowercase(),
            words: words(inside),
        });
        start = at;
    }
    let text = text.get(start..).unwrap_or_default();
    if !text.is_empty() {
        found.push(Command { text, name: String::new(), words: Vec::new() });
    }
    found
}

/// The next place of a letter that is in no comment and no text.
fn next(text: &str, from: usize, letter: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'#' => at += text.get(at..)?.find('\n').unwrap_or(text.len()),
            b'"' => {
                at += 1;
                while bytes.get(at).is_some_and(|byte| *byte != b'"') {
                    at += if bytes.get(at) == Some(&b'\\') { 2 } else { 1 };
                }
            }
            found if *found == letter => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

fn count(text: &str) -> usize {
    let (mut count, mut at) = (0, 0);
    while let Some(open) = next(text, at, b'(') {
        (count, at) = (count + 1, open + 1);
    }
    count
}

/// The words of a command, without comments.
fn words(inside: &str) -> Vec<&str> {
    let lines = inside.lines().map(|line| line.split('#').next().unwrap_or_default());
    lines.flat_map(str::split_whitespace).map(|word| word.trim_matches('"')).collect()
}

/// Targets that tests run, or that are linked with what judges.
fn test_targets(commands: &[Command<'_>]) -> BTreeSet<String> {
    let mut targets = BTreeSet::new();
    for command in commands {
        let first = command.words.first().copied();
        let named = match command.name.as_str() {
            "add_test" if first == Some("NAME") => {
                let at = command.words.iter().position(|word| *word == "COMMAND");
                at.and_then(|at| command.words.get(at + 1)).copied()
            }
            "add_test" => command.words.get(1).copied(),
            "target_link_libraries" => {
                let judges = |word: &&str| {
                    let small = word.to_lowercase();
                    ["gtest", "gmock", "catch2", "doctest"]
                        .iter()
                        .any(|name| small.starts_with(name))
                };
                first.filter(|_| command.words.iter().skip(1).any(judges))
            }
            name if OF_TESTS.contains(&name) => first,
            _ => None,
        };
        targets.extend(named.map(str::to_owned));
    }
    targets
}

fn judges(command: &Command<'_>, targets: &BTreeSet<String>) -> bool {
    let first = command.words.first().copied().unwrap_or_default();
    match command.name.as_str() {
        name if OF_TESTS.contains(&name) => true,
        "include" | "find_package" => JUDGES.contains(&first.to_lowercase().as_str()),
        "set_property" => first == "TEST",
        "add_subdirectory" => FOLDERS.contains(&name_of(first)),
        _ if !targets.contains(first) => false,
        // Sources of the code among them are the code's to say.
        name if SOURCES.contains(&name) => {
            let mut sources = command.words.iter().skip(1).filter(|word| is_source(word));
            sources.all(|path| {
                let (folders, name) = split(path);
                has_name_of_test(name) || folders.iter().any(|folder| FOLDERS.contains(folder))
            })
        }
        _ => true,
    }
}

fn group(text: &str, targets: &BTreeSet<String>) -> Group {
    let piece = |command: Command<'_>| {
        let named = command.words.iter().find(|word| **word != "NAME").copied().unwrap_or_default();
        let key = format!("{} {named}", command.name);
        let judging = if judges(&command, targets) { Judges::Yes } else { Judges::No };
        let meaning = || format!("{}({})", command.name, command.words.join(" "));
        (key, Body::whole(judging, command.text.to_owned(), meaning))
    };
    Group::new(commands(text).into_iter().map(piece).collect(), "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "cmake_minimum_required(VERSION 3.14)
project(calc CXX) # (c)
add_library(calc src/calc.cpp)

# The tests.
enable_testing()
add_executable(unit tests/calc_test.cpp)
target_link_libraries(unit calc GTest::gtest_main)
add_test(NAME unit
         COMMAND unit --gtest_color=no) # all
set_tests_properties(unit PROPERTIES TIMEOUT 5)
message(STATUS \"done (\")
";

    fn splice(code: &str, tests: &str) -> String {
        mixture().splice(Some(code), Some(tests)).unwrap().unwrap()
    }

    #[test]
    fn what_tests_there_are_is_the_tests_side() {
        assert_eq!(splice(OLD, OLD), OLD);
        let narrowed = OLD
            .replace("unit --gtest_color=no", "unit --gtest_filter=-Calc.Subtracts")
            .replace("set_tests_properties(unit PROPERTIES TIMEOUT 5)\n", "")
            .replace("src/calc.cpp)", "src/calc.cpp src/more.cpp)");
        let wanted = OLD.replace("src/calc.cpp)", "src/calc.cpp src/more.cpp)");
        assert_eq!(splice(&narrowed, OLD), wanted);
        let bare = "cmake_minimum_required(VERSION 3.14)\nproject(calc CXX) # (c)\nadd_library(calc src/calc.cpp)\nmessage(STATUS \"done (\")\n";
        assert_eq!(splice(OLD, bare), bare);
        let mixed = OLD.replace("tests/calc_test.cpp)", "tests/calc_test.cpp src/calc.cpp)");
        let more = mixed.replace("src/calc.cpp)\ntarget", "src/calc.cpp src/more.cpp)\ntarget");
        assert_eq!(splice(&more, &mixed), more);
    }

    #[test]
    fn what_is_no_list_of_commands_is_left_as_it_is() {
        for text in ["", "\n", "add_test(", "a(b(c)", "x)y", "\"", "#(\n"] {
            assert_eq!(splice(text, text), text);
        }
    }
}
