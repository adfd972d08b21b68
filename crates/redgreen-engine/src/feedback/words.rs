//! What those are asked who edit nothing: a planner, and a reviewer.

use std::fmt::Write as _;

use redgreen_model::text::bound_middle;

use super::report::failures_text;
use super::{DATA_NOT_INSTRUCTIONS, Feedback, WHOLE, commands, fenced};
use crate::state::State;

/// The most characters of a change that a reviewer is shown.
const CHANGE_CHARS: usize = 60_000;
/// The most characters of what else it is shown.
const PART_CHARS: usize = 6_000;

/// The prompt of a planner.
pub(super) fn plan(state: &State, feedback: &Feedback) -> String {
    let mut text = format!(
        "# Plan\n\nSay how this task is to be done: which files, in which order, which tests show that it is done, what may go wrong. \
         Somebody else does it. Edit nothing. Write the plan to $REDGREEN_ANSWER_FILE, or say it as your last message.\n\nTask:\n\n{}\n\n",
        feedback.task
    );
    part(&mut text, "What the debug memory knows", &feedback.brief);
    let preface = format!("{DATA_NOT_INSTRUCTIONS}\n\n");
    text.push_str(&failures_text(feedback, WHOLE, &preface, PART_CHARS));
    let _ = writeln!(text, "It is judged by {}.", commands(state.last_full()));
    text
}

/// The prompt of a reviewer: the change, what was seen of it, and what memory knows. Nothing of what its author said.
pub(super) fn review(state: &State, feedback: &Feedback) -> String {
    let mut text = format!(
        "# Review\n\nA change passed its tests. Say what is wrong with it all the same: what the task asks for and it does not do, \
         what breaks for inputs that no test has, what nobody can maintain. Edit nothing. Answer with JSON alone, written to \
         $REDGREEN_ANSWER_FILE or as your last message, an empty list where nothing is wrong:\n\n\
         [{{\"file\": \"src/a.py\", \"line\": 12, \"severity\": \"error\" | \"warning\" | \"info\", \"text\": \"what, and why\"}}]\n\n\
         Task:\n\n{}\n\n{DATA_NOT_INSTRUCTIONS}\n\n",
        feedback.task
    );
    let diffs: Vec<&str> = state.attempts.iter().map(|attempt| attempt.diff.trim_end()).collect();
    part(&mut text, "The change", &bound_middle(&diffs.join("\n"), CHANGE_CHARS));
    part(&mut text, "What was seen", &seen(state));
    part(&mut text, "Small edits of it that no test notices", &survivors(state));
    part(&mut text, "What the debug memory knows", &feedback.brief);
    part(&mut text, "What went wrong before", &feedback.past);
    text
}

fn part(text: &mut String, heading: &str, body: &str) {
    if !body.trim().is_empty() {
        let _ = write!(text, "## {heading}\n\n{}", fenced(&bound_middle(body, CHANGE_CHARS)));
    }
}

/// The executions of the change, and what the square shows.
fn seen(state: &State) -> String {
    let Some(attempt) = state.attempts.last() else { return String::new() };
    let Some(judged) = &attempt.judged else { return String::new() };
    let mut text = format!("{}: {}\n", judged.verdict, judged.counts());
    for run in &judged.execution.checks {
        let _ = writeln!(
            text,
            "{}: `{}`: {}, {}",
            run.check,
            run.command,
            run.ended,
            run.report.counts()
        );
    }
    let square = attempt.square.as_ref().map(|read| &read.square);
    for warning in square.iter().flat_map(|square| &square.warnings) {
        let _ = writeln!(text, "{}:{}: {}", warning.file, warning.line, warning.what);
    }
    for expectation in square.iter().flat_map(|square| &square.expectations) {
        let _ =
            writeln!(text, "changed expectation: {}: {}", expectation.test, expectation.message);
    }
    for remark in square.iter().flat_map(|square| &square.remarks) {
        let _ = writeln!(text, "{remark}");
    }
    bound_middle(&text, PART_CHARS)
}

/// What of the change no test looks at, with the edits that nobody notices.
fn survivors(state: &State) -> String {
    let square = state.attempts.last().and_then(|attempt| attempt.square.as_ref());
    let untested = square.iter().flat_map(|read| &read.square.untested);
    let lines: Vec<String> =
        untested.map(|change| format!("{}\n{}", change.headline(), change.edits())).collect();
    bound_middle(&lines.join("\n"), PART_CHARS)
}
