//! Code in Rust that looks for its judge.

use super::attributes::{Before, name_and_arguments};
use crate::seekers::SeekerKind::{Caller, PatchesFramework, TestRun};
use crate::seekers::{Sign, compact};
use crate::tree::{Node, Tree};

/// `cfg!(test)`, `#[cfg(not(test))]`, statements under `#[cfg(test)]`, the name of the thread.
pub(super) fn of(node: Node<'_>) -> Option<Sign> {
    match node.kind() {
        "macro_invocation" if node.field_text("macro") == "cfg" => {
            let words: Vec<&str> = node.below().filter(|it| it.is_leaf()).map(Node::text).collect();
            words.contains(&"test").then(|| Sign::new(TestRun, "cfg!(test)", node))
        }
        "macro_definition" => {
            let name = node.field_text("name");
            name.starts_with("assert")
                .then(|| Sign::new(PatchesFramework, format!("macro {name}"), node))
        }
        "attribute_item" => {
            let (name, arguments) = name_and_arguments(node);
            let plain: String = arguments.split_whitespace().collect();
            let in_function = node.parent().is_some_and(|parent| parent.kind() == "block");
            let hides = plain.contains("not(test)") || (in_function && plain.contains("(test)"));
            (matches!(name, "cfg" | "cfg_attr") && hides)
                .then(|| Sign::new(TestRun, "cfg(test)", node))
        }
        "call_expression" => {
            let text = if node.range().len() > 200 { String::new() } else { compact(node) };
            text.ends_with("thread::current().name()")
                .then(|| Sign::new(Caller, "thread name", node))
        }
        _ => None,
    }
}

/// The items of Rust that are there for tests, in reading order: they may look for what they like.
pub(super) fn tests_of<'tree>(tree: &'tree Tree<'_>) -> Vec<Node<'tree>> {
    let mut found = Vec::new();
    let mut open = vec![tree.root()];
    while let Some(container) = open.pop() {
        for (before, item) in Before::each(container) {
            if before.is_for_tests() || before.make_a_test() {
                found.push(item);
            } else if item.is(&["mod_item", "impl_item"]) {
                open.extend(item.field("body"));
            }
        }
    }
    found.sort_by_key(|item| item.range().start);
    found
}
