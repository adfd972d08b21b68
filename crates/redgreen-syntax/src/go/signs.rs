//! Code in Go that looks for its judge.

use crate::seekers::SeekerKind::TestRun;
use crate::seekers::{Sign, compact};
use crate::tree::Node;

/// `flag.Lookup("test.v")` is found by its text; `os.Args[0]` with `.test` here.
pub(super) fn of(node: Node<'_>) -> Option<Sign> {
    if !node.is(&["call_expression", "binary_expression"]) || node.range().len() > 300 {
        return None;
    }
    let text = compact(node);
    let program = text.contains("os.Args") || text.contains("os.Executable");
    let test = text.contains(".test\"") || text.contains("-test.") || text.contains("_test");
    (program && test).then(|| Sign::new(TestRun, "os.Args .test", node))
}
