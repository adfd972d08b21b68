//! Values that please every comparison: an equality that is always true, a value that is another
//! one each time it is asked.

use super::{SeekerKind, Sign};
use crate::tree::{Node, Tree};
use crate::values::{bare, truth};

/// Methods that compare, and what they must not always answer.
const ALWAYS_TRUE: &[&str] = &[
    "__eq__",
    "__le__",
    "__ge__",
    "__lt__",
    "__gt__",
    "__contains__",
    "__instancecheck__",
    "equals",
    "isEqual",
    "asymmetricMatch",
    "deepEquals",
    "Equal",
    "Equals",
    "eq",
];
/// Methods that say that something differs.
const ALWAYS_FALSE: &[&str] = &["__ne__", "ne"];
/// Methods that order: nothing is more or less.
const ALWAYS_NOTHING: &[&str] = &["compareTo", "compare", "__cmp__"];
/// Methods that give a value for an object.
const CONVERSIONS: &[&str] = &["valueOf", "toJSON", "__int__", "__float__", "__str__", "__index__"];

/// Methods that nobody makes answer the same of everything by chance.
const ORDINARY: &[&str] = &[
    "__eq__",
    "__ne__",
    "equals",
    "isEqual",
    "asymmetricMatch",
    "deepEquals",
    "Equal",
    "Equals",
    "eq",
    "ne",
];
/// What changes a value by what it was.
const COUNTING: &[&str] =
    &["update_expression", "augmented_assignment", "augmented_assignment_expression"];
/// What gives a value.
const ASSIGNING: &[&str] = &["assignment", "assignment_expression"];
/// Methods whose answer says whether an error below them is done with.
const ENDS_OF_CONTEXTS: &[&str] = &["__exit__", "__aexit__"];

/// The signs of a source.
pub(super) fn of(tree: &Tree<'_>) -> Vec<Sign> {
    tree.root().below().filter(|node| node.is_named()).filter_map(of_node).collect()
}

fn of_node(node: Node<'_>) -> Option<Sign> {
    let (name, body) = method(node)?;
    if ENDS_OF_CONTEXTS.contains(&name) && ends_with_true(body) {
        return Some(Sign::new(SeekerKind::SwallowsFailures, name, node));
    }
    let said = constant_answer(body);
    let always = |answer: &str| said.is_some_and(|said| said.text() == answer);
    let equal = (ALWAYS_TRUE.contains(&name) && said.and_then(truth) == Some(true))
        || (ALWAYS_FALSE.contains(&name) && said.and_then(truth) == Some(false));
    let conversion = CONVERSIONS.contains(&name);
    let counts = conversion && changes_something(body, COUNTING);
    let pleases = equal
        || counts
        || (ALWAYS_NOTHING.contains(&name) && always("0"))
        || (name == "[Symbol.toPrimitive]")
        || (conversion && changes_something(body, ASSIGNING));
    // A settings object may say of anything that it is equal; an answer may be kept for the next time.
    let certain = counts || (equal && ORDINARY.contains(&name) && node.kind() != "pair");
    let sign = Sign::new(SeekerKind::PleasesEveryComparison, name, node);
    (pleases && (node.syntax().compares)(node)).then(|| sign.certain(certain))
}

/// A method with its name: also one that is a property, or assigned.
fn method(node: Node<'_>) -> Option<(&str, Node<'_>)> {
    match node.kind() {
        "function_definition" | "method_definition" | "method_declaration" | "function_item" => {
            Some((node.field_text("name"), node.field("body")?))
        }
        "pair" => {
            let value = node.field("value")?;
            Some((node.field_text("key"), value.field("body")?))
        }
        "assignment" => {
            let value = node.field("right").filter(|value| value.kind() == "lambda")?;
            Some((node.field_text("left"), value.field("body")?))
        }
        _ => None,
    }
}

/// What a body answers, if it does nothing else.
pub(super) fn constant_answer(body: Node<'_>) -> Option<Node<'_>> {
    if !body.is(&["block", "statement_block"]) {
        return Some(bare(body));
    }
    let list = body.first().filter(|first| first.kind() == "statement_list").unwrap_or(body);
    let mut statements = list.parts().filter(|statement| !is_text(*statement));
    let (only, more) = (statements.next()?, statements.next());
    let inner = bare(only);
    let answer =
        if inner.is(&["return_statement", "return_expression"]) { inner.first()? } else { inner };
    // Go has a list there.
    let answer = if answer.kind() == "expression_list" { answer.first()? } else { answer };
    more.is_none().then_some(answer)
}

/// Whether the last that a body does is to answer with what is always true.
fn ends_with_true(body: Node<'_>) -> bool {
    let last = body.parts().filter(|statement| !statement.is_comment()).last();
    let answer = last.filter(|last| last.kind() == "return_statement").and_then(Node::first);
    answer.and_then(truth) == Some(true)
}

/// A docstring.
fn is_text(statement: Node<'_>) -> bool {
    statement.kind() == "expression_statement"
        && statement.first().is_some_and(|inner| inner.kind() == "string")
}

/// Whether asking changes the answer.
fn changes_something(body: Node<'_>, kinds: &[&str]) -> bool {
    body.all().any(|node| {
        let own = |field: &Node<'_>| field.is(&["attribute", "member_expression"]);
        let changed = node.field("left").is_none_or(|left| own(&left));
        node.is(kinds) && changed
    })
}
