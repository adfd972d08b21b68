//! What assertions look like in C++: GoogleTest, and `assert`.

use crate::assertion::{Claim, Strength};
use crate::tree::Node;
use crate::values::{is_constant, is_same, number};

use Strength::{Exact, Loose, Usual, Vacuous};

/// Macros of two values that must be the same.
const EQUAL: &[&str] = &["EQ", "STREQ", "STRCASEEQ", "FLOAT_EQ", "DOUBLE_EQ"];
/// Macros that many values please.
const LOOSE: &[&str] =
    &["FALSE", "NE", "LT", "LE", "GT", "GE", "STRNE", "STRCASENE", "ANY_THROW", "NO_FATAL_FAILURE"];
/// Matchers that many values please.
const LOOSE_MATCHERS: &[&str] = &[
    "Ne",
    "Gt",
    "Ge",
    "Lt",
    "Le",
    "Not",
    "NotNull",
    "HasSubstr",
    "StartsWith",
    "EndsWith",
    "Contains",
    "AnyOf",
    "ContainsRegex",
    "MatchesRegex",
    "IsTrue",
];

/// The assertion that begins at a node.
pub(super) fn claim_at(node: Node<'_>) -> Option<Claim> {
    let name = super::callee(node)?;
    let arguments: Vec<Node<'_>> = node.field("arguments")?.parts().collect();
    let (first, second) = (arguments.first().copied(), arguments.get(1).copied());
    if matches!(name, "FAIL" | "ADD_FAILURE" | "ADD_FAILURE_AT") {
        return Some(Claim::new(Exact, None));
    }
    if name == "assert" {
        return Some(Claim::of_condition(first?));
    }
    let kind = name.strip_prefix("EXPECT_").or_else(|| name.strip_prefix("ASSERT_"))?;
    Some(match kind {
        "TRUE" => Claim::of_condition(first?),
        "THAT" => of_matcher(first?, second?),
        "NEAR" => of_distance(first?, second?, arguments.get(2).copied()),
        // The error is the second one; one that every error is says nothing of its kind.
        "THROW" => {
            let any = second.is_some_and(|kind| kind.text().ends_with("std::exception"));
            let strength = if any { Loose } else { Exact };
            Claim { subject: "raises".to_owned(), ..Claim::new(strength, None) }
        }
        "NO_THROW" => Claim::new(Usual, first),
        _ if EQUAL.contains(&kind) => of_equality(first?, second?),
        _ if LOOSE.contains(&kind) => {
            let known = arguments.iter().all(|argument| is_constant(*argument));
            Claim::new(if known { Vacuous } else { Loose }, first)
        }
        _ => Claim::new(Exact, first),
    })
}

/// What is not a constant is what the assertion is about.
fn of_equality(left: Node<'_>, right: Node<'_>) -> Claim {
    let vacuous = is_same(left, right) || (is_constant(left) && is_constant(right));
    let subject = if is_constant(left) { right } else { left };
    Claim::new(if vacuous { Vacuous } else { Exact }, Some(subject))
}

fn of_distance(left: Node<'_>, right: Node<'_>, distance: Option<Node<'_>>) -> Claim {
    let tolerance = distance.and_then(number);
    let size = number(left).or_else(|| number(right)).map(f64::abs).filter(|size| *size > 0.0);
    let wide = tolerance.is_some_and(|tolerance| match size {
        Some(size) => tolerance >= size * 0.1,
        None => tolerance >= 1.0,
    });
    let claim = of_equality(left, right);
    let strength = if wide { claim.strength.min(Loose) } else { claim.strength };
    Claim { tolerance, strength, ..claim }
}

/// `EXPECT_THAT(value, Eq(3))`
fn of_matcher(value: Node<'_>, matcher: Node<'_>) -> Claim {
    let name = super::callee(matcher).unwrap_or(matcher.text());
    let strength = match name.rsplit(':').next().unwrap_or(name) {
        "_" | "A" | "An" => Vacuous,
        name if LOOSE_MATCHERS.contains(&name) => Loose,
        _ => Exact,
    };
    Claim::new(strength, Some(value))
}
