//! The debug-memory record of every end, and of every moment on the way, validates; and says what was
//! seen.

use redgreen_engine::input::{AgentOutcome, AgentResult, Input, Remembered, Similar, Weight};
use redgreen_engine::record::{RecordFacts, record};
use redgreen_model::analysis::{AnalysisSource, ProposedAnalysis};
use redgreen_model::debug_memory::{Environment, Record, RecordStatus, SimilarIssue, Verification};
use redgreen_model::document::{DocumentKind, MAX_DOCUMENT_BYTES, validate};
use redgreen_model::error_class::ErrorClass;
use redgreen_model::report::TestOutcome::{self, Failed, Passed};
use redgreen_model::report::{Failure, FailureKind, Location};
use redgreen_model::text::{BLOCK_CHARS, MESSAGE_CHARS};
use redgreen_model::tree::FileRole;

use crate::common::run::{Run, run, silent};
use crate::common::story::Story;
use crate::common::{SESSION, at_most, change, rules, tampered, tree};

/// The record, checked against the schema.
fn recorded(story: &Story) -> Record {
    let facts = RecordFacts {
        agent: "scripted".to_owned(),
        recorded_by: "redgreen 0.1.0".to_owned(),
        environment: Environment { os: Some("linux".to_owned()), ..Environment::default() },
        ..RecordFacts::default()
    };
    let record = record(&story.state, &facts);
    let text = serde_json::to_string(&record).unwrap();
    let validation = validate(&text, None);
    assert_eq!(validation.kind, DocumentKind::DebugMemory);
    assert!(validation.errors.is_empty(), "{:#?}", validation.errors);
    assert!(validation.warnings.is_empty(), "{:#?}", validation.warnings);
    record
}

fn verifications(record: &Record) -> Vec<Option<Verification>> {
    let fix = |run: &redgreen_model::debug_memory::Execution| run.fix_applied.clone();
    record.executions.iter().map(|run| fix(run).and_then(|fix| fix.verification)).collect()
}

fn green() -> Run {
    run([("t1", Passed)])
}

fn red() -> Run {
    run([("t1", Passed), ("t2", Failed)])
}

fn fixed() -> Run {
    run([("t1", Passed), ("t2", Passed)])
}

/// A failure as a framework shows it.
fn shown(failure: &mut Failure) {
    let place = |file: &str, line: u32, function: &str| Location {
        file: file.to_owned(),
        line: Some(line),
        function: Some(function.to_owned()),
    };
    failure.error_type = "KeyError".to_owned();
    failure.error_class = ErrorClass::ReferenceError;
    failure.fingerprint = "v1:0123456789abcdef".to_owned();
    failure.message = "'total'".to_owned();
    failure.expected = Some("3".to_owned());
    failure.actual = Some("4".to_owned());
    failure.stack = "src/a.py:11 in total".to_owned();
    failure.location = Some(place("src/a.py", 11, "total"));
    failure.test_location = Some(place("tests/test_a.py", 4, "t2"));
}

#[test]
fn a_loop_is_recorded_with_what_was_seen_of_it() {
    let mut story = Story::after(rules(), green());
    story.edits("a").runs_twice(red().failing_with(shown));
    story.edits("b").runs(fixed()).reruns(&["t2"], run([("t2", Passed)])).seals();
    let record = recorded(&story);
    assert_eq!((record.session_id.as_str(), record.file_path.as_str()), (SESSION, "src/a.py"));
    assert_eq!(record.status, Some(RecordStatus::Passed));
    assert_eq!(record.created_at.as_deref(), Some("2026-11-15T00:00:00Z"));
    assert_eq!(record.updated_at.as_ref(), Some(&story.state.updated_at));
    let metadata = record.metadata.as_ref().unwrap();
    assert_eq!(metadata.agent.as_deref(), Some("scripted"));
    assert_eq!(metadata.task_id.as_deref(), Some("add a parser for dates"));
    assert_eq!(metadata.recorded_by.as_deref(), Some("redgreen 0.1.0"));

    let [before, first, second] = record.executions.as_slice() else {
        panic!("{:#?}", record.executions)
    };
    assert!(before.test_results.is_green(), "what the first edit broke was whole before");
    assert_eq!((before.attempt, first.attempt, second.attempt), (1, 1, 2));
    assert_eq!(first.code_hash, tree("a").code.0);
    let environment = first.environment.as_ref().unwrap();
    assert_eq!(environment.test_framework.as_deref(), Some("pytest"));
    assert_eq!(environment.os.as_deref(), Some("linux"));
    assert_eq!((first.test_results.passed, first.test_results.failed), (1, 1));
    assert!(second.test_results.is_green() && second.failures.is_empty());

    let failure = &first.failures[0];
    assert_eq!(
        (failure.test_name.as_str(), failure.error_type),
        ("t2", ErrorClass::ReferenceError)
    );
    assert_eq!(failure.error_name.as_deref(), Some("KeyError"));
    assert_eq!(failure.fingerprint.as_deref(), Some("v1:0123456789abcdef"));
    assert_eq!(
        (failure.test_file.as_deref(), failure.test_line),
        (Some("tests/test_a.py"), Some(4))
    );
    let place = failure.source_location.as_ref().unwrap();
    assert_eq!((place.file.as_deref(), place.line), (Some("src/a.py"), Some(11)));
    assert_eq!(place.function.as_deref(), Some("total"));
    assert_eq!((failure.expected.as_deref(), failure.actual.as_deref()), (Some("3"), Some("4")));

    let analysis = first.analysis.as_ref().unwrap();
    assert!(analysis.root_cause.contains("because of src/a.py:11 in total"), "{analysis:?}");
    assert_eq!(analysis.related_failures, ["t2"]);
    let fix = first.fix_applied.as_ref().unwrap();
    assert_eq!(
        (fix.diff_summary.as_deref(), fix.files_changed.as_slice()),
        (Some("+3/-1 lines"), &["src/a.py".to_owned()][..])
    );
    let wanted = [Some(Verification::Failed), Some(Verification::Passed), None];
    assert_eq!(verifications(&record), wanted);
}

#[test]
fn an_edit_is_verified_only_by_what_was_seen_of_it() {
    let mut story = Story::after(at_most(4), green());
    story.edits("a").runs_twice(red());
    // What was before the first edit stands there because of what it brought.
    let verifications = |record: &Record| {
        let all = verifications(record);
        assert_eq!(all[0], Some(Verification::Failed));
        all[1..].to_vec()
    };
    assert_eq!(verifications(&recorded(&story)), [None]);
    story.edits("b");
    assert_eq!(verifications(&recorded(&story)), [Some(Verification::Pending)]);
    story.runs_twice(red());
    assert_eq!(verifications(&recorded(&story)), [Some(Verification::Failed), None]);
    story.edits("c").runs(fixed()).reruns(&["t2"], run([("t2", Passed)]));
    // It passed, and whether the tests are still the same has not been looked at.
    let wanted = [Some(Verification::Failed), Some(Verification::Pending), None];
    assert_eq!(verifications(&recorded(&story)), wanted);
    story.squares_with(tampered);
    let wanted = [Some(Verification::Failed), Some(Verification::Failed), None];
    assert_eq!(verifications(&recorded(&story)), wanted);
}

#[test]
fn what_was_red_before_and_repaired_is_remembered() {
    let mut story = Story::begin(rules());
    story.runs_twice(red().failing_with(shown)).edits("a").runs(fixed());
    if story.state.pending.is_some() {
        story.reruns(&["t2"], run([("t2", Passed)])).seals();
    }
    let record = recorded(&story);
    assert_eq!(record.status, Some(RecordStatus::Passed));
    let [baseline, first] = record.executions.as_slice() else {
        panic!("{:#?}", record.executions)
    };
    assert_eq!((baseline.attempt, first.attempt), (1, 1));
    let of = |run: &redgreen_model::debug_memory::Execution| {
        run.environment.as_ref().unwrap().additional.get("purpose").cloned()
    };
    assert_eq!((of(baseline).as_deref(), of(first)), (Some("baseline"), None));
    assert_eq!(baseline.failures[0].test_name, "t2");
    assert_eq!(verifications(&record), [Some(Verification::Passed), None]);
}

#[test]
fn an_edit_is_described_by_what_was_changed_and_the_agents_words_are_marked() {
    let mut story = Story::after(at_most(5), green());
    story.edits("a").runs_twice(red());
    let files = ["src/a.py", "src/b.py", "src/c.py", "src/d.py"];
    let result = AgentResult {
        said: "Dates are parsed now".to_owned(),
        near: Vec::new(),
        diff: "-old\n+new\n".to_owned(),
        outcome: AgentOutcome::Finished,
        tree: tree("b"),
        changes: files.map(|file| change(file, FileRole::Code)).to_vec(),
        weight: Weight::Runs,
        analysis: None,
        declared: Vec::new(),
        waived: Vec::new(),
        known: None,
        secrets: Vec::new(),
        answer: String::new(),
        log: String::new(),
        duration_ms: 5,
        cost_micros: 0,
    };
    story.here = tree("b");
    story.tell(Input::AgentEnded { id: story.pending_id(), result: Box::new(result) });
    story.runs_twice(red());
    let plan = "Read the day before the month, as the task says";
    story.edits_with(
        "c",
        ProposedAnalysis {
            root_cause: "The month and the day are mixed up in the parser".to_owned(),
            fix_strategy: plan.to_owned(),
            confidence: 0.8,
            tests: vec!["t2".to_owned()],
            place: String::new(),
            found: Some(crate::common::place()),
        },
    );
    let record = recorded(&story);
    let fix = |attempt: usize| record.executions[attempt].fix_applied.clone().unwrap();
    assert_eq!(
        fix(1).description,
        "edit of src/a.py, src/b.py, src/c.py and 1 more; the agent said: Dates are parsed now"
    );
    assert_eq!(fix(1).diff.as_deref(), Some("-old\n+new\n"));
    assert_eq!(fix(2).description, format!("edit of src/a.py; the agent said: {plan}"));
    assert_eq!(fix(2).diff, None);
}

#[test]
fn every_end_gives_a_valid_record() {
    let ended = |settings, tell: &dyn Fn(&mut Story)| {
        let mut story = Story::begin(settings);
        tell(&mut story);
        assert!(story.state.ended());
        let record = recorded(&story);
        let reason = record.metadata.unwrap().stop_reason;
        (record.status.unwrap(), reason, record.executions.len())
    };
    let reason = |reason: &str| Some(reason.to_owned());
    let passed = ended(rules(), &|story| {
        story.runs(green()).edits("a").runs(green()).seals();
    });
    assert_eq!(passed, (RecordStatus::Passed, None, 1));
    let escalated = ended(at_most(1), &|story| {
        story.runs(green()).edits("a").runs_twice(red());
    });
    assert_eq!(escalated, (RecordStatus::Escalated, reason("bounded_attempts_exceeded"), 2));
    let (status, why, _) = ended(rules(), &|story| {
        let both = || run([("t1", Passed), ("t9", Failed)]);
        story.runs(green()).edits("a").runs_twice(both());
        story.edits("b").runs_twice(run([("t1", Failed)])).restores("start");
    });
    assert_eq!((status, why), (RecordStatus::Escalated, reason("regression_detected")));
    // A run that the tools kept from being judged is nobody's attempt.
    let tools = ended(rules(), &|story| {
        story.runs(green()).edits("a").runs_twice(red()).edits("b").runs(silent(127));
    });
    assert_eq!(tools, (RecordStatus::Failed, reason("tooling_error"), 2));
    let (status, why, executions) = ended(rules(), &|story| {
        story.deadline();
    });
    assert_eq!((why, executions), (reason("timeout_exceeded"), 0));
    assert_ne!(status, RecordStatus::InProgress);
}

#[test]
fn the_record_is_valid_at_every_moment() {
    let mut story = Story::begin(rules());
    assert_eq!(recorded(&story).status, Some(RecordStatus::InProgress));
    story.runs(green());
    recorded(&story);
    story.edits("a");
    recorded(&story);
    story.runs(red());
    recorded(&story);
    story.runs(red());
    assert_eq!(recorded(&story).executions.len(), 2);
}

#[test]
fn a_record_of_many_large_failures_stays_readable() {
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
    let record = recorded(&story);
    assert!(serde_json::to_vec(&record).unwrap().len() < MAX_DOCUMENT_BYTES / 2);
    assert_eq!(record.executions[9].test_results.failed, 300);
    assert_eq!(record.executions[9].failures.len(), 50);
}

#[test]
fn an_edit_that_changed_nothing_is_no_fix() {
    let mut story = Story::after(at_most(4), green());
    story.edits("a").runs_twice(red());
    story.agent(AgentOutcome::Finished, "a", Vec::new(), None);
    let record = recorded(&story);
    assert!(
        story.state.attempts.iter().any(|attempt| attempt.number == 2 && attempt.agent.is_some())
    );
    assert_eq!(record.executions[1].fix_applied, None);
}

#[test]
fn a_cause_that_shows_in_many_tests_is_described_in_full_once() {
    let names: Vec<String> = (0..70).map(|number| format!("test_{number}")).collect();
    let tests: Vec<(&str, TestOutcome)> =
        names.iter().map(|name| (name.as_str(), Failed)).collect();
    let many = run(tests).failing_with(|failure| {
        failure.fingerprint = "v1:0123456789abcdef".to_owned();
        failure.message = "m".repeat(900);
        failure.stack = "s".repeat(1_900);
        failure.actual = Some("a".repeat(900));
    });
    let mut story = Story::after(rules(), green());
    story.edits("a").runs_twice(many);
    let record = recorded(&story);
    let [_, execution] = record.executions.as_slice() else { panic!("{:#?}", record.executions) };
    assert_eq!((execution.failures.len(), execution.test_results.failed), (50, 70));
    let additional = &execution.environment.as_ref().unwrap().additional;
    assert_eq!(additional.get("failures_left_out").map(String::as_str), Some("20"));
    let (first, others) = execution.failures.split_first().unwrap();
    assert_eq!(
        (first.error_message.len(), first.stack_trace.as_ref().unwrap().len()),
        (900, 1_900)
    );
    for (failure, name) in others.iter().zip(&names[1..]) {
        assert_eq!((&failure.test_name, &failure.stack_trace), (name, &None));
        assert!(failure.error_message.chars().count() < 260, "{}", failure.error_message);
        assert!(failure.actual.as_ref().unwrap().chars().count() < 260);
    }
    let size = serde_json::to_vec_pretty(&record).unwrap().len();
    assert!(size < 60_000, "{size}");
}

#[test]
fn an_analysis_names_what_memory_knew_of_its_failures() {
    let issue = |session: &str| SimilarIssue {
        session_id: Some(session.to_owned()),
        resolution: Some("t2: this worked: a guard".to_owned()),
        ..SimilarIssue::default()
    };
    let known = |attempt, session| {
        let similar = vec![Similar { attempt, issues: vec![issue(session)] }];
        Input::Remembered { memory: Box::new(Remembered { similar, ..Remembered::default() }) }
    };
    let mut story = Story::after(at_most(5), green());
    story.edits("a");
    story.tell(known(1, "first"));
    // The whole run says more than the tests that ran first.
    story.tell(known(1, "whole"));
    story.runs_twice(red()).edits("b").runs_twice(red().saying("something else"));
    story.edits("c");
    let analyses: Vec<_> =
        recorded(&story).executions.into_iter().filter_map(|run| run.analysis).collect();
    assert_eq!(analyses.len(), 2);
    assert_eq!(analyses[0].similar_past_issues, [issue("whole")]);
    assert_eq!(analyses[1].similar_past_issues, []);
    // What was said is read again from the journal.
    let text = serde_json::to_string(&known(1, "whole")).unwrap();
    assert_eq!(serde_json::from_str::<Input>(&text).unwrap(), known(1, "whole"));
}

#[test]
fn what_the_agent_says_of_what_was_red_before_it_came_is_its_word() {
    let said = |confidence| ProposedAnalysis {
        root_cause: "The month and the day are mixed up in the parser".to_owned(),
        fix_strategy: "Read the day before the month, as the task says".to_owned(),
        confidence,
        tests: vec!["t2".to_owned()],
        place: String::new(),
        found: Some(crate::common::place()),
    };
    let mut story = Story::begin(at_most(4));
    story.runs_twice(red()).edits_with("a", said(7.0)).runs_twice(red());
    story.edits("b");
    let record = recorded(&story);
    let analysis = record.executions[0].analysis.as_ref().unwrap();
    assert_eq!((analysis.source, analysis.confidence), (Some(AnalysisSource::Agent), Some(1.0)));
    assert_eq!(analysis.root_cause, said(0.5).root_cause);
    let own = record.executions[1].analysis.as_ref().unwrap();
    assert_eq!(own.source, Some(AnalysisSource::Builtin));
    // Too little to be an analysis is none.
    let mut story = Story::begin(at_most(4));
    let short = ProposedAnalysis { root_cause: "dunno".to_owned(), ..said(0.5) };
    story.runs_twice(red()).edits_with("a", short);
    assert_eq!(recorded(&story).executions[0].analysis, None);
}

/// The tests of an execution that failed, and whether the edit before it brought that.
fn brought(record: &Record, index: usize) -> Vec<(&str, bool)> {
    let failures = record.executions[index].failures.iter();
    failures.map(|failure| (failure.test_name.as_str(), failure.brought_by_edit)).collect()
}

#[test]
fn what_an_edit_brought_is_distinguished_from_what_was_there() {
    let mut story = Story::begin(at_most(9));
    let broken = || run([("t1", Passed), ("t2", Passed), ("t3", Failed)]);
    story.runs_twice(broken()).edits("a");
    story.runs_twice(run([("t1", Failed), ("t2", Passed), ("t3", Failed), ("new", Failed)]));
    let record = recorded(&story);
    assert_eq!(brought(&record, 0), [("t3", false)], "nobody had edited anything");
    assert_eq!(brought(&record, 1), [("t1", true), ("t3", false), ("new", true)]);
}

#[test]
fn what_could_not_be_seen_before_was_not_brought() {
    // A file could not be read: what it would have shown is not known.
    let unread = || {
        let error = Failure::new(FailureKind::CompileError, "SyntaxError", "invalid syntax");
        run([("t1", Passed)]).error(error).exit(2)
    };
    let mut story = Story::begin(at_most(9));
    story.runs(unread()).edits("a").runs_twice(red());
    let record = recorded(&story);
    assert!(!record.executions.is_empty());
    let flags = record.executions.iter().flat_map(|run| &run.failures);
    assert!(flags.map(|failure| failure.brought_by_edit).all(|is_brought| !is_brought));
    // And where the edit is what made it unreadable, that is what it brought.
    let mut story = Story::after(at_most(9), green());
    story.edits("a").runs(unread());
    let record = recorded(&story);
    let last = record.executions.last().unwrap();
    assert!(last.failures.iter().any(|failure| failure.brought_by_edit), "{record:#?}");
}
