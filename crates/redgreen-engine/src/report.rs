//! A loop's report for people, as Markdown: how it ended, what was tried, what to look at.

mod square;

use std::fmt::Write as _;

use redgreen_model::analysis::AnalysisSource;
use redgreen_model::execution::{CheckRun, TestId};
use redgreen_model::text::{bound_end, bound_middle};
use redgreen_model::tree::diff_summary;
use redgreen_model::verdict::StopReason;
use redgreen_model::workflow::{LoopStatus, ReportItem};

use crate::classes::Judged;
use crate::escalation::{follow_up, reproduce};
use crate::state::{Attempt, State};
use crate::stop::condition;

/// The most failures of one attempt that are shown with their text; all are named.
const SHOWN_MAX: usize = 10;
/// The most characters of one failure's text.
const FAILURE_CHARS: usize = 2_000;
/// The most characters of one attempt's diff.
const DIFF_CHARS: usize = 8_000;
/// The most tests that are listed of one class.
const LISTED_MAX: usize = 50;

/// What only the outside knows of a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportFacts {
    /// The code before the loop against the best that was seen of it, as a diff.
    pub best: String,
    /// The trees that are kept, each by its ref.
    pub refs: Vec<String>,
    /// What a reporter said of it; empty where there is none.
    pub summary: String,
}

/// The report of a loop, ended or not.
pub fn markdown(state: &State, facts: &ReportFacts) -> String {
    let mut text = String::new();
    let parts = Parts::of(state);
    heading(&mut text, state);
    if !facts.summary.is_empty() {
        let _ =
            writeln!(text, "\n## In short, as the reporter says\n\n{}", indented(&facts.summary));
    }
    if parts.has(ReportItem::OriginalCode) {
        best(&mut text, state, facts);
    }
    if let Some(judged) = state.baseline.as_ref().filter(|_| parts.has(ReportItem::AllTestResults))
    {
        let _ = writeln!(text, "\n## Before the change\n");
        execution(&mut text, judged, &parts);
    }
    let mut before = state.baseline.as_ref();
    for attempt in &state.attempts {
        attempt_section(&mut text, attempt, before, &parts);
        before = attempt.judged.as_ref().or(before);
    }
    if parts.has(ReportItem::DebugMemorySummary) {
        remembered(&mut text, state);
    }
    for answer in state.answers.iter().filter(|answer| !answer.hint.is_empty()) {
        let _ =
            writeln!(text, "\n## What {} said\n\n{}", one_line(&answer.by), indented(&answer.hint));
    }
    if !state.flags.is_empty() {
        let _ = writeln!(text, "\n## Flagged on the way\n");
        for flag in &state.flags {
            let _ = writeln!(text, "- {}", one_line(flag));
        }
    }
    next_steps(&mut text, state, facts);
    text
}

/// What the policy wants to read; everything where it does not say.
struct Parts(Vec<ReportItem>);

impl Parts {
    fn of(state: &State) -> Self {
        let wanted = || {
            let reason = state.stop.as_ref()?.reason;
            let policy = &state.settings.as_ref()?.escalation;
            Some(policy.trigger_for(condition(reason)?)?.include_in_report.clone())
        };
        Self(wanted().unwrap_or_default())
    }

    fn has(&self, item: ReportItem) -> bool {
        self.0.is_empty() || self.0.contains(&item)
    }
}

/// The original code against the best that was seen.
fn best(text: &mut String, state: &State, facts: &ReportFacts) {
    let Some((attempt, tree)) = state.best().filter(|_| !facts.best.is_empty()) else { return };
    let _ = writeln!(text, "\n## The original code and the best of it\n");
    let start = state.start.as_ref().map_or("", |start| start.tree.0.as_str());
    let _ = writeln!(
        text,
        "From tree `{start}` to tree `{}`, which attempt {attempt} left:\n",
        tree.tree
    );
    let _ = writeln!(text, "{}", indented(&bound_middle(&facts.best, DIFF_CHARS)));
}

/// What the debug memory had to say.
fn remembered(text: &mut String, state: &State) {
    let known = &state.remembered;
    let patterns = known.patterns.join("\n");
    let said = [&known.brief, &known.past, &patterns];
    let said: Vec<&str> =
        said.into_iter().map(|it| it.trim()).filter(|it| !it.is_empty()).collect();
    if !said.is_empty() {
        let _ = writeln!(
            text,
            "\n## What the debug memory knows\n\n{}",
            indented(&bound_middle(&said.join("\n"), DIFF_CHARS))
        );
    }
}

fn heading(text: &mut String, state: &State) {
    let session = state.settings.as_ref().map_or("", |settings| settings.session.as_str());
    let task = state.settings.as_ref().map_or("", |settings| settings.task.as_str());
    let _ = writeln!(text, "# {}\n", title(state));
    let _ = writeln!(text, "| | |\n|---|---|");
    let _ = writeln!(text, "| task | {} |", one_line(task));
    let _ = writeln!(text, "| session | `{}` |", one_line(session));
    let _ = writeln!(text, "| status | {} |", state.status);
    if let Some(stop) = &state.stop {
        let _ = writeln!(text, "| reason | `{}`: {} |", stop.reason, one_line(&stop.detail));
    }
    let _ = writeln!(text, "| attempts | {} |", attempts(state));
    if let Some(judged) = state.last_judged() {
        let _ = writeln!(text, "| last verdict | {} ({}) |", judged.verdict, judged.counts());
    }
    if let Some(tree) = state.tree() {
        let _ = writeln!(text, "| tree | `{}` |", tree.tree);
    }
    let _ = writeln!(text, "| started | {} |", state.started_at);
    let _ = writeln!(
        text,
        "| {} | {} |",
        if state.ended() { "ended" } else { "last seen" },
        state.updated_at
    );
}

/// The bound is on each round; the second agent, and what a person answers, begin a round of their own.
fn attempts(state: &State) -> String {
    let charged = state.attempts_charged();
    let rounds = match state.rounds() {
        0 | 1 => String::new(),
        rounds => format!(" in {rounds} rounds"),
    };
    let free = match state.attempt_number() - charged {
        0 => String::new(),
        _ => format!("; attempt {} is not charged", state.attempt_number()),
    };
    format!("{charged} of {}{rounds}{free}", state.bound_of_all_rounds())
}

fn title(state: &State) -> &'static str {
    match state.status {
        LoopStatus::Passed => "redgreen: passed",
        LoopStatus::Escalated => "redgreen: human review required",
        LoopStatus::Aborted => "redgreen: aborted",
        LoopStatus::Failed if state.is_but_for_known() => "redgreen: done, and not green",
        LoopStatus::Failed => "redgreen: failed",
        LoopStatus::InProgress => "redgreen: not finished",
    }
}

fn attempt_section(text: &mut String, attempt: &Attempt, before: Option<&Judged>, parts: &Parts) {
    let senior = if attempt.senior { " (second agent)" } else { "" };
    let _ = writeln!(text, "\n## Attempt {}{senior}\n", attempt.number);
    let files: Vec<String> =
        attempt.changes.iter().map(|change| format!("`{}`", one_line(&change.path))).collect();
    let files = if files.is_empty() { "no file".to_owned() } else { files.join(", ") };
    let _ = writeln!(text, "Edit: {} in {files}.\n", diff_summary(&attempt.changes));
    if !attempt.diff.is_empty() && parts.has(ReportItem::FixAttempts) {
        let _ = writeln!(text, "{}\n", indented(&bound_middle(&attempt.diff, DIFF_CHARS)));
    }
    if !attempt.said.is_empty() {
        let _ = writeln!(text, "The agent's last words: {}\n", one_line(&attempt.said));
    }
    match &attempt.judged {
        Some(judged) => {
            if parts.has(ReportItem::FixAttempts) {
                turned(text, judged, before);
            }
            if parts.has(ReportItem::AllTestResults) {
                execution(text, judged, parts);
            } else {
                verdict(text, judged);
            }
            if let Some(read) = &attempt.square {
                square::section(text, &read.square);
            }
        }
        None => {
            let _ = writeln!(text, "Not executed.");
        }
    }
    if let Some(review) = &attempt.review {
        let _ = writeln!(text, "\n### Review\n");
        for finding in &review.findings {
            let place = one_line(&finding.place());
            let _ =
                writeln!(text, "- {} at `{place}`: {}", finding.severity, one_line(&finding.text));
        }
        match &review.problem {
            Some(problem) => {
                let _ = writeln!(text, "- there is none: {}", one_line(problem));
            }
            None if review.findings.is_empty() => {
                let _ = writeln!(text, "- nothing was found");
            }
            None => {}
        }
    }
    if let Some(analysis) =
        attempt.analysis.as_ref().filter(|_| parts.has(ReportItem::FailureAnalyses))
    {
        let _ = writeln!(
            text,
            "\n**Root cause** ({}, confidence {:.2}): {}\n",
            match analysis.source {
                AnalysisSource::Builtin => "redgreen's analysis",
                AnalysisSource::Agent => "the agent's analysis",
            },
            analysis.confidence,
            one_line(&analysis.root_cause)
        );
        let _ = writeln!(text, "**Strategy**: {}", one_line(&analysis.fix_strategy));
    }
}

/// Which tests an edit turned.
fn turned(text: &mut String, judged: &Judged, before: Option<&Judged>) {
    let Some(before) = before.filter(|_| !judged.is_first()) else { return };
    let disputed = |test: &&TestId| {
        judged.failures.iter().any(|it| it.failure.test.as_deref() == Some(test.test.as_str()))
    };
    let green = judged.green.intersection(&before.red).filter(|test| !disputed(test));
    let green: Vec<TestId> = green.cloned().collect();
    let red: Vec<TestId> = judged.red.intersection(&before.green).cloned().collect();
    class_line(text, "it turned green", &green);
    class_line(text, "it turned red", &red);
    if !(green.is_empty() && red.is_empty()) {
        text.push('\n');
    }
}

fn verdict(text: &mut String, judged: &Judged) {
    let _ = writeln!(text, "Verdict: **{}** ({}).", judged.verdict, judged.counts());
    for reason in &judged.reasons {
        let _ = writeln!(text, "- {}", one_line(reason));
    }
}

fn execution(text: &mut String, judged: &Judged, parts: &Parts) {
    verdict(text, judged);
    let _ = writeln!(text, "\n| check | command | ended | tests | log |\n|---|---|---|---|---|");
    for run in &judged.execution.checks {
        check_row(text, run);
    }
    let classes = &judged.classes;
    for (name, tests) in [
        ("known to be red", &classes.known),
        ("regressed", &classes.regressed),
        ("pre-existing", &classes.pre_existing),
        ("new failures", &classes.new_failures),
        ("fixed", &classes.fixed),
        ("flaky", &classes.flaky),
        ("lost", &classes.lost),
        ("newly skipped", &classes.newly_skipped),
    ] {
        class_line(text, name, tests);
    }
    for failure in judged.failures.iter().take(SHOWN_MAX) {
        let place = failure
            .failure
            .location
            .as_ref()
            .map(|place| format!(" at `{}`", one_line(&place.to_string())))
            .unwrap_or_default();
        let _ = writeln!(text, "\n### {}{place}\n", one_line(failure.name()));
        let failure = &failure.failure;
        let mut body = format!("{}: {}\n", failure.error_type, failure.message);
        for (word, value) in [("expected", &failure.expected), ("actual", &failure.actual)] {
            if let Some(value) = value {
                let _ = writeln!(body, "{word}: {value}");
            }
        }
        if parts.has(ReportItem::StackTraces) {
            body.push_str(&failure.stack);
        }
        let _ = writeln!(text, "{}", indented(&bound_middle(body.trim(), FAILURE_CHARS)));
    }
    if judged.failures.len() > SHOWN_MAX {
        let names: Vec<String> = judged
            .failures
            .iter()
            .skip(SHOWN_MAX)
            .map(|failure| one_line(failure.name()))
            .collect();
        let _ = writeln!(text, "\nAnd: {}.", names.join(", "));
    }
}

fn check_row(text: &mut String, run: &CheckRun) {
    let reused =
        if run.reused_from.is_some() { " (result reused: no watched file changed)" } else { "" };
    let _ = writeln!(
        text,
        "| {} | `{}` | {}{reused} | {} | `{}` |",
        one_line(&run.check),
        one_line(&run.command),
        one_line(&run.ended.to_string()),
        run.report.counts(),
        one_line(&run.log)
    );
    for leak in &run.leaks {
        let _ = writeln!(
            text,
            "| | left running and ended: pid {} `{}` | | | |",
            leak.pid,
            one_line(&leak.command)
        );
    }
}

fn class_line(text: &mut String, name: &str, tests: &[TestId]) {
    if tests.is_empty() {
        return;
    }
    let mut names: Vec<String> =
        tests.iter().take(LISTED_MAX).map(|test| format!("`{}`", one_line(&test.test))).collect();
    if tests.len() > LISTED_MAX {
        names.push(format!("{} more", tests.len() - LISTED_MAX));
    }
    let _ = writeln!(text, "\n{name}: {}", names.join(", "));
}

/// What a person should do now.
fn next_steps(text: &mut String, state: &State, facts: &ReportFacts) {
    let Some(stop) = &state.stop else { return };
    let advice = match stop.reason {
        StopReason::BoundedAttemptsExceeded | StopReason::UnknownErrorType => {
            "Look at the failures of the last attempt and at the strategies that did not work; the cause may be deeper than the place that fails."
        }
        StopReason::RegressionDetected => {
            "The best earlier tree is back in place. Decide what is right: the tests that regressed, or the change."
        }
        StopReason::NoProgress => {
            "The agent goes round in circles or did nothing: give it a smaller task, or more to go on."
        }
        StopReason::TimeoutExceeded => {
            "See in the agent's log what it was waiting for; raise the limit only if it was working."
        }
        StopReason::ToolingError => {
            "Repair the tools first: `redgreen doctor` says what is missing. This did not count as an attempt."
        }
        StopReason::AgentFailed => {
            "See the agent's log under the session's folder: its command failed."
        }
        StopReason::NoTests => {
            "Write a first test, or say how the tests are run: `redgreen init --test-command COMMAND`."
        }
        StopReason::PersonNeeded => "Answer it: `redgreen answer`.",
        StopReason::StoppedByPerson => "It was stopped on purpose.",
        StopReason::AgentGaveUp => "The agent says why it is stuck: answer that, or take over.",
        StopReason::CoverageThresholdUnmet | StopReason::SecurityIssueFound => {
            "See the findings above."
        }
    };
    let follow_up = one_line(&follow_up(state));
    let _ = writeln!(text, "\n## What to do\n\n{follow_up}.\n\n{advice}");
    let commands: Vec<String> =
        reproduce(state).iter().map(|command| format!("`{}`", one_line(command))).collect();
    let plain = if commands.is_empty() {
        String::new()
    } else {
        format!("; that is {}", commands.join(", "))
    };
    let _ = writeln!(text, "\n## To see the same\n\n`redgreen test`{plain}");
    let _ = writeln!(text, "\n## To take over\n");
    if let Some(start) = &state.start {
        let _ = writeln!(text, "- before the loop: git tree `{}`", start.tree);
    }
    for reference in facts.refs.iter().take(LISTED_MAX) {
        let _ = writeln!(text, "- `{}`", one_line(reference));
    }
    let _ = writeln!(
        text,
        "\n`git restore --source TREE -- .` brings one of them back. `redgreen answer` goes on, `redgreen answer --take-over` ends it."
    );
}

/// One line that cannot break a table.
fn one_line(value: &str) -> String {
    bound_end(&value.split_whitespace().collect::<Vec<_>>().join(" "), 300)
        .replace('|', "\\|")
        .replace('`', "'")
}

/// An indented block: nothing inside can end it.
fn indented(value: &str) -> String {
    value.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
