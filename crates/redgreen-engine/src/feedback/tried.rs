//! What was tried before: each edit, the tests that it turned, and what to do differently.

use redgreen_model::debug_memory::Failure;
use redgreen_model::diff::{Focus, Side, bounded, lines};
use redgreen_model::execution::TestId;
use redgreen_model::report::FailureKind;
use redgreen_model::square::FindingKind;
use redgreen_model::text::{LINE_CHARS, bound_end};
use redgreen_model::tree::diff_summary;
use serde::Serialize;

use super::{Feedback, fenced};
use crate::judge::CheckFailure;
use crate::state::{Attempt, State};

/// The most characters of an edit's diff in the document.
const DIFF_CHARS: usize = 4_000;
/// The most tests that an edit turned that are named in the report; the document has them all.
const NAMED_MAX: usize = 3;
/// A line of a diff tells enough with so many characters.
const DIFF_LINE_CHARS: usize = 100;
/// Less of a diff tells nothing.
const DIFF_CHARS_MIN: usize = 40;

/// An attempt that did not do it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tried {
    /// The attempt.
    pub attempt: u32,
    /// Its change in one line.
    pub diff_summary: String,
    /// The files it changed.
    pub files: Vec<String>,
    /// The change, the lines nearest to what failed after it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub diff: String,
    /// The tests that it turned green.
    pub turned_green: Vec<String>,
    /// The tests that it turned red.
    pub turned_red: Vec<String>,
    /// The tests that passed before it and did not run after it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub did_not_run: Vec<String>,
    /// Whether it left something that does not build.
    #[serde(skip)]
    pub is_broken: bool,
    /// Whether it passes only by what it did to the tests, or to how they are run.
    #[serde(skip)]
    pub is_bent: bool,
    /// Whether all that it lacks is a test.
    #[serde(skip)]
    pub lacks_tests: bool,
    /// How many failed before it and after it.
    pub still_red: usize,
    /// Why it failed, as it was understood then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<String>,
    /// Whether what was there before it was put back.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
}

/// The attempts before one.
pub(super) fn tried(state: &State, number: u32) -> Vec<Tried> {
    let earlier = || state.attempts.iter().filter(|tried| tried.number < number);
    // Of what is there now, nothing is later than the attempt that left such a tree.
    let given = state.attempts.iter().find(|attempt| attempt.number == number);
    let kept = earlier().filter(|attempt| {
        let left = attempt.judged.as_ref().map(|judged| &judged.tree().code);
        given.is_some_and(|given| left == Some(&given.before.code))
    });
    let kept = kept.map(|attempt| attempt.number).max().unwrap_or(0);
    let mut tried: Vec<Tried> = earlier().map(|attempt| tried_in(state, attempt)).collect();
    tried.iter_mut().for_each(|tried| tried.undone |= tried.attempt > kept);
    tried
}

fn tried_in(state: &State, attempt: &Attempt) -> Tried {
    let turned = state.turned(attempt);
    let names = |tests: &[TestId]| tests.iter().map(|test| test.test.clone()).collect();
    let failures = attempt.judged.iter().flat_map(|judged| &judged.failures);
    let failures: Vec<Failure> = failures.map(|it| Failure::from(&it.failure)).collect();
    let focus = Focus::default().and(Side::New, &failures);
    let next = state.attempts.iter().find(|next| next.number > attempt.number);
    let judged = attempt.judged.as_ref();
    Tried {
        attempt: attempt.number,
        diff_summary: diff_summary(&attempt.changes),
        files: attempt.changes.iter().map(|change| change.path.clone()).collect(),
        diff: bounded(&attempt.diff, &focus, DIFF_CHARS),
        turned_green: names(&turned.green),
        turned_red: names(&turned.red),
        did_not_run: names(&turned.gone),
        is_broken: judged.is_some_and(|judged| {
            judged.failures.iter().any(|it| it.failure.kind == FailureKind::CompileError)
        }),
        is_bent: judged.is_some_and(|it| it.failures.iter().any(bends_tests)),
        lacks_tests: attempt.square.as_ref().is_some_and(|it| it.square.lacks_tests_only()),
        still_red: turned.still.len(),
        root_cause: attempt.analysis.as_ref().map(|analysis| analysis.root_cause.clone()),
        undone: next.zip(judged).is_some_and(|(next, it)| next.before.code != it.tree().code),
    }
}

/// Whether what is red is that tests, or how they are run, were changed so that they pass.
fn bends_tests(failed: &CheckFailure) -> bool {
    const BENDS: [FindingKind; 6] = [
        FindingKind::GreenByEdit,
        FindingKind::RedRemoved,
        FindingKind::Hidden,
        FindingKind::Weakened,
        FindingKind::ConfigurationChanged,
        FindingKind::MadeForTests,
    ];
    BENDS.iter().any(|kind| kind.as_str() == failed.failure.error_type)
}

/// What was tried, the latest first, in about so many characters; and what to do differently.
pub(super) fn tried_text(feedback: &Feedback, chars: usize) -> String {
    let edits = || feedback.tried.iter().rev().filter(|tried| !tried.files.is_empty());
    let count = edits().count();
    if count == 0 {
        return String::new();
    }
    let heads: usize = edits().map(|tried| head(tried).chars().count() + 1).sum();
    let mut left = chars.saturating_sub(heads);
    let mut text = String::new();
    for (index, tried) in edits().enumerate() {
        text.push_str(&head(tried));
        text.push('\n');
        // The latest has the most room: it is what the next edit begins with.
        let share = if index == 0 { left / 2 } else { left / (count - index) };
        let diff = changed_lines(&tried.diff, if count == 1 { left } else { share });
        left = left.saturating_sub(diff.chars().count());
        text.push_str(&diff);
    }
    format!("## Tried before\n\n{}{}\n\n", fenced(&text), differently(feedback))
}

/// Which attempt, and which tests it turned.
fn head(tried: &Tried) -> String {
    let files: Vec<&str> = tried.files.iter().map(String::as_str).take(NAMED_MAX).collect();
    let more = match tried.files.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let undone = if tried.undone { ", undone since" } else { "" };
    let mut text = bound_end(
        &format!("attempt {}: {} in {}{more}", tried.attempt, tried.diff_summary, files.join(", ")),
        LINE_CHARS,
    );
    text.push_str(undone);
    for (what, tests) in [("turned green", &tried.turned_green), ("turned red", &tried.turned_red)]
    {
        text.push_str(&format!("\n  {what}: {}", named(tests)));
    }
    if !tried.did_not_run.is_empty() {
        text.push_str(&format!("\n  did not run any more: {}", named(&tried.did_not_run)));
    }
    text
}

fn named(tests: &[String]) -> String {
    let names: Vec<&str> = tests.iter().map(String::as_str).take(NAMED_MAX).collect();
    match tests.len().saturating_sub(NAMED_MAX) {
        _ if tests.is_empty() => "nothing".to_owned(),
        0 => bound_end(&names.join(", "), LINE_CHARS),
        more => format!("{} and {more} more", bound_end(&names.join(", "), LINE_CHARS)),
    }
}

/// The changed lines of a diff that fit as a whole, and how many more there are.
fn changed_lines(diff: &str, chars: usize) -> String {
    if chars < DIFF_CHARS_MIN {
        return String::new();
    }
    let changed: Vec<_> = lines(diff)
        .into_iter()
        .filter(|line| line.is_change() && !line.text[1..].trim().is_empty())
        .collect();
    let mut text = String::new();
    let mut shown = 0;
    let mut file = "";
    for line in &changed {
        let header = if line.file == file { String::new() } else { format!("  {}\n", line.file) };
        let part = format!("{header}  {}\n", bound_end(line.text.trim_end(), DIFF_LINE_CHARS));
        if text.chars().count() + part.chars().count() > chars {
            break;
        }
        text.push_str(&part);
        file = line.file;
        shown += 1;
    }
    match changed.len() - shown {
        0 => text,
        more => format!("{text}  ({more} more changed lines)\n"),
    }
}

/// What to do differently, by what the last edits turned. In our own words alone: it stands outside of any fence.
fn differently(feedback: &Feedback) -> String {
    let Some(last) = feedback.tried.iter().rev().find(|tried| !tried.files.is_empty()) else {
        return String::new();
    };
    let number = last.attempt;
    let idle = |tried: &&Tried| {
        let turned = [&tried.turned_green, &tried.turned_red, &tried.did_not_run];
        turned.iter().all(|tests| tests.is_empty())
    };
    let in_vain = feedback.tried.iter().rev().take_while(idle).count();
    match (last.turned_green.is_empty(), last.turned_red.is_empty()) {
        _ if last.undone => format!("Attempt {number} was undone: do not repeat it."),
        _ if last.is_broken => format!(
            "What attempt {number} left does not build, so its idea was not tried: mend that first, or take it back."
        ),
        _ if last.is_bent => format!(
            "Attempt {number} passes only by what it did to the tests, or to how they are run: take that back, and mend the code."
        ),
        _ if last.lacks_tests => {
            format!("Keep what attempt {number} changed: all that it lacks is a test.")
        }
        _ if !last.did_not_run.is_empty() => format!(
            "After attempt {number} tests that passed before do not run any more: see to it that they run and pass."
        ),
        (true, true) if in_vain > 1 => format!(
            "The last {in_vain} attempts turned no test: the cause is not where they looked for it. Follow the value from the failing \
             check back to where it comes from before you edit, and change another place."
        ),
        (true, true) => format!(
            "Attempt {number} turned no test. Do not repeat it: change another place, or do something else there."
        ),
        (false, true) => format!(
            "Keep what attempt {number} changed: it mended what it turned green. What is left is another failure."
        ),
        (true, false) => {
            format!(
                "Attempt {number} broke what passed before: take it back, or do it another way."
            )
        }
        (false, false) => format!(
            "Attempt {number} mended some and broke others: keep what turned tests green, and do the rest another way."
        ),
    }
}
