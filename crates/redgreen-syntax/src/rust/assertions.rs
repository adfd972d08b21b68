//! What assertions look like in Rust: the macros whose names begin with `assert`, those of
//! property tests, and a panic on purpose.

use crate::assertion::{Claim, Strength};
use crate::tree::Node;

use Strength::{Exact, Loose, Vacuous};

/// Macros that fail when they are reached.
const FAILING: &[&str] = &["panic", "unreachable"];
/// Comparisons that many values please.
const LOOSE: &[&str] = &["!=", "<", ">", "<=", ">=", "||"];
/// From here on a tolerance is wide.
const WIDE: f64 = 1.0;

/// The assertion that begins at a node.
pub(super) fn claim_at(node: Node<'_>) -> Option<Claim> {
    if node.kind() != "macro_invocation" {
        return None;
    }
    let name = super::last_name(node.field_text("macro"));
    let name = name.strip_prefix("debug_").or(name.strip_prefix("prop_")).unwrap_or(name);
    let list = node.parts().find(|part| part.kind() == "token_tree")?;
    let arguments = arguments(list);
    let first = arguments.first().map(Vec::as_slice).unwrap_or_default();
    let second = arguments.get(1).map(Vec::as_slice).unwrap_or_default();
    match name {
        "assert" => Some(of_condition(first)),
        "assert_eq" => Some(of_equality(first, second)),
        "assert_ne" | "assert_matches" | "assert_ok" | "assert_err" => Some(claim(Loose, first)),
        _ if FAILING.contains(&name) => Some(claim(Exact, &[])),
        _ if name.starts_with("assert_") && name.contains("_eq") => {
            Some(of_closeness(first, &arguments))
        }
        _ if name.starts_with("assert") => Some(claim(Exact, first)),
        _ => None,
    }
}

fn claim(strength: Strength, subject: &[Node<'_>]) -> Claim {
    Claim { strength, subject: text(subject), tolerance: None, text: None }
}

fn text(tokens: &[Node<'_>]) -> String {
    let words: Vec<String> = tokens.iter().map(|token| crate::tokens::normalised(*token)).collect();
    words.join(" ")
}

/// The arguments of a macro: lists of tokens that commas part.
fn arguments(list: Node<'_>) -> Vec<Vec<Node<'_>>> {
    let mut found = vec![Vec::new()];
    for token in list.children().filter(|token| !token.is_comment()) {
        match token.kind() {
            "," => found.push(Vec::new()),
            "(" | ")" | "[" | "]" | "{" | "}" if !token.is_named() => {}
            _ => {
                if let Some(last) = found.last_mut() {
                    last.push(token);
                }
            }
        }
    }
    found
}

/// Whether tokens say their value themselves.
fn is_constant(tokens: &[Node<'_>]) -> bool {
    let mut literals = 0;
    for token in tokens.iter().flat_map(|token| token.all()).filter(|token| token.is_leaf()) {
        let in_string = token.parent().is_some_and(|parent| parent.kind().ends_with("_literal"));
        if token.kind().ends_with("_literal")
            || in_string
            || matches!(token.text(), "true" | "false")
        {
            literals += 1;
        } else if token.is_named() {
            return false;
        }
    }
    literals > 0
}

fn calls(tokens: &[Node<'_>]) -> bool {
    tokens
        .iter()
        .flat_map(|token| token.all())
        .any(|token| token.kind() == "token_tree" && token.text().starts_with('('))
}

fn of_equality(left: &[Node<'_>], right: &[Node<'_>]) -> Claim {
    let subject = if is_constant(left) { right } else { left };
    let same = !calls(left) && text(left) == text(right);
    let constant = is_constant(left) && is_constant(right);
    claim(if same || constant { Vacuous } else { Exact }, subject)
}

/// What a condition asks that must be true.
fn of_condition(tokens: &[Node<'_>]) -> Claim {
    let operator =
        |wanted: &str| tokens.iter().position(|token| token.text() == wanted && !token.is_named());
    if let Some(at) = operator("||") {
        let constant = [&tokens[..at], &tokens[at + 1..]].iter().any(|side| text(side) == "true");
        return claim(if constant { Vacuous } else { Loose }, tokens);
    }
    if let [token] = tokens {
        let inner: Vec<Node<'_>> = match token.kind() {
            // Parentheses around all of it.
            "token_tree" => {
                token.children().filter(|part| !matches!(part.kind(), "(" | ")")).collect()
            }
            _ => Vec::new(),
        };
        if inner.len() > 1 && inner.iter().any(|part| part.text() == "==") {
            return comparison(&inner);
        }
    }
    match text(tokens).as_str() {
        "true" | "! false" => claim(Vacuous, tokens),
        "false" => claim(Exact, tokens),
        _ => comparison(tokens),
    }
}

fn comparison(tokens: &[Node<'_>]) -> Claim {
    let at = tokens.iter().position(|token| {
        !token.is_named() && (token.text() == "==" || LOOSE.contains(&token.text()))
    });
    let Some(at) = at else { return claim(Loose, tokens) };
    let (left, right) = (&tokens[..at], &tokens[at + 1..]);
    match tokens[at].text() {
        "==" => of_equality(left, right),
        "<" | "<=" if text(left).contains(". abs") => {
            let tolerance = right.first().and_then(|token| crate::values::number(*token));
            let wide = tolerance.is_some_and(|tolerance| tolerance >= WIDE);
            Claim { tolerance, ..claim(if wide { Loose } else { Exact }, left) }
        }
        ">=" if text(left).ends_with(". len ( )") && text(right) == "0" => claim(Vacuous, left),
        _ => claim(Loose, left),
    }
}

/// `assert_relative_eq!(a, b, epsilon = 1e-9)`.
fn of_closeness(subject: &[Node<'_>], arguments: &[Vec<Node<'_>>]) -> Claim {
    let named = arguments
        .iter()
        .skip(2)
        .find(|tokens| tokens.get(1).is_some_and(|token| token.text() == "="));
    let tolerance =
        named.and_then(|tokens| tokens.get(2)).and_then(|token| crate::values::number(*token));
    let wide = tolerance.is_some_and(|tolerance| tolerance >= WIDE);
    Claim { tolerance, ..claim(if wide { Loose } else { Exact }, subject) }
}
