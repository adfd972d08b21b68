//! What assertions look like in Java: `assert`, JUnit, AssertJ and Truth, Hamcrest, Mockito.

use crate::assertion::{Claim, Strength};
use crate::tree::Node;
use crate::values::{bare, is_constant, is_same, number, truth};

use Strength::{Exact, Loose, Vacuous};

/// Methods of two values.
const EQUAL: &[&str] = &[
    "assertEquals",
    "assertArrayEquals",
    "assertSame",
    "assertIterableEquals",
    "assertLinesMatch",
];
/// Methods that many values please.
const LOOSE: &[&str] = &[
    "assertNotNull",
    "assertNotEquals",
    "assertNotSame",
    "assertInstanceOf",
    "assertDoesNotThrow",
    "assertArrayNotEquals",
];
/// Methods that hold assertions of their own.
const HOLDERS: &[&str] =
    &["assertAll", "assertTimeout", "assertTimeoutPreemptively", "assertSoftly"];
/// Methods that want an error.
const THROWS: &[&str] = &["assertThrows", "assertThrowsExactly", "assertThatExceptionOfType"];
/// Where the chains of AssertJ, Truth and Hamcrest begin.
const CHAINS: &[&str] = &[
    "assertThat",
    "assertThatThrownBy",
    "assertThatCode",
    "assertThatExceptionOfType",
    "assertThatObject",
    "assertWithMessage",
    "then",
];
/// Ends of those chains that many values please.
const LOOSE_LINKS: &[&str] = &[
    "isNotNull",
    "isNotEmpty",
    "isNotBlank",
    "contains",
    "containsAnyOf",
    "doesNotContain",
    "isInstanceOf",
    "isNotEqualTo",
    "isNotSameAs",
    "isGreaterThan",
    "isGreaterThanOrEqualTo",
    "isLessThan",
    "isLessThanOrEqualTo",
    "isPositive",
    "isNegative",
    "isBetween",
    "isIn",
    "startsWith",
    "endsWith",
    "matches",
    "isNotZero",
    "doesNotThrowAnyException",
    "isPresent",
    "containsKey",
    "hasMessageContaining",
    "isNotNegative",
    "isAtLeast",
    "isAtMost",
    "satisfies",
];
/// Links that ask nothing.
const SILENT_LINKS: &[&str] = &[
    "as",
    "describedAs",
    "withFailMessage",
    "overridingErrorMessage",
    "extracting",
    "assertThat",
    "usingRecursiveComparison",
    "asString",
    "asList",
    "first",
    "last",
    "that",
    "and",
    "map",
    "filteredOn",
    "usingComparator",
    "ignoringFields",
    "asInstanceOf",
    "get",
    "size",
    "returns",
];
/// Matchers of Hamcrest that many values please.
const LOOSE_MATCHERS: &[&str] = &[
    "notNullValue",
    "containsString",
    "not",
    "greaterThan",
    "greaterThanOrEqualTo",
    "lessThan",
    "lessThanOrEqualTo",
    "instanceOf",
    "hasItem",
    "hasItems",
    "startsWith",
    "endsWith",
    "anyOf",
    "isA",
    "hasKey",
    "matchesPattern",
    "closeTo",
];
/// Errors that say nothing about the kind.
const ANY_ERROR: &[&str] = &["Exception.class", "Throwable.class"];

/// The assertion that begins at a node.
pub(super) fn claim_at(node: Node<'_>) -> Option<Claim> {
    if node.kind() == "assert_statement" {
        return Some(of_condition(node.first()?));
    }
    if node.kind() != "method_invocation" || is_link(node) {
        return None;
    }
    if let Some(claim) = of_chain(node) {
        return Some(claim);
    }
    let name = super::callee(node)?;
    let arguments: Vec<Node<'_>> = node.field("arguments")?.parts().collect();
    if HOLDERS.contains(&name) {
        return None;
    }
    let values = without_message(name, &arguments);
    let (first, second) = (values.first().copied(), values.get(1).copied());
    let claim = match name {
        "assertTrue" => first.map_or(Claim::new(Loose, None), of_condition),
        "assertFalse" => {
            let known = first.and_then(truth).is_some();
            Claim::new(if known { Vacuous } else { Loose }, first)
        }
        "assertNull" => {
            Claim::new(if first.is_some_and(is_constant) { Vacuous } else { Exact }, first)
        }
        "fail" if is_plain(node) => Claim::new(Exact, None),
        _ if THROWS.contains(&name) => of_error(first),
        _ if EQUAL.contains(&name) => of_equality(first?, second?, &values),
        _ if LOOSE.contains(&name) => Claim::new(Loose, first),
        _ if name.starts_with("assert") => Claim::new(Exact, first),
        _ => return None,
    };
    Some(claim)
}

/// A method of this class, of JUnit or of its assertions.
fn is_plain(call: Node<'_>) -> bool {
    call.field("object").is_none_or(|object| object.text().starts_with("Assert"))
}

/// Whether a call is a part of a longer chain.
fn is_link(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| {
        parent.kind() == "method_invocation" && parent.field("object") == Some(node)
    })
}

/// JUnit 3 and 4 take the message first.
fn without_message<'tree>(name: &str, arguments: &[Node<'tree>]) -> Vec<Node<'tree>> {
    let values = if EQUAL.contains(&name) || name == "assertNotEquals" { 2 } else { 1 };
    let message = arguments.first().is_some_and(|first| first.kind() == "string_literal");
    if message
        && arguments.len() > values
        && arguments.last().is_none_or(|it| it.kind() != "string_literal")
    {
        return arguments[1..].to_vec();
    }
    arguments.to_vec()
}

fn of_error(first: Option<Node<'_>>) -> Claim {
    let any = first.is_some_and(|kind| ANY_ERROR.contains(&kind.text()));
    let strength = if any { Loose } else { Exact };
    Claim { strength, subject: "raises".to_owned(), tolerance: None, text: None }
}

fn of_equality(expected: Node<'_>, actual: Node<'_>, values: &[Node<'_>]) -> Claim {
    let subject = if is_constant(actual) { expected } else { actual };
    let vacuous = is_same(expected, actual) || (is_constant(expected) && is_constant(actual));
    let tolerance = values.get(2).copied().and_then(number);
    let size = number(expected).map(f64::abs).filter(|size| *size > 0.0);
    let wide = tolerance.is_some_and(|tolerance| match size {
        Some(size) => tolerance >= size * 0.1,
        None => tolerance >= 1.0,
    });
    let strength = match (vacuous, wide) {
        (true, _) => Vacuous,
        (false, true) => Loose,
        (false, false) => Exact,
    };
    Claim { tolerance, ..Claim::new(strength, Some(subject)) }
}

/// What a condition asks that must be true; `left.equals(right)` is one of them.
fn of_condition(condition: Node<'_>) -> Claim {
    let equality = bare(condition);
    if super::callee(equality) != Some("equals") {
        return Claim::of_condition(condition);
    }
    let object = equality.field("object");
    let other = equality.field("arguments").and_then(Node::first);
    let same = object.zip(other).is_some_and(|(left, right)| is_same(left, right));
    Claim::new(if same { Vacuous } else { Exact }, object)
}

/// `assertThat(x).isEqualTo(y)`, `assertThat(x, is(y))`, `verify(mock).method(x)`.
fn of_chain(node: Node<'_>) -> Option<Claim> {
    let mut links = Vec::new();
    let mut at = node;
    while let Some(object) =
        at.field("object").filter(|object| object.kind() == "method_invocation")
    {
        links.push(at);
        at = object;
    }
    let root = super::callee(at)?;
    let arguments: Vec<Node<'_>> = at.field("arguments")?.parts().collect();
    let first = arguments.first().copied();
    if matches!(root, "verify" | "verifyNoMoreInteractions" | "verifyNoInteractions" | "inOrder") {
        return (root != "verify" || !links.is_empty()).then(|| Claim::new(Exact, first));
    }
    if !CHAINS.contains(&root) {
        return None;
    }
    if root == "assertThat" && links.is_empty() {
        return Some(of_matcher(&arguments));
    }
    if root == "assertThatExceptionOfType" {
        return Some(of_error(first));
    }
    let strength = links.iter().map(|link| link_strength(*link, first)).max();
    // A thrown error was asked for at least.
    let alone = if root == "assertThatThrownBy" { Loose } else { Vacuous };
    let strength = strength.unwrap_or(alone).max(alone);
    let constant = root == "assertThat" && first.is_some_and(is_constant);
    Some(Claim::new(if constant { Vacuous } else { strength }, first))
}

fn link_strength(link: Node<'_>, subject: Option<Node<'_>>) -> Strength {
    let name = super::callee(link).unwrap_or_default();
    let argument = link.field("arguments").and_then(Node::first);
    let same = subject.zip(argument).is_some_and(|(left, right)| is_same(left, right));
    let thrown = link.all().any(|node| super::callee(node) == Some("assertThatThrownBy"));
    if SILENT_LINKS.contains(&name) || (same && name == "isEqualTo") {
        Vacuous
    } else if LOOSE_LINKS.contains(&name) && !(thrown && name == "isInstanceOf") {
        Loose
    } else {
        Exact
    }
}

/// `assertThat(actual, is(expected))`, with a reason before it or not.
fn of_matcher(arguments: &[Node<'_>]) -> Claim {
    let (subject, matcher) = match arguments {
        [subject, matcher] | [_, subject, matcher] => (*subject, *matcher),
        [subject] => return Claim::new(Vacuous, Some(*subject)),
        _ => return Claim::new(Loose, None),
    };
    let name = super::callee(matcher).unwrap_or_default();
    let inner = matcher.field("arguments").and_then(Node::first);
    let inner_name = inner.and_then(super::callee).unwrap_or_default();
    let value = inner.filter(|inner| super::callee(*inner).is_none());
    let strength = if [name, inner_name].contains(&"anything")
        || value.is_some_and(|value| is_same(subject, value))
        || (is_constant(subject) && value.is_some_and(is_constant))
    {
        Vacuous
    } else if [name, inner_name].iter().any(|name| LOOSE_MATCHERS.contains(name)) {
        Loose
    } else {
        Exact
    };
    Claim::new(strength, Some(subject))
}
