//! Code in Python that looks for its judge.

use crate::seekers::SeekerKind::TestRun;
use crate::seekers::{Sign, compact};
use crate::tree::Node;

/// Modules that only a test run loads.
const FRAMEWORKS: &[&str] = &["pytest", "_pytest", "unittest", "nose", "doctest", "_pytest.config"];
/// `"pytest" in sys.modules`, `sys.modules.get("pytest")`, `"pytest" in sys.argv[0]`.
pub(super) fn of(node: Node<'_>) -> Option<Sign> {
    if !node.is(&["comparison_operator", "call", "subscript"]) || node.range().len() > 300 {
        return None;
    }
    let text = compact(node);
    // Who captures the output gives another one.
    let captured = text.contains("sys.__stdout__") || text.contains("getvalue");
    if text.contains("sys.stdout") && captured && node.kind() != "subscript" {
        return Some(Sign::new(TestRun, "stdout", node));
    }
    if !(text.contains("sys.modules") || text.contains("sys.argv") || text.contains("psutil")) {
        return None;
    }
    let named = node.below().filter(|part| part.kind() == "string_content");
    let framework =
        named.map(Node::text).find(|name| FRAMEWORKS.contains(name) || name.contains("pytest"))?;
    Some(Sign::new(TestRun, format!("modules {framework}"), node))
}
