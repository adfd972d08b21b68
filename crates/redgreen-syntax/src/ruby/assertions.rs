//! What assertions look like in Ruby: `expect(…).to` of RSpec, `should`, and the `assert_…` of minitest.

use super::callee;
use crate::assertion::{Claim, Strength};
use crate::tree::Node;
use crate::values::{bare, is_alike, is_constant, is_same, number, truth};

use Strength::{Exact, Loose, Vacuous};

/// Matchers that many values please.
const LOOSE: &[&str] = &[
    "be",
    "be_truthy",
    "be_falsey",
    "be_falsy",
    "be_present",
    "be_blank",
    "be_a",
    "be_an",
    "be_a_kind_of",
    "be_kind_of",
    "be_an_instance_of",
    "be_instance_of",
    "be_between",
    "exist",
    "include",
    "match",
    "start_with",
    "end_with",
    "respond_to",
    "satisfy",
    "cover",
    "have_received",
    "throw_symbol",
    "output",
];
/// Matchers of two values.
const EQUAL: &[&str] = &["eq", "eql", "equal", "be", "match_array", "contain_exactly", "match"];
/// Words that turn an expectation around.
const NEGATIONS: &[&str] = &["not_to", "to_not", "should_not"];

/// The assertion that begins at a node.
pub(super) fn claim_at(node: Node<'_>) -> Option<Claim> {
    if node.kind() == "identifier" {
        // `is_expected` alone, or an `expect` without anything: nothing is asked.
        return (node.text() == "is_expected" && !is_receiver(node))
            .then(|| Claim::new(Vacuous, None));
    }
    let name = callee(node)?;
    let receiver = node.field("receiver");
    let argument = node.field("arguments").and_then(Node::first);
    match name {
        "to" | "not_to" | "to_not" => {
            let expected = receiver.filter(|it| begins_expectation(*it))?;
            Some(of_matcher(subject(expected), argument, node, NEGATIONS.contains(&name)))
        }
        "should" | "should_not" => {
            Some(of_matcher(receiver, argument, node, NEGATIONS.contains(&name)))
        }
        "fail" if receiver.is_none() => Some(Claim::new(Exact, None)),
        _ if name.starts_with("assert") || name.starts_with("refute") => {
            Some(of_assert(node, name))
        }
        "expect" if receiver.is_none() && !is_receiver(node) => {
            Some(Claim::new(Vacuous, subject(node)))
        }
        // A method of the project: `expect_total(order, 3)`.
        _ if name.starts_with("expect_") && receiver.is_none() && !is_receiver(node) => {
            Some(Claim::new(Exact, argument))
        }
        _ => None,
    }
}

fn is_receiver(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| parent.field("receiver") == Some(node))
}

fn begins_expectation(node: Node<'_>) -> bool {
    let name = if node.kind() == "call" { node.field_text("method") } else { node.text() };
    name.starts_with("expect") || name == "is_expected"
}

/// What an expectation is about: the argument, or what the block does.
fn subject(expected: Node<'_>) -> Option<Node<'_>> {
    let argument = expected.field("arguments").and_then(Node::first);
    argument.or_else(|| expected.field("block")?.field("body"))
}

/// The calls of a matcher, the first one first: `be_within(1)`, `of(3)`.
fn chain(matcher: Node<'_>) -> Vec<Node<'_>> {
    let links = std::iter::successors(Some(bare(matcher)), |link| link.field("receiver"));
    let mut links: Vec<Node<'_>> = links.collect();
    links.reverse();
    links
}

fn name_of(link: Node<'_>) -> &str {
    callee(link).unwrap_or_else(|| link.text())
}

fn of_matcher<'tree>(
    subject: Option<Node<'tree>>,
    matcher: Option<Node<'tree>>,
    node: Node<'tree>,
    negated: bool,
) -> Claim {
    let Some(matcher) = matcher.map(bare) else {
        // `x.should == 3`; an expectation without a matcher asks nothing.
        let compared = node.parent().filter(|it| it.kind() == "binary" && subject.is_some());
        return Claim::new(if compared.is_some() { Exact } else { Vacuous }, subject);
    };
    if matcher.kind() == "binary" {
        // `be > 3`, `be == 3`.
        let exact = matcher.field_text("operator") == "==" && !negated;
        return Claim::new(if exact { Exact } else { Loose }, subject);
    }
    let links = chain(matcher);
    let Some(first) = links.first().copied() else { return Claim::new(Loose, subject) };
    let argument = first.field("arguments").and_then(Node::first);
    if name_of(first) == "be_within" {
        let expected = links.get(1).and_then(|of| of.field("arguments")?.first());
        return of_closeness(subject, argument, expected);
    }
    let either = links.iter().any(|link| matches!(name_of(*link), "or" | "|"));
    let mut strength = matcher_strength(&links, argument);
    if negated || either {
        strength = strength.min(Loose);
    }
    let known = |it: Node<'_>| is_constant(it) || truth(it).is_some();
    if subject.is_some_and(known) && argument.is_none_or(is_constant) {
        strength = Vacuous;
    }
    if let (Some(subject), Some(argument)) = (subject, argument)
        && EQUAL.contains(&name_of(first))
        && !negated
        && is_alike(subject, argument)
    {
        strength = if is_same(subject, argument) { Vacuous } else { Loose };
    }
    Claim::new(strength, subject)
}

fn matcher_strength(links: &[Node<'_>], argument: Option<Node<'_>>) -> Strength {
    let Some(first) = links.first().copied() else { return Loose };
    let said = argument.map_or("", Node::text);
    let any = matches!(said, "anything" | "be" | "Object" | "BasicObject");
    let block = first.field("block").and_then(|block| block.field("body"));
    match name_of(first) {
        "eq" | "be_a" | "be_kind_of" | "be_a_kind_of" if any => Vacuous,
        "anything" => Vacuous,
        "satisfy"
            if block.is_some_and(|body| body.parts().last().and_then(truth) == Some(true)) =>
        {
            Vacuous
        }
        "be" if argument.is_some() => Exact,
        "raise_error" | "raise_exception" => match said {
            "" | "StandardError" | "Exception" => Loose,
            _ => Exact,
        },
        // Any change, or any call, will do.
        "change" | "receive" | "yield_control" if links.len() < 2 => Loose,
        name if LOOSE.contains(&name) => Loose,
        _ => Exact,
    }
}

/// `assert_equal 3, total`, `assert total`.
fn of_assert(node: Node<'_>, name: &str) -> Claim {
    let values: Vec<Node<'_>> = node.field("arguments").into_iter().flat_map(Node::parts).collect();
    let (first, second) = (values.first().copied(), values.get(1).copied());
    if matches!(name, "assert" | "refute") {
        let vacuous = first.and_then(truth).is_some();
        return Claim::new(if vacuous { Vacuous } else { Loose }, first);
    }
    let strength = match (first, second) {
        (Some(left), Some(right)) if is_same(left, right) => Vacuous,
        (Some(left), Some(right)) if is_constant(left) && is_constant(right) => Vacuous,
        _ if name.starts_with("refute") || name.starts_with("assert_not") => Loose,
        _ => Exact,
    };
    // By convention the expected value comes first.
    Claim::new(strength, second.or(first))
}

/// `be_within(delta).of(expected)`.
fn of_closeness(
    subject: Option<Node<'_>>,
    delta: Option<Node<'_>>,
    expected: Option<Node<'_>>,
) -> Claim {
    let tolerance = delta.and_then(number);
    let wide = tolerance.is_some_and(|tolerance| match expected.and_then(number).map(f64::abs) {
        Some(expected) if expected > 0.0 => tolerance >= expected * 0.1,
        _ => tolerance >= 1.0,
    });
    Claim { tolerance, ..Claim::new(if wide { Loose } else { Exact }, subject) }
}
