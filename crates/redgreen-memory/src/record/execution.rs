//! An execution out of somebody else's document.

use std::collections::BTreeMap;

use redgreen_model::debug_memory::{Environment, Execution, FixApplied, TestResults, Verification};
use serde_json::Value;

use super::analysis::{analysis, analysis_of_failures};
use super::failure::failure;
use super::lenient::own_path;
use super::node::Node;

/// More failures of one execution are not looked at.
const FAILURES_MAX: usize = 500;

/// The execution in a value; `index` counts from 0.
pub(super) fn execution(node: Node<'_>, index: usize, created_at: Option<&str>) -> Execution {
    let given = [node.get(&["failures"]), node.get(&["failure_analysis"])];
    let failures = || given.iter().flat_map(|list| list.items()).take(FAILURES_MAX);
    let fallback_attempt = u32::try_from(index + 1).unwrap_or(u32::MAX);
    let fix = fix(node.get(&["fix_applied", "fix"]), node)
        .or_else(|| failures().find_map(|failure| fix(failure.get(&["fix_applied"]), node)));
    Execution {
        attempt: node
            .get(&["attempt", "attempt_number"])
            .small()
            .unwrap_or(fallback_attempt)
            .max(1),
        timestamp: node
            .get(&["timestamp", "time"])
            .line()
            .or_else(|| created_at.map(str::to_owned))
            .unwrap_or_default(),
        code_hash: node.get(&["code_hash"]).line().unwrap_or_default(),
        code_snapshot: node.get(&["code_snapshot"]).block(),
        environment: environment(node.get(&["environment"])),
        test_results: results(node.get(&["test_results", "results"])),
        failures: failures().filter_map(failure).collect(),
        analysis: analysis(node.get(&["analysis"])).or_else(|| analysis_of_failures(failures())),
        fix_applied: fix,
    }
}

fn results(node: Node<'_>) -> TestResults {
    let passed = node.get(&["passed"]).count().unwrap_or(0);
    let failed = node.get(&["failed"]).count().unwrap_or(0);
    let errors = node.get(&["errors"]).count();
    let skipped = node.get(&["skipped"]).count();
    let parts = [passed, failed, errors.unwrap_or(0), skipped.unwrap_or(0)];
    TestResults {
        total: node
            .get(&["total"])
            .count()
            .unwrap_or_else(|| parts.into_iter().fold(0, u64::saturating_add)),
        passed,
        failed,
        errors,
        skipped,
        duration_ms: node.get(&["duration_ms"]).number().filter(|time| *time >= 0.0),
        coverage_percent: node
            .get(&["coverage_percent", "coverage"])
            .number()
            .map(|percent| percent.clamp(0.0, 100.0)),
    }
}

/// Some name the runtime in the key: `node_version: "20.x"`.
const VERSION_SUFFIX: &str = "_version";

fn environment(node: Node<'_>) -> Option<Environment> {
    let Value::Object(entries) = node.0 else { return None };
    let mut found = Environment {
        runtime: node.get(&["runtime"]).line(),
        runtime_version: node.get(&["runtime_version"]).line(),
        test_framework: node.get(&["test_framework", "framework"]).line(),
        os: node.get(&["os"]).line(),
        additional: additional(node.get(&["additional"])),
    };
    let named = entries.iter().find_map(|(key, value)| {
        let runtime = key.strip_suffix(VERSION_SUFFIX).filter(|name| *name != "runtime")?;
        Some((runtime.to_owned(), Node(value).line()?))
    });
    if let (None, Some((runtime, version))) = (&found.runtime, named) {
        found.runtime = Some(runtime);
        found.runtime_version = Some(version);
    }
    (found != Environment::default()).then_some(found)
}

fn additional(node: Node<'_>) -> BTreeMap<String, String> {
    let Value::Object(entries) = node.0 else { return BTreeMap::new() };
    entries.iter().filter_map(|(key, value)| Some((key.clone(), Node(value).line()?))).collect()
}

/// A fix as a text or as a mapping; its verification may stand beside it.
fn fix(node: Node<'_>, execution: Node<'_>) -> Option<FixApplied> {
    let description = node.get(&["description", "summary"]).block().or_else(|| node.block());
    let files = node.get(&["files_changed", "files_modified"]).lines();
    if description.is_none() && files.is_empty() && node.get(&["diff"]).is_nothing() {
        return None;
    }
    let verification = verification(node.get(&["verification"]))
        .or_else(|| verification(execution.get(&["verification"])));
    Some(FixApplied {
        description: description.unwrap_or_else(|| "a change without a description".to_owned()),
        diff_summary: node.get(&["diff_summary"]).line(),
        files_changed: files.iter().map(|file| own_path(file)).collect(),
        diff: node.get(&["diff"]).long_block(),
        verification,
        helped: node.get(&["helped"]).lines(),
        broke: node.get(&["broke"]).lines(),
        tests_changed: node.get(&["tests_changed"]).0.as_bool().unwrap_or(false),
        warnings: node.get(&["warnings"]).lines(),
    })
}

fn verification(node: Node<'_>) -> Option<Verification> {
    let result = node.get(&["result", "status"]);
    let node = if node.0.is_object() { result } else { node };
    node.word().or_else(|| match node.line()?.to_lowercase().as_str() {
        "all_passing" | "pass" | "success" | "verified" => Some(Verification::Passed),
        "fail" | "failing" | "still_failing" | "failure" => Some(Verification::Failed),
        _ => None,
    })
}
