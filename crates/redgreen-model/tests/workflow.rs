//! Which workflow documents are accepted, and what is said about the others.

use crate::workflow_fixtures::{largest, smallest};
use redgreen_model::document::{DocumentKind, Syntax, read_workflow, validate};
use redgreen_model::workflow::{
    CodeType, CoverageRequirements, ExecutionConfig, Framework, RetryPolicy, Workflow,
    workflow_schema,
};
use serde_json::{Value, json};

/// Sets the value at a dotted path, making mappings on the way.
fn set(document: &mut Value, path: &str, value: Value) {
    let mut place = document;
    for step in path.split('.') {
        place = match step.parse::<usize>() {
            Ok(index) => &mut place[index],
            Err(_) => &mut place[step],
        };
    }
    *place = value;
}

fn problems(document: &Value) -> Vec<String> {
    let validation = validate(&document.to_string(), None);
    validation.errors.iter().map(ToString::to_string).collect()
}

#[test]
fn documents_with_the_least_and_the_most_are_accepted_and_kept() {
    for document in [smallest(), largest()] {
        let text = document.to_string();
        let validation = validate(&text, Some(Syntax::Json));
        assert_eq!(validation.kind, DocumentKind::Workflow);
        assert_eq!((validation.errors, validation.warnings), (vec![], vec![]));
        read_workflow(&text, None).unwrap();
    }
    let (workflow, _) = read_workflow(&largest().to_string(), None).unwrap();
    let written = serde_json::to_string(&workflow).unwrap();
    let (again, _) = read_workflow(&written, None).unwrap();
    assert_eq!(again, workflow);
    // Nothing of the largest document is lost (numbers may be written in another way).
    assert_eq!(same_numbers(serde_json::to_value(&workflow).unwrap()), same_numbers(largest()));
}

fn same_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.into_iter().map(same_numbers).collect(),
        Value::Object(entries) => {
            entries.into_iter().map(|(key, value)| (key, same_numbers(value))).collect()
        }
        other => other,
    }
}

#[test]
fn what_the_format_allows_is_accepted() {
    for (path, value) in [
        ("workflow_id", json!("ef-001")),
        ("unheard_of", json!({"any": [1, null]})),
        ("agent.unheard_of", json!(null)),
        ("code_artifact.test_files", json!([])),
        ("execution_config.timeout_seconds", json!(5)),
        ("execution_config.timeout_seconds", json!(600)),
        ("execution_config.timeout_seconds", json!(30.0)),
        ("execution_config.environment", json!({})),
        ("retry_policy", json!({})),
        ("retry_policy.max_attempts", json!(1)),
        ("retry_policy.max_attempts", json!(10.0)),
        ("coverage_requirements.new_function.minimum_coverage", json!(0)),
        ("coverage_requirements.new_function.minimum_coverage", json!(99.9)),
        ("coverage_requirements.bug_fix.minimum_coverage", json!(250)),
        ("coverage_requirements.bug_fix.required_tests", json!([1, null, {"a": []}])),
        ("coverage_requirements.refactor.minimum_coverage", json!(-1)),
        ("coverage_requirements.refactor.required_tests", json!([true])),
        ("coverage_requirements.api_endpoint.minimum_coverage", json!(-5.5)),
        ("coverage_requirements.api_endpoint.required_tests", json!([[]])),
        ("coverage_requirements.integration", json!("unknown keys are ignored")),
        ("escalation_policy.triggers", json!([])),
        ("loop_state.attempts.0.phase", json!("any text at all")),
        ("loop_state.attempts.0.timestamp", json!("yesterday")),
        ("loop_state.attempts.0.test_results", json!({})),
        ("loop_state.attempts.0.failures.0.line_number", json!(-3)),
        ("loop_state.attempts.0.analysis.confidence", json!(1)),
        ("loop_state.test_results.total", json!(8.0)),
        ("debug_memory_ref", json!(".aiwg/ralph/debug-memory/")),
        ("ralph_integration.iteration", json!(-1)),
        ("ralph_integration.progress_metric.weight", json!(17)),
        ("timestamps", json!({})),
    ] {
        let mut document = largest();
        set(&mut document, path, value.clone());
        assert_eq!(problems(&document), Vec::<String>::new(), "{path} = {value}");
        let read = read_workflow(&document.to_string(), None);
        assert!(read.is_ok(), "{path} = {value}: {read:?}");
    }
}

#[test]
fn what_the_format_forbids_is_refused_at_its_place() {
    for (path, value) in [
        ("workflow_id", json!(7)),
        ("agent", json!("smith")),
        ("agent.type", json!("wizard")),
        ("code_artifact.language", json!("Python")),
        ("code_artifact.code_type", json!("feature")),
        ("code_artifact.test_files", json!("tests")),
        ("code_artifact.test_files[0]", json!(1)),
        ("execution_config.test_framework", json!("rspec")),
        ("execution_config.timeout_seconds", json!(4)),
        ("execution_config.timeout_seconds", json!(601)),
        ("execution_config.timeout_seconds", json!(30.5)),
        ("execution_config.timeout_seconds", json!("30")),
        ("execution_config.environment.CI", json!(1)),
        ("execution_config.fail_fast", json!("yes")),
        ("retry_policy.max_attempts", json!(0)),
        ("retry_policy.max_attempts", json!(11)),
        ("retry_policy.max_attempts", json!(true)),
        ("retry_policy.backoff", json!("quadratic")),
        ("coverage_requirements.new_function.minimum_coverage", json!(-1)),
        ("coverage_requirements.new_function.minimum_coverage", json!(100.1)),
        ("coverage_requirements.new_function.required_tests[0]", json!(1)),
        ("coverage_requirements.bug_fix.minimum_coverage", json!("all")),
        ("coverage_requirements.bug_fix.required_tests", json!({})),
        ("escalation_policy.triggers[0].condition", json!("boredom")),
        ("escalation_policy.triggers[0].action", json!("panic")),
        ("escalation_policy.triggers[0].include_in_report[1]", json!("logs")),
        ("escalation_policy.notification.channel", json!("pigeon")),
        ("loop_state.phase", json!("thinking")),
        ("loop_state.attempt_number", json!(0)),
        ("loop_state.status", json!("done")),
        ("loop_state.test_results.passed", json!(-1)),
        ("loop_state.test_results.duration_ms", json!(-0.5)),
        ("loop_state.test_results.coverage_percent", json!(101)),
        ("loop_state.attempts", json!({})),
        ("loop_state.attempts[0].attempt_number", json!(0)),
        ("loop_state.attempts[0].phase", json!(3)),
        ("loop_state.attempts[0].failures[0].line_number", json!(1.5)),
        ("loop_state.attempts[0].analysis.confidence", json!(1.01)),
        ("loop_state.attempts[0].fix_applied.files_modified[0]", json!([])),
        ("loop_state.failureHistory.attempts", json!(-1)),
        ("loop_state.failureHistory.entries[0].exitCode", json!("1")),
        ("loop_state.failureHistory.entries[0].kind", json!("bad_luck")),
        ("debug_memory_ref", json!("memory/session.json")),
        ("ralph_integration.iteration", json!("3")),
        ("ralph_integration.execution_gate.allow_skip", json!(0)),
        ("ralph_integration.progress_metric.weight", json!("0.3")),
        ("timestamps.started_at", json!(1_770_000_000)),
    ] {
        let mut document = largest();
        set(&mut document, &path.replace(']', "").replace('[', "."), value.clone());
        let validation = validate(&document.to_string(), None);
        let paths: Vec<&str> = validation.errors.iter().map(|error| error.path.as_str()).collect();
        assert_eq!(paths, [path], "{value}");
        assert!(read_workflow(&document.to_string(), None).is_err(), "{path} = {value}");
    }
}

#[test]
fn no_field_may_be_null_and_only_required_ones_may_not_be_missing() {
    let required = [
        "workflow_id",
        "agent",
        "agent.name",
        "agent.type",
        "code_artifact",
        "code_artifact.path",
        "code_artifact.language",
        "execution_config",
        "execution_config.test_framework",
        "execution_config.test_command",
        "escalation_policy.triggers[0].condition",
        "escalation_policy.triggers[0].action",
        "loop_state",
        "loop_state.phase",
        "loop_state.attempt_number",
        "loop_state.status",
        "loop_state.attempts[0].attempt_number",
        "loop_state.attempts[0].timestamp",
        "loop_state.attempts[0].phase",
        "loop_state.attempts[0].test_results",
        "loop_state.attempts[0].failures[0].test_name",
        "loop_state.attempts[0].failures[0].error_type",
        "loop_state.attempts[0].failures[0].error_message",
        "loop_state.failureHistory.attempts",
        "loop_state.failureHistory.entries",
        "loop_state.failureHistory.entries[0].command",
        "loop_state.failureHistory.entries[0].kind",
        "loop_state.failureHistory.entries[0].summary",
    ];
    let mut keys = Vec::new();
    collect_keys(&largest(), "", "", &mut keys);
    for field in fields_of_the_format() {
        assert!(keys.iter().any(|(_, key, _)| *key == field), "{field} is in the largest document");
    }
    for (pointer, key, path) in keys {
        let mut document = largest();
        let container = document.pointer_mut(&pointer).unwrap().as_object_mut().unwrap();
        container[&key] = Value::Null;
        assert_eq!(
            first_words(&document),
            [format!("{path}: null is not allowed")],
            "null at {path}"
        );
        let container = document.pointer_mut(&pointer).unwrap().as_object_mut().unwrap();
        container.remove(&key);
        let expected = required.contains(&path.as_str());
        let expected = expected.then(|| format!("{path}: missing, but required"));
        assert_eq!(first_words(&document), Vec::from_iter(expected), "without {path}");
    }
}

fn fields_of_the_format() -> Vec<String> {
    let schema = workflow_schema();
    let definitions = schema["$defs"].as_object().unwrap().values();
    let properties = definitions.chain([&schema]).filter_map(|part| part["properties"].as_object());
    properties.flat_map(|properties| properties.keys().cloned()).collect()
}

/// Path and first clause of every problem.
fn first_words(document: &Value) -> Vec<String> {
    problems(document)
        .iter()
        .map(|problem| problem.split(": ").take(2).collect::<Vec<_>>().join(": "))
        .collect()
}

fn collect_keys(
    value: &Value,
    pointer: &str,
    path: &str,
    keys: &mut Vec<(String, String, String)>,
) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                keys.push((pointer.to_owned(), key.clone(), path.clone()));
                collect_keys(value, &format!("{pointer}/{key}"), &path, keys);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let (pointer, path) = (format!("{pointer}/{index}"), format!("{path}[{index}]"));
                collect_keys(item, &pointer, &path, keys);
            }
        }
        _ => {}
    }
}

#[test]
fn a_problem_says_where_it_is_what_is_wrong_and_what_is_allowed() {
    let mut document = largest();
    set(&mut document, "loop_state.attempts.0.timestamp", json!(["2026"]));
    set(&mut document, "loop_state.attempts.0.attempt_number", json!(0));
    set(&mut document, "execution_config.test_framework", json!("pytst"));
    set(&mut document, "execution_config.timeout_seconds", json!("30"));
    set(&mut document, "execution_config.environment", json!({"A B": 1, "": 2, "0": true}));
    set(&mut document, "retry_policy.max_attempts", json!(11));
    set(&mut document, "loop_state.phase", json!("zzz"));
    set(&mut document, "debug_memory_ref", json!("elsewhere"));
    set(&mut document, "agent", json!({"name": "x"}));
    // All of them, in the order of the document.
    assert_eq!(
        problems(&document),
        [
            "agent.type: missing, but required",
            "execution_config.test_framework: \"pytst\" is not known: did you mean `pytest`? \
             allowed are jest, vitest, pytest, go_test, cargo_test, junit, mocha, other",
            "execution_config.timeout_seconds: \"30\" is a string: expected a whole number",
            "execution_config.environment[\"A B\"]: 1 is a whole number: expected a string",
            "execution_config.environment[\"\"]: 2 is a whole number: expected a string",
            "execution_config.environment.0: true is a truth value: expected a string",
            "retry_policy.max_attempts: 11 is out of range: allowed is 1 to 10",
            "loop_state.phase: \"zzz\" is not known: allowed are generate_code, generate_tests, \
             execute_tests, analyze_failures, apply_fix, verify_fix, complete, escalated, aborted",
            "loop_state.attempts[0].attempt_number: 0 is out of range: allowed is 1 or more",
            "loop_state.attempts[0].timestamp: this is a list: expected a string",
            "debug_memory_ref: \"elsewhere\" does not fit: \
             expected a path below `.aiwg/ralph/debug-memory/`",
        ]
    );
}

#[test]
fn ids_and_times_of_another_form_are_warnings() {
    let mut document = largest();
    set(&mut document, "workflow_id", json!("ef-001"));
    set(&mut document, "timestamps.started_at", json!("noon"));
    let (_, warnings) = read_workflow(&document.to_string(), None).unwrap();
    let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "workflow_id: \"ef-001\" is not a UUID: it is read as it is, but redgreen writes UUIDs",
            "timestamps.started_at: \"noon\" is not a date and time of RFC 3339, such as \
             2026-01-25T10:00:00Z: it is read as it is",
        ]
    );
}

#[test]
fn the_defaults_of_the_format_apply() {
    let mut document = smallest();
    set(&mut document, "retry_policy", json!({}));
    set(&mut document, "coverage_requirements", json!({"refactor": {}, "bug_fix": {}}));
    set(&mut document, "escalation_policy", json!({"notification": {}}));
    set(&mut document, "ralph_integration", json!({"execution_gate": {}, "progress_metric": {}}));
    let (workflow, _) = read_workflow(&document.to_string(), None).unwrap();
    let written = serde_json::to_value(&workflow).unwrap();
    assert_eq!(workflow.retry_policy, Some(RetryPolicy::default()));
    assert_eq!(
        written["retry_policy"],
        json!({"max_attempts": 3, "backoff": "none", "escalation_on_max": true,
               "abort_on_regression": true})
    );
    assert_eq!(written["execution_config"]["fail_fast"], json!(false));
    assert_eq!(written["execution_config"]["verbose"], json!(true));
    assert_eq!(workflow.execution_config.effective_timeout_seconds(), 120);
    assert_eq!(workflow.execution_config, ExecutionConfig::new(Framework::Pytest, "pytest -q"));
    assert_eq!(written["escalation_policy"]["notification"], json!({"channel": "issue_comment"}));
    assert_eq!(
        written["ralph_integration"],
        json!({"execution_gate": {"require_passing_tests": true, "allow_skip": false},
               "progress_metric": {"include_test_pass_rate": true, "weight": 0.3}})
    );
    assert_eq!(
        serde_json::to_value(CoverageRequirements::default()).unwrap(),
        json!({
            "new_function": {"minimum_coverage": 80.0,
                "required_tests": ["happy_path", "edge_cases", "error_handling"]},
            "bug_fix": {"minimum_coverage": 100.0,
                "required_tests": ["regression_test", "original_bug_reproduction"]},
            "refactor": {"minimum_coverage": -1.0, "required_tests": ["existing_tests_pass"]},
            "api_endpoint": {"minimum_coverage": 90.0, "required_tests":
                ["happy_path", "error_cases", "integration_test", "validation_test"]},
        })
    );
    let coverage = workflow.coverage_requirements.unwrap();
    let minimums = CodeType::ALL.iter().map(|code_type| coverage.minimum_percent(*code_type));
    let expected = [Some(80.0), Some(100.0), None, Some(90.0), Some(80.0)];
    assert_eq!(minimums.collect::<Vec<_>>(), expected);
}

#[test]
fn words_are_read_and_written_in_their_form_in_documents() {
    assert_eq!(Framework::GoTest.to_string(), "go_test");
    assert_eq!("go_test".parse(), Ok(Framework::GoTest));
    assert_eq!(
        "bugfix".parse::<CodeType>().unwrap_err().to_string(),
        "`bugfix` is not a code type: did you mean `bug_fix`? allowed are new_function, bug_fix, \
         refactor, api_endpoint, integration"
    );
    for framework in Framework::ALL {
        assert_eq!(serde_json::to_value(framework).unwrap(), json!(framework.as_str()));
    }
}

#[test]
fn a_number_beyond_the_types_is_an_error_and_not_another_number() {
    let mut document = smallest();
    set(&mut document, "loop_state.attempt_number", json!(u64::MAX));
    assert_eq!(problems(&document), Vec::<String>::new(), "the format has no bound");
    let errors = read_workflow(&document.to_string(), None).unwrap_err();
    assert!(errors[0].message.contains("18446744073709551615"), "{errors:?}");
    assert!(serde_json::from_value::<Workflow>(document).is_err());
}
