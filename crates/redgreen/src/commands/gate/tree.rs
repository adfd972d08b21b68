//! The gate on a terminal, in a git hook, in CI: a tree against a revision.

use std::path::Path;

use redgreen_engine::feedback::remarks;
use redgreen_evidence::{Bundle, PublicKey};
use redgreen_model::tree::TreeHash;
use redgreen_runner::evidence::{KeptEvidence, steered_apart, steering, verdict_rules};
use redgreen_runner::gate::{
    Against, Seen, other_text, remember, skipped, verified, verified_at_a_glance, without_code,
};
use redgreen_runner::plan::Plan;
use redgreen_runner::square::once::{self, Request, Squared};
use redgreen_workspace::Workspace;
use serde_json::json;
use uuid::Uuid;

use super::super::square::{base, rules_of};
use super::super::test::given_check;
use super::{Arguments, plan};
use crate::context;
use crate::display::{self, Known, Style};
use crate::failure::{Ending, Failure};

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let elsewhere = arguments.staged || arguments.commit.is_some();
    let is_plain = arguments.base.is_none() && arguments.command.is_empty() && !elsewhere;
    if is_plain && let Some((tree, seen)) = verified_at_a_glance(&context::folder()?) {
        return Ok(allowed(arguments, &tree, &seen));
    }
    let workspace = context::workspace()?;
    let compared = sides(&workspace, arguments)?;
    judge(workspace, arguments, compared, is_plain)
}

/// Judges a tree against another one; what is found out without a run is remembered where the question
/// is a plain one.
pub fn judge(
    workspace: Workspace,
    arguments: &Arguments,
    ((name, base), judged): Compared,
    is_plain: bool,
) -> Result<Ending, Failure> {
    let mut plan = plan::plan(&workspace, "a person", &base)?;
    if let Some(check) = given_check(&arguments.command, false)? {
        let rules = rules_of(&workspace, &base, &name)?;
        plan.config = context::configuration_of(workspace.root(), rules, Some(check), None)?;
        plan.checks = redgreen_runner::plan::planned_checks(&plan.config)?;
    }
    let tree = judged.clone().map_or_else(|| workspace.tree_anew(), Ok)?;
    let mut refused = Vec::new();
    let seen = verified(&workspace, &plan, &tree, &base, &mut refused)?;
    refused.iter().for_each(|problem| display::note(problem));
    if let Some(seen) = seen {
        if is_plain {
            remember(&workspace, &plan, &tree, Against::Head, &base);
        }
        return Ok(allowed(arguments, &tree, &seen));
    }
    // Whoever signed it saw the text that git keeps, and not the one that lies here.
    let is_what_lies_here = judged.is_some() || other_text(&workspace, &tree, &base)?.is_none();
    let told = match is_what_lies_here {
        true => from_elsewhere(arguments, &plan, &tree, &base)?,
        false => None,
    };
    let otherwise = match told {
        Some(why) => Some(why),
        None if without_code(&workspace, &plan, &tree, &base)? => {
            Some("no code was changed".to_owned())
        }
        None => skipped(&workspace, &plan, &tree)?,
    };
    if let Some(why) = otherwise {
        return Ok(allowed(arguments, &tree, &Seen { why, remarks: Vec::new() }));
    }
    if arguments.no_execute {
        return Ok(blocked(arguments, &tree, &unseen(&workspace, &plan, &tree, name), &plan));
    }
    let squared = execute(workspace, arguments, &plan, (base, judged))?;
    let ending = Ending::from(squared.judged.verdict);
    match ending {
        Ending::Green => {
            let remarks = remarks(&squared.square);
            Ok(allowed(arguments, &tree, &Seen { why: "seen to pass".to_owned(), remarks }))
        }
        ending => {
            if !arguments.json {
                display::result(&display::square_result(&squared, &name));
            }
            blocked(arguments, &tree, &Known::Seen(&squared), &plan);
            Ok(ending)
        }
    }
}

/// Why evidence that came from elsewhere says that the tree passed.
fn from_elsewhere(
    arguments: &Arguments,
    plan: &Plan,
    tree: &TreeHash,
    base: &TreeHash,
) -> Result<Option<String>, Failure> {
    let (Some(evidence), Some(key)) = (&arguments.evidence, &arguments.key) else {
        return Ok(None);
    };
    let read = |path: &Path| {
        std::fs::read(path)
            .map_err(|error| Failure::tooling(format!("cannot read {}: {error}", path.display())))
    };
    let key = PublicKey::parse(&String::from_utf8_lossy(&read(key)?))
        .map_err(|error| Failure::usage(format!("{}: {error}", key.display())))?;
    let rules = verdict_rules(&plan.checks, &plan.config, plan.code_type);
    let (bundles, mut refused) = Bundle::read_all(&read(evidence)?, &key);
    let here = steering();
    for bundle in &bundles {
        let apart = steered_apart(&bundle.evidence.environment.steering, &here).join(", ");
        let compared = bundle.evidence.base.as_ref().map(|base| &base.tree);
        let wrong = match bundle {
            bundle if bundle.tree.tree != *tree => "it is about another tree".to_owned(),
            bundle if bundle.evidence.rules != rules => "it was judged by other rules".to_owned(),
            _ if compared != Some(base) => "it compares with another tree".to_owned(),
            bundle if !bundle.evidence.result.is_pass() => "it did not pass".to_owned(),
            _ if !apart.is_empty() => format!("it was made with other variables: {apart}"),
            _ => return Ok(Some(format!("seen to pass at {}, signed", bundle.evidence.at))),
        };
        refused.push(wrong);
    }
    let refused = refused.join("; ");
    display::note(&format!("{}: not believed: {refused}", evidence.display()));
    Ok(None)
}

/// What to compare with, by name, and the tree to judge where it is not the one in the work tree.
pub type Compared = ((String, TreeHash), Option<TreeHash>);

fn sides(workspace: &Workspace, arguments: &Arguments) -> Result<Compared, Failure> {
    let named = arguments.base.as_deref();
    if arguments.staged {
        let staged = workspace.staged()?;
        let base = against(workspace, named, "HEAD", &staged, "HEAD")?;
        return Ok((base, Some(staged)));
    }
    if let Some(commit) = &arguments.commit {
        let missing = || Failure::usage(format!("there is no commit {commit}"));
        let tree = workspace.tree_of(commit)?.ok_or_else(missing)?;
        let base = against(workspace, named, commit, &tree, &format!("{commit}~1"))?;
        return Ok((base, Some(tree)));
    }
    Ok((base_of(workspace, named)?, None))
}

/// What a tree of a revision is compared with: where it parts from the one that is named, or `usual`;
/// with itself where there is nothing before it.
fn against(
    workspace: &Workspace,
    named: Option<&str>,
    of: &str,
    tree: &TreeHash,
    usual: &str,
) -> Result<(String, TreeHash), Failure> {
    let Some(name) = named else {
        let before = workspace.tree_of(usual)?;
        return Ok((usual.to_owned(), before.unwrap_or_else(|| tree.clone())));
    };
    let missing = || Failure::usage(format!("there is no revision {name}"));
    Ok((name.to_owned(), workspace.fork_of(name, of)?.ok_or_else(missing)?))
}

/// The same for the work tree.
fn base_of(workspace: &Workspace, named: Option<&str>) -> Result<(String, TreeHash), Failure> {
    if named.is_none() && workspace.tree_of("HEAD")?.is_none() {
        return Ok(("nothing".to_owned(), workspace.tree()?));
    }
    if named.is_none() && workspace.tree_of("HEAD~1")?.is_none() {
        let (head, tree) = (workspace.tree_of("HEAD")?, workspace.tree()?);
        if workspace.is_shallow() && head.as_ref() == Some(&tree) {
            return Err(Failure::usage("this clone is shallow: there is nothing to compare with")
                .hint("fetch more of the history (in CI: fetch-depth 0), or name a revision: --base REV"));
        }
        return Ok(("HEAD".to_owned(), head.unwrap_or(tree)));
    }
    base(workspace, named)
}

fn execute(
    workspace: Workspace,
    arguments: &Arguments,
    plan: &Plan,
    (base, tree): (TreeHash, Option<TreeHash>),
) -> Result<Squared, Failure> {
    let id = Uuid::now_v7().to_string();
    let request = Request {
        base,
        tree,
        config: &plan.config,
        checks: &plan.checks,
        code_type: None,
        fresh: false,
        id: &id,
    };
    let style = Style::from_flag(arguments.json);
    Ok(context::with_tools(style, |tools| once::execute(workspace, &request, tools))??)
}

fn allowed(arguments: &Arguments, tree: &TreeHash, seen: &Seen) -> Ending {
    let Seen { why, remarks } = seen;
    if arguments.json {
        display::json_line(
            &json!({"result": "gate", "decision": "allow", "tree": tree, "why": why,
            "remarks": remarks}),
        );
    } else {
        display::result(&format!("ALLOWED: tree {}, {why}", tree.short()));
        remarks.iter().for_each(|remark| display::result(&format!("  {remark}")));
    }
    Ending::Green
}

/// What is known of a tree that nothing was run on.
fn unseen(workspace: &Workspace, plan: &Plan, tree: &TreeHash, base: String) -> Known<'static> {
    let rules = verdict_rules(&plan.checks, &plan.config, plan.code_type);
    match KeptEvidence::of(workspace.root()).passed_alone(tree, &rules).found {
        Some(_) => Known::Alone { base },
        None => Known::Nothing,
    }
}

fn blocked(arguments: &Arguments, tree: &TreeHash, known: &Known<'_>, plan: &Plan) -> Ending {
    let (verdict, reasons) = match known {
        Known::Nothing => (None, Vec::new()),
        Known::Alone { base } => {
            (None, vec![format!("seen to pass, but not compared with {base}: run `redgreen gate`")])
        }
        Known::Seen(seen) => (Some(seen.judged.verdict), seen.judged.reasons.clone()),
    };
    if arguments.json {
        display::json_line(&json!({
            "result": "gate",
            "decision": "block",
            "tree": tree,
            "verdict": verdict,
            "reasons": reasons,
        }));
    } else {
        display::result(&display::blocked(tree, known, plan));
    }
    Ending::Red
}
