//! Whether a test waits for an assertion: what fails after it has ended fails nobody.

use super::chain::Chain;
use crate::tree::Node;

/// Functions that call what they are given later.
const LATER: &[&str] = &[
    "setTimeout",
    "setImmediate",
    "setInterval",
    "queueMicrotask",
    "process.nextTick",
    "requestAnimationFrame",
];
/// What is called when a promise is settled.
const SETTLED: &[&str] = &["then", "catch", "finally"];
/// Matchers that look at a promise.
const OF_PROMISES: &[&str] = &["resolves", "rejects", "eventually"];

/// Whether the failure of an assertion reaches the test in whose `body` it stands.
pub(crate) fn is_heard(claim: Node<'_>, body: Node<'_>) -> bool {
    let chain = Chain::of(claim);
    let promised = chain.names.iter().any(|name| OF_PROMISES.contains(name))
        || chain.names.starts_with(&["expect", "poll"]);
    if promised && is_statement(claim) {
        return false;
    }
    if ends_before(claim, body) {
        return false;
    }
    if callback(body).is_some() || body.text().contains("Timers") {
        return true;
    }
    let above = claim.ancestors().take_while(|above| above.is_in(body) && *above != body);
    !above.into_iter().any(|call| {
        call.kind() == "call_expression" && is_given(call, claim) && is_left_alone(call, body)
    })
}

/// Whether nothing takes the value of an expression.
fn is_statement(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| parent.kind() == "expression_statement")
}

/// What a test calls to say that it has ended.
fn callback(body: Node<'_>) -> Option<&str> {
    let list = body.field("parameters").and_then(Node::first).or_else(|| body.field("parameter"));
    list.filter(|first| first.is(&["identifier", "required_parameter"])).map(Node::text)
}

/// Whether a test says that it has ended before it comes to an assertion.
fn ends_before(claim: Node<'_>, body: Node<'_>) -> bool {
    let Some(callback) = callback(body) else { return false };
    let block = body.field("body");
    let at_top = |it: &Node<'_>| it.parent().is_some() && it.parent() == block;
    let statement = [claim].into_iter().chain(claim.ancestors()).find(at_top);
    let ended = format!("{callback}()");
    statement.is_some_and(|it| {
        it.parts_before().any(|before| before.text().trim_end_matches(';') == ended)
    })
}

/// Whether an assertion stands in what a call is given.
fn is_given(call: Node<'_>, claim: Node<'_>) -> bool {
    call.field("arguments").is_some_and(|list| claim.is_in(list))
}

/// Whether a call calls what it is given later, and nobody waits for that.
fn is_left_alone(call: Node<'_>, body: Node<'_>) -> bool {
    let called = call.field("function");
    let name: String = called.map(|it| it.text().split_whitespace().collect()).unwrap_or_default();
    let in_promise = || {
        let above = call.ancestors().take_while(|above| above.is_in(body) && *above != body);
        above.into_iter().any(|it| it.kind() == "new_expression")
    };
    if LATER.contains(&name.trim_start_matches("globalThis.")) {
        return !in_promise();
    }
    let settled = called.is_some_and(|it| {
        it.kind() == "member_expression" && SETTLED.contains(&it.field_text("property"))
    });
    settled && is_statement(whole(call)) && !in_promise()
}

/// The whole chain that a call is a part of.
fn whole(call: Node<'_>) -> Node<'_> {
    let mut node = call;
    while let Some(parent) = node.parent().filter(|parent| {
        (parent.kind() == "member_expression" && parent.field("object") == Some(node))
            || (parent.kind() == "call_expression" && parent.field("function") == Some(node))
    }) {
        node = parent;
    }
    node
}
