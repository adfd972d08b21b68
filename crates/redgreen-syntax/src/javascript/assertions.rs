//! What assertions look like in JavaScript: expect of jest, vitest and chai, should, node:assert and
//! chai's assert, the contexts of ava and tap, supertest, sinon.

use super::chain::Chain;
use crate::assertion::{Claim, Strength};
use crate::tree::Node;
use crate::values::{is_alike, is_constant, is_same, number, truth};

use Strength::{Exact, Loose, Vacuous};

/// Matchers that many values please.
const LOOSE: &[&str] = &[
    "toBeTruthy",
    "toBeFalsy",
    "toBeDefined",
    "toContain",
    "toContainEqual",
    "toMatch",
    "toBeGreaterThan",
    "toBeGreaterThanOrEqual",
    "toBeLessThan",
    "toBeLessThanOrEqual",
    "toBeInstanceOf",
    "toHaveBeenCalled",
    "toBeCalled",
    "toBeTypeOf",
    "toSatisfy",
    "exist",
    "exists",
    "ok",
    "include",
    "includes",
    "contain",
    "contains",
    "match",
    "matches",
    "a",
    "an",
    "instanceof",
    "instanceOf",
    "isOk",
    "isNotNull",
    "isDefined",
    "isObject",
    "isArray",
    "isString",
    "isNumber",
    "isFunction",
    "isAbove",
    "isBelow",
    "isAtLeast",
    "isAtMost",
    "above",
    "below",
    "least",
    "most",
    "greaterThan",
    "lessThan",
    "within",
    "truthy",
    "falsy",
    "notEqual",
    "notStrictEqual",
    "notDeepEqual",
    "notDeepStrictEqual",
    "satisfy",
    "doesNotThrow",
    "called",
];
/// Matchers that ask for an error; without an argument any will do.
const THROWS: &[&str] =
    &["toThrow", "toThrowError", "throw", "throws", "Throw", "rejects", "rejectedWith", "rejected"];
/// Matchers of two values.
const EQUAL: &[&str] = &[
    "toBe",
    "toEqual",
    "toStrictEqual",
    "equal",
    "equals",
    "eql",
    "eq",
    "strictEqual",
    "deepEqual",
    "deepStrictEqual",
    "is",
    "same",
    "strictSame",
    "toMatchObject",
];
/// Matchers within a tolerance.
const CLOSE: &[&str] = &["toBeCloseTo", "closeTo", "approximately"];
/// Ends of a chain of chai that assert without being called.
const PROPERTIES: &[&str] = &[
    "true",
    "false",
    "null",
    "undefined",
    "ok",
    "exist",
    "empty",
    "NaN",
    "arguments",
    "finite",
    "called",
    "calledOnce",
    "calledTwice",
    "sealed",
    "frozen",
    "extensible",
    "throw",
    "fulfilled",
    "rejected",
    "exists",
    "truthy",
    "falsy",
];
/// Methods of the object that ava and tap give to a test.
const CONTEXT: &[&str] = &[
    "is",
    "not",
    "deepEqual",
    "true",
    "false",
    "truthy",
    "falsy",
    "throws",
    "throwsAsync",
    "same",
    "equal",
    "equals",
    "ok",
    "fail",
    "strictEqual",
    "notThrows",
    "regex",
    "snapshot",
    "like",
    "match",
    "rejects",
    "strictSame",
    "has",
    "error",
    "notOk",
    "notDeepEqual",
    "plan",
];

/// The assertion that begins at a node.
pub(super) fn claim_at(node: Node<'_>) -> Option<Claim> {
    if !node.is(&["call_expression", "member_expression"]) || is_link(node) {
        return None;
    }
    let chain = Chain::of(node);
    if chain.names.contains(&"should") {
        return of_should(&chain);
    }
    let root = *chain.names.first()?;
    if root.starts_with("expect") && !chain.calls.is_empty() {
        return of_expect(&chain, node);
    }
    if node.kind() != "call_expression" {
        return None;
    }
    let asserts = matches!(root, "assert" | "sinon" | "chai") || root.starts_with("assert");
    let in_context = matches!(root, "t" | "tap") || root == "assert";
    let last = *chain.names.last()?;
    if asserts && (root != "sinon" || chain.names.get(1) == Some(&"assert")) {
        return Some(of_assert(&chain, last));
    }
    if in_context && chain.names.contains(&"assert") {
        return Some(of_assert(&chain, last));
    }
    if in_context && chain.names.len() == 2 && CONTEXT.contains(&last) {
        return Some(of_assert(&chain, last));
    }
    if last == "expect" && chain.names.len() > 1 {
        let subject =
            chain.root.or_else(|| node.field("function").and_then(|it| it.field("object")));
        return Some(Claim::new(Exact, subject));
    }
    (chain.names.len() == 1 && matches!(root, "fail" | "done.fail"))
        .then(|| Claim::new(Exact, None))
}

/// Whether a node is a part of a longer chain.
fn is_link(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| {
        let (object, function) = (parent.field("object"), parent.field("function"));
        (parent.kind() == "member_expression" && object == Some(node))
            || (parent.kind() == "call_expression" && function == Some(node))
            || parent.kind() == "non_null_expression"
    })
}

/// `x.should.equal(y)`; cypress has `should` as a method.
fn of_should(chain: &Chain<'_>) -> Option<Claim> {
    let last = *chain.names.last()?;
    let argument = chain.calls.last().and_then(|(_, list)| list.first());
    let strength = matcher_strength(last, argument, chain.names.contains(&"not"));
    let subject: Vec<&str> =
        chain.names.iter().take_while(|name| **name != "should").copied().collect();
    Some(Claim { strength, subject: subject.join(" . "), tolerance: None, text: None })
}

fn of_expect<'tree>(chain: &Chain<'tree>, node: Node<'tree>) -> Option<Claim> {
    let root = chain.names[0];
    // `expect.extend(…)`, `expect.anything()`, `expect.assertions(2)` assert nothing themselves.
    let list = match chain.arguments_at(0) {
        Some(list) => list,
        None if matches!(chain.names.get(1), Some(&"soft" | &"poll")) => chain.arguments_at(1)?,
        None => return None,
    };
    let subject = list.first();
    let matchers = &chain.names[1..];
    let Some(last) = matchers.last().copied() else {
        // A function of the project: `expectTotal(order, 3)`; or an `expect(x)` that asks nothing.
        let strength = if root == "expect" { Vacuous } else { Exact };
        return Some(Claim::new(strength, subject));
    };
    if node.kind() == "member_expression" && !PROPERTIES.contains(&last) {
        return Some(Claim::new(Vacuous, subject));
    }
    let arguments = chain.arguments_at(chain.names.len() - 1);
    let argument = arguments.and_then(Node::first);
    if CLOSE.contains(&last) {
        return Some(of_closeness(subject, arguments));
    }
    let negated = matchers.contains(&"not");
    let mut strength = matcher_strength(last, argument, negated);
    let known = |subject: Node<'_>| is_constant(subject) || truth(subject).is_some();
    if subject.is_some_and(known) && argument.is_none_or(is_constant) {
        strength = Vacuous;
    }
    if let (Some(subject), Some(argument)) = (subject, argument)
        && EQUAL.contains(&last)
        && !negated
        && is_alike(subject, argument)
    {
        strength = if is_same(subject, argument) { Vacuous } else { Loose };
    }
    Some(Claim::new(strength, subject))
}

fn matcher_strength(name: &str, argument: Option<Node<'_>>, negated: bool) -> Strength {
    let anything = argument.is_some_and(|argument| {
        matches!(argument.text(), "expect.anything()" | "sinon.match.any" | "expect.any(Object)")
    });
    if EQUAL.contains(&name) && anything {
        return Vacuous;
    }
    let any_error = THROWS.contains(&name)
        && argument.is_none_or(|kind| matches!(kind.text(), "Error" | "expect.anything()"));
    let property = name == "toHaveProperty"
        && argument
            .is_some_and(|first| first.parent().is_some_and(|list| list.parts().count() < 2));
    if negated || any_error || property || LOOSE.contains(&name) { Loose } else { Exact }
}

/// `assert(x)`, `assert.equal(a, b)`, `t.is(a, b)`.
fn of_assert(chain: &Chain<'_>, last: &str) -> Claim {
    let arguments: Vec<Node<'_>> =
        chain.calls.last().map(|(_, list)| list.parts().collect()).unwrap_or_default();
    let (first, second) = (arguments.first().copied(), arguments.get(1).copied());
    if matches!(last, "assert" | "ok" | "isOk" | "isTrue" | "true" | "truthy") {
        return first.map_or(Claim::new(Loose, None), Claim::of_condition);
    }
    if matches!(last, "throws" | "rejects" | "throwsAsync") {
        return Claim::new(if second.is_some() { Exact } else { Loose }, first);
    }
    if matches!(last, "pass" | "plan") {
        return Claim::new(Vacuous, first);
    }
    if CLOSE.contains(&last) {
        return of_closeness(first, chain.calls.last().map(|(_, list)| *list));
    }
    let (Some(left), Some(right)) = (first, second) else {
        let known = first.and_then(truth).is_some() && last != "fail";
        return Claim::new(
            if known { Vacuous } else { matcher_strength(last, None, false) },
            first,
        );
    };
    let two_values = EQUAL.contains(&last) || last.ends_with("qual");
    let vacuous = two_values
        && !last.starts_with("not")
        && ((is_constant(left) && is_constant(right)) || is_same(left, right));
    let strength = match matcher_strength(last, Some(right), false) {
        _ if vacuous => Vacuous,
        Exact if two_values && is_alike(left, right) => Loose,
        strength => strength,
    };
    Claim::new(strength, Some(left))
}

/// `toBeCloseTo(expected, digits)`, `closeTo(expected, delta)`.
fn of_closeness(subject: Option<Node<'_>>, arguments: Option<Node<'_>>) -> Claim {
    let values: Vec<Node<'_>> = arguments.into_iter().flat_map(Node::parts).collect();
    let by_digits = arguments.is_some_and(|list| {
        list.parent().is_some_and(|call| call.field_text("function").ends_with("toBeCloseTo"))
    });
    let last = values.last().copied().and_then(number);
    let tolerance = match (by_digits, values.len()) {
        (true, 2) => last.map(|digits| 10f64.powf(-digits) / 2.0),
        (true, _) => Some(0.005),
        (false, _) => last,
    };
    let expected = values.iter().rev().nth(usize::from(values.len() > 1)).copied().and_then(number);
    let wide = tolerance.is_some_and(|tolerance| match expected.map(f64::abs) {
        Some(expected) if expected > 0.0 => tolerance >= expected * 0.1,
        _ => tolerance >= 1.0,
    });
    Claim { tolerance, ..Claim::new(if wide { Loose } else { Exact }, subject) }
}
