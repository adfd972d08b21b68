//! Events and results in words.

use std::collections::HashMap;

use redgreen_engine::classes::Judged;
use redgreen_engine::judge::CheckFailure;
use redgreen_model::event::Event;
use redgreen_model::execution::{Ended, LeakedProcess, Purpose, TestId};
use redgreen_model::report::TestOutcome;
use redgreen_model::text::{LINE_CHARS, bound_end, clean_line};
use redgreen_model::verdict::{TestClasses, Verdict};
use redgreen_model::workflow::{LoopStatus, Phase};
use redgreen_runner::judge::Outcome;

use super::analysis::analysed;
use super::comparison::compared;
use super::square::squared;

/// The most failures that are shown after a single execution.
const FAILURES_SHOWN: usize = 20;
/// How many other tests with the same cause are named.
const SAME_SHOWN: usize = 5;
/// The most tests of one class that are named on a line.
const NAMES_SHOWN: usize = 5;
/// The widest line of what others wrote.
pub(super) const WIDTH: usize = 160;

/// How important a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something passed.
    Good,
    /// Something is red.
    Bad,
    /// Neither.
    Doubtful,
    /// A heading.
    Strong,
    /// The rest.
    Plain,
}

/// A line and its tone.
pub type Line = (Tone, String);

/// The lines for an event; none for what only a spinner shows.
pub fn lines(event: &Event) -> Vec<Line> {
    match event {
        Event::SessionStarted { session, task, max_attempts, checks, tree } => {
            let task = clean_line(task.lines().next().unwrap_or_default(), WIDTH);
            let how = format!(
                "  session {session}, tree {}, at most {max_attempts} {}, judged by {}",
                tree.short(),
                plural(u64::from(*max_attempts), "attempt", "attempts"),
                quoted(checks)
            );
            vec![(Tone::Strong, format!("redgreen: {task}")), (Tone::Plain, how)]
        }
        Event::SessionResumed { session, phase, attempt, executions } => {
            vec![(
                Tone::Strong,
                format!(
                    "redgreen: session {session} continues in {phase}, attempt {attempt}, with {executions} executions so far"
                ),
            )]
        }
        Event::ExecutionStarted { purpose, attempt, only, .. } => {
            execution_started(*purpose, *attempt, *only)
        }
        Event::TestEnded { test, outcome, summary, .. } if outcome.is_red() => {
            vec![red_test(test, *outcome, summary.as_deref())]
        }
        Event::CheckEnded { leaks, .. } => {
            let left = leaks.iter().map(left_running);
            std::iter::once(check_ended(event)).chain(left).collect()
        }
        // A single execution says its verdict as its result.
        Event::Judged { purpose: Purpose::Judge, attempt: 0, .. } => Vec::new(),
        Event::Judged { verdict, reasons, classes, .. } => judged(*verdict, reasons, classes),
        Event::Squared { attempt: 0, .. } => Vec::new(),
        Event::Squared { verdict, square, .. } => squared(*verdict, square),
        Event::AgentStarted { attempt, attempt_in_round: in_round, max_attempts, phase, agent } => {
            let bound = match *in_round == 0 || in_round == attempt {
                true => format!("attempt {attempt} of {max_attempts}"),
                false => format!("attempt {attempt}, {in_round} of {max_attempts} in this round"),
            };
            vec![(Tone::Strong, format!("{bound}: {agent} is asked {}", asked_for(*phase)))]
        }
        Event::AgentEnded { how, said, diff_summary, files, .. } => {
            agent_ended(how, said, diff_summary, files)
        }
        Event::AnalysisAccepted { analysis, .. } => analysed(analysis),
        Event::AnalysisRefused { reason, .. } => {
            let reason = clean_line(reason, LINE_CHARS);
            vec![(Tone::Doubtful, format!("  the agent's analysis was refused: {reason}"))]
        }
        Event::Waiting { seconds } => {
            vec![(Tone::Plain, format!("  waiting {seconds} s before the next attempt"))]
        }
        Event::Restored { tree, saved, reason } => vec![
            (Tone::Doubtful, format!("  {reason}: tree {} was put back", tree.short())),
            (
                Tone::Doubtful,
                format!("  to get back what was there: git restore --source {saved} -- FILE"),
            ),
        ],
        Event::IterationStarted { .. } | Event::IterationEnded { .. } => {
            iteration(event).into_iter().collect()
        }
        // The table of items says it.
        Event::OuterLoopEnded { .. } => Vec::new(),
        Event::Notice { text } => {
            vec![(Tone::Doubtful, format!("  note: {}", clean_line(text, LINE_CHARS)))]
        }
        Event::Finished { .. }
        | Event::TestEnded { .. }
        | Event::TestRunning { .. }
        | Event::MutantsTried { .. }
        | Event::CheckStarted { .. } => Vec::new(),
    }
}

/// A step of the outer loop.
fn iteration(event: &Event) -> Option<Line> {
    match event {
        Event::IterationStarted { iteration, item, items, task, .. } => {
            let task = clean_line(task, LINE_CHARS);
            Some((Tone::Strong, format!("iteration {iteration}: item {item} of {items}: {task}")))
        }
        Event::IterationEnded { item, standing, commit, done, items, progress, .. } => {
            let commit =
                commit.as_ref().map(|it| format!(", commit {}", it.get(..10).unwrap_or(it)));
            let tone = if standing == "done" { Tone::Good } else { Tone::Bad };
            let text = format!(
                "item {item}: {standing}{}; {done} of {items} done, progress {:.0} %",
                commit.unwrap_or_default(),
                progress * 100.0
            );
            Some((tone, text))
        }
        _ => None,
    }
}

fn execution_started(purpose: Purpose, attempt: u32, only: u64) -> Vec<Line> {
    match purpose {
        Purpose::Baseline => {
            vec![(Tone::Strong, "baseline: the checks before the change".to_owned())]
        }
        Purpose::Confirm => vec![(
            Tone::Plain,
            format!(
                "  running {only} {} again, to see whether the result is the same",
                plural(only, "test", "tests")
            ),
        )],
        Purpose::First => vec![(
            Tone::Plain,
            format!(
                "  first: {only} {} that failed last or {} close to the change",
                plural(only, "test", "tests"),
                plural(only, "is", "are")
            ),
        )],
        Purpose::Referee => {
            vec![(Tone::Plain, "  the tests as they were, on the new code".to_owned())]
        }
        Purpose::Proof => {
            vec![(Tone::Plain, "  the new tests, on the code as it was".to_owned())]
        }
        Purpose::Mutant => {
            vec![(Tone::Plain, "  do tests notice small edits of what changed?".to_owned())]
        }
        Purpose::Clean if only > 0 => {
            vec![(
                Tone::Plain,
                format!(
                    "  {only} {} again, to see what {} of it",
                    plural(only, "test", "tests"),
                    plural(only, "it needs", "they need")
                ),
            )]
        }
        Purpose::Clean => {
            vec![(Tone::Plain, "  without what a fresh checkout does not have".to_owned())]
        }
        Purpose::Judge if attempt == 0 => Vec::new(),
        Purpose::Judge => vec![(Tone::Plain, "  redgreen runs the checks".to_owned())],
    }
}

fn red_test(test: &str, outcome: TestOutcome, summary: Option<&str>) -> Line {
    let word = if outcome == TestOutcome::Errored { "error" } else { "FAIL" };
    let summary =
        summary.map(|summary| format!("  {}", clean_line(summary, WIDTH))).unwrap_or_default();
    (Tone::Bad, format!("  {word} {}{summary}", clean_line(test, WIDTH)))
}

fn check_ended(event: &Event) -> Line {
    let Event::CheckEnded { check, ended, counts, duration_ms, reused, .. } = event else {
        return (Tone::Plain, String::new());
    };
    if *reused {
        let words = "result reused: no watched file changed";
        return (Tone::Plain, format!("  {check}: {counts}, {words}"));
    }
    let how = match ended {
        Ended::Exited { code: 0 } => String::new(),
        ended => format!(", {}", clean_line(&ended.to_string(), WIDTH)),
    };
    (Tone::Plain, format!("  {check}: {counts}{how} in {}", seconds(*duration_ms)))
}

fn left_running(leak: &LeakedProcess) -> Line {
    let command = clean_line(&leak.command, WIDTH);
    let words = "a process was left running, and redgreen ended it";
    (Tone::Doubtful, format!("  {words}: pid {} {command}", leak.pid))
}

fn judged(verdict: Verdict, reasons: &[String], classes: &TestClasses) -> Vec<Line> {
    let tone = tone(verdict);
    let mut lines: Vec<Line> = vec![(tone, format!("  → {verdict}"))];
    lines.extend(
        reasons.iter().map(|reason| (tone, format!("    {}", clean_line(reason, 3 * WIDTH)))),
    );
    for (tone, word, tests) in [
        (Tone::Bad, "regressed", &classes.regressed),
        (Tone::Doubtful, "known to be red", &classes.known),
        (Tone::Doubtful, "already red before", &classes.pre_existing),
        (Tone::Good, "fixed", &classes.fixed),
        (Tone::Doubtful, "no longer there", &classes.lost),
        (Tone::Doubtful, "newly skipped", &classes.newly_skipped),
    ] {
        if !tests.is_empty() {
            lines.push((tone, format!("    {word}: {}", some(&names(tests)))));
        }
    }
    lines
}

fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Passed => Tone::Good,
        Verdict::Failed => Tone::Bad,
        Verdict::PassedBut | Verdict::Inconclusive | Verdict::ToolingError => Tone::Doubtful,
    }
}

fn agent_ended(how: &str, said: &str, diff_summary: &str, files: &[String]) -> Vec<Line> {
    let names: Vec<String> = files.iter().map(|file| clean_line(file, WIDTH)).collect();
    let files = if names.is_empty() { "no file".to_owned() } else { some(&names) };
    let how = clean_line(how, WIDTH);
    let mut lines = vec![(Tone::Plain, format!("  agent {how}: {diff_summary} in {files}"))];
    if !said.is_empty() {
        lines.push((Tone::Plain, format!("  it says: {}", clean_line(said, WIDTH))));
    }
    lines
}

fn asked_for(phase: Phase) -> &'static str {
    match phase {
        Phase::GenerateTests => "for tests",
        Phase::ApplyFix => "for a fix",
        _ => "for code",
    }
}

/// The last word of a loop.
pub fn finished(event: &Event) -> Option<Line> {
    let Event::Finished { session, status, reason, detail, attempts, tree, report } = event else {
        return None;
    };
    let attempts = format!("{attempts} {}", plural(u64::from(*attempts), "attempt", "attempts"));
    let tree = tree.as_ref().map(|tree| format!(", tree {}", tree.short())).unwrap_or_default();
    let why = reason
        .map(|reason| format!(": {reason}: {}", clean_line(detail, 3 * WIDTH)))
        .or_else(|| (!detail.is_empty()).then(|| format!(": {}", clean_line(detail, WIDTH))))
        .unwrap_or_default();
    let (tone, word) = match status {
        LoopStatus::Passed => (Tone::Good, "PASSED"),
        LoopStatus::Escalated => (Tone::Bad, "ESCALATED"),
        LoopStatus::Aborted => (Tone::Bad, "ABORTED"),
        // It ended by itself, and what it lacks to a pass is said.
        LoopStatus::Failed if reason.is_none() => (Tone::Doubtful, "DONE, AND NOT GREEN"),
        LoopStatus::Failed => (Tone::Bad, "FAILED"),
        LoopStatus::InProgress => (Tone::Doubtful, "NOT FINISHED"),
    };
    Some((
        tone,
        format!(
            "{word} after {attempts}{tree}{why}\nreport: {report} (also: redgreen report {session} --format html)"
        ),
    ))
}

/// The result of a single execution: each cause once; a pass beside the last time.
pub fn test_result(seen: &Outcome, last_time: Option<&Judged>) -> String {
    let (run, mut lines) = (&seen.run, Vec::new());
    let all: Vec<&CheckFailure> = run.failures.iter().collect();
    let causes = by_cause(&all);
    for failures in causes.iter().take(FAILURES_SHOWN) {
        lines.extend(cause_lines(failures));
    }
    let more: usize = causes.iter().skip(FAILURES_SHOWN).map(Vec::len).sum();
    if more > 0 {
        lines.push(format!("and {more} more, see {}", seen.record.display()));
    }
    lines.push(format!(
        "{}: {} in {}, tree {}{}",
        run.verdict,
        run.counts(),
        seconds(run.execution.duration_ms),
        run.ran_on().tree.short(),
        super::last_time::compared(run, last_time)
    ));
    lines.extend(run.reasons.iter().map(|reason| format!("  {}", clean_line(reason, 3 * WIDTH))));
    lines.join("\n")
}

/// The failures of a run that is over: each cause once.
pub fn failures(run: &Judged, failures: &[&CheckFailure]) -> String {
    let mut lines: Vec<String> =
        by_cause(failures).iter().flat_map(|failures| cause_lines(failures)).collect();
    lines.push(format!(
        "{}: {} in {}, tree {}",
        run.verdict,
        run.counts(),
        seconds(run.execution.duration_ms),
        run.ran_on().tree.short()
    ));
    lines.join("\n")
}

/// The failures of each cause; one without a fingerprint is its own.
fn by_cause<'run>(failures: &[&'run CheckFailure]) -> Vec<Vec<&'run CheckFailure>> {
    let mut causes: Vec<Vec<&CheckFailure>> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for &failure in failures {
        let fingerprint = failure.failure.fingerprint.as_str();
        match known.get(fingerprint).and_then(|at| causes.get_mut(*at)) {
            Some(cause) if !fingerprint.is_empty() => cause.push(failure),
            _ => {
                known.insert(fingerprint, causes.len());
                causes.push(vec![failure]);
            }
        }
    }
    causes
}

fn cause_lines(failures: &[&CheckFailure]) -> Vec<String> {
    let Some((first, others)) = failures.split_first() else { return Vec::new() };
    let failure = &first.failure;
    let place = failure.location.as_ref().or(failure.test_location.as_ref());
    let place = place.map(|place| clean_line(&place.to_string(), WIDTH));
    let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
    let mut lines = vec![format!(
        "{}{place}\n    {}",
        clean_line(first.name(), WIDTH),
        bound_end(&failure.summary(), 2 * WIDTH)
    )];
    lines.extend(compared(failure.expected.as_deref(), failure.actual.as_deref()));
    let named = others.iter().take(SAME_SHOWN);
    lines.extend(named.map(|other| format!("    the same in {}", clean_line(other.name(), WIDTH))));
    if others.len() > SAME_SHOWN {
        lines.push(format!("    and in {} more", others.len() - SAME_SHOWN));
    }
    lines
}

/// A duration for people.
pub fn seconds(duration_ms: u64) -> String {
    let tenths = (duration_ms + 50) / 100;
    format!("{}.{} s", tenths / 10, tenths % 10)
}

pub(super) fn names(tests: &[TestId]) -> Vec<String> {
    tests.iter().map(|test| clean_line(&test.test, WIDTH)).collect()
}

pub(super) fn some(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(NAMES_SHOWN).map(String::as_str).collect();
    let more = names.len().saturating_sub(NAMES_SHOWN);
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}

fn quoted(commands: &[String]) -> String {
    some(
        &commands
            .iter()
            .map(|command| format!("`{}`", clean_line(command, WIDTH)))
            .collect::<Vec<_>>(),
    )
}

pub fn plural(count: u64, one: &'static str, many: &'static str) -> &'static str {
    if count == 1 { one } else { many }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_begins_no_line() {
        let files = ["a\nPASSED after 1 attempt\u{1b}[2K.py".to_owned()];
        let lines = agent_ended("finished", "all\nPASSED", "+1/-1 lines", &files);
        let shown: Vec<&str> = lines.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(
            shown,
            [
                "  agent finished: +1/-1 lines in a\\nPASSED after 1 attempt.py",
                "  it says: all\\nPASSED"
            ]
        );
    }
}
