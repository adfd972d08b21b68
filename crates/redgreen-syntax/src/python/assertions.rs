//! What assertions look like in Python: `assert`, unittest's methods, pytest's contexts, mocks,
//! numpy and pandas.

use crate::assertion::{Claim, Strength};
use crate::tokens::normalised;
use crate::tree::Node;
use crate::values::{bare, is_constant, is_same, number, truth};

use Strength::{Exact, Loose, Vacuous};

/// Methods that take two values which must be equal.
const EQUAL: &[&str] = &[
    "assertEqual",
    "assertEquals",
    "assertIs",
    "assertListEqual",
    "assertDictEqual",
    "assertTupleEqual",
    "assertSetEqual",
    "assertSequenceEqual",
    "assertMultiLineEqual",
    "assertCountEqual",
    "assertItemsEqual",
    "assertQuerysetEqual",
    "assertQuerySetEqual",
    "assertJSONEqual",
    "assertHTMLEqual",
    "assertXMLEqual",
    "assert_equal",
    "assert_array_equal",
    "assert_frame_equal",
    "assert_series_equal",
    "assert_index_equal",
    "eq_",
];
/// Methods that many values please.
const LOOSE: &[&str] = &[
    "assertIn",
    "assertNotIn",
    "assertIsNotNone",
    "assertIsNot",
    "assertNotEqual",
    "assertNotEquals",
    "assertGreater",
    "assertGreaterEqual",
    "assertLess",
    "assertLessEqual",
    "assertIsInstance",
    "assertNotIsInstance",
    "assertRegex",
    "assertRegexpMatches",
    "assertNotRegex",
    "assertNotAlmostEqual",
    "assertDictContainsSubset",
    "assertContains",
    "assert_called",
    "assert_called_once",
    "assert_any_call",
    "assert_not_equal",
    "assert_",
    "ok_",
    "assert_array_less",
];
/// Methods that compare within a tolerance.
const CLOSE: &[&str] = &[
    "assertAlmostEqual",
    "assertAlmostEquals",
    "assert_allclose",
    "assert_almost_equal",
    "assert_array_almost_equal",
    "isclose",
    "allclose",
    "approx",
];
/// Contexts that want an exception or a warning.
const RAISES: &[&str] = &[
    "raises",
    "warns",
    "assertRaises",
    "assertRaisesRegex",
    "assertRaisesRegexp",
    "assertRaisesMessage",
    "assertWarns",
    "assertWarnsRegex",
    "assert_raises",
    "deprecated_call",
];
/// Exceptions that say nothing about the kind.
const ANY_EXCEPTION: &[&str] = &["Exception", "BaseException"];
/// From here on a tolerance is wide: as a share of what is expected, and alone.
const WIDE_SHARE: f64 = 0.1;
const WIDE: f64 = 1.0;

/// The assertion that begins at a node.
pub(super) fn claim_at(node: Node<'_>) -> Option<Claim> {
    match node.kind() {
        "assert_statement" => {
            let condition = node.first()?;
            // The message may change: the condition is what is asked.
            let text = Some(format!("assert {}", normalised(condition)));
            Some(Claim { text, ..of_condition(condition) })
        }
        "call" => of_call(node),
        _ => None,
    }
}

/// Whether a text is what an `assert` says when it fails.
pub(super) fn is_message(literal: Node<'_>) -> bool {
    let statement = literal.parent().filter(|above| above.kind() == "assert_statement");
    statement.is_some_and(|statement| statement.first() != Some(literal))
}

fn of_call(call: Node<'_>) -> Option<Claim> {
    let function = call.field("function")?;
    let name = super::callee(call)?;
    let arguments: Vec<Node<'_>> = call.field("arguments")?.parts().collect();
    let (first, second) = (arguments.first().copied(), arguments.get(1).copied());
    let claim = match name {
        "assertTrue" | "assert_true" => of_condition(first?),
        "assertFalse" | "assert_false" => {
            let strength = if truth(first?).is_some() { Vacuous } else { Loose };
            Claim::new(strength, first)
        }
        "assertIsNone" => {
            Claim::new(if first.is_some_and(is_constant) { Vacuous } else { Exact }, first)
        }
        _ if EQUAL.contains(&name) => of_equality(first?, second?),
        _ if CLOSE.contains(&name) && name.starts_with("assert") => {
            of_closeness(call, first?, second)
        }
        _ if RAISES.contains(&name) => of_raising(function, first)?,
        _ if LOOSE.contains(&name) => Claim::new(Loose, first),
        "fail" if is_of(function, &["self", "pytest", "unittest"]) => Claim::new(Exact, None),
        _ if name.starts_with("assert") => Claim::new(Exact, first),
        _ => return None,
    };
    Some(claim)
}

fn is_of(function: Node<'_>, objects: &[&str]) -> bool {
    function.field("object").is_some_and(|object| objects.contains(&object.text()))
}

fn of_raising(function: Node<'_>, first: Option<Node<'_>>) -> Option<Claim> {
    if function.text() == "raises" || function.kind() == "attribute" || function.text() == "warns" {
        let any = first.is_some_and(|kind| ANY_EXCEPTION.contains(&kind.text()));
        let strength = if any { Loose } else { Exact };
        // What is asked for is the error, whichever it is.
        return Some(Claim { strength, subject: "raises".to_owned(), tolerance: None, text: None });
    }
    None
}

/// What a condition asks that must be true.
fn of_condition(condition: Node<'_>) -> Claim {
    let condition = unwrapped(condition);
    if let Some(always) = truth(condition) {
        // What is always false fails: a way to say that this must not be reached.
        return Claim::new(if always { Vacuous } else { Exact }, Some(condition));
    }
    match condition.kind() {
        // A tuple, a lambda and a generator are true, whatever is in them.
        "tuple" | "lambda" | "generator_expression" | "list" | "dictionary" | "set" => {
            Claim::new(Vacuous, Some(condition))
        }
        "boolean_operator" => of_both(condition),
        "comparison_operator" => of_comparison(condition),
        "call" if super::callee(condition).is_some_and(|name| CLOSE.contains(&name)) => {
            let arguments: Vec<Node<'_>> =
                condition.field("arguments").into_iter().flat_map(Node::parts).collect();
            match arguments.first() {
                Some(first) => of_closeness(condition, *first, arguments.get(1).copied()),
                None => Claim::new(Loose, Some(condition)),
            }
        }
        "call"
            if super::callee(condition)
                .is_some_and(|name| matches!(name, "array_equal" | "equals")) =>
        {
            Claim::new(Exact, Some(condition))
        }
        _ => Claim::new(Loose, Some(condition)),
    }
}

/// Without what stands around an expression and changes nothing for a condition.
fn unwrapped(node: Node<'_>) -> Node<'_> {
    let mut node = bare(node);
    loop {
        let inner = match node.kind() {
            "await" => node.first(),
            "named_expression" => node.field("value"),
            "call" if node.field_text("function") == "bool" => {
                node.field("arguments").and_then(Node::first)
            }
            _ => None,
        };
        match inner {
            Some(inner) => node = bare(inner),
            None => return node,
        }
    }
}

/// `a and b` asks as much as the stronger, `a or b` as little as the weaker.
fn of_both(condition: Node<'_>) -> Claim {
    let sides = ["left", "right"].map(|side| condition.field(side).map(side_strength));
    let (Some(left), Some(right)) = (sides[0], sides[1]) else {
        return Claim::new(Loose, Some(condition));
    };
    let strength =
        if condition.has_token("or") { left.min(right).min(Loose) } else { left.max(right) };
    Claim::new(strength, Some(condition))
}

/// The strength of one side, without going down into more `and` and `or`.
fn side_strength(side: Node<'_>) -> Strength {
    let side = unwrapped(side);
    match (truth(side), side.kind()) {
        (Some(true), _) => Vacuous,
        (Some(false), _) => Loose,
        (None, "comparison_operator") => of_comparison(side).strength,
        (None, "boolean_operator") if side.has_token("or") => {
            let right = side.field("right").and_then(truth);
            if right == Some(true) { Vacuous } else { Loose }
        }
        _ => Loose,
    }
}

fn of_comparison(comparison: Node<'_>) -> Claim {
    let operands: Vec<Node<'_>> = comparison.parts().collect();
    let [left, right] = operands[..] else { return Claim::new(Loose, Some(comparison)) };
    let operator: Vec<&str> =
        comparison.children().filter(|child| !child.is_named()).map(Node::text).collect();
    match operator.join(" ").as_str() {
        "==" | "is" => of_equality(left, right),
        ">=" if is_length(left) && number(right).is_some_and(|least| least <= 0.0) => {
            Claim::new(Vacuous, Some(left))
        }
        ">" if is_length(left) && number(right).is_some_and(|least| least < 0.0) => {
            Claim::new(Vacuous, Some(left))
        }
        "in" | "not in" => Claim::new(Loose, Some(if is_constant(right) { left } else { right })),
        _ => Claim::new(Loose, Some(left)),
    }
}

fn is_length(node: Node<'_>) -> bool {
    node.kind() == "call" && node.field_text("function") == "len"
}

fn of_equality(left: Node<'_>, right: Node<'_>) -> Claim {
    let (left, right) = (bare(left), bare(right));
    let subject = if is_constant(left) { right } else { left };
    let constant = is_constant(left) && is_constant(right);
    if constant || is_same(left, right) || is_any(left) || is_any(right) {
        return Claim::new(Vacuous, Some(subject));
    }
    for side in [left, right] {
        if super::callee(side) == Some("approx") {
            let value = side.field("arguments").and_then(Node::first);
            let subject = if side == left { right } else { left };
            return of_closeness(side, subject, value);
        }
    }
    // `type(x) == T` and `bool(x) is True` say no more than their loose forms.
    let loose = subject.kind() == "call"
        && matches!(subject.field_text("function"), "bool" | "isinstance" | "hasattr" | "callable");
    Claim::new(if loose { Loose } else { Exact }, Some(subject))
}

/// An object that is equal to everything.
fn is_any(node: Node<'_>) -> bool {
    matches!(node.text(), "ANY" | "mock.ANY" | "unittest.mock.ANY" | "AnyThing()" | "Anything()")
}

/// A comparison within a tolerance: exact unless the tolerance is wide.
fn of_closeness(call: Node<'_>, subject: Node<'_>, expected: Option<Node<'_>>) -> Claim {
    let arguments: Vec<Node<'_>> =
        call.field("arguments").into_iter().flat_map(Node::parts).collect();
    let named = |names: &[&str]| {
        let found = arguments.iter().find(|argument| names.contains(&argument.field_text("name")));
        found.and_then(|argument| argument.field("value")).and_then(number)
    };
    let expected = expected.and_then(number).map(f64::abs).filter(|value| *value > 0.0);
    let absolute = named(&["abs", "delta", "atol", "abs_tol"])
        .or_else(|| named(&["places", "decimal"]).map(|places| 10f64.powf(-places)));
    let share = named(&["rel", "rtol", "rel_tol"]);
    let wide = absolute.is_some_and(|value| match expected {
        Some(expected) => value >= expected * WIDE_SHARE,
        None => value >= WIDE,
    }) || share.is_some_and(|share| share >= WIDE_SHARE);
    let same = normalised(subject)
        == arguments.first().copied().map(normalised).unwrap_or_default()
        && super::callee(call) == Some("approx");
    let strength = match (same, wide) {
        (true, _) => Vacuous,
        (false, true) => Loose,
        (false, false) => Exact,
    };
    Claim { tolerance: absolute.or(share), ..Claim::new(strength, Some(subject)) }
}
