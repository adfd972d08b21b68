//! Records of others, in the forms that were seen.

use proptest::prelude::*;
use redgreen_model::debug_memory::{Record, RecordStatus, Verification};
use redgreen_model::document::{Syntax, validate};
use redgreen_model::error_class::ErrorClass;

use super::{complete, file_name, read, written};
use crate::settings::Format;

/// A record as a person writes it down after a session: little, and under other names.
const BY_HAND: &str = r#"
session_id: "abc123"
file_path: "./src/form/check.ts"
status: passed
created_at: "2026-03-02T08:00:00Z"
executions:
  - attempt: 1
    test_results: { passed: 6, failed: 2 }
    failures:
      - test: "empty_name"
        error_type: "TypeError"
        root_cause: "No guard against null"
        fix_applied: "Put a guard in front"
  - attempt: 2
    test_results: { passed: 8, failed: 0 }
learnings:
  patterns_identified:
    - pattern: "Null reaches the module's edge"
      frequency: 1
      fix_template: "Guard where the value comes in"
"#;

/// The same under a name of its own, with what failed and why in one list.
const WRAPPED: &str = r#"
debug_memory:
  executions:
    - attempt_number: 1
      timestamp: "2026-03-02T08:00:00Z"
      code_hash: "abc"
      environment: { node_version: "20.x", test_framework: jest }
      test_results: { passed: 5, failed: 2, errors: 0 }
      failure_analysis:
        - test: "empty_name"
          error: "TypeError: Cannot read properties of null (reading 'length')"
          stack_trace_snippet: "at checkName (src/form/check.ts:42)"
          root_cause: "No guard against null in checkName()"
          fix_strategy: "Return early where the name is null"
          confidence: 0.9
        - test: "blank_name"
          error_type: ValueError
          error_message: "too short"
          root_cause: "Blanks are counted"
          confidence: 0.6
      fix_applied:
        description: "Return early"
        files_modified: ["./src/form/check.ts"]
        verification: { command: "npm test", result: all_passing }
"#;

fn parsed(text: &str, name: &str) -> Record {
    read(text.as_bytes(), name).unwrap()
}

#[test]
fn a_record_written_by_hand_is_read() {
    let record = parsed(BY_HAND, "session-abc123.yaml");
    assert_eq!(record.session_id, "abc123");
    assert_eq!(record.file_path, "src/form/check.ts");
    assert_eq!(record.status, Some(RecordStatus::Passed));
    let [first, second] = record.executions.as_slice() else { panic!("{record:?}") };
    assert_eq!((first.test_results.total, second.test_results.total), (8, 8));
    assert_eq!(first.timestamp, "2026-03-02T08:00:00Z", "the session's time is better than none");
    assert_eq!(first.failures[0].test_name, "empty_name");
    assert_eq!(first.failures[0].error_type, ErrorClass::TypeError);
    assert_eq!(first.analysis.as_ref().unwrap().root_cause, "No guard against null");
    assert_eq!(first.fix_applied.as_ref().unwrap().description, "Put a guard in front");
    assert_eq!(second.fix_applied, None);
    let pattern = &record.learnings.unwrap().patterns_identified[0];
    assert_eq!(pattern.fix_template.as_deref(), Some("Guard where the value comes in"));
}

#[test]
fn what_failed_and_why_in_one_list_is_read() {
    let record = parsed(WRAPPED, "sessions/session-77.yml");
    assert_eq!(record.session_id, "77", "the file's name tells it");
    let run = &record.executions[0];
    assert_eq!(run.attempt, 1);
    let environment = run.environment.as_ref().unwrap();
    assert_eq!(environment.runtime.as_deref(), Some("node"));
    assert_eq!(environment.runtime_version.as_deref(), Some("20.x"));
    let [null, blank] = run.failures.as_slice() else { panic!("{run:?}") };
    assert_eq!(null.error_type, ErrorClass::TypeError);
    assert_eq!(null.error_name, None);
    let place = null.source_location.as_ref().unwrap();
    assert_eq!(place.function.as_deref(), Some("checkName"));
    assert_eq!((place.file.as_deref(), place.line), (Some("src/form/check.ts"), Some(42)));
    assert_eq!(blank.error_type, ErrorClass::ValidationError);
    assert_eq!(blank.error_name.as_deref(), Some("ValueError"));
    let analysis = run.analysis.as_ref().unwrap();
    assert_eq!(analysis.root_cause, "No guard against null in checkName()\nBlanks are counted");
    assert_eq!(analysis.confidence, Some(0.6));
    let fix = run.fix_applied.as_ref().unwrap();
    assert_eq!(fix.files_changed, ["src/form/check.ts"]);
    assert_eq!(fix.verification, Some(Verification::Passed));
}

#[test]
fn json_and_yaml_say_the_same() {
    let yaml = parsed(BY_HAND, "session-abc123.yaml");
    let value = redgreen_model::document::read_value(BY_HAND, Some(Syntax::Yaml)).unwrap();
    assert_eq!(parsed(&value.to_string(), "session-abc123.json"), yaml);
    assert_eq!(parsed(BY_HAND, "session-abc123.json"), yaml, "a wrong ending loses nothing");
}

#[test]
fn what_is_no_record_is_named_with_its_reason() {
    let cases: [(&[u8], &str); 6] = [
        (b"", "empty"),
        (b"- 1\n- 2\n", "not a mapping"),
        (b"{\"name\": \"a\"}", "neither session_id nor executions"),
        (b"{\"session_id\": ", "JSON"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"a: [1, 2\nb: }", "YAML"),
    ];
    for (bytes, words) in cases {
        let name = if words == "YAML" { "session-1.yaml" } else { "session-1.json" };
        let reason = read(bytes, name).unwrap_err();
        assert!(reason.contains(words), "{reason}");
    }
}

#[test]
fn strange_values_are_read_as_far_as_they_go() {
    let text = r#"{"session_id": 7, "status": "aborted", "executions": [
        {"attempt": "2", "test_results": {"passed": "3", "failed": 1.0, "coverage": "92%"},
         "failures": ["just a name", null, {}, {"error": "Boom"}], "analysis": "It breaks",
         "fix_applied": {"diff": "+a"}},
        "nonsense"], "learnings": ["Read the manual"], "metadata": {"agent": {"name": "x"}}}"#;
    let record = parsed(text, "session-7.json");
    assert_eq!(record.session_id, "7");
    assert_eq!(record.status, Some(RecordStatus::Failed));
    let run = &record.executions[0];
    assert_eq!((run.attempt, run.test_results.total), (2, 4));
    assert_eq!(run.test_results.coverage_percent, Some(92.0));
    assert_eq!(run.failures.len(), 2);
    assert_eq!(run.analysis.as_ref().unwrap().root_cause, "It breaks");
    assert_eq!(record.executions[1].attempt, 2);
    assert_eq!(record.learnings.unwrap().recommendations, ["Read the manual"]);
    assert_eq!(record.metadata.unwrap().agent.as_deref(), Some("x"));
}

#[test]
fn what_is_written_is_valid_and_comes_back() {
    for (name, text) in [("session-abc123.yaml", BY_HAND), ("session-77.yaml", WRAPPED)] {
        let mut record = parsed(text, name);
        assert!(file_name(&record, Format::Json).is_err(), "no UUID, no name");
        record.session_id = "0190a000-0000-7000-8000-000000000001".to_owned();
        let whole = complete(&record, "2026-03-02T09:00:00Z");
        for (format, syntax) in [(Format::Json, Syntax::Json), (Format::Yaml, Syntax::Yaml)] {
            let name = file_name(&record, format).unwrap();
            assert_eq!(name, format!("session-{}.{}", record.session_id, format.extension()));
            let text = written(&whole, format).unwrap();
            let validation = validate(&text, Some(syntax));
            assert!(
                validation.errors.is_empty() && validation.warnings.is_empty(),
                "{validation:?}"
            );
            assert_eq!(parsed(&text, &name), whole);
        }
    }
}

/// Documents with the right names and anything else under them.
fn documents() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        ".{0,12}".prop_map(Into::into),
    ];
    let key = prop::sample::select(vec![
        "session_id",
        "file_path",
        "status",
        "executions",
        "attempt",
        "test_results",
        "passed",
        "failures",
        "failure_analysis",
        "test",
        "error_type",
        "error",
        "stack_trace",
        "analysis",
        "root_cause",
        "confidence",
        "fix_applied",
        "verification",
        "diff",
        "learnings",
        "metadata",
        "patterns_identified",
        "frequency",
        "environment",
        "node_version",
        "debug_memory",
        "source_location",
        "recalled",
        "coverage",
        "similar_past_issues",
    ]);
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::hash_map(key.clone().prop_map(str::to_owned), inner, 0..6)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_is_read_can_be_written_and_is_valid_then(mut document in documents()) {
        if let Some(fields) = document.as_object_mut() {
            fields.insert("session_id".to_owned(), "00000000-0000-7000-8000-000000000001".into());
            fields.remove("debug_memory");
        }
        if let Ok(record) = read(document.to_string().as_bytes(), "session-1.json") {
            let whole = complete(&record, "2026-03-02T09:00:00Z");
            for (format, syntax) in [(Format::Json, Syntax::Json), (Format::Yaml, Syntax::Yaml)] {
                let text = written(&whole, format).unwrap();
                let validation = validate(&text, Some(syntax));
                prop_assert!(validation.errors.is_empty(), "{:?}\n{text}", validation.errors);
                prop_assert!(read(text.as_bytes(), "session-1.json").is_ok());
            }
        }
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes, "session-1.yaml");
        let _ = read(&bytes, "session-1.json");
    }
}
