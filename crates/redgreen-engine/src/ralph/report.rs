//! An outer loop for people: its items in a table.

use std::fmt::Write as _;

use redgreen_model::text::{LINE_CHARS, clean_line};

use super::input::{Outcome, Tests};
use super::state::{EndReason, Iteration, Standing, State};

/// The most characters of a task in a table.
const TITLE_CHARS: usize = 60;
/// How much of a commit's id is shown.
const COMMIT_CHARS: usize = 10;
/// Millionths of a dollar in one.
const MICROS: f64 = 1_000_000.0;

/// The loop as a table for a terminal.
pub fn table(state: &State) -> String {
    let mut text = format!("{}\n", head(state));
    for (number, line) in rows(state) {
        let _ = writeln!(text, "{number:>4}  {line}");
    }
    text.push_str(&foot(state));
    text
}

/// The same as Markdown.
pub fn markdown(state: &State) -> String {
    let mut text = format!(
        "# {}\n\n| | item | | attempts | tests | what |\n|---|---|---|---|---|---|\n",
        head(state)
    );
    for (index, item) in state.items.iter().enumerate() {
        let last = state.last_of(index);
        let commit = item.commit.as_deref().map(short).unwrap_or_default();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} {commit} |",
            index + 1,
            cell(&title(state, index)),
            item.standing.as_str(),
            last.map_or(0, |last| last.result.attempts),
            last.map(|last| tests(&last.result.after)).unwrap_or_default(),
            cell(&last.map(what).unwrap_or_default()),
        );
    }
    for iteration in state.iterations.iter().filter(|_| state.items.is_empty()) {
        let counts = if iteration.counts { "counts" } else { "does not count" };
        let _ = writeln!(
            text,
            "| {} | iteration | {counts} | | {} | {} |",
            iteration.number,
            tests(&iteration.result.after),
            cell(&what(iteration))
        );
    }
    let _ = write!(text, "\n{}", foot(state));
    text
}

fn head(state: &State) -> String {
    let Some(rules) = &state.rules else { return "a loop that has not begun".to_owned() };
    let of = if rules.plan.is_empty() { String::new() } else { format!(" of {}", rules.plan) };
    format!("loop {}{of}", rules.id)
}

/// A line for each item, or for each iteration where there are none.
fn rows(state: &State) -> Vec<(usize, String)> {
    if state.items.is_empty() {
        let row = |it: &Iteration| {
            let word = if it.counts { "counts" } else { "does not count" };
            let tests = tests(&it.result.after);
            (
                usize::try_from(it.number).unwrap_or_default(),
                format!("{word:<14}  {tests:<12} {}", what(it)),
            )
        };
        return state.iterations.iter().map(row).collect();
    }
    let row = |(index, item): (usize, &super::state::ItemState)| {
        let last = state.last_of(index);
        let word = item.standing.as_str();
        let mut line = format!("{word:<9}  {}", title(state, index));
        if let Some(commit) = &item.commit {
            let _ = write!(line, "  {}", short(commit));
        }
        match last {
            Some(last) if item.standing == Standing::Done => {
                let attempts = plural(last.result.attempts, "attempt");
                let _ = write!(line, "  {attempts}, {}", tests(&last.result.after));
                if !last.result.detail.is_empty() {
                    let _ = write!(line, "; {}", what(last));
                }
            }
            Some(last) => {
                let _ = write!(line, "\n      {}", what(last));
            }
            None if item.standing == Standing::Done => line.push_str("  by the plan's own word"),
            None => {}
        }
        (index + 1, line)
    };
    state.items.iter().enumerate().map(row).collect()
}

fn foot(state: &State) -> String {
    let spent = state.spent;
    let mut text = match state.items.len() {
        0 => String::new(),
        all => format!("{} of {all} done, {} escalated; ", state.done(), state.escalated()),
    };
    let _ = write!(
        text,
        "progress {:.0} %, {}, {}",
        state.progress() * 100.0,
        plural(spent.iterations, "iteration"),
        plural(spent.attempts, "attempt"),
    );
    if spent.cost_micros > 0 {
        #[expect(clippy::cast_precision_loss, reason = "an amount for people")]
        let dollars = spent.cost_micros as f64 / MICROS;
        let _ = write!(text, ", ${dollars:.2} by the agents' own word");
    }
    if let Some(end) = state.end.filter(|_| state.ended()) {
        let _ = write!(text, "\nended: {}", in_words(end, state));
    }
    text
}

/// Why it has ended, in a sentence.
fn in_words(end: EndReason, state: &State) -> String {
    let rules = state.rules.as_ref();
    match end {
        EndReason::Complete => "all items are done, and redgreen has seen it".to_owned(),
        EndReason::Escalated => {
            "every item was tried; what is escalated needs a person (`redgreen inbox`)".to_owned()
        }
        EndReason::MaxIterations => "the iterations are used up (--max-iterations)".to_owned(),
        EndReason::Time => "the time is used up (--time-limit)".to_owned(),
        EndReason::Attempts => "the attempts are used up (--attempts-budget)".to_owned(),
        EndReason::Cost => "what the agents may cost is used up (--cost-budget)".to_owned(),
        EndReason::NoGain => format!(
            "{} without an item or a test that was gained (--patience)",
            plural(rules.map_or(0, |rules| rules.bounds.patience), "iteration")
        ),
        EndReason::Person => format!("{} ended it", state.ended_by),
        EndReason::ToolingError => {
            let last =
                state.iterations.last().map(|it| it.result.detail.as_str()).unwrap_or_default();
            format!("the tools could not do their work: {}", clean_line(last, LINE_CHARS))
        }
    }
}

fn what(iteration: &Iteration) -> String {
    let result = &iteration.result;
    let word = match &result.outcome {
        Outcome::Passed if result.detail.is_empty() => "passed".to_owned(),
        Outcome::Passed => String::new(),
        Outcome::AlreadyThere => "it was there already".to_owned(),
        Outcome::Red { reason: Some(reason) } => reason.to_string(),
        Outcome::Red { reason: None } => String::new(),
        Outcome::ToolingError => "tooling_error".to_owned(),
    };
    let gap = if word.is_empty() || result.detail.is_empty() { "" } else { ": " };
    clean_line(&format!("{word}{gap}{}", result.detail), LINE_CHARS)
}

fn title(state: &State, index: usize) -> String {
    let item = state.rules.as_ref().and_then(|rules| rules.items.get(index));
    clean_line(item.map(redgreen_model::plan_file::Item::title).unwrap_or_default(), TITLE_CHARS)
}

fn tests(tests: &Tests) -> String {
    format!("{} of {} tests", tests.passed, tests.ran)
}

fn short(commit: &str) -> &str {
    commit.get(..COMMIT_CHARS).unwrap_or(commit)
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn plural(count: u32, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}
