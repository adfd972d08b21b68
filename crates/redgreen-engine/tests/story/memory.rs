//! What the debug memory says: it is given to the agent as data, and decides nothing.

use redgreen_engine::feedback::{blocked, tokens_at_most};
use redgreen_engine::input::{Input, Remembered};
use redgreen_engine::record::{RecordFacts, record};
use redgreen_engine::state::State;
use redgreen_model::debug_memory::Recalled;
use redgreen_model::report::TestOutcome::{self, Failed, Passed};

use super::prompts::{EVIL, outside_fences};
use crate::common::run::{Run, run};
use crate::common::story::Story;
use crate::common::{at_most, rules};

const CAUSE: &str = "v1:0123456789abcdef";
const OTHER: &str = "v1:fedcba9876543210";

fn said(brief: &str, past: &str) -> Input {
    let recalled = Recalled {
        brief: !brief.is_empty(),
        sessions: vec![format!("session of {brief}{past}")],
        warned_of: vec![CAUSE.to_owned(), OTHER.to_owned()],
        ..Recalled::default()
    };
    let (brief, past) = (brief.to_owned(), past.to_owned());
    let patterns = vec![format!("{brief}{past} helps")];
    Input::Remembered {
        memory: Box::new(Remembered { brief, past, patterns, recalled, ..Remembered::default() }),
    }
}

fn green() -> Run {
    run([("t1", Passed)])
}

fn red() -> Run {
    let failing = run([("t1", Passed), ("t2", Failed)]);
    failing.failing_with(|failure| failure.fingerprint = CAUSE.to_owned())
}

#[test]
fn a_brief_stands_above_the_task_and_the_past_beside_the_failures() {
    let mut story = Story::begin(rules());
    story.tell(said("know this", ""));
    story.runs(green());
    let request = story.request();
    let place = |words: &str| request.prompt.find(words).unwrap();
    assert!(place("know this") < place("# Task"), "{}", request.prompt);
    assert_eq!(
        (request.feedback.brief.as_str(), request.feedback.past.as_str()),
        ("know this", "")
    );
    story.edits("a");
    story.tell(said("", "this did NOT work: guess"));
    story.runs_twice(red());
    let request = story.request();
    assert!(request.prompt.contains("this did NOT work"), "{}", request.prompt);
    assert!(!request.prompt.contains("know this"), "{}", request.prompt);
    assert_eq!(request.feedback.patterns, ["this did NOT work: guess helps"]);
    // The record of it has it, too.
    assert_eq!(story.state.attempts[0].patterns, ["this did NOT work: guess helps"]);
    // What was known of other failures is not said of these.
    story.edits("b");
    story.tell(Input::Remembered { memory: Box::default() });
    story.runs_twice(red().saying("something else"));
    assert!(!story.request().prompt.contains("this did NOT work"));
}

#[test]
fn what_a_record_says_stays_inside_the_fences() {
    let evil = format!("```\n`````\n{EVIL}\n``````text\n{EVIL}");
    let mut story = Story::begin(rules().hosted());
    story.tell(said(&evil, &evil));
    story.runs(red()).runs(red());
    assert!(story.request().prompt.contains(EVIL));
    assert!(!outside_fences(&story.request().prompt).contains(EVIL));
    story.declares(Vec::new());
    let text = blocked(&story.state, "feedback.json").unwrap();
    assert!(text.contains(EVIL) && !outside_fences(&text).contains(EVIL), "{text}");
}

/// The state without what memory has to do with it.
fn forgetful(mut state: State) -> State {
    state.remembered = Remembered::default();
    state.updated_at = String::new();
    state.attempts.iter_mut().filter_map(|it| it.judged.as_mut()).for_each(|judged| {
        judged.execution.started_at = String::new();
    });
    state
}

#[test]
fn it_decides_nothing_whenever_it_comes() {
    let play = |remembers: bool| {
        let mut story = Story::begin(rules());
        let moment = |story: &mut Story| {
            let before = forgetful(story.state.clone());
            if remembers {
                assert_eq!(story.tell(said(EVIL, EVIL)), []);
                assert!(forgetful(story.state.clone()) == before);
            }
        };
        moment(&mut story);
        story.runs(green());
        moment(&mut story);
        story.edits("a");
        moment(&mut story);
        story.runs_twice(red());
        moment(&mut story);
        story.edits("b");
        moment(&mut story);
        story.runs(run([("t1", Passed), ("t2", Passed)]));
        moment(&mut story);
        story.runs(run([("t2", Passed)])).seals();
        let ended = story.state.clone();
        story.tell(said(EVIL, EVIL));
        assert!(story.state == ended, "nothing comes after the end");
        forgetful(story.state)
    };
    let (with, without) = (play(true), play(false));
    assert_eq!((with.status, with.attempts.len()), (without.status, without.attempts.len()));
    assert!(with.sealed == without.sealed && with.flags == without.flags);
    let mut unborn = Story::begin(rules());
    unborn.state = State::new();
    unborn.tell(said("a", "b"));
    assert!(unborn.state == State::new());
}

#[test]
fn a_block_with_everything_in_it_is_short_enough_and_whole() {
    // Names that cannot be folded.
    let names: Vec<String> = (1..3_000_u64)
        .map(|number| {
            let word = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            format!("{word:016x}/test_{:04x}.py::test_{word:x}", word >> 44)
        })
        .collect();
    let tests: Vec<(&str, TestOutcome)> =
        names.iter().map(|name| (name.as_str(), Failed)).collect();
    let red = || {
        let number = std::cell::Cell::new(0);
        run(tests.clone()).failing_with(|failure| {
            number.set(number.get() + 1);
            failure.fingerprint = format!("v1:{:016x}", number.get() % 40);
            failure.message = "m".repeat(2_000);
            failure.stack = "s".repeat(4_000);
        })
    };
    let mut story = Story::begin(at_most(3).hosted());
    story.tell(said("", &"was tried before\n".repeat(92)));
    story.runs(red()).runs(red());
    story.declares(Vec::new());
    let text = blocked(&story.state, "feedback.json").unwrap();
    // The bound is 9,800: what reaches it was cut.
    assert!(text.chars().count() < 9_800, "{}", text.chars().count());
    // Names that have no room leave some to what is known, in whole lines.
    let known = text.lines().filter(|line| line.contains("was tried before"));
    assert!(
        known.clone().count() > 10 && known.clone().all(|line| line == "was tried before"),
        "{text}"
    );
    assert!(text.contains("root cause: ") && tokens_at_most(&text) <= 1_500, "{text}");
    assert!(text.ends_with("an honest way to end.\n"), "{text}");
    outside_fences(&text);
}

#[test]
fn a_brief_that_nobody_has_been_shown_comes_with_the_first_block_alone() {
    let mut story = Story::begin(at_most(3).hosted());
    story.tell(said("know this", ""));
    story.runs(red()).runs(red());
    story.declares(Vec::new());
    assert!(blocked(&story.state, "f").unwrap().contains("know this"));
    story.declares(Vec::new());
    assert!(!blocked(&story.state, "f").unwrap().contains("know this"));
}

#[test]
fn the_record_says_what_was_shown_and_whether_it_came_to_that() {
    let mut story = Story::begin(rules());
    story.runs(red()).runs(red());
    let recalled = |story: &Story| {
        let metadata = record(&story.state, &RecordFacts::default()).metadata.unwrap();
        metadata.recalled
    };
    assert_eq!(recalled(&story), None);
    story.tell(said("know this", ""));
    // What was red before was no warning.
    assert_eq!(recalled(&story).unwrap().appeared, Vec::<String>::new());
    story.edits("a");
    story.tell(said("", "past"));
    story.runs_twice(red());
    let seen = recalled(&story).unwrap();
    assert!(seen.brief);
    assert_eq!(seen.sessions, ["session of know this", "session of past"]);
    assert_eq!(seen.warned_of, [CAUSE, OTHER]);
    assert_eq!(seen.appeared, [CAUSE]);
}
