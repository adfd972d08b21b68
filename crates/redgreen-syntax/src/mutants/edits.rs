//! What is edited, and into what.

use std::ops::Range;

use redgreen_model::mutants::MutantKind;

use crate::language::Language;
use crate::statements::{ANSWERING, FUNCTIONS};
use crate::tree::Node;

/// One small edit.
pub(super) struct Edit {
    pub(super) kind: MutantKind,
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

/// What has two sides and an operator between them.
const BINARY: &[&str] =
    &["binary_expression", "binary_operator", "comparison_operator", "boolean_operator", "binary"];
/// What is set to what it was and something else.
const AUGMENTED: &[&str] = &[
    "augmented_assignment",
    "augmented_assignment_expression",
    "compound_assignment_expr",
    "assignment_statement",
    "assignment_expression",
    "operator_assignment",
];
/// What has a condition.
const CONDITIONAL: &[&str] = &[
    "if_statement",
    "if_expression",
    "elif_clause",
    "ternary_expression",
    "conditional_expression",
    "if",
    "elsif",
    "if_modifier",
    "unless_modifier",
    "unless",
];
/// Operators, what becomes of them, and what sort of edit that is.
const OPERATORS: &[(&str, &str, MutantKind)] = &[
    ("==", "!=", MutantKind::Condition),
    ("!=", "==", MutantKind::Condition),
    ("===", "!==", MutantKind::Condition),
    ("!==", "===", MutantKind::Condition),
    ("&&", "||", MutantKind::Condition),
    ("||", "&&", MutantKind::Condition),
    ("and", "or", MutantKind::Condition),
    ("or", "and", MutantKind::Condition),
    ("in", "not in", MutantKind::Condition),
    ("not in", "in", MutantKind::Condition),
    ("is", "is not", MutantKind::Condition),
    ("is not", "is", MutantKind::Condition),
    ("<", "<=", MutantKind::Boundary),
    ("<=", "<", MutantKind::Boundary),
    (">", ">=", MutantKind::Boundary),
    (">=", ">", MutantKind::Boundary),
    ("+", "-", MutantKind::Arithmetic),
    ("-", "+", MutantKind::Arithmetic),
    ("*", "+", MutantKind::Arithmetic),
    ("/", "*", MutantKind::Arithmetic),
    ("//", "*", MutantKind::Arithmetic),
    ("%", "*", MutantKind::Arithmetic),
    ("**", "*", MutantKind::Arithmetic),
    ("<<", ">>", MutantKind::Arithmetic),
    (">>", "<<", MutantKind::Arithmetic),
    ("&", "|", MutantKind::Arithmetic),
    ("|", "&", MutantKind::Arithmetic),
    ("+=", "-=", MutantKind::Arithmetic),
    ("-=", "+=", MutantKind::Arithmetic),
    ("*=", "+=", MutantKind::Arithmetic),
    ("/=", "*=", MutantKind::Arithmetic),
];
/// Texts.
const STRINGS: &[&str] = &[
    "string",
    "string_literal",
    "interpreted_string_literal",
    "raw_string_literal",
    "template_string",
];
/// Numbers.
const NUMBERS: &[&str] = &[
    "integer",
    "float",
    "number",
    "int_literal",
    "float_literal",
    "integer_literal",
    "decimal_integer_literal",
    "decimal_floating_point_literal",
    "number_literal",
];
/// Truths.
const TRUTHS: &[(&str, &str)] =
    &[("true", "false"), ("false", "true"), ("True", "False"), ("False", "True")];

/// The edits of a node itself.
pub(super) fn of(node: Node<'_>, language: Language) -> impl Iterator<Item = Edit> {
    let edits = [
        operator(node),
        condition(node, language),
        given(node, language),
        constant(node),
        call(node, language),
    ];
    edits.into_iter().flatten()
}

fn edit(kind: MutantKind, range: Range<usize>, text: impl Into<String>) -> Option<Edit> {
    Some(Edit { kind, range, text: text.into() })
}

fn operator(node: Node<'_>) -> Option<Edit> {
    if !node.is(BINARY) && !node.is(AUGMENTED) {
        return None;
    }
    let of_texts = || node.parts().any(|side| side.is(STRINGS));
    node.children().filter(|child| !child.is_named() || child.kind() == "operator").find_map(
        |token| {
            let (_, other, kind) =
                OPERATORS.iter().find(|(operator, ..)| *operator == token.text())?;
            // A text is not subtracted.
            let fits = *kind != MutantKind::Arithmetic || !of_texts();
            fits.then(|| edit(*kind, token.range(), *other))?
        },
    )
}

/// The opposite of a condition; of a single comparison its operator is edited.
fn condition(node: Node<'_>, language: Language) -> Option<Edit> {
    let asked = match node.kind() {
        "conditional_expression" if language.0.condition_stands_second => node.parts().nth(1)?,
        _ if node.is(CONDITIONAL) => node.field("condition")?,
        _ => return None,
    };
    let inner = match asked.is(&["parenthesized_expression", "condition_clause"]) {
        true => asked.first()?,
        false => asked,
    };
    let is_plain =
        !inner.below().any(|it| it.is(&["let_condition", "declaration", "init_statement"]))
            && !inner.is(&["let_condition", "let_chain", "declaration"]);
    let is_edited = operator(inner).is_some_and(|it| it.kind == MutantKind::Condition);
    if !is_plain || is_edited {
        return None;
    }
    let text = match (inner.is(&["not_operator", "unary_expression", "unary"]), language.0.name) {
        (true, _) if inner.text().starts_with(['!', 'n']) => {
            inner.first().map(|it| it.text().to_owned())?
        }
        (_, "python") => format!("not ({})", inner.text()),
        _ => format!("!({})", inner.text()),
    };
    edit(MutantKind::Condition, inner.range(), text)
}

/// An empty value of the type of what is given.
fn given(node: Node<'_>, language: Language) -> Option<Edit> {
    let value = match node.kind() {
        "return_statement" => node.first()?,
        _ => {
            node.parent().filter(|it| it.is(ANSWERING) && node.is_in_field("body")).map(|_| node)?
        }
    };
    let is_empty = value.text().len() <= 2 || value.is(&["none", "null", "undefined", "nil"]);
    // What is edited by itself, or has no other value.
    let is_plain = value.is(NUMBERS)
        || value.is(STRINGS)
        || value.is(&["true", "false", "statement_block", "block", "lambda"])
        || ["self", "this"].contains(&value.text())
        || value.is(FUNCTIONS)
        || is_made(value);
    if is_empty || is_plain {
        return None;
    }
    let text = value.text();
    let asks = value.is(&["comparison_operator", "boolean_operator", "not_operator"]);
    let text = match language.0.name {
        "python" if asks => format!("not ({text})"),
        "python" => format!("type({text})()"),
        "javascript" | "typescript" | "tsx" if is_question(value) => format!("!({text})"),
        "javascript" => format!("Object({text}).constructor()"),
        "typescript" | "tsx" => format!("(Object({text}) as any).constructor()"),
        "go" => format!("func() (_ {}) {{ _ = {text}; return }}()", go_type(node)?),
        _ => return None,
    };
    edit(MutantKind::Return, value.range(), text)
}

/// Whether a value is made here, so that an empty one of its type may be just that: `Cart()`, `new Cart()`.
fn is_made(value: Node<'_>) -> bool {
    let name = value.field_text("function");
    let name = name.rsplit(['.', ':']).next().unwrap_or_default();
    value.is(&["new_expression", "object_creation_expression"])
        || name.starts_with(|letter: char| letter.is_ascii_uppercase())
}

/// Whether a value is a truth.
fn is_question(value: Node<'_>) -> bool {
    const ASKING: &[&str] =
        &["==", "!=", "===", "!==", "<", ">", "<=", ">=", "!", "in", "instanceof"];
    let value =
        if value.kind() == "parenthesized_expression" { value.first() } else { Some(value) };
    value.is_some_and(|it| ASKING.contains(&it.field_text("operator")))
}

/// Of Go: what the function around it gives, where that is one thing without a name.
fn go_type(node: Node<'_>) -> Option<&str> {
    let function = node.ancestors().find(|above| above.is(FUNCTIONS))?;
    let result = function.field("result")?;
    (result.kind() != "parameter_list").then(|| result.text())
}

fn constant(node: Node<'_>) -> Option<Edit> {
    let (text, parent) = (node.text(), node.parent()?);
    let is_last = || parent.parts().last() == Some(node) && node.syntax().blocks_have_values;
    let is_given = parent.is(&["return_statement", "return_expression"])
        || (parent.is(ANSWERING) && node.is_in_field("body"))
        || (parent.kind() == "block" && is_last());
    let kind = if is_given { MutantKind::Return } else { MutantKind::Constant };
    if let Some((_, other)) = TRUTHS.iter().find(|(truth, _)| *truth == text) {
        return edit(kind, node.range(), *other);
    }
    if node.is(NUMBERS) {
        return edit(kind, node.range(), another_number(text)?);
    }
    let is_seen = parent.is(BINARY) || is_given;
    if !node.is(STRINGS) || !is_seen || text.starts_with(['f', 'F', 'b', 'B']) {
        return None;
    }
    let quote = text.chars().next_back()?;
    let other = if text.len() > 2 { "" } else { "other" };
    edit(kind, node.range(), format!("{quote}{other}{quote}"))
}

fn another_number(text: &str) -> Option<String> {
    if let Ok(whole) = text.parse::<u64>() {
        return Some(whole.checked_add(1)?.to_string());
    }
    let (whole, rest) = text.split_once('.')?;
    rest.bytes().all(|digit| digit.is_ascii_digit()).then_some(())?;
    Some(format!("{}.{rest}", whole.parse::<u64>().ok()?.checked_add(1)?))
}

/// Something that is called for what it does, and not for what it gives, is not called.
fn call(node: Node<'_>, language: Language) -> Option<Edit> {
    if node.kind() != "expression_statement" {
        return None;
    }
    let mut parts = node.parts();
    let (only, None) = (parts.next()?, parts.next()) else { return None };
    let called = if only.is(&["await", "await_expression"]) { only.first()? } else { only };
    if !called.is(&["call", "call_expression", "method_invocation"]) {
        return None;
    }
    let text = match language.0.name {
        "python" => "pass",
        "go" => "",
        "rust" => "();",
        _ => ";",
    };
    edit(MutantKind::Call, node.range(), text)
}
