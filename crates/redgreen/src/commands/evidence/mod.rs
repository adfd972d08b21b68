//! `redgreen evidence`: one file for each of its commands.

mod export;
mod show;
mod verify;

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use redgreen_evidence::{Bundle, Key, PublicKey};
use redgreen_model::config::JudgeBy;
use redgreen_model::evidence::{Acceptance, ExecutionEvidence};
use redgreen_model::execution::Purpose;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::tree::TreeHash;
use redgreen_runner::evidence::KeptEvidence;
use redgreen_runner::square::code_now;
use redgreen_workspace::Workspace;

use crate::context;
use crate::failure::{Ending, Failure};

/// How many tests are named.
const NAMED: usize = 8;

/// What redgreen has seen of a tree, signed
///
/// Every verdict is kept as in-toto statements in DSSE envelopes, signed with a key that lies outside
/// of the work tree. Whoever has the public key can check them without running the tests again.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Show(show::Arguments),
    Export(export::Arguments),
    Verify(verify::Arguments),
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    match &arguments.command {
        Command::Show(arguments) => show::run(arguments),
        Command::Export(arguments) => export::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
    }
}

/// What is kept of a tree, and what is there and not believed.
struct Found {
    tree: TreeHash,
    key: Option<PublicKey>,
    bundles: Vec<Bundle>,
    refused: Vec<String>,
}

/// The evidence of a tree: of the one that is named, else of the work tree or one with its code.
fn find(named: Option<&str>) -> Result<Found, Failure> {
    let workspace = context::workspace()?;
    let kept = KeptEvidence::of(workspace.root());
    if let Some(problem) = kept.problem() {
        return Err(Failure::tooling(format!("no evidence can be believed: {problem}")));
    }
    let tree = match named {
        Some(name) => tree_named(Some(&workspace), name)?,
        None => workspace.tree()?,
    };
    let Some(key) = kept.key().map(Key::public) else {
        return Ok(Found { tree, key: None, bundles: Vec::new(), refused: Vec::new() });
    };
    let (mut bundles, mut refused) = kept.store().bundles(&key, &tree);
    if bundles.is_empty() && named.is_none() {
        let config = context::configuration(workspace.root())?.unwrap_or_default();
        let code = code_now(workspace, &config)?;
        for other in kept.store().trees_of_code(&key, &code) {
            let (found, unbelieved) = kept.store().bundles(&key, &other);
            bundles.extend(found);
            refused.extend(unbelieved);
        }
    }
    Ok(Found { tree, key: Some(key), bundles, refused })
}

/// A tree by its id or by a revision.
fn tree_named(workspace: Option<&Workspace>, name: &str) -> Result<TreeHash, Failure> {
    if [40, 64].contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let as_revision = workspace.and_then(|workspace| workspace.tree_of(name).ok().flatten());
        return Ok(as_revision.unwrap_or_else(|| TreeHash(name.to_ascii_lowercase())));
    }
    let unknown = || {
        Failure::usage(format!("there is no revision {}", clean_line(name, LINE_CHARS)))
            .hint("name a revision that is there, or the full id of a git tree")
    };
    let workspace = workspace.ok_or_else(unknown)?;
    workspace.tree_of(name)?.ok_or_else(unknown)
}

/// A verdict for people.
fn description(bundle: &Bundle, key: &PublicKey) -> String {
    let evidence = &bundle.evidence;
    let mut text = format!(
        "{} tree {}, {}, redgreen {}",
        evidence.result.as_str(),
        bundle.tree.tree,
        evidence.at,
        evidence.redgreen
    );
    let mut line = |words: String| {
        let _ = write!(text, "\n  {words}");
    };
    match &evidence.base {
        Some(base) if base.tree == bundle.tree.tree => {
            line("compared with itself: no change was judged".to_owned());
        }
        Some(base) => line(format!("compared with tree {}", base.tree)),
        None => line("compared with nothing: tests may have been removed before".to_owned()),
    }
    if let (Some(session), Some(attempts)) = (&evidence.session, evidence.attempts) {
        line(match attempts {
            1 => format!("after 1 attempt in session {session}"),
            attempts => format!("after {attempts} attempts in session {session}"),
        });
    }
    for execution in &evidence.executions {
        line(executed(execution));
    }
    if let Some(origins) = &evidence.origins {
        let new: Vec<String> = origins.new.iter().map(ToString::to_string).collect();
        let new = if new.is_empty() { "none is new".to_owned() } else { named("new", &new) };
        line(match origins.before.len() {
            1 => format!("1 test was there before; {new}"),
            before => format!("{before} tests were there before; {new}"),
        });
    }
    for declared in &evidence.declared {
        let (test, reason) = (&declared.test, &declared.reason);
        line(format!("declared by {}: {test} ({}): {reason}", declared.by, declared.kind.as_str()));
    }
    for waived in &evidence.waived {
        line(format!("waived by {}: {}: {}", waived.by, waived.message, waived.reason));
    }
    if let Some(accepted) = &evidence.accepted {
        let Acceptance { reason, by, at } = accepted;
        line(format!("accepted by {by} at {at}, although it did not pass: {reason}"));
    }
    for warning in &evidence.warnings {
        line(format!("warning: {}:{} {}", warning.file, warning.line, warning.what));
    }
    for (name, value) in &evidence.environment.steering {
        line(format!("with {name}={}", clean_line(value, LINE_CHARS)));
    }
    line(format!("signed with the key {}", key.id()));
    text
}

fn executed(execution: &ExecutionEvidence) -> String {
    let what = match execution.purpose {
        Purpose::Judge => "the tree itself",
        Purpose::Baseline => "old code, old tests",
        Purpose::Referee => "new code, old tests",
        Purpose::Proof => "old code, new tests",
        Purpose::Clean => "without what a fresh checkout does not have",
        Purpose::Mutant => "a small edit of what changed",
        Purpose::First => "what failed last",
        Purpose::Confirm => "run again",
    };
    let check = |check: &redgreen_model::evidence::CheckEvidence| {
        let command = clean_line(&check.command, LINE_CHARS);
        match check.judge_by {
            JudgeBy::Tests => format!("`{command}` {}, {}", check.ended, check.counts),
            JudgeBy::ExitCode => {
                format!("`{command}` {}, judged by the exit code alone", check.ended)
            }
        }
    };
    let checks: Vec<String> = execution.checks.iter().map(check).collect();
    format!("{what}: {}", checks.join("; "))
}

/// Some names, and how many more.
fn named(word: &str, names: &[String]) -> String {
    let shown: Vec<String> =
        names.iter().take(NAMED).map(|name| clean_line(name, LINE_CHARS)).collect();
    let more = names.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{} {word}: {}{more}", names.len(), shown.join(", "))
}
