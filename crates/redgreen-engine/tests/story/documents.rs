//! The workflow document of every end, and of every moment on the way, validates.

use redgreen_engine::document::{DocumentFacts, workflow};
use redgreen_engine::input::AgentOutcome;
use redgreen_model::document::{DocumentKind, MAX_DOCUMENT_BYTES, validate};
use redgreen_model::report::TestOutcome::{self, Failed, Passed};
use redgreen_model::text::{BLOCK_CHARS, MESSAGE_CHARS};
use redgreen_model::workflow::{
    EscalationAction, EscalationCondition, ExecutionConfig, Framework, Language, LoopStatus, Phase,
    Workflow,
};

use crate::common::run::{run, silent};
use crate::common::story::Story;
use crate::common::{at_most, on, rules};

/// The document, checked against the schema.
fn document(story: &Story) -> Workflow {
    let facts = DocumentFacts {
        ralph_integration: None,
        agent: "scripted".to_owned(),
        execution: ExecutionConfig::new(Framework::Pytest, "pytest -q"),
        language: Language::Python,
        debug_memory_ref: Some(".aiwg/ralph/debug-memory/sessions/session-1.json".to_owned()),
    };
    let document = workflow(&story.state, &facts);
    let text = serde_json::to_string(&document).unwrap();
    let validation = validate(&text, None);
    assert_eq!(validation.kind, DocumentKind::Workflow);
    assert!(validation.errors.is_empty(), "{:#?}", validation.errors);
    assert!(validation.warnings.is_empty(), "{:#?}", validation.warnings);
    document
}

/// Numbers count up from 1, and the phases are those of the loop.
fn makes_sense(document: &Workflow) {
    let state = &document.loop_state;
    let mut last = 0;
    for attempt in &state.attempts {
        assert!(attempt.attempt_number > last);
        last = attempt.attempt_number;
        let wanted = if last == 1 { Phase::ExecuteTests } else { Phase::VerifyFix };
        assert_eq!(attempt.phase, wanted.to_string());
    }
    assert!(last <= state.attempt_number && state.attempt_number >= 1);
    let ended = document.timestamps.as_ref().unwrap().completed_at.is_some();
    assert_eq!(ended, state.phase.is_terminal());
    assert_eq!(ended, state.status != LoopStatus::InProgress);
    assert_eq!(state.phase == Phase::Complete, state.status == LoopStatus::Passed);
}

fn green() -> crate::common::run::Run {
    run([("t1", Passed)])
}

fn red() -> crate::common::run::Run {
    run([("t1", Passed), ("t2", Failed)])
}

#[test]
fn every_end_gives_a_valid_document() {
    let mut ends: Vec<Story> = Vec::new();
    let mut end = |settings, tell: &dyn Fn(&mut Story)| {
        let mut story = Story::begin(settings);
        tell(&mut story);
        assert!(story.state.ended());
        ends.push(story);
    };
    end(rules(), &|story| {
        story.runs(green()).edits("a").runs(green()).seals();
    });
    end(at_most(1), &|story| {
        story.runs(green()).edits("a").runs_twice(red());
    });
    end(rules(), &|story| {
        let both = || run([("t1", Passed), ("t9", Failed)]);
        story.runs(green()).edits("a").runs_twice(both());
        story.edits("b").runs_twice(run([("t1", Failed)])).restores("start");
    });
    end(rules(), &|story| {
        story.runs(silent(127));
    });
    end(rules(), &|story| {
        story.runs(green()).edits("start");
    });
    end(rules(), &|story| {
        let stuck = AgentOutcome::GaveUp { reason: "stuck".to_owned() };
        story.runs(green()).agent(stuck, "a", Vec::new(), None);
    });
    end(rules(), &|story| {
        story.runs(green()).edits("a").runs_twice(red()).edits("b").runs(silent(127));
    });
    end(rules(), &|story| {
        story.deadline();
    });
    let mut failing = at_most(1);
    failing.retry.escalation_on_max = false;
    end(failing, &|story| {
        story.runs(green()).edits("a").runs_twice(red());
    });
    let mut senior = on(EscalationCondition::MaxAttemptsReached, EscalationAction::SeniorAgent);
    senior.senior = true;
    senior.retry.max_attempts = 1;
    end(senior, &|story| {
        story.runs(green()).edits("a").runs_twice(red()).edits("b").runs_twice(red());
    });
    for story in &ends {
        makes_sense(&document(story));
    }
    let statuses: Vec<LoopStatus> = ends.iter().map(|story| story.state.status).collect();
    for status in LoopStatus::ALL.iter().filter(|status| **status != LoopStatus::InProgress) {
        assert!(statuses.contains(status), "no story ends as {status}");
    }
}

#[test]
fn the_document_is_valid_at_every_moment() {
    let mut story = Story::begin(rules());
    makes_sense(&document(&story));
    story.runs(green());
    makes_sense(&document(&story));
    story.edits("a");
    makes_sense(&document(&story));
    story.runs(red());
    makes_sense(&document(&story));
    story.runs(red());
    makes_sense(&document(&story));
    story.edits("b").runs(run([("t1", Passed), ("t2", Passed)]));
    story.reruns(&["t2"], run([("t2", Passed)])).seals();
    let document = document(&story);
    makes_sense(&document);
    let first = &document.loop_state.attempts[0];
    assert_eq!(first.failures[0].test_name, "t2");
    assert!(first.analysis.is_some());
    assert_eq!(first.fix_applied.as_ref().unwrap().files_modified, ["src/a.py"]);
    assert_eq!(document.code_artifact.path, "src/a.py");
}

#[test]
fn a_document_of_many_large_failures_can_be_read_back() {
    let names: Vec<String> = (0..300).map(|number| format!("test_{number}")).collect();
    let tests: Vec<(&str, TestOutcome)> =
        names.iter().map(|name| (name.as_str(), Failed)).collect();
    let large = run(tests).failing_with(|failure| {
        failure.message = "m".repeat(MESSAGE_CHARS);
        failure.stack = "s".repeat(BLOCK_CHARS);
    });
    let mut story = Story::after(at_most(10), green());
    for attempt in 0..10 {
        story.edits(&format!("a{attempt}")).runs(large.clone()).runs(large.clone());
    }
    let document = document(&story);
    assert!(serde_json::to_vec(&document).unwrap().len() < MAX_DOCUMENT_BYTES / 2);
    assert_eq!(document.loop_state.test_results.as_ref().unwrap().failed, Some(300));
}
