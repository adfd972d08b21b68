//! A tree that may not be returned, for people.

use redgreen_model::square::{FindingKind, Square};
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::tree::TreeHash;
use redgreen_model::verdict::Verdict;
use redgreen_runner::judge::Outcome;
use redgreen_runner::plan::Plan;

use crate::context::CONFIG_FILE;

const LINE: &str = "======================================";
/// The most reasons that are shown.
const REASONS_MAX: usize = 20;
/// The most findings, and the most expectations, that an action is named for.
const NAMED_MAX: usize = 5;

/// Why a tree is blocked.
pub enum BlockReason<'seen> {
    /// Nobody has seen it pass.
    Unseen,
    /// It was seen to pass, but not compared with this revision.
    NotCompared {
        /// The revision.
        base: String,
    },
    /// It was run, and this is what was seen.
    Judged(&'seen Outcome),
}

/// The block, with what to do about it.
pub fn blocked(tree: &TreeHash, reason: &BlockReason<'_>, plan: &Plan) -> String {
    let headline = match reason {
        BlockReason::Judged(seen) => seen.run.verdict.to_string(),
        _ => "Execution Evidence Required".to_owned(),
    };
    let mut text = format!("BLOCKED: {headline}\n{LINE}\n\nTree: {}\n\n", tree.short());
    text.push_str(&match reason {
        BlockReason::Unseen => "redgreen has not seen this tree pass.\n".to_owned(),
        BlockReason::NotCompared { base } => {
            format!("This tree was seen to pass, but not compared with {base}.\n")
        }
        BlockReason::Judged(seen) => reasons(&seen.run.reasons),
    });
    text.push_str("\nActions:\n");
    let actions = match reason {
        BlockReason::Judged(seen) => to_do(seen),
        _ => {
            vec![format!("Run the checks: redgreen gate (it runs {})", plan.commands().join(", "))]
        }
    };
    let again = matches!(reason, BlockReason::Judged(_)).then(|| "redgreen gate".to_owned());
    for (index, action) in actions.into_iter().chain(again).enumerate() {
        text.push_str(&format!("  {}. {action}\n", index + 1));
    }
    text.push_str("\nSkip (with reason): redgreen skip \"why\"\n");
    text.push_str(LINE);
    text
}

fn reasons(reasons: &[String]) -> String {
    let line = |reason: &String| format!("- {}\n", clean_line(reason, LINE_CHARS));
    let mut text: String = reasons.iter().take(REASONS_MAX).map(line).collect();
    if reasons.len() > REASONS_MAX {
        text.push_str(&format!("- and {} more\n", reasons.len() - REASONS_MAX));
    }
    text
}

/// What fits what was seen: not everything that blocks is red.
fn to_do(seen: &Outcome) -> Vec<String> {
    let answers = seen.square.as_ref().map(|read| to_answer(&read.square)).unwrap_or_default();
    let mut actions = Vec::new();
    if seen.run.verdict == Verdict::ToolingError {
        actions.push(
            "Make the command run: install what is missing, or correct the command in redgreen.toml (redgreen doctor names it)"
                .to_owned(),
        );
    } else if is_red(seen) || (seen.run.verdict == Verdict::Failed && answers.is_empty()) {
        actions.push("Fix what is red".to_owned());
    } else if no_test_ran(seen) {
        actions.push(
            "Have a test run: write one, or name the command that runs the tests in redgreen.toml"
                .to_owned(),
        );
    }
    actions.extend(answers);
    if actions.is_empty() {
        actions.push("Resolve the reasons above".to_owned());
    }
    actions
}

/// Whether a test is red, or something beside the tests, such as the build.
fn is_red(seen: &Outcome) -> bool {
    let runs = &seen.run.execution.checks;
    !seen.run.red.is_empty() || runs.iter().any(|run| !run.report.errors.is_empty())
}

fn no_test_ran(seen: &Outcome) -> bool {
    let mut cases = seen.run.execution.checks.iter().flat_map(|run| run.report.tests.iter());
    !cases.any(|case| case.outcome.executed())
}

/// What a person or an agent can say to a finding or to a changed expectation.
fn to_answer(square: &Square) -> Vec<String> {
    let findings = square.blocking().take(NAMED_MAX).map(|finding| {
        let accept = match (finding.kind, finding.file.as_deref()) {
            (FindingKind::ConfigurationChanged, Some(CONFIG_FILE)) => "redgreen trust".to_owned(),
            _ => format!("redgreen waive {} --reason \"…\"", finding.id),
        };
        let undo = match (finding.kind, &finding.file) {
            (FindingKind::NoProof, _) => "Add a test that is red without the fix".to_owned(),
            (FindingKind::ConfigurationChanged, Some(file)) => {
                format!("Undo the change of {}", clean_line(file, LINE_CHARS))
            }
            _ => format!("Undo what finding {} names", finding.id),
        };
        format!("{undo}, or a person accepts it: {accept}")
    });
    let expectations = square.undeclared().take(NAMED_MAX).map(|expectation| {
        let test = clean_line(&expectation.test.test, LINE_CHARS);
        format!(
            "If the task asks for what {test} expects now: redgreen declare '{test}' --reason \"…\""
        )
    });
    let untested = square.unowned().take(NAMED_MAX).map(|change| {
        let place = clean_line(&change.place, LINE_CHARS);
        format!(
            "Write a test for {place}, or say why none is needed: redgreen declare --untested '{place}' --reason \"…\""
        )
    });
    findings.chain(expectations).chain(untested).collect()
}
