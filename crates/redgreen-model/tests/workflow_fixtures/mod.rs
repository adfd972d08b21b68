//! Workflow documents to start from.

use serde_json::{Value, json};

/// A document with nothing but the required fields.
pub fn smallest() -> Value {
    json!({
        "workflow_id": "0190a0b1-2c3d-7e4f-8a5b-6c7d8e9f0a1b",
        "agent": {"name": "smith", "type": "debugger"},
        "code_artifact": {"path": "src/sum.py", "language": "python"},
        "execution_config": {"test_framework": "pytest", "test_command": "pytest -q"},
        "loop_state": {"phase": "execute_tests", "attempt_number": 1, "status": "in_progress"},
    })
}

/// A document with every field of the format.
pub fn largest() -> Value {
    json!({
        "workflow_id": "0190a0b1-2c3d-7e4f-8a5b-6c7d8e9f0a1b",
        "agent": {"name": "smith", "type": "software_implementer", "version": "2.1"},
        "code_artifact": {
            "path": "src/sum.py", "language": "python", "code_type": "bug_fix",
            "content_hash": "abc", "test_files": ["tests/test_sum.py"], "requirements_ref": ["@r"],
        },
        "execution_config": {
            "test_framework": "pytest", "test_command": "pytest -q", "timeout_seconds": 60,
            "environment": {"CI": "1"}, "working_directory": "backend", "fail_fast": true,
            "verbose": false,
        },
        "retry_policy": {
            "max_attempts": 5, "backoff": "exponential", "escalation_on_max": false,
            "abort_on_regression": true,
        },
        "coverage_requirements": {
            "new_function": {"minimum_coverage": 70.5, "required_tests": ["happy_path"]},
            "bug_fix": {"minimum_coverage": 100, "required_tests": ["regression_test"]},
            "refactor": {"minimum_coverage": -1, "required_tests": ["existing_tests_pass"]},
            "api_endpoint": {"minimum_coverage": 90, "required_tests": ["error_cases"]},
        },
        "escalation_policy": {
            "triggers": [{
                "condition": "regression_detected", "action": "human_review",
                "include_in_report": ["original_code", "stack_traces"],
            }],
            "notification": {"channel": "slack", "template": "look"},
        },
        "loop_state": {
            "phase": "verify_fix", "attempt_number": 2, "status": "in_progress",
            "test_results": {
                "total": 4, "passed": 2, "failed": 1, "errors": 0, "skipped": 1,
                "duration_ms": 12.5, "coverage_percent": 88.25,
            },
            "attempts": [{
                "attempt_number": 1, "timestamp": "2026-02-03T04:05:06Z", "phase": "execute_tests",
                "code_hash": "abc", "test_results": {"total": 4},
                "failures": [{
                    "test_name": "test_sum", "test_file": "tests/test_sum.py",
                    "error_type": "AssertionError", "error_message": "3 != 4",
                    "stack_trace": "…", "line_number": 7,
                }],
                "analysis": {
                    "root_cause": "off by one", "fix_strategy": "start at zero",
                    "confidence": 0.8, "patterns_matched": ["off_by_one"],
                },
                "fix_applied": {
                    "description": "range", "diff_summary": "+1/-1 lines",
                    "files_modified": ["src/sum.py"],
                },
            }],
            "failureHistory": {
                "attempts": 1,
                "entries": [{
                    "command": "pytest -q", "exitCode": 1, "kind": "test_failure",
                    "summary": "1 failed",
                }],
            },
        },
        "debug_memory_ref": ".aiwg/ralph/debug-memory/sessions/session-1.json",
        "ralph_integration": {
            "loop_id": "outer", "iteration": 3,
            "execution_gate": {"require_passing_tests": true, "allow_skip": false},
            "debug_memory": {"persist_per_iteration": true, "cross_iteration_learning": false},
            "progress_metric": {"include_test_pass_rate": true, "weight": 0.3},
        },
        "timestamps": {
            "started_at": "2026-02-03T04:05:00Z", "completed_at": "2026-02-03T04:06:00Z",
            "last_attempt_at": "2026-02-03T04:05:06Z",
        },
    })
}
