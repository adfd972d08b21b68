//! Functions of a test's own that stand in for what it asks, or for what it asks about.

use std::collections::BTreeSet;

use super::FUNCTIONS;
use crate::assertion::Strength;
use crate::outline::TestItem;
use crate::tree::Node;

/// Functions that assert, where nothing imports them.
const ASSERTING: &[&str] = &["expect", "assert"];

/// The names that tests ask with and about: what the file imports, and what asserts.
pub(super) fn asked(root: Node<'_>) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = ASSERTING.iter().map(|name| (*name).to_owned()).collect();
    for node in root.below() {
        let bound = match node.kind() {
            "import_specifier" => node.field("alias").or_else(|| node.field("name")),
            "variable_declarator" if node.field_text("value").starts_with("require(") => {
                node.field("name")
            }
            _ => None,
        };
        let words = bound.into_iter().flat_map(Node::all).filter(|part| part.is_leaf());
        let known = ["identifier", "shorthand_property_identifier_pattern"];
        names.extend(words.filter(|part| part.is(&known)).map(|part| part.text().to_owned()));
    }
    names
}

/// Assertions of a test that use a function which the test itself makes, under a name that stands for
/// another outside of it, say nothing.
pub(super) fn empty(test: &mut TestItem, call: Node<'_>, asked: &BTreeSet<String>) {
    let made = |node: Node<'_>| match node.kind() {
        "variable_declarator" => {
            let value = node.field("value")?;
            let own = value.is(FUNCTIONS) || value.is(&["object"]);
            own.then(|| node.field_text("name").to_owned())
        }
        "function_declaration" => Some(node.field_text("name").to_owned()),
        _ => None,
    };
    let shadows: Vec<String> =
        call.below().filter_map(made).filter(|name| asked.contains(name)).collect();
    if shadows.is_empty() {
        return;
    }
    for assertion in &mut test.assertions {
        let mut words = assertion.text.split(' ');
        if words.any(|word| shadows.iter().any(|name| name == word)) {
            assertion.strength = Strength::Vacuous;
        }
    }
}
