//! What is asked for where tests are missing: of which sort, of which lines, and like which test that is there.

use redgreen_model::coverage::UntestedChange;
use redgreen_model::text::bound_middle;
use redgreen_model::workflow::CodeType;

use super::{DATA_NOT_INSTRUCTIONS, fenced};
use crate::state::{SquareRead, State};

/// The most characters of what no test looks at.
const UNTESTED_CHARS: usize = 3_000;
/// The most characters of the test that is an example.
const EXAMPLE_CHARS: usize = 2_000;

/// The prompt for tests.
pub(super) fn prompt(state: &State, task: &str) -> String {
    let missing = missing(state, EXAMPLE_CHARS);
    let why = match missing.is_empty() {
        true => "The code for the task below has been changed, but no test was added or changed.",
        false => {
            "redgreen ran the checks itself: they pass, and no test looks at a part of what you changed for the task below."
        }
    };
    let wanted = wanted(state);
    let mut text = format!(
        "# Write the tests\n\n{why} Add tests for it: {wanted}.\nDo not change the code unless a test shows that it is wrong.\n\nTask:\n\n{task}\n\n"
    );
    if !missing.is_empty() {
        text.push_str(&format!("{DATA_NOT_INSTRUCTIONS}\n\n{missing}"));
    }
    text
}

/// What an agent that is held because of tests that are missing is told beside that; nothing otherwise. The lines are
/// among the failures.
pub(super) fn for_the_held(state: &State, room: usize) -> String {
    let Some(read) = lacking(state) else { return String::new() };
    format!("Tests for it: {}.\n\n{}", wanted(state), example(read, room))
}

/// What no test looks at, and an example to follow; nothing where nobody has looked.
fn missing(state: &State, room: usize) -> String {
    let Some(read) = lacking(state) else { return String::new() };
    let said = |change: &UntestedChange| {
        let edits = change.edits();
        let edits = if edits.is_empty() { edits } else { format!("\nno test notices:\n{edits}") };
        format!("{}\n{}{edits}", change.headline(), change.texts())
    };
    let found = read.square.blocking().map(|it| format!("{}\n{}", it.message, it.after));
    let untested: Vec<String> = read.square.unowned().map(said).chain(found).collect();
    let untested = bound_middle(&untested.join("\n\n"), UNTESTED_CHARS);
    format!("## What no test looks at\n\n{}{}", fenced(&untested), example(read, room))
}

/// A test that is there.
fn example(read: &SquareRead, room: usize) -> String {
    let facts = read.facts.coverage.as_ref();
    let Some(example) = facts.and_then(|facts| facts.example.as_ref()) else {
        return String::new();
    };
    format!(
        "An existing test, as the example to follow, in {}:\n\n{}",
        example.file,
        fenced(&bound_middle(&example.text, room))
    )
}

/// What was seen last, where nothing is wrong but that tests are missing.
fn lacking(state: &State) -> Option<&SquareRead> {
    let read = state.attempts.iter().rev().find_map(|attempt| attempt.square.as_ref())?;
    read.square.lacks_tests_only().then_some(read)
}

/// Tests of which sort.
fn wanted(state: &State) -> &'static str {
    let named = state.settings.as_ref().and_then(|settings| settings.code_type);
    let held_to = || {
        let read = lacking(state)?;
        Some(read.square.coverage.as_ref()?.kind)
    };
    match named.or_else(held_to) {
        Some(CodeType::BugFix) => "one that fails without the fix and passes with it",
        Some(CodeType::ApiEndpoint) => "success, error cases and validation",
        _ => "the ordinary case, the edge cases and the errors",
    }
}
