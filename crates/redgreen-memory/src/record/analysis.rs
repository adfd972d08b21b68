//! An analysis out of somebody else's document.

use redgreen_model::analysis::AnalysisSource;
use redgreen_model::debug_memory::{Analysis, SimilarIssue};

use super::lenient::own_path;
use super::node::Node;

/// The analysis of an execution: a mapping, or a text.
pub(super) fn analysis(node: Node<'_>) -> Option<Analysis> {
    let cause = node.get(&["root_cause"]).block().or_else(|| node.block());
    let strategy = node.get(&["fix_strategy", "strategy"]).block();
    if cause.is_none() && strategy.is_none() {
        return None;
    }
    let similar = node.get(&["similar_past_issues", "patterns_matched"]);
    Some(Analysis {
        root_cause: cause.unwrap_or_default(),
        root_cause_category: node.get(&["root_cause_category", "category"]).word(),
        fix_strategy: strategy.unwrap_or_default(),
        confidence: node.get(&["confidence"]).share(),
        related_failures: node.get(&["related_failures"]).lines(),
        similar_past_issues: similar.items().filter_map(similar_issue).collect(),
        source: source(node.get(&["source"])),
    })
}

fn source(node: Node<'_>) -> Option<AnalysisSource> {
    match node.line()?.as_str() {
        "agent" => Some(AnalysisSource::Agent),
        "builtin" => Some(AnalysisSource::Builtin),
        _ => None,
    }
}

fn similar_issue(node: Node<'_>) -> Option<SimilarIssue> {
    let issue = SimilarIssue {
        session_id: node.get(&["session_id"]).line(),
        file: node.get(&["file"]).line().map(|file| own_path(&file)),
        resolution: node.get(&["resolution"]).block().or_else(|| node.block()),
    };
    (issue != SimilarIssue::default()).then_some(issue)
}

/// Some say of each failure by itself why it happened.
pub(super) fn analysis_of_failures<'a>(
    failures: impl Iterator<Item = Node<'a>>,
) -> Option<Analysis> {
    let mut whole: Option<Analysis> = None;
    for found in failures.filter(|node| node.0.is_object()).filter_map(own_analysis) {
        match &mut whole {
            None => whole = Some(found),
            Some(whole) => {
                add_line(&mut whole.root_cause, &found.root_cause);
                add_line(&mut whole.fix_strategy, &found.fix_strategy);
                // As sure as of the least sure part.
                whole.confidence = match (whole.confidence, found.confidence) {
                    (Some(left), Some(right)) => Some(left.min(right)),
                    (left, right) => left.or(right),
                };
            }
        }
    }
    whole
}

/// A mapping without a cause of its own says nothing, whatever else it says.
fn own_analysis(node: Node<'_>) -> Option<Analysis> {
    let says = !node.get(&["root_cause", "fix_strategy"]).is_nothing();
    says.then(|| analysis(node)).flatten()
}

fn add_line(text: &mut String, line: &str) {
    if !line.is_empty() && !text.lines().any(|known| known == line) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
    }
}
