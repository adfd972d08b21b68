//! A tree that may not be returned, for people.

use redgreen_model::tree::TreeHash;
use redgreen_runner::plan::Plan;
use redgreen_runner::square::once::Squared;

const LINE: &str = "======================================";
/// The most reasons that are shown.
const REASONS_MAX: usize = 20;

/// The block, with what to do about it.
pub fn blocked(tree: &TreeHash, seen: Option<&Squared>, plan: &Plan) -> String {
    let commands = plan.commands();
    let mut text = match seen {
        None => format!(
            "BLOCKED: Execution Evidence Required\n{LINE}\n\nTree: {}\n\nNobody has seen this tree pass.\n",
            tree.short()
        ),
        Some(seen) => {
            format!("BLOCKED: {}\n{LINE}\n\nTree: {}\n\n", seen.judged.verdict, tree.short())
        }
    };
    let reasons = seen.map_or(&[][..], |seen| &seen.judged.reasons);
    for reason in reasons.iter().take(REASONS_MAX) {
        text.push_str(&format!("- {reason}\n"));
    }
    if reasons.len() > REASONS_MAX {
        text.push_str(&format!("- and {} more\n", reasons.len() - REASONS_MAX));
    }
    text.push_str("\nActions:\n");
    text.push_str(&match seen {
        None => format!("  1. Run the checks: redgreen gate (it runs {})\n", commands.join(", ")),
        Some(_) => "  1. Fix what is red\n".to_owned(),
    });
    text.push_str("  2. redgreen gate\n\nSkip (with reason): redgreen skip \"why\"\n");
    text.push_str(LINE);
    text
}
