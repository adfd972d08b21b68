//! Whether an assertion is reached, and its failure heard, as far as only Ruby knows.

use crate::tree::Node;
use crate::values::{bare, truth};

/// Calls after which nothing in the same block is reached.
const ENDING: &[&str] = &["skip", "exit", "exit!", "abort", "raise", "throw", "fail"];
/// Errors whose handler hears a failed expectation.
const BROAD: &[&str] =
    &["Exception", "RSpec::Expectations::ExpectationNotMetError", "ExpectationNotMetError"];
/// Calls that only say something.
const SAYING: &[&str] = &["puts", "p", "pp", "print", "warn", "logger.", "Rails.logger."];

/// Whether an assertion is reached when `body` runs, and whoever runs it hears of its failure.
pub(super) fn is_heard(node: Node<'_>, body: Node<'_>) -> bool {
    let mut below = node;
    for above in node.ancestors().take_while(|above| above.is_in(body)) {
        let ended = below.parts_before().any(|before| {
            above.is(above.syntax().kinds.blocks) && ENDING.iter().any(|word| says(before, word))
        });
        if ended || is_dead(above, below) || swallows(above, below) || is_kept(above) {
            return false;
        }
        below = above;
    }
    true
}

/// Whether a statement is a call of this name, with or without arguments.
pub(super) fn says(statement: Node<'_>, word: &str) -> bool {
    let inner = bare(statement);
    match inner.kind() {
        "call" => {
            inner.field("receiver").is_none()
                && inner.field_text("method") == word
                && inner.field("block").is_none()
        }
        _ => inner.is_leaf() && inner.text() == word,
    }
}

/// Whether `below` stands in a branch whose condition is written so that it is never taken.
fn is_dead(above: Node<'_>, below: Node<'_>) -> bool {
    let Some(condition) = above.field("condition").and_then(truth) else { return false };
    let taken = match above.kind() {
        "if" | "if_modifier" | "elsif" | "while" | "while_modifier" => condition,
        "unless" | "unless_modifier" | "until" | "until_modifier" => !condition,
        _ => return false,
    };
    let within = ["consequence", "body"].iter().any(|field| above.field(field) == Some(below));
    if within { !taken } else { above.field("alternative") == Some(below) && taken }
}

/// Whether a failure in `below` is caught by `above` and forgotten: `rescue Exception`, an `ensure` that
/// returns. A failed expectation is no `StandardError`, which a plain `rescue` catches.
fn swallows(above: Node<'_>, below: Node<'_>) -> bool {
    if below.is(&["rescue", "else", "ensure"]) {
        return false;
    }
    above.parts().any(|part| match part.kind() {
        "rescue" => {
            let caught = part.field("exceptions");
            let broad =
                caught.is_some_and(|list| list.parts().any(|it| BROAD.contains(&it.text())));
            let done = part.field("body");
            broad && done.is_none_or(|body| body.parts().all(is_quiet))
        }
        "ensure" => part.parts().any(|it| it.is(&["return", "next"])),
        _ => false,
    })
}

fn is_quiet(statement: Node<'_>) -> bool {
    let text = statement.text();
    SAYING.iter().any(|word| text.starts_with(word))
        || statement.is(&["nil", "true", "false", "return", "next", "identifier"])
}

/// A lambda that is kept and not called where it stands.
fn is_kept(above: Node<'_>) -> bool {
    let kept = above.kind() == "lambda"
        || above.kind() == "call" && matches!(above.field_text("method"), "lambda" | "proc");
    let Some(holder) = above.parent().filter(|_| kept) else { return false };
    match holder.kind() {
        "assignment" => {
            let name = holder.field_text("left");
            let block = holder.parent();
            let mut others = block.into_iter().flat_map(Node::below);
            !others.any(|node| node.is_leaf() && node.text() == name && !node.is_in(holder))
        }
        _ => holder.is(holder.syntax().kinds.blocks),
    }
}
