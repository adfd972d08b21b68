//! What is on the screen: from cards to lines, without a terminal.

use jiff::{SignedDuration, Timestamp};
use redgreen_model::text::bound_end;
use redgreen_runner::overview::{Card, Doing, Standing, Tests};

use crate::display::{fitted, seconds};

/// The columns of the project, the agent, the standing, the attempt and the time.
const PROJECT: usize = 14;
const AGENT: usize = 9;
const STANDING: usize = 13;
const ATTEMPT: usize = 6;
const TIME: usize = 9;
/// How many letters of a strip are shown, and the least columns that leave room for one.
const STRIP: usize = 24;
const STRIP_FROM: usize = 100;
/// The lines above and below the rows.
const FRAME: usize = 3;

/// A session in a row.
pub struct Row {
    order: (Standing, bool),
    cells: [String; 5],
    rest: String,
    strip: String,
}

/// What is wanted on the screen.
pub struct Wanted {
    /// How wide it is.
    pub columns: usize,
    /// How high.
    pub lines: usize,
    /// The row that is first.
    pub from: usize,
    /// Whether those that have ended are there, too.
    pub all: bool,
}

/// The rows, those that wait for a person first.
pub fn rows(cards: &[(&Card, Standing)], all: bool, now: Timestamp) -> Vec<Row> {
    let is_wanted =
        |standing: Standing| all || !matches!(standing, Standing::Passed | Standing::Ended);
    let wanted = cards.iter().filter(|(_, standing)| is_wanted(*standing));
    let mut rows: Vec<Row> = wanted.map(|(card, standing)| row(card, *standing, now)).collect();
    rows.sort_by_key(|row| row.order);
    rows
}

fn row(card: &Card, standing: Standing, now: Timestamp) -> Row {
    let project = card.project.file_name().unwrap_or(card.project.as_os_str());
    let since = card.doing_since.parse::<Timestamp>().unwrap_or(now);
    let attempt = match card.attempt {
        0 => String::new(),
        attempt => format!("{attempt}/{}", card.max_attempts),
    };
    let task = if card.task.is_empty() { "(no task was named)" } else { &card.task };
    let doing = doing(card, standing);
    let parts = [doing, tests(&card.tests), task.to_owned()];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    Row {
        order: (standing, !card.tests.running),
        cells: [
            project.to_string_lossy().into_owned(),
            card.agent.clone(),
            standing.as_str().to_owned(),
            attempt,
            span(now.duration_since(since)),
        ],
        rest: parts.join(" · "),
        strip: strip(&card.tests),
    }
}

fn doing(card: &Card, standing: Standing) -> String {
    if matches!(standing, Standing::Passed | Standing::Ended) {
        return card.detail.clone();
    }
    match &card.doing {
        Doing::Baseline => "the tests as they were before".to_owned(),
        Doing::Tests => "the tests".to_owned(),
        Doing::Confirmation => "suspects once more".to_owned(),
        Doing::Square => "the old tests on the new code".to_owned(),
        Doing::Agent { on } => format!("the agent works: {on}"),
        Doing::Person { question } => question.clone(),
        Doing::Pause { seconds } => format!("a pause of {seconds} s"),
        Doing::Tree => "the work tree".to_owned(),
        Doing::Nothing => String::new(),
    }
}

fn tests(tests: &Tests) -> String {
    if tests.done == 0 && !tests.running {
        return String::new();
    }
    let of = match tests.expected.max(tests.done) {
        expected if tests.running && expected > tests.done => format!(" of {expected}"),
        _ => String::new(),
    };
    let red = if tests.red > 0 { format!(", {} red", tests.red) } else { String::new() };
    format!("{}{of} tests{red}", tests.done)
}

/// The last letters of a strip: green, red, skipped.
fn strip(tests: &Tests) -> String {
    let letters: Vec<char> = tests.strip.chars().collect();
    let last = letters.len().saturating_sub(STRIP);
    let sign = |letter: &char| match letter {
        'g' => '.',
        'r' => 'F',
        _ => 's',
    };
    letters.iter().skip(last).map(sign).collect()
}

fn span(duration: SignedDuration) -> String {
    let total = duration.as_secs().max(0);
    match total {
        ..60 => seconds(u64::try_from(total).unwrap_or_default() * 1000).replace(".0", ""),
        60..3_600 => format!("{} min", total / 60),
        3_600..86_400 => format!("{} h {} min", total / 3_600, total / 60 % 60),
        _ => format!("{} d", total / 86_400),
    }
}

/// The lines.
pub fn screen(rows: &[Row], wanted: &Wanted) -> Vec<String> {
    let Wanted { columns, lines, from, all } = *wanted;
    let count = |standing: Standing| rows.iter().filter(|row| row.order.0 == standing).count();
    let head = format!(
        "redgreen: {} at work, {} held, {} waiting for you{}",
        count(Standing::Works),
        count(Standing::Held),
        count(Standing::Waits),
        if all { "" } else { " (a: also those that have ended)" }
    );
    let names = ["PROJECT", "AGENT", "STANDING", "TRY", "FOR"].map(str::to_owned);
    let mut shown = vec![fitted(&head, columns), line(&names, "", "WHAT", columns)];
    let room = lines.saturating_sub(FRAME);
    let visible = rows.iter().skip(from).take(room);
    shown.extend(visible.map(|row| line(&row.cells, &row.strip, &row.rest, columns)));
    if rows.is_empty() {
        shown.push(fitted("nothing is under way", columns));
    }
    let left = rows.len().saturating_sub(from).saturating_sub(room);
    if left > 0 {
        shown.push(fitted(&format!("and {left} more"), columns));
    }
    shown
}

fn line(cells: &[String; 5], strip: &str, rest: &str, columns: usize) -> String {
    let widths = [PROJECT, AGENT, STANDING, ATTEMPT, TIME];
    let cell = |(cell, width): (&String, usize)| {
        format!("{:<width$} ", fitted(&bound_end(cell, width), width))
    };
    let mut line: String = cells.iter().zip(widths).map(cell).collect();
    if columns >= STRIP_FROM {
        line += &format!("{strip:<STRIP$} ");
    }
    line += rest;
    fitted(line.trim_end(), columns)
}
