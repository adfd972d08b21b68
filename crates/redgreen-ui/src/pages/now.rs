//! Now: every loop and gated session.

use jiff::Timestamp;
use minijinja::Value;
use redgreen_runner::overview::{Card, Doing, Overview, Standing, Tests};
use serde::Serialize;

use crate::picture;
use crate::render::part;
use crate::words::{Moment, moment, spaced};

/// How many sessions that have ended are shown at first.
const ENDED_SHOWN: usize = 50;

#[derive(Serialize)]
struct View {
    groups: Vec<Group>,
    earlier: Vec<Row>,
    left_out: usize,
    is_empty: bool,
}

#[derive(Serialize)]
struct Group {
    id: &'static str,
    title: &'static str,
    rows: Vec<Row>,
}

/// A session in a row.
#[derive(Serialize)]
pub(crate) struct Row {
    session: String,
    project: String,
    folder: String,
    pub(crate) task: String,
    agent: String,
    gated: bool,
    pub(crate) standing: &'static str,
    pub(crate) class: &'static str,
    doing: String,
    doing_since: Moment,
    attempt: u32,
    max_attempts: u32,
    strip: Value,
    tests: String,
    last: String,
    is_live: bool,
    began: Moment,
    updated: Moment,
    detail: String,
}

/// The page's own part.
pub(crate) fn body(overview: &Overview, all: bool, now: Timestamp) -> Value {
    let groups = [
        ("waits", "Waits for you", &[Standing::Waits][..]),
        ("works", "At work", &[Standing::Works]),
        ("held", "Held at the gate", &[Standing::Held]),
        ("interrupted", "Interrupted", &[Standing::Interrupted]),
    ];
    let standings: Vec<(&Card, Standing)> =
        overview.cards().map(|card| (card, overview.standing(card))).collect();
    let rows = |wanted: &[Standing], most: usize| -> Vec<Row> {
        let of = standings.iter().filter(|(_, standing)| wanted.contains(standing));
        of.take(most).map(|(card, standing)| row(card, *standing, now)).collect()
    };
    let ended = [Standing::Passed, Standing::Ended];
    let of_ended = standings.iter().filter(|(_, standing)| ended.contains(standing)).count();
    let earlier = rows(&ended, if all { usize::MAX } else { ENDED_SHOWN });
    let groups =
        groups.map(|(id, title, wanted)| Group { id, title, rows: rows(wanted, usize::MAX) });
    part(
        "now.html",
        &View {
            is_empty: standings.is_empty(),
            left_out: of_ended - earlier.len(),
            earlier,
            groups: groups.into_iter().filter(|group| !group.rows.is_empty()).collect(),
        },
    )
}

/// A session's card as it is shown.
pub(crate) fn row(card: &Card, standing: Standing, now: Timestamp) -> Row {
    let project = card.project.file_name().unwrap_or(card.project.as_os_str());
    let task = match card.task.is_empty() {
        true if card.gated => format!("Work of {}", card.agent),
        true => "no task was named".to_owned(),
        false => card.task.clone(),
    };
    let reason = card.reason.map(|reason| spaced(reason.as_str())).unwrap_or_default();
    Row {
        session: card.session.clone(),
        project: project.to_string_lossy().into_owned(),
        folder: card.project.to_string_lossy().into_owned(),
        task,
        agent: card.agent.clone(),
        gated: card.gated,
        standing: standing.as_str(),
        class: class(standing),
        doing: doing(card, standing),
        doing_since: moment(&card.doing_since, now),
        attempt: card.attempt,
        max_attempts: card.max_attempts,
        strip: strip(&card.tests),
        tests: tests(&card.tests),
        last: if card.tests.running { card.tests.last.clone() } else { String::new() },
        is_live: standing == Standing::Works,
        began: moment(&card.started_at, now),
        updated: moment(&card.updated_at, now),
        detail: match (reason.is_empty(), card.detail.is_empty()) {
            (true, _) => String::new(),
            (false, true) => reason,
            (false, false) => format!("{reason}: {}", card.detail),
        },
    }
}

fn class(standing: Standing) -> &'static str {
    match standing {
        Standing::Waits => "waits",
        Standing::Works => "works",
        Standing::Held => "held",
        Standing::Interrupted => "idle",
        Standing::Passed => "passed",
        Standing::Ended => "ended",
    }
}

/// What goes on, or what it waits for.
fn doing(card: &Card, standing: Standing) -> String {
    let doing = match &card.doing {
        Doing::Baseline => "tests as they were before".to_owned(),
        Doing::Tests => "tests".to_owned(),
        Doing::Confirmation => "suspects once more".to_owned(),
        Doing::Square => "old tests on the new code".to_owned(),
        Doing::Agent { on } => format!("{} works: {on}", card.agent),
        Doing::Person { question } => question.clone(),
        Doing::Pause { seconds } => format!("a pause of {seconds} s"),
        Doing::Tree => "the work tree".to_owned(),
        Doing::Nothing => String::new(),
    };
    match standing {
        Standing::Interrupted if card.gated => "its agent has not come back".to_owned(),
        Standing::Interrupted => "redgreen resume goes on with it".to_owned(),
        Standing::Passed | Standing::Ended => String::new(),
        _ => doing,
    }
}

fn strip(tests: &Tests) -> Value {
    picture::strip(&tests.strip, &counts(tests), tests.done, tests.expected)
}

/// How many ended, and how.
fn tests(tests: &Tests) -> String {
    let counts = counts(tests);
    if tests.running || tests.done < tests.expected {
        match tests.expected {
            0 => counts,
            expected => format!("{counts}, of about {}", expected.max(tests.done)),
        }
    } else {
        counts
    }
}

fn counts(tests: &Tests) -> String {
    let parts = [(tests.passed, "passed"), (tests.red, "red"), (tests.skipped, "skipped")];
    let said = parts.iter().filter(|(number, _)| *number > 0);
    let said: Vec<String> = said.map(|(number, word)| format!("{number} {word}")).collect();
    if said.is_empty() { "no test yet".to_owned() } else { said.join(", ") }
}
