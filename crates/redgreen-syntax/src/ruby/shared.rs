//! Shared examples, where they are included.

use std::collections::BTreeMap;

use super::{description, plain};
use crate::outline::TestItem;
use crate::tree::Node;

/// Calls that include a group, in a group of its own.
const NESTED: &[&str] = &["it_behaves_like", "it_should_behave_like"];
/// Calls that include a group as if it stood there.
const FLAT: &[&str] = &["include_examples", "include_context"];

/// Whether a node includes a shared group.
pub(super) fn is_inclusion(node: Node<'_>) -> bool {
    let name = node.field_text("method");
    node.kind() == "call" && (NESTED.contains(&name) || FLAT.contains(&name))
}

/// The examples of shared groups, by the groups' titles.
#[derive(Default)]
pub(super) struct Groups(BTreeMap<String, Vec<TestItem>>);

impl Groups {
    pub(super) fn add(&mut self, title: &str, test: TestItem) {
        self.0.entry(title.to_owned()).or_default().push(test);
    }

    /// The examples that a call brings to the group of this path.
    pub(super) fn included(&self, call: Node<'_>, mut path: Vec<String>) -> Vec<TestItem> {
        let name = description(call).next().map(plain).unwrap_or_default();
        let tests = self.0.get(&name).into_iter().flatten();
        let method = call.field_text("method");
        if NESTED.contains(&method) {
            let behaves =
                if method == NESTED[0] { "behaves like" } else { "it should behave like" };
            path.push(format!("{behaves} {name}"));
        }
        let at = |test: &TestItem| [path.clone(), test.path.clone()].concat();
        tests.map(|test| TestItem { path: at(test), ..test.clone() }).collect()
    }
}
