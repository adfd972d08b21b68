//! The gate on a terminal, in a git hook, in CI: a tree against a revision.

use std::path::Path;

use redgreen_engine::feedback::remarks;
use redgreen_evidence::PublicKey;
use redgreen_model::gate::Answer;
use redgreen_model::tree::TreeHash;
use redgreen_model::verdict::Verdict;
use redgreen_runner::gate::base::Base;
use redgreen_runner::gate::{
    Against, Elsewhere, Found, Question, SeenPass, forget_kind, remember, said_kind,
    verified_at_a_glance,
};
use redgreen_runner::judge::judge as judge_once;
use redgreen_runner::plan::{OutsideSince, Plan};
use redgreen_workspace::Workspace;
use serde_json::json;

use super::super::square::base;
use super::super::test::given_check;
use super::{Arguments, plan};
use crate::context;
use crate::display::{self, BlockReason, Style};
use crate::failure::{Ending, Failure};

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let elsewhere = arguments.staged || arguments.commit.is_some();
    let is_plain =
        arguments.base.is_none() && arguments.command.is_empty() && !elsewhere && !arguments.clean;
    if is_plain && let Some((tree, seen)) = verified_at_a_glance(&context::folder()?) {
        let SeenPass { why, remarks } = seen;
        return Ok(allowed(arguments, &tree, &Answer::Allow { why, remarks }));
    }
    let workspace = context::workspace()?;
    if !elsewhere {
        workspace.tree_anew()?;
    }
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
    let config = plan::rules(&workspace, &base, &name, given_check(&arguments.command, false)?)?;
    let outside = match arguments.clean {
        true => OutsideSince::Always { offline: arguments.no_network },
        // What was made there since the checkout was made by the steps of the job itself.
        false if arguments.ci && is_in_ci() => OutsideSince::Never,
        false => match OutsideSince::commit(&workspace, &name)? {
            OutsideSince::Never => OutsideSince::commit(&workspace, "HEAD")?,
            since => since,
        },
    };
    let plan = Plan::single("gate", config, Some(base.clone()), judged.clone())?;
    let plan = Plan { outside, ..plan.of_kind(said_kind(&workspace)) };
    let seen = || workspace.last_look().map(|seen| seen.tree);
    let tree = judged.clone().map_or_else(seen, Ok)?;
    let question = Question { workspace: &workspace, plan: &plan, tree: &tree, base: &base };
    let known = question.lookup(&elsewhere(arguments, judged.is_some())?)?;
    known.refused.iter().for_each(|problem| display::note(problem));
    if let Some(found) = known.found.filter(|_| !arguments.clean) {
        if is_plain && matches!(found, Found::Seen(_)) {
            remember(&workspace, &plan, &tree, Against::Head, &base);
        }
        return Ok(allowed(arguments, &tree, &found.answer()));
    }
    if arguments.no_execute {
        let reason = match question.passed_alone() {
            true => BlockReason::NotCompared { base: name },
            false => BlockReason::Unseen,
        };
        return Ok(blocked(arguments, &tree, &reason, &plan));
    }
    let root = workspace.root().to_owned();
    let style = Style::from_flag(arguments.json);
    let asked = plan.clone();
    let seen = context::with_tools(style, |tools| judge_once(workspace, asked, tools))??;
    let remarks = || seen.square.as_ref().map(|read| remarks(&read.square)).unwrap_or_default();
    match seen.run.verdict {
        Verdict::Passed => {
            forget_kind(&root)?;
            let answer = Answer::Allow { why: "seen to pass".to_owned(), remarks: remarks() };
            Ok(allowed(arguments, &tree, &answer))
        }
        Verdict::PassedBut => {
            let answer = Answer::Allow { why: seen.run.reasons.join("; "), remarks: remarks() };
            Ok(allowed(arguments, &tree, &answer))
        }
        verdict => {
            if !arguments.json {
                display::result(&display::square_result(&seen, &name, display::columns()));
            }
            blocked(arguments, &tree, &BlockReason::Judged(&seen), &plan);
            Ok(Ending::from(verdict))
        }
    }
}

/// Whether this is a job of a CI service: they all say so.
fn is_in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !["", "0", "false"].contains(&value.as_str()))
}

/// The evidence from elsewhere that the command line names.
fn elsewhere(arguments: &Arguments, is_kept: bool) -> Result<Elsewhere, Failure> {
    let (Some(evidence), Some(key)) = (&arguments.evidence, &arguments.key) else {
        return Ok(Elsewhere::None);
    };
    let read = |path: &Path| {
        std::fs::read(path)
            .map_err(|error| Failure::cannot(format_args!("read {}", path.display()), error))
    };
    let parsed = PublicKey::parse(&String::from_utf8_lossy(&read(key)?))
        .map_err(|error| Failure::usage(format!("{}: {error}", key.display())))?;
    let name = evidence.display().to_string();
    Ok(Elsewhere::Exported { name, evidence: read(evidence)?, key: Box::new(parsed), is_kept })
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
    Ok((base_of(workspace, arguments)?, None))
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

/// The same for the work tree: with what people had, where nothing is named.
pub fn base_of(
    workspace: &Workspace,
    arguments: &Arguments,
) -> Result<(String, TreeHash), Failure> {
    let named = arguments.base.as_deref();
    if named.is_some() {
        return base(workspace, named);
    }
    let vouched = Base::of(workspace)?;
    if !arguments.ci || vouched.tree != workspace.last_look()?.tree {
        return Ok((vouched.name(workspace)?, vouched.tree));
    }
    // All of a clone came from a remote: what is judged there is the last commit.
    if workspace.tree_of("HEAD~1")?.is_none() && workspace.is_shallow() {
        return Err(Failure::usage("this clone is shallow: there is nothing to compare with")
            .hint(
                "fetch more of the history (in CI: fetch-depth 0), or name a revision: --base REV",
            ));
    }
    let before = workspace.tree_of("HEAD~1")?;
    Ok(before.map_or_else(|| ("HEAD".to_owned(), vouched.tree), |tree| ("HEAD~1".to_owned(), tree)))
}

fn allowed(arguments: &Arguments, tree: &TreeHash, answer: &Answer) -> Ending {
    let Answer::Allow { why, remarks } = answer else { return Ending::Red };
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

fn blocked(
    arguments: &Arguments,
    tree: &TreeHash,
    reason: &BlockReason<'_>,
    plan: &Plan,
) -> Ending {
    let (verdict, reasons) = match reason {
        BlockReason::Unseen => (None, Vec::new()),
        BlockReason::NotCompared { base } => {
            (None, vec![format!("seen to pass, but not compared with {base}: run `redgreen gate`")])
        }
        BlockReason::Judged(seen) => (Some(seen.run.verdict), seen.run.reasons.clone()),
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
        display::result(&display::blocked(tree, reason, plan));
    }
    Ending::Red
}
