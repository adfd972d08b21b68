//! `redgreen memory show`

use std::fmt::Write as _;

use clap::Args;
use redgreen_memory::{Origin, Shown};
use redgreen_model::analysis::AnalysisSource;
use redgreen_model::debug_memory::{
    Environment, Execution, Failure as FailedTest, FixApplied, Learnings, Record, TestResults,
    edit_words,
};
use redgreen_model::text::{LINE_CHARS, one_line};

use super::{ProjectMemory, count, line};
use crate::display;
use crate::failure::{Ending, Failure};

/// How many failures of one execution are shown; `--json` has all that the record has.
const FAILURES_SHOWN: usize = 10;

/// Show the record of one session
#[derive(Args)]
pub struct Arguments {
    /// The session's id, or the beginning of it
    #[arg(value_name = "ID")]
    session: String,
    /// Print the record as JSON (debug-memory/v1)
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, project: &mut ProjectMemory) -> Result<Ending, Failure> {
    let (path, record, origin, is_archived) = match project.memory.show(&arguments.session)? {
        Shown::Record(path, record, origin) => (path, record, origin, false),
        Shown::Archived(path, record, origin) => (path, record, origin, true),
        Shown::Several(sessions, all) => {
            return Err(several(&arguments.session, &sessions, all));
        }
        Shown::Nothing => {
            let what = format!("there is no record of a session {}", line(&arguments.session));
            return Err(Failure::usage(what).hint(
                "`redgreen memory search TEXT` and `redgreen memory brief --json` name sessions",
            ));
        }
    };
    if arguments.json {
        display::json_line(&*record);
    } else {
        display::result(&description(&record, origin, &project.shown(&path)));
    }
    if is_archived {
        display::note(
            "this record is in the archive, where nothing is remembered: move it back to sessions/ to change that",
        );
    }
    Ok(Ending::Green)
}

/// The sessions that the beginning of an id could mean.
fn several(wanted: &str, sessions: &[String], all: usize) -> Failure {
    let mut named: Vec<String> = sessions.iter().map(|session| line(session)).collect();
    if all > sessions.len() {
        named.push(format!("and {} more", all - sessions.len()));
    }
    let what = format!("{all} sessions begin with {}: {}", line(wanted), named.join(", "));
    Failure::usage(what).hint("name more of the id")
}

/// A record for people.
fn description(record: &Record, origin: Origin, path: &str) -> String {
    let status = record.status.map_or("unknown", |status| status.as_str());
    let mut text = format!("session {} {status}", line(&record.session_id));
    let mut part = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = write!(text, "\n  {name:<8} {}", line(value));
        }
    };
    part("file", &record.file_path);
    part("started", record.created_at.as_deref().unwrap_or_default());
    part("written", record.updated_at.as_deref().unwrap_or_default());
    let metadata = record.metadata.clone().unwrap_or_default();
    part("agent", metadata.agent.as_deref().unwrap_or_default());
    part("task", metadata.task_id.as_deref().unwrap_or_default());
    part("stopped", metadata.stop_reason.as_deref().unwrap_or_default());
    part("from", metadata.imported_from.as_deref().unwrap_or_default());
    let environment = record.executions.iter().find_map(|run| run.environment.as_ref());
    part("with", &environment.map(environment_text).unwrap_or_default());
    part("seen by", seen_by(origin));
    part("record", path);
    for execution in &record.executions {
        text.push('\n');
        text.push_str(&execution_text(execution, origin));
    }
    if let Some(learnings) = &record.learnings {
        text.push_str(&learnings_text(learnings));
    }
    text
}

fn seen_by(origin: Origin) -> &'static str {
    match origin {
        Origin::Seen => "redgreen itself",
        Origin::Unverified => "somebody else: unverified",
        Origin::Unknown => "somebody with an unknown key: unverified",
        Origin::Broken => "nobody: its seal is broken, so it is unverified",
    }
}

fn environment_text(environment: &Environment) -> String {
    let runtime = environment.runtime.clone().map(|runtime| match &environment.runtime_version {
        Some(version) => format!("{runtime} {version}"),
        None => runtime,
    });
    let parts = [environment.test_framework.clone(), runtime, environment.os.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn execution_text(execution: &Execution, origin: Origin) -> String {
    let purpose = execution.environment.as_ref().and_then(|it| it.additional.get("purpose"));
    let before = if purpose.is_some_and(|it| it == "baseline") { "before " } else { "" };
    let mut text = format!(
        "\n{before}attempt {}, {}: {}",
        execution.attempt,
        line(&execution.timestamp),
        results_text(&execution.test_results)
    );
    for failure in execution.failures.iter().take(FAILURES_SHOWN) {
        let _ = write!(text, "\n  FAIL {}", failure_text(failure));
    }
    let more = execution.failures.len().saturating_sub(FAILURES_SHOWN);
    if more > 0 {
        let _ = write!(text, "\n  and {more} more");
    }
    if let Some(analysis) = &execution.analysis {
        let whose = match analysis.source {
            Some(AnalysisSource::Agent) => "the agent says: ",
            _ => "",
        };
        for (name, said) in [("why", &analysis.root_cause), ("plan", &analysis.fix_strategy)] {
            if !said.trim().is_empty() {
                let _ = write!(text, "\n  {name}: {whose}{}", one_line(said, LINE_CHARS));
            }
        }
    }
    if let Some(fix) = &execution.fix_applied {
        let _ = write!(text, "\n  change: {}", fix_text(fix, origin));
    }
    text
}

fn results_text(results: &TestResults) -> String {
    let mut parts = vec![format!("{} passed", results.passed)];
    let errors = results.errors.unwrap_or(0);
    let skipped = results.skipped.unwrap_or(0);
    for (number, word) in [(results.failed, "failed"), (errors, "errors"), (skipped, "skipped")] {
        if number > 0 {
            parts.push(format!("{number} {word}"));
        }
    }
    parts.join(", ")
}

fn failure_text(failure: &FailedTest) -> String {
    let error = failure.error_name.as_deref().unwrap_or(failure.error_type.as_str());
    let mut text = format!("{}: {}", line(&failure.test_name), line(error));
    if !failure.error_message.trim().is_empty() {
        let message = failure.error_message.trim().lines().next().unwrap_or_default();
        let _ = write!(text, ": {}", line(message));
    }
    let place = failure.source_location.as_ref();
    if let Some(file) = place.and_then(|place| place.file.as_deref()) {
        let _ = write!(text, " ({}", line(file));
        if let Some(number) = place.and_then(|place| place.line) {
            let _ = write!(text, ":{number}");
        }
        text.push(')');
    }
    text
}

/// What was changed, and what came of it; what the agent said about it is marked, and so is at its end.
fn fix_text(fix: &FixApplied, origin: Origin) -> String {
    // Others' records are all their word.
    let (words, said) = match origin {
        Origin::Seen => (edit_words(&fix.files_changed, ""), fix.agent_said()),
        Origin::Unverified | Origin::Unknown | Origin::Broken => (fix.description.clone(), None),
    };
    let mut text = one_line(&words, LINE_CHARS);
    if let Some(summary) = &fix.diff_summary {
        let _ = write!(text, ", {}", line(summary));
    }
    let is_named = |file: &String| words.contains(file.as_str());
    if !fix.files_changed.iter().all(is_named) {
        let _ = write!(text, " in {}", line(&fix.files_changed.join(", ")));
    }
    if let Some(verification) = fix.verification {
        let _ = write!(text, ": {}", verification.as_str());
    }
    for warning in &fix.warnings {
        let _ = write!(text, "\n  not offered as a pattern: {}", line(warning));
    }
    if let Some(said) = said {
        let _ = write!(text, "\n  the agent says about it: {}", one_line(said, LINE_CHARS));
    }
    for (what, tests) in [("passes since", &fix.helped), ("fails since", &fix.broke)] {
        if !tests.is_empty() {
            let _ = write!(text, "\n  {what}: {}", line(&tests.join(", ")));
        }
    }
    text
}

fn learnings_text(learnings: &Learnings) -> String {
    let mut text = String::new();
    for pattern in &learnings.patterns_identified {
        let seen = count(pattern.frequency, "time");
        let _ = write!(text, "\n  pattern, {seen}: {}", line(&pattern.pattern));
    }
    for recurring in &learnings.recurring_failures {
        let test = recurring.test.as_deref().unwrap_or("a test");
        let resolution = recurring.resolution.map_or("unknown", |resolution| resolution.as_str());
        let _ = write!(text, "\n  recurring, {resolution}: {}", line(test));
    }
    for recommendation in &learnings.recommendations {
        let _ = write!(text, "\n  next time: {}", line(recommendation));
    }
    if text.is_empty() { text } else { format!("\n\nlearned{text}") }
}
