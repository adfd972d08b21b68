//! `redgreen memory patterns`

use std::fmt::Write as _;

use clap::Args;
use redgreen_memory::{Pattern, Recurring, SeenHabit};
use serde_json::json;

use super::{ProjectMemory, count, day, line};
use crate::display;
use crate::failure::{Ending, Failure};

/// How many patterns and tests are shown to people; `--json` has them all.
const SHOWN: usize = 20;

/// Show what the records teach, and write it into patterns/learned-patterns.yaml
///
/// A pattern is one failure and what helps against it; a habit is a mistake that was made and mended in the same way in
/// different functions. Either is offered to agents once mending it was seen to work twice (a habit: in two places), and
/// as long as that works in more than 7 of 10 cases.
#[derive(Args)]
pub struct Arguments {
    /// Print them as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, project: &mut ProjectMemory) -> Result<Ending, Failure> {
    let habits = project.memory.habits()?;
    let patterns = project.memory.patterns()?;
    let recurring = project.memory.recurring()?;
    // Where it cannot be written, it can be shown.
    let written = project.memory.write_patterns();
    let file = written.as_ref().ok().filter(|file| file.path.is_file());
    if arguments.json {
        display::json_line(&json!({
            "result": "patterns",
            "habits": habits,
            "patterns": patterns,
            "recurring": recurring,
            "file": file.map(|file| project.shown(&file.path)),
        }));
        written?;
        return Ok(Ending::Green);
    }
    if patterns.is_empty() {
        display::note("no data: no record of a failure is here");
    } else {
        display::result(&description(&habits, &patterns, &recurring));
    }
    if let Some(file) = file.filter(|file| file.changed) {
        display::note(&format!("{} is written again", project.shown(&file.path)));
    }
    written?;
    Ok(Ending::Green)
}

fn description(habits: &[SeenHabit], patterns: &[Pattern], recurring: &[Recurring]) -> String {
    let offered = patterns.iter().filter(|pattern| pattern.offered).count();
    let mut text = format!("{}, {offered} offered", count(patterns.len() as u64, "pattern"));
    for habit in habits {
        text.push_str(&habit_text(habit));
    }
    for pattern in patterns.iter().take(SHOWN) {
        text.push_str(&pattern_text(pattern));
    }
    text.push_str(&and_more(patterns.len()));
    if !recurring.is_empty() {
        text.push_str("\n\ntests that failed in more than one session");
    }
    for test in recurring.iter().take(SHOWN) {
        let _ = write!(
            text,
            "\n  {:<9} {}, last {}: {}",
            test.resolution,
            count(test.sessions, "session"),
            day(&test.last_seen),
            line(&test.test)
        );
    }
    text + &and_more(recurring.len())
}

/// A mistake that comes in more than one place, or may: what would prevent it.
fn habit_text(habit: &SeenHabit) -> String {
    let mark = if habit.offered { "offered" } else { "watched" };
    format!(
        "\n{mark} {}  habit: {}: {}\n    mended like that in {}, which worked {} of {}; seen in {}, last {}",
        habit.id,
        habit.name,
        habit.advice,
        count(habit.places, "place"),
        habit.worked,
        count(habit.worked + habit.failed, "time"),
        count(habit.occurrences, "session"),
        day(&habit.last_seen),
    )
}

fn pattern_text(pattern: &Pattern) -> String {
    let mark = if pattern.offered { "offered" } else { "watched" };
    let function = pattern.function.as_deref().map(|name| format!(" in {}", line(name)));
    let last = day(&pattern.last_seen);
    let when = match (pattern.occurrences, pattern.unverified) {
        (0, unverified) => format!("unverified, in {}, last {last}", count(unverified, "session")),
        (seen, 0) => format!("seen in {}, last {last}", count(seen, "session")),
        (seen, unverified) => {
            format!(
                "seen in {}, last {last}, and unverified in {unverified} more",
                count(seen, "session")
            )
        }
    };
    let mut text = format!(
        "\n{mark} {}  {}{}: {}\n    {when}",
        pattern.id,
        line(&pattern.error_type),
        function.unwrap_or_default(),
        line(&pattern.message),
    );
    if let Some(file) = pattern.files.first() {
        let _ = write!(text, " in {}", line(file));
    }
    let tried = pattern.worked + pattern.failed;
    if tried > 0 {
        let fix = pattern.fix.as_deref().map(|fix| format!(": {}", line(fix)));
        let (worked, fix) = (pattern.worked, fix.unwrap_or_default());
        let _ = write!(text, "\n    a fix worked {worked} of {}{fix}", count(tried, "time"));
    }
    text
}

fn and_more(number: usize) -> String {
    match number.saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("\nand {more} more: --json has them all"),
    }
}
