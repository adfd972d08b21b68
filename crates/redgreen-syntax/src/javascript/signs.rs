//! Code in JavaScript that looks for its judge.

use crate::seekers::SeekerKind::{Caller, PatchesFramework, TestRun};
use crate::seekers::{Sign, compact};
use crate::tree::Node;

/// Names that a test framework makes global.
const GLOBALS: &[&str] = &[
    "jest",
    "describe",
    "it",
    "expect",
    "vi",
    "vitest",
    "mocha",
    "beforeEach",
    "afterEach",
    "suite",
];

/// `process.argv[1].includes('mocha')`.
fn asks_for_runner(call: &str) -> bool {
    let runners = ["jest", "vitest", "mocha"];
    let asks = call.contains("process.argv") || call.contains("require.main");
    asks && runners.iter().any(|runner| call.contains(runner))
}

/// `NODE_ENV === 'test'`, `typeof jest`, `new Error().stack`.
pub(super) fn of(node: Node<'_>) -> Option<Sign> {
    let text =
        |node: Node<'_>| if node.range().len() > 300 { String::new() } else { compact(node) };
    match node.kind() {
        "binary_expression" => {
            let text = text(node).replace("?.", ".");
            let environment = text.contains("NODE_ENV") || text.contains("import.meta.env.MODE");
            let test = text.ends_with("'test'")
                || text.ends_with("\"test\"")
                || text.starts_with("'test'")
                || text.starts_with("\"test\"");
            (environment && test).then(|| Sign::new(TestRun, "NODE_ENV", node))
        }
        "call_expression" if asks_for_runner(&text(node)) => {
            Some(Sign::new(TestRun, "process.argv", node))
        }
        "unary_expression" if node.has_token("typeof") => {
            let name = node.first().map(text)?;
            let name = name.rsplit('.').next().unwrap_or_default().to_owned();
            GLOBALS
                .contains(&name.as_str())
                .then(|| Sign::new(TestRun, format!("typeof {name}"), node))
        }
        "member_expression" => {
            let object = node.field("object").map(text)?;
            let property = node.field_text("property");
            let made = object.trim_matches(['(', ')']).starts_with("newError(")
                || object.trim_matches(['(', ')']) == "newError"
                || object == "Error()";
            let global = matches!(object.as_str(), "globalThis" | "global" | "window" | "self");
            if made && property == "stack" {
                return Some(Sign::new(Caller, "Error.stack", node));
            }
            let assigned = node.parent().is_some_and(|parent| {
                parent.kind() == "assignment_expression" && parent.field("left") == Some(node)
            });
            let known = global && (GLOBALS.contains(&property) || property == "assert");
            let kind = if assigned { PatchesFramework } else { TestRun };
            known.then(|| Sign::new(kind, format!("global {property}"), node))
        }
        "call_expression" => {
            let function = node.field("function").map(text)?;
            let first = node.field("arguments").and_then(Node::first).map_or("", Node::text);
            if function == "Error.captureStackTrace" && first != "this" {
                return Some(Sign::new(Caller, "captureStackTrace", node));
            }
            (function == "expect.extend")
                .then(|| Sign::new(PatchesFramework, "expect.extend", node))
        }
        _ => None,
    }
}
