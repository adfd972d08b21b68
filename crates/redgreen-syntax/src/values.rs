//! Expressions whose value is written in the source.

use crate::tokens::words;
use crate::tree::Node;

/// Whole literals, in every grammar.
const LITERALS: &[&str] = &[
    "string",
    "concatenated_string",
    "integer",
    "float",
    "number",
    "true",
    "false",
    "none",
    "null",
    "undefined",
    "template_string",
    "regex",
    "interpreted_string_literal",
    "raw_string_literal",
    "rune_literal",
    "int_literal",
    "float_literal",
    "imaginary_literal",
    "nil",
    "string_literal",
    "char_literal",
    "integer_literal",
    "boolean_literal",
    "decimal_integer_literal",
    "hex_integer_literal",
    "octal_integer_literal",
    "binary_integer_literal",
    "decimal_floating_point_literal",
    "hex_floating_point_literal",
    "character_literal",
    "null_literal",
];
/// What makes an expression depend on something.
const OPEN: &[&str] = &[
    "identifier",
    "call",
    "call_expression",
    "method_invocation",
    "interpolation",
    "template_substitution",
    "attribute",
    "member_expression",
    "selector_expression",
    "field_expression",
    "macro_invocation",
    "scoped_identifier",
    "this",
    "self",
    "function_expression",
    "arrow_function",
    "lambda",
    "object_creation_expression",
    "new_expression",
    "await",
    "await_expression",
    "field_identifier",
    "property_identifier",
    "type_identifier",
    "ERROR",
];
/// Literals that are false where a condition is asked for.
const FALSY: &[&str] = &[
    "False",
    "false",
    "None",
    "null",
    "nil",
    "undefined",
    "0",
    "0.0",
    "0L",
    "\"\"",
    "''",
    "``",
    "NaN",
    "[]",
    "()",
    "{}",
];

/// Whether a node is one literal as a whole.
pub(crate) fn is_literal(node: Node<'_>) -> bool {
    node.is_named() && is_kind_of_literal(node) && !node.parent().is_some_and(is_kind_of_literal)
}

fn is_kind_of_literal(node: Node<'_>) -> bool {
    node.is_or(LITERALS, |kinds| kinds.literals)
}

/// Whether an expression says its value itself: nothing in it is a name or a call.
pub(crate) fn is_constant(node: Node<'_>) -> bool {
    let mut any = false;
    for part in node.all().filter(|part| part.is_named() && !part.is_comment()) {
        if part.is_or(OPEN, |kinds| kinds.open) {
            return false;
        }
        any |= is_kind_of_literal(part);
    }
    any
}

/// Without parentheses around it.
pub(crate) fn bare(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    while node.is(&["parenthesized_expression", "expression_statement", "condition_clause"]) {
        match node.first() {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

/// The truth of an expression that says its value itself.
pub(crate) fn truth(node: Node<'_>) -> Option<bool> {
    let node = bare(node);
    match node.kind() {
        "not_operator" | "unary_expression" if starts_with_not(node) => {
            return node.first().and_then(literal_truth).map(|truth| !truth);
        }
        "list" | "tuple" | "dictionary" | "array" | "object" if node.first().is_none() => {
            return Some(node.is(&["array", "object"]));
        }
        "comparison_operator" | "binary_expression" if is_constant(node) => return compared(node),
        "boolean_operator" | "binary_expression" => return decided(node),
        _ => {}
    }
    literal_truth(node)
}

fn literal_truth(node: Node<'_>) -> Option<bool> {
    let node = bare(node);
    is_constant(node).then(|| !FALSY.contains(&node.text()))
}

fn starts_with_not(node: Node<'_>) -> bool {
    node.has_token("not") || node.has_token("!")
}

/// `1 == 1` and `0 > 1`, for the two that say it plainly.
fn compared(node: Node<'_>) -> Option<bool> {
    let operands: Vec<Node<'_>> = node.parts().collect();
    let [left, right] = operands[..] else { return None };
    let operator =
        node.children().find(|child| !child.is_named()).map(Node::kind).unwrap_or_default();
    let same = words(left) == words(right);
    match operator {
        "==" | "===" => Some(same),
        "!=" | "!==" => Some(!same),
        "is" => Some(same),
        "&&" | "and" => Some(truth_of_leaf(left)? && truth_of_leaf(right)?),
        "||" | "or" => Some(truth_of_leaf(left)? || truth_of_leaf(right)?),
        ">" => Some(number(left)? > number(right)?),
        "<" => Some(number(left)? < number(right)?),
        ">=" => Some(number(left)? >= number(right)?),
        "<=" => Some(number(left)? <= number(right)?),
        _ => None,
    }
}

/// `x or True` and `x && false`, whatever the other side is.
fn decided(node: Node<'_>) -> Option<bool> {
    let either = node.has_token("or") || node.has_token("||");
    let both = node.has_token("and") || node.has_token("&&");
    let known = |wanted: bool| node.parts().any(|side| literal_truth(side) == Some(wanted));
    match (either, both) {
        (true, _) if known(true) => Some(true),
        (_, true) if known(false) => Some(false),
        _ => None,
    }
}

fn truth_of_leaf(node: Node<'_>) -> Option<bool> {
    is_literal(node).then(|| !FALSY.contains(&node.text()))
}

/// The number that an expression is.
pub(crate) fn number(node: Node<'_>) -> Option<f64> {
    let text: String = node.text().chars().filter(|letter| !matches!(letter, '_' | ' ')).collect();
    let plain = text.trim_end_matches(['L', 'l', 'f', 'F', 'd', 'D', 'n']);
    plain.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Whether both expressions are written alike: what they say of each other is little.
pub(crate) fn is_alike(left: Node<'_>, right: Node<'_>) -> bool {
    words(left) == words(right)
}

/// Whether both expressions are the same, and asking twice changes nothing.
pub(crate) fn is_same(left: Node<'_>, right: Node<'_>) -> bool {
    let calls = ["call", "call_expression", "method_invocation", "macro_invocation", "await"];
    let calls_something = left.all().any(|node| node.is(&calls));
    !calls_something && words(left) == words(right)
}
