//! Whatever workflow redgreen writes, it is a valid document and comes back as it was.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use redgreen_model::document::{Syntax, read_workflow, validate};
use redgreen_model::workflow::{
    Agent, AgentType, Analysis, ApiEndpointCoverage, Backoff, BugFixCoverage, CodeArtifact,
    CodeType, CoverageRequirements, DebugMemoryLink, EscalationAction, EscalationCondition,
    EscalationPolicy, EscalationTrigger, ExecutionAttempt, ExecutionConfig, ExecutionGate, Failure,
    FixApplied, Framework, Language, LoopState, LoopStatus, NewFunctionCoverage, Notification,
    NotificationChannel, Phase, ProgressMetric, RalphIntegration, RefactorCoverage, ReportItem,
    RetryPolicy, TestResults, Timestamps, Workflow,
};
use serde_json::{Value, json};

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z/._-]{0,12}", any::<String>()]
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    vec(text(), 0..3)
}

/// A number with two decimals: JSON text keeps it exactly.
fn decimal(least: i32, most: i32) -> impl Strategy<Value = f64> {
    (least * 100..=most * 100).prop_map(|hundredths| f64::from(hundredths) / 100.0)
}

fn time() -> impl Strategy<Value = String> {
    (0..24_u8, 0..60_u8).prop_map(|(hour, minute)| format!("2026-02-03T{hour:02}:{minute:02}:00Z"))
}

fn anything() -> impl Strategy<Value = Value> {
    prop_oneof![
        text().prop_map(Value::from),
        Just(Value::Null),
        any::<i64>().prop_map(Value::from),
        texts().prop_map(|texts| json!({ "list": texts })),
    ]
}

prop_compose! {
    fn agent()(name in text(), kind in select(AgentType::ALL), version in of(text())) -> Agent {
        Agent { name, kind, version }
    }
}

prop_compose! {
    fn code_artifact()(
        path in text(), language in select(Language::ALL), code_type in of(select(CodeType::ALL)),
        content_hash in of(text()), test_files in texts(), requirements_ref in texts(),
    ) -> CodeArtifact {
        CodeArtifact { path, language, code_type, content_hash, test_files, requirements_ref }
    }
}

fn environment() -> impl Strategy<Value = BTreeMap<String, String>> {
    btree_map(text(), text(), 0..3)
}

prop_compose! {
    fn execution_config()(
        test_framework in select(Framework::ALL), test_command in text(),
        timeout_seconds in of(5_u32..=600), environment in environment(),
        working_directory in of(text()), fail_fast in any::<bool>(), verbose in any::<bool>(),
    ) -> ExecutionConfig {
        ExecutionConfig {
            test_framework, test_command, timeout_seconds, environment, working_directory,
            fail_fast, verbose,
        }
    }
}

prop_compose! {
    fn retry_policy()(
        max_attempts in 1_u32..=10, backoff in select(Backoff::ALL),
        escalation_on_max in any::<bool>(), abort_on_regression in any::<bool>(),
    ) -> RetryPolicy {
        RetryPolicy { max_attempts, backoff, escalation_on_max, abort_on_regression }
    }
}

prop_compose! {
    fn coverage_requirements()(
        new_function in of((decimal(0, 100), texts())),
        others in of((decimal(-1, 200), vec(anything(), 0..3))),
    ) -> CoverageRequirements {
        CoverageRequirements {
            new_function: new_function.map(|(minimum_coverage, required_tests)| {
                NewFunctionCoverage { minimum_coverage, required_tests }
            }),
            bug_fix: others.clone().map(|(minimum_coverage, required_tests)| {
                BugFixCoverage { minimum_coverage, required_tests }
            }),
            refactor: others.clone().map(|(minimum_coverage, required_tests)| {
                RefactorCoverage { minimum_coverage, required_tests }
            }),
            api_endpoint: others.map(|(minimum_coverage, required_tests)| {
                ApiEndpointCoverage { minimum_coverage, required_tests }
            }),
        }
    }
}

prop_compose! {
    fn trigger()(
        condition in select(EscalationCondition::ALL), action in select(EscalationAction::ALL),
        include_in_report in vec(select(ReportItem::ALL), 0..4),
    ) -> EscalationTrigger {
        EscalationTrigger { condition, action, include_in_report }
    }
}

prop_compose! {
    fn escalation_policy()(
        triggers in vec(trigger(), 0..3),
        notification in of((select(NotificationChannel::ALL), of(text()))),
    ) -> EscalationPolicy {
        let notification = notification.map(|(channel, template)| Notification { channel, template });
        EscalationPolicy { triggers, notification }
    }
}

prop_compose! {
    fn test_results()(
        total in of(any::<u64>()), passed in of(any::<u64>()), failed in of(any::<u64>()),
        errors in of(any::<u64>()), skipped in of(any::<u64>()), duration_ms in of(decimal(0, 90_000)),
        coverage_percent in of(decimal(0, 100)),
    ) -> TestResults {
        TestResults { total, passed, failed, errors, skipped, duration_ms, coverage_percent }
    }
}

prop_compose! {
    fn failure()(
        test_name in text(), test_file in of(text()), error_type in text(), error_message in text(),
        stack_trace in of(text()), line_number in of(any::<i64>()),
    ) -> Failure {
        Failure { test_name, test_file, error_type, error_message, stack_trace, line_number }
    }
}

prop_compose! {
    fn analysis()(
        root_cause in of(text()), fix_strategy in of(text()), confidence in of(decimal(0, 1)),
        patterns_matched in texts(),
    ) -> Analysis {
        Analysis { root_cause, fix_strategy, confidence, patterns_matched }
    }
}

prop_compose! {
    fn fix_applied()(
        description in of(text()), diff_summary in of(text()), files_modified in texts(),
    ) -> FixApplied {
        FixApplied { description, diff_summary, files_modified }
    }
}

prop_compose! {
    fn attempt()(
        attempt_number in 1..=u32::MAX, timestamp in time(), phase in text(), code_hash in of(text()),
        test_results in test_results(), failures in vec(failure(), 0..3), analysis in of(analysis()),
        fix_applied in of(fix_applied()),
    ) -> ExecutionAttempt {
        ExecutionAttempt {
            attempt_number, timestamp, phase, code_hash, test_results, failures, analysis,
            fix_applied,
        }
    }
}

prop_compose! {
    fn loop_state()(
        phase in select(Phase::ALL), attempt_number in 1..=u32::MAX, status in select(LoopStatus::ALL),
        test_results in of(test_results()), attempts in vec(attempt(), 0..3),
    ) -> LoopState {
        LoopState {
            phase,
            attempt_number,
            status,
            test_results,
            attempts,
            failure_history: None,
        }
    }
}

prop_compose! {
    fn ralph()(
        loop_id in of(text()), iteration in of(any::<i64>()), flags in of(any::<[bool; 5]>()),
        weight in decimal(-2, 2),
    ) -> RalphIntegration {
        RalphIntegration {
            loop_id,
            iteration,
            execution_gate: flags.map(|flags| ExecutionGate {
                require_passing_tests: flags[0], allow_skip: flags[1],
            }),
            debug_memory: flags.map(|flags| DebugMemoryLink {
                persist_per_iteration: flags[2], cross_iteration_learning: flags[3],
            }),
            progress_metric: flags.map(|flags| ProgressMetric {
                include_test_pass_rate: flags[4], weight,
            }),
        }
    }
}

prop_compose! {
    fn workflow()(
        workflow_id in "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}",
        agent in agent(), code_artifact in code_artifact(), execution_config in execution_config(),
        policies in (of(retry_policy()), of(coverage_requirements()), of(escalation_policy())),
        loop_state in loop_state(), memory in of(text()), ralph_integration in of(ralph()),
        times in of((of(time()), of(time()), of(time()))),
    ) -> Workflow {
        let (retry_policy, coverage_requirements, escalation_policy) = policies;
        Workflow {
            workflow_id, agent, code_artifact, execution_config, retry_policy,
            coverage_requirements, escalation_policy, loop_state,
            debug_memory_ref: memory.map(|name| format!(".aiwg/ralph/debug-memory/{name}")),
            ralph_integration,
            timestamps: times.map(|(started_at, completed_at, last_attempt_at)| {
                Timestamps { started_at, completed_at, last_attempt_at }
            }),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_valid_and_comes_back(workflow in workflow()) {
        for text in [
            serde_json::to_string(&workflow).unwrap(),
            serde_json::to_string_pretty(&workflow).unwrap(),
        ] {
            let validation = validate(&text, Some(Syntax::Json));
            prop_assert_eq!((validation.errors, validation.warnings), (vec![], vec![]));
            let (read, _) = read_workflow(&text, None).unwrap();
            prop_assert_eq!(&read, &workflow);
        }
    }

    #[test]
    fn no_text_makes_the_check_panic(text in any::<String>(), start in select(&["", "{", "a: ", "[", "? "][..])) {
        let text = format!("{start}{text}");
        for hint in [None, Some(Syntax::Json), Some(Syntax::Yaml), Some(Syntax::Toml)] {
            let _ = validate(&text, hint);
        }
    }

    #[test]
    fn no_damaged_document_makes_the_check_panic(
        workflow in workflow(), cut in any::<prop::sample::Index>(), junk in "[\\[\\]{}:,\"&*!|>%@`#\\n\\t -]{0,6}",
    ) {
        let mut text = serde_json::to_string_pretty(&workflow).unwrap();
        let at = (0..=cut.index(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        text.insert_str(at, &junk);
        for hint in [None, Some(Syntax::Json), Some(Syntax::Yaml)] {
            let _ = validate(&text, hint);
        }
    }
}
