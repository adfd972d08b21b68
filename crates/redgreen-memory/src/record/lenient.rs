//! A record out of whatever document somebody wrote.

use redgreen_model::debug_memory::{
    IdentifiedPattern, Learnings, Metadata, QualityIssue, Recalled, Record, RecordStatus,
    RecurringFailure, Seal,
};
use serde_json::Value;

use super::execution::execution;
use super::node::Node;

/// Keys and signatures are 44 and 88.
const SEAL_CHARS: usize = 100;

/// More executions of one record are not looked at.
const EXECUTIONS_MAX: usize = 1_000;

/// The record in a document; why it is none, in words.
pub(super) fn record(document: &Value, file_name: &str) -> Result<Record, String> {
    let node = unwrapped(Node(document));
    if !node.0.is_object() {
        return Err("it is not a mapping".to_owned());
    }
    let executions = node.get(&["executions", "attempts"]);
    if executions.is_nothing() && node.get(&["session_id", "learnings"]).is_nothing() {
        return Err(
            "it has neither session_id nor executions, so it is not a debug-memory record".into()
        );
    }
    let created_at = node.get(&["created_at", "started_at", "timestamp"]).line();
    let executions = executions
        .items()
        .take(EXECUTIONS_MAX)
        .enumerate()
        .map(|(index, node)| execution(node, index, created_at.as_deref()))
        .collect();
    let file = node.get(&["file_path", "file"]).line();
    let path = file.or_else(|| node.get(&["code_artifact"]).get(&["path"]).line());
    Ok(Record {
        session_id: node
            .get(&["session_id", "id", "workflow_id"])
            .line()
            .unwrap_or_else(|| session_of(file_name).to_owned()),
        file_path: own_path(&path.unwrap_or_default()),
        updated_at: node.get(&["updated_at", "completed_at"]).line(),
        created_at,
        status: status(node.get(&["status", "result"])),
        executions,
        learnings: learnings(node.get(&["learnings"])),
        metadata: metadata(node),
    })
}

/// Some documents are under a name of their own, or the only one of a list.
fn unwrapped(node: Node<'_>) -> Node<'_> {
    let only = match node.0 {
        Value::Array(items) if items.len() == 1 => Node(&items[0]),
        _ => node,
    };
    let inner = only.get(&["debug_memory", "session"]);
    if inner.0.is_object() { inner } else { only }
}

/// The session that a file is named after.
fn session_of(file_name: &str) -> &str {
    let stem = file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem);
    let stem = stem.rsplit('/').next().unwrap_or(stem);
    stem.strip_prefix("session-").unwrap_or(stem)
}

/// A path as it is in the index: without the `./` that some put in front.
pub(super) fn own_path(path: &str) -> String {
    path.trim_start_matches("./").to_owned()
}

fn status(node: Node<'_>) -> Option<RecordStatus> {
    node.word().or_else(|| match node.line()?.to_lowercase().as_str() {
        "complete" | "completed" | "success" | "succeeded" | "all_passing" => {
            Some(RecordStatus::Passed)
        }
        "aborted" | "error" | "failure" | "regression" => Some(RecordStatus::Failed),
        _ => None,
    })
}

fn learnings(node: Node<'_>) -> Option<Learnings> {
    if node.is_nothing() {
        return None;
    }
    // A list, or a single text, is what to do next time.
    if !node.0.is_object() {
        return Some(Learnings { recommendations: node.lines(), ..Learnings::default() });
    }
    Some(Learnings {
        patterns_identified: node
            .get(&["patterns_identified", "patterns"])
            .items()
            .filter_map(pattern)
            .collect(),
        recurring_failures: node.get(&["recurring_failures"]).items().map(recurring).collect(),
        code_quality_issues: node.get(&["code_quality_issues"]).items().map(issue).collect(),
        recommendations: node.get(&["recommendations"]).lines(),
    })
}

fn pattern(node: Node<'_>) -> Option<IdentifiedPattern> {
    let name = node.get(&["pattern", "name", "description"]).line().or_else(|| node.line())?;
    Some(IdentifiedPattern {
        pattern: name,
        category: node.get(&["category"]).line(),
        frequency: node.get(&["frequency", "occurrences"]).small().unwrap_or(1).max(1),
        fix_template: node.get(&["fix_template", "fix"]).block(),
        effectiveness: node.get(&["effectiveness", "success_rate"]).share(),
    })
}

fn recurring(node: Node<'_>) -> RecurringFailure {
    RecurringFailure {
        test: node.get(&["test", "test_name"]).line().or_else(|| node.line()),
        occurrences: node.get(&["occurrences", "frequency"]).small(),
        resolution: node.get(&["resolution"]).word(),
        notes: node.get(&["notes"]).block(),
    }
}

fn issue(node: Node<'_>) -> QualityIssue {
    QualityIssue {
        issue: node.get(&["issue"]).block().or_else(|| node.block()),
        location: node.get(&["location"]).line(),
        severity: node.get(&["severity"]).word(),
        addressed: node.get(&["addressed"]).0.as_bool(),
    }
}

fn metadata(node: Node<'_>) -> Option<Metadata> {
    let given = node.get(&["metadata"]);
    let artifact = node.get(&["code_artifact"]);
    let agent = given.get(&["agent"]);
    let found = Metadata {
        agent: agent.line().or_else(|| agent.get(&["name"]).line()).or_else(|| {
            let agent = node.get(&["agent"]);
            agent.line().or_else(|| agent.get(&["name"]).line())
        }),
        task_id: given.get(&["task_id"]).line(),
        ralph_iteration: given.get(&["ralph_iteration"]).small(),
        recorded_by: given.get(&["recorded_by"]).line(),
        code_type: given.get(&["code_type"]).word().or_else(|| artifact.get(&["code_type"]).word()),
        stop_reason: given.get(&["stop_reason"]).line(),
        failure_history: serde_json::from_value(given.get(&["failureHistory"]).0.clone()).ok(),
        coverage: serde_json::from_value(given.get(&["coverage"]).0.clone()).ok(),
        recalled: recalled(given.get(&["recalled"])),
        imported_from: given.get(&["imported_from"]).line(),
        seal: seal(node.0),
    };
    (found != Metadata::default()).then_some(found)
}

/// The seal of a document, at its one place.
pub(super) fn seal(document: &Value) -> Option<Seal> {
    let seal = Node(document).get(&["metadata"]).get(&["seal"]);
    // Nothing is cleaned here: it holds as it is, or not at all.
    let word = |name: &str| {
        let text = seal.get(&[name]).0.as_str()?;
        let is_word = text.len() <= SEAL_CHARS && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_word.then(|| text.to_owned())
    };
    Some(Seal {
        version: seal.get(&["version"]).small()?,
        by: word("by")?,
        signature: word("signature")?,
    })
}

fn recalled(node: Node<'_>) -> Option<Recalled> {
    node.0.is_object().then(|| Recalled {
        brief: node.get(&["brief"]).0.as_bool().unwrap_or(false),
        sessions: node.get(&["sessions"]).lines(),
        patterns: node.get(&["patterns"]).lines(),
        warned_of: node.get(&["warned_of"]).lines(),
        appeared: node.get(&["appeared"]).lines(),
        known: node.get(&["known"]).lines(),
    })
}
