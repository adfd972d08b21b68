//! Which tests there are, how they are called, and the test file that puts redgreen before each.

use serde::Deserialize;

use super::TEST_SHIM;
use crate::command::program_name;

/// Between the program and the test of GoogleTest in an id.
pub const SEPARATOR: &str = "::";
/// What a name of GoogleTest has in front that is not to run.
const DISABLED: &str = "DISABLED_";
/// The option that says which tests of GoogleTest run.
const FILTER: &str = "--gtest_filter=";
/// Words before the program of a test: redgreen, its sub-command and what that needs.
const WORDS_BEFORE: usize = 6;

/// A test of ctest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Its id: of the one test of GoogleTest that it runs, else its name.
    pub id: String,
    /// The program that it starts.
    pub program: String,
}

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    tests: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    #[serde(default)]
    command: Vec<String>,
}

/// Reads what `ctest --show-only=json-v1` says; none where it is no such list.
pub fn parse(json: &[u8]) -> Option<Vec<Listed>> {
    let document: Document = serde_json::from_slice(json).ok()?;
    let listed = |entry: Entry| {
        let ours = entry.command.get(1).is_some_and(|word| word == TEST_SHIM);
        let own = entry.command.get(if ours { WORDS_BEFORE } else { 0 }..).unwrap_or_default();
        let program = own.first().map_or("", |program| program_name(program)).to_owned();
        Listed { id: id(&entry.name, own), name: entry.name, program }
    };
    Some(document.tests.into_iter().map(listed).collect())
}

/// The id of a test of ctest, by its name and its command.
pub fn id(name: &str, command: &[String]) -> String {
    let Some((program, arguments)) = command.split_first() else { return name.to_owned() };
    let filter = arguments.iter().find_map(|word| word.strip_prefix(FILTER));
    // Several patterns, or a part of a name.
    let single =
        filter.filter(|filter| filter.contains('.') && !filter.contains(['*', '?', ':', '-']));
    single.map_or_else(|| name.to_owned(), |case| case_id(program_name(program), case))
}

/// Whether a command says itself which tests of GoogleTest run.
pub fn is_filtered(command: &[String]) -> bool {
    command.iter().any(|word| word.starts_with(FILTER))
}

/// The id of a test of GoogleTest.
pub fn case_id(program: &str, case: &str) -> String {
    format!("{program}{SEPARATOR}{}", case.replace(DISABLED, ""))
}

/// The names of the tests of ctest that run these ids.
pub fn wanted<'list>(listed: &'list [Listed], only: &[String]) -> Vec<&'list str> {
    let runs = |test: &&Listed| {
        only.iter().any(|id| {
            let case = id.strip_prefix(&test.program).and_then(|rest| rest.strip_prefix(SEPARATOR));
            *id == test.id || (case.is_some() && test.id == test.name)
        })
    };
    listed.iter().filter(runs).map(|test| test.name.as_str()).collect()
}

/// The tests of GoogleTest among these ids that a program has, as a filter for it; none where all are wanted.
pub fn filter(program: &str, only: &[String]) -> Option<String> {
    let own = only.iter().filter_map(|id| {
        id.strip_prefix(program_name(program)).and_then(|rest| rest.strip_prefix(SEPARATOR))
    });
    let own: Vec<&str> = own.collect();
    (!own.is_empty()).then(|| own.join(":"))
}

/// A test file for ctest that reads the one of a build folder, and starts each program that is there, or on `PATH`, by
/// these words, the name of its test and then its own.
pub fn test_file(build: &str, words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| bracketed(word)).collect();
    format!(
        "function(add_test)
  set(words \"{name}\")
  if(NOT \"${{ARGV1}}\" MATCHES \"/\" AND NOT EXISTS \"${{CMAKE_CURRENT_LIST_DIR}}/${{ARGV1}}\")
    find_program(on_path NAMES \"${{ARGV1}}\" NO_CACHE)
  endif()
  if(on_path OR (IS_ABSOLUTE \"${{ARGV1}}\" AND EXISTS \"${{ARGV1}}\"))
    string(APPEND words {starter} \" {name}\")
  endif()
  math(EXPR last \"${{ARGC}} - 1\")
  foreach(at RANGE 1 ${{last}})
    string(APPEND words \" {argument}\")
  endforeach()
  cmake_language(EVAL CODE \"_add_test(${{words}})\")
endfunction()
subdirs({build})
",
        name = bracketed("${ARGV0}"),
        argument = bracketed("${ARGV${at}}"),
        // As a text that is an argument by itself: what is in it is not looked at.
        starter = format_args!("[=[ {}]=]", words.join(" ")),
        build = bracketed(build),
    )
}

/// A text as an argument of CMake in which nothing has a meaning; the first line break is no part of it.
fn bracketed(text: &str) -> String {
    format!("[========[\n{text}]========]")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_test_is_called_by_what_it_runs() {
        let cases = [
            (
                "/b/unit --gtest_filter=Price.Adds --gtest_also_run_disabled_tests",
                "unit::Price.Adds",
            ),
            ("/b/unit --gtest_filter=Price.DISABLED_Off", "unit::Price.Off"),
            ("/b/unit --gtest_filter=Some/P.Positive/0", "unit::Some/P.Positive/0"),
            ("/b/unit --gtest_filter=Price.*", "name"),
            ("/b/unit --gtest_filter=A.b:C.d", "name"),
            ("/b/unit", "name"),
            ("", "name"),
        ];
        for (given, wanted) in cases {
            assert_eq!(id("name", &command(given)), wanted, "{given}");
        }
    }

    #[test]
    fn wanted_ids_lead_to_tests_of_ctest() {
        let json = format!(
            r#"{{"tests": [
                {{"name": "x.A.b", "command": ["redgreen", "{TEST_SHIM}", "r", "n", "f", "x.A.b", "/b/unit", "--gtest_filter=A.b"]}},
                {{"name": "whole", "command": ["redgreen", "{TEST_SHIM}", "r", "n", "f", "whole", "/b/all"]}},
                {{"name": "shell", "command": ["sh"]}},
                {{"name": "missing"}}
            ]}}"#
        );
        let listed = parse(json.as_bytes()).unwrap();
        let ids: Vec<_> = listed.iter().map(|test| test.id.as_str()).collect();
        assert_eq!(ids, ["unit::A.b", "whole", "shell", "missing"]);
        let only = ["unit::A.b", "all::C.d", "all::C.e", "unit::Z.z"].map(str::to_owned);
        assert_eq!(wanted(&listed, &only), ["x.A.b", "whole"]);
        assert_eq!(filter("/b/all", &only).as_deref(), Some("C.d:C.e"));
        assert_eq!(filter("/b/other", &only), None);
        assert_eq!(parse(b"No tests"), None);
    }
}
