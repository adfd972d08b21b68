//! The report for people.

use redgreen_engine::report::{self, ReportFacts};
use redgreen_engine::state::State;
use redgreen_model::report::TestOutcome::{self, Failed, Passed};
use redgreen_model::workflow::{EscalationAction, EscalationCondition};

use crate::common::run::run;
use crate::common::story::Story;
use crate::common::{at_most, on};

fn markdown(state: &State) -> String {
    report::markdown(state, &ReportFacts::default())
}

#[test]
fn the_report_names_every_failing_test() {
    let names: Vec<String> = (0..200).map(|number| format!("test_{number}_x")).collect();
    let tests: Vec<(&str, TestOutcome)> =
        names.iter().map(|name| (name.as_str(), Failed)).collect();
    let mut story = Story::after(at_most(1), run([("t1", Passed)]));
    story.edits("a").runs_twice(run(tests));
    let report = markdown(&story.state);
    for name in &names {
        assert!(report.contains(name.as_str()), "{name}");
    }
    assert!(report.contains("bounded_attempts_exceeded"));
    assert!(report.contains("| attempts | 1 of 1 |"), "{report}");
}

#[test]
fn pipes_and_backticks_break_no_table_and_no_block() {
    let name = "test[a|b `c` ``` | d]\n| forged | row |\n# forged heading";
    let message = "```\n# forged heading\n| forged | row |\n~~~";
    let red = || {
        let mut red = run([("t1", Passed), (name, Failed)]).saying(message).printing(message);
        red.checks[0].command = "a | b `c`\n| forged | row |".to_owned();
        red.checks[0].log = "x|y`z".to_owned();
        red.checks[0].check = "u|v".to_owned();
        red
    };
    let mut settings = at_most(1);
    settings.task = format!("task | {name}");
    let mut story = Story::after(settings, run([("t1", Passed)]));
    story.edits("a").runs(red()).runs(red());
    let report = markdown(&story.state);
    let unescaped = |line: &str| line.replace("\\|", "").matches('|').count();
    for line in report.lines() {
        assert!(!line.starts_with("# forged") && !line.starts_with("| forged"), "{report}");
        if line.starts_with('|') {
            assert!([3, 6].contains(&unescaped(line)), "{line}");
            assert_eq!(line.matches('`').count() % 2, 0, "{line}");
        }
    }
    assert!(report.contains("    # forged heading"), "{report}");
}

#[test]
fn two_rounds_are_counted_as_two() {
    let mut settings = on(EscalationCondition::MaxAttemptsReached, EscalationAction::SeniorAgent);
    settings.senior = true;
    settings.retry.max_attempts = 1;
    let mut story = Story::after(settings, run([("t1", Passed)]));
    let red = || run([("t1", Passed), ("t2", Failed)]);
    story.edits("a").runs_twice(red()).edits("b").runs_twice(red());
    let report = markdown(&story.state);
    assert!(report.contains("| attempts | 2 of 2 in 2 rounds |"), "{report}");
    assert!(report.contains("## Attempt 2 (second agent)"), "{report}");
    assert!(report.contains("the second agent takes over"), "{report}");
}

#[test]
fn a_report_can_be_made_at_any_moment() {
    let mut story = Story::begin(at_most(1));
    assert!(markdown(&story.state).contains("not finished"));
    story.runs(run([("t1", Passed)]));
    assert!(markdown(&story.state).contains("Not executed."));
    story.edits("a").runs(run([("t1", Passed)])).seals();
    let report = markdown(&story.state);
    assert!(report.starts_with("# redgreen: passed") && report.contains("| tree | `a` |"));
}
