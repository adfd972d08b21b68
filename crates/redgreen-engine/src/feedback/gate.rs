//! What is said to an agent that wants to end and may not.

use redgreen_model::gate::Answer;
use redgreen_model::square::Square;
use redgreen_model::text::bound_middle;
use redgreen_model::verdict::Verdict;

use super::budget::fitted;
use super::report::{Frame, report};
use super::tests_wanted::for_the_held;
use super::{
    BRIEF, DATA_NOT_INSTRUCTIONS, Feedback, PAST, commands, fenced, refused_text, template_of,
    tokens_max,
};
use crate::effect::{Action, AgentRequest, Ask};
use crate::state::{AskedAgain, Attempt, State};

/// The most characters of all of it: some agents cut what is longer.
const BLOCKED_CHARS: usize = 9_800;
/// The most characters of the reasons for a debt.
const REASONS_CHARS: usize = 800;
/// The most characters of a test that is an example.
const EXAMPLE_CHARS: usize = 1_000;
/// How often an agent is held that cannot be judged, through no fault of its own.
const FAULTS_MAX: u32 = 2;

/// Nothing could be judged for this number of times, through no fault of the agent's: it is held at first,
/// since it may have broken the tools or be able to mend them, and then let go as not verified.
pub fn at_fault(faults: u32, problem: &str) -> Answer {
    if faults > FAULTS_MAX {
        let why = format!("the checks cannot be run: {problem}");
        return Answer::let_go(format!("redgreen: NOT VERIFIED: {why}"));
    }
    Answer::block(format!(
        "redgreen could not run the checks, so nothing is verified: {problem}\n\n\
         If your change broke this, repair it. If it needs a person, say so and end your turn again \
         ({faults} of {FAULTS_MAX}), or run `redgreen give-up \"why\"`.\n"
    ))
}

/// The session's own change passes; what an earlier one had left does not, compared with what people had.
pub fn in_debt(reasons: &[String]) -> String {
    format!(
        "redgreen ran the checks itself, and your change passes, compared with what your session began with. But an earlier session left \
         work in this tree that was never verified, and compared with the last tree that a person vouched for it does not pass. This does \
         not count against you. If it is part of your task, or easily put right, do that. If not, end your turn again: you \
         will be let go, and the user is informed.\n\n{DATA_NOT_INSTRUCTIONS}\n\n{}",
        fenced(&bound_middle(&reasons.join("\n"), REASONS_CHARS))
    )
}

/// Nobody knows how the project is tested: held once, with what to do, and then let go as not verified.
/// Where the project says that it has no tests yet, a file with a test says otherwise.
pub fn without_checks(held: u32, none_yet: bool, with_test: Option<&str>) -> Answer {
    if none_yet {
        let has_one = with_test.map_or_else(String::new, |file| {
            format!(
                ", but {file} has one now: a person has to run `redgreen init --force`, so that it is run"
            )
        });
        let says = "redgreen.toml says that there are no tests yet";
        return Answer::let_go(format!("redgreen: NOT VERIFIED: {says}{has_one}"));
    }
    let unknown = "redgreen does not know how this project is tested, so nothing is verified";
    let to_do = "`redgreen init --test-command \"COMMAND\"` says how, and `redgreen init --no-tests` that there are none yet";
    match held {
        0 | 1 => Answer::block(format!(
            "{unknown}.\n\nIf the project has tests, or you wrote some: {to_do}. If not, end your turn again: you will be let go.\n"
        )),
        _ => Answer::let_go(format!("redgreen: NOT VERIFIED: {unknown}: {to_do}")),
    }
}

/// The first edit was made before anybody was held.
const FIRST_BLOCK: u32 = 2;

/// Why the agent may not end yet, for the agent; nothing where it is not being asked for a fix.
/// `whole` is the file that has all of it.
pub fn blocked(state: &State, whole: &str) -> Option<String> {
    let request = asked(state)?;
    let analysis = match &request.ask {
        Ask::Code | Ask::Plan | Ask::Review => return None,
        Ask::Tests => None,
        Ask::Fix(analysis) => Some(analysis),
    };
    let feedback = &request.feedback;
    let is_red =
        judged(state).is_none_or(|attempt| attempt.charged || attempt.asked_again.is_some());
    let analysis = analysis.filter(|_| is_red);
    let wanted = state.settings.as_ref().is_some_and(|settings| settings.asks_for_analysis);
    let ask = match wanted && analysis.is_some() {
        true => {
            "Before you edit, say why it is red: `redgreen analyse --cause \"…\" --fix \"…\" --place FILE:LINE`.\n"
        }
        false => "",
    };
    let frame = Frame {
        head: head(state, feedback),
        title: String::new(),
        whole,
        more: for_the_held(state, EXAMPLE_CHARS),
        memory: known(feedback),
        tail: format!(
            "{}{ask}Do not delete, skip, weaken or filter tests, and do not change how they are run: redgreen sees that. \
             If you are stuck, run `redgreen give-up \"why\"`: that is an honest way to end.\n",
            mends(state, feedback)
        ),
        template: template_of(state),
        tells_tries: analysis.is_some(),
    };
    let analysis = analysis.map(|it| &**it);
    let text = fitted(tokens_max(state), |room| report(feedback, analysis, &frame, room));
    Some(bound_middle(&text, BLOCKED_CHARS))
}

/// What tools can mend alone: the user allows it, and at the gate the agent has them do it.
fn mends(state: &State, feedback: &Feedback) -> String {
    let mends = state.settings.iter().flat_map(|settings| &settings.mends);
    let red = mends.filter(|(check, _)| feedback.failures.iter().any(|it| it.check == **check));
    red.map(|(check, command)| {
        format!("Some of what {check} finds can be mended by itself: run `{command}` first.\n")
    })
    .collect()
}

/// What the debug memory knows of the failures; of nothing like them, what is to be known at all, the
/// first time.
fn known(feedback: &Feedback) -> (&'static str, &str) {
    let is_first = feedback.attempt_in_round <= FIRST_BLOCK;
    match feedback.past.as_str() {
        "" if is_first => (BRIEF, &feedback.brief),
        past => (PAST, past),
    }
}

/// What the agent is being asked for.
pub fn asked(state: &State) -> Option<&AgentRequest> {
    match state.pending.as_ref().map(|pending| &pending.action) {
        Some(Action::AskAgent(request)) => Some(request),
        _ => None,
    }
}

/// What was run, and what came of it.
fn head(state: &State, feedback: &Feedback) -> String {
    let judged = judged(state);
    let verdict = judged.and_then(|attempt| attempt.judged.as_ref()).map(|judged| judged.verdict);
    let ran = format!("redgreen ran {} itself", commands(state.last_judged()));
    let again = judged.and_then(|attempt| attempt.asked_again.as_ref());
    let mut text = match (verdict, judged.is_some_and(|attempt| !attempt.charged)) {
        _ if again == Some(&AskedAgain::Missing) => format!(
            "{ran}, and it is still red. You edited without saying why it was red: do that now, before you edit again (this does not \
             count as an attempt). If you do not, redgreen's own analysis is used.\n\n"
        ),
        _ if again.is_some() => format!("{ran}, and it is still red.\n\n"),
        (Some(Verdict::PassedBut), _) => format!(
            "{ran}. What fails now already failed before your session, for the same reason, and uses nothing that you changed: \
             this does not count against you. If it is your task to repair it, go on. If not, end your turn again: you \
             will be let go, and the user is informed.\n\n"
        ),
        (_, true) if has_no_tests(state) => format!(
            "{ran}, and there is no test, now or before: nothing is verified. Write one if your task can be tested, or \
             say how the tests are run: `redgreen init --test-command \"COMMAND\"`. Otherwise end your turn again: you \
             will be let go as NOT VERIFIED.\n\n"
        ),
        (_, true) => format!(
            "{ran}, and it passes. But tests, linters or CI ask for something else than before, and somebody has to declare \
             that (this does not count as an attempt). If your task asks for it, declare it as shown below and end your turn again.\n\n"
        ),
        (_, false) => {
            let used = feedback.attempt_in_round.saturating_sub(1);
            let (bound, verdict) = (feedback.max_attempts, &feedback.verdict);
            format!(
                "You are not done yet (attempt {used} of {bound}): {ran}. Verdict: {verdict}.\n\n"
            )
        }
    };
    text.push_str(&format!("{DATA_NOT_INSTRUCTIONS}\n\n"));
    if let Some(AskedAgain::Refused(reason)) = again {
        text.push_str(&refused_text(reason));
    }
    text
}

/// The last attempt that was judged.
fn judged(state: &State) -> Option<&Attempt> {
    state.attempts.iter().rev().find(|attempt| attempt.judged.is_some())
}

/// Whether the agent is informed that there is no test.
fn has_no_tests(state: &State) -> bool {
    state.last_judged().is_some_and(|judged| judged.counts().total == 0)
}

/// What a person should know of a change that passed.
pub fn remarks(square: &Square) -> Vec<String> {
    let declared = square.expectations.iter().filter_map(|expectation| {
        let declaration = expectation.declared.as_ref()?;
        let test = &expectation.test;
        let (by, kind, reason) = (&declaration.by, expectation.kind.as_str(), &declaration.reason);
        Some(format!("{test}: {kind}, declared by {by}: {reason}"))
    });
    let waived = square.findings.iter().filter_map(|finding| {
        let waiver = finding.waived.as_ref()?;
        Some(format!("{}: waived by {}: {}", finding.message, waiver.by, waiver.reason))
    });
    let warnings = square
        .warnings
        .iter()
        .map(|warning| format!("{}:{}: {}", warning.file, warning.line, warning.what));
    let untested = square.untested.iter().filter_map(|change| {
        let declaration = change.declared.as_ref()?;
        let (by, reason) = (&declaration.by, &declaration.reason);
        Some(format!("{}: declared by {by}: {reason}", change.headline()))
    });
    let remarks = square.remarks.iter().cloned();
    declared.chain(untested).chain(waived).chain(warnings).chain(remarks).collect()
}
