//! Methods that stand in for what an example asks about.

use crate::assertion::Strength;
use crate::outline::TestItem;
use crate::tokens::normalised;
use crate::tree::Node;

/// Assertions about the answer of a method that the example itself, or a hook of its groups, has given say
/// nothing: `allow(calc).to receive(:add).and_return(4)`, then `expect(calc.add(2, 2)).to eq(4)`.
pub(super) fn empty<'tree>(
    test: &mut TestItem,
    example: Node<'tree>,
    groups: impl Iterator<Item = Node<'tree>>,
) {
    let hooks = groups.filter_map(|group| group.field("block")?.field("body"));
    let hooks = hooks.flat_map(Node::parts).filter(|part| {
        part.kind() == "call"
            && matches!(part.field_text("method"), "before" | "around" | "subject")
    });
    let places = [example].into_iter().chain(hooks);
    let stubbed: Vec<String> = places.flat_map(Node::all).flat_map(answered).collect();
    for assertion in &mut test.assertions {
        let subject = format!(" {} ", assertion.subject);
        if stubbed.iter().any(|call| subject.contains(call)) {
            assertion.strength = Strength::Vacuous;
        }
    }
}

/// The calls that are given an answer at a node, as they are written in a subject.
fn answered(node: Node<'_>) -> Vec<String> {
    let allowed = node.field("receiver").filter(|it| it.field_text("method").starts_with("allow"));
    let Some(allowed) = allowed.filter(|_| node.field_text("method") == "to") else {
        return Vec::new();
    };
    let object = allowed.field("arguments").and_then(Node::first).map(normalised);
    let object = object.filter(|_| allowed.field_text("method") == "allow").unwrap_or_default();
    let before = match object.as_str() {
        "self" => " ".to_owned(),
        object => format!("{object} . "),
    };
    let names = node.field("arguments").into_iter().flat_map(Node::below);
    let names = names.filter(|part| part.is(&["simple_symbol", "hash_key_symbol"]));
    names.map(|name| format!("{before}{} ", name.text().trim_start_matches(':'))).collect()
}
