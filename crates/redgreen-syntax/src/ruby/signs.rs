//! Code in Ruby that looks for its judge.

use crate::seekers::SeekerKind::TestRun;
use crate::seekers::{Sign, compact};
use crate::tree::Node;

/// What only a test run loads.
const FRAMEWORKS: &[&str] = &["RSpec", "Minitest", "rspec", "minitest"];
/// Where one looks for it.
const PLACES: &[&str] =
    &["const_defined?", "$PROGRAM_NAME", "$0", "$LOADED_FEATURES", "$\"", "caller"];

/// `defined?(RSpec)`, `Object.const_defined?(:RSpec)`, `$PROGRAM_NAME.include?("rspec")`.
pub(super) fn of(node: Node<'_>) -> Option<Sign> {
    if !node.is(&["unary", "call", "binary"]) || node.range().len() > 300 {
        return None;
    }
    let text = compact(node);
    let asks =
        node.field_text("operator") == "defined?" || PLACES.iter().any(|it| text.contains(it));
    let found = FRAMEWORKS.iter().find(|name| text.contains(**name)).filter(|_| asks)?;
    Some(Sign::new(TestRun, format!("looks for {found}"), node))
}
