//! Code in Java that looks for its judge.

use crate::seekers::SeekerKind::{Caller, TestRun};
use crate::seekers::{Sign, compact};
use crate::tree::Node;

/// `Thread.currentThread().getStackTrace()`, `StackWalker`, `new Throwable().getStackTrace()`.
pub(super) fn of(node: Node<'_>) -> Option<Sign> {
    match node.kind() {
        "method_invocation" if node.field_text("name") == "getStackTrace" => {
            let object = node.field("object").map(compact).unwrap_or_default();
            let own = object.starts_with("new")
                || object.starts_with("(new")
                || object.contains("currentThread");
            own.then(|| Sign::new(Caller, "getStackTrace", node))
        }
        "method_invocation" if node.field_text("object") == "StackWalker" => {
            Some(Sign::new(Caller, "StackWalker", node))
        }
        "method_invocation" if node.field_text("name") == "getInputArguments" => {
            Some(Sign::new(TestRun, "getInputArguments", node))
        }
        _ => None,
    }
}
