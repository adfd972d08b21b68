//! `redgreen review`

use clap::Args;
use redgreen_model::config::{Blocks, Role};
use redgreen_model::verdict::Verdict;
use redgreen_runner::judge::judge;
use redgreen_runner::plan::{OutsideSince, Plan};
use serde_json::json;

use super::agents;
use super::square::{base, rules_of};
use crate::context;
use crate::display::{self, Style};
use crate::failure::{Ending, Failure};

/// Judge a change, and ask the reviewer about one that passes
///
/// The reviewer is an agent with role = "reviewer" under [agents.NAME] in redgreen.toml. Which of its findings block is
/// said there.
#[derive(Args)]
pub struct Arguments {
    /// The revision to compare with [default: HEAD, or its parent if the work tree is the same as HEAD]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// What the change is for
    #[arg(long, value_name = "TEXT", default_value = "")]
    task: String,
    /// Print events and the result as JSON lines
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let (name, base) = base(&workspace, arguments.base.as_deref())?;
    let rules = rules_of(&workspace, &base, &name)?;
    let config = context::configuration_of(workspace.root(), rules, None, None)?;
    let Some(reviewer) = agents::with_role(workspace.root(), &config, Role::Reviewer)? else {
        return Err(Failure::usage("there is no reviewer").hint(
            "name one in redgreen.toml: [agents.NAME] with role = \"reviewer\" and a `command` or an `agent`",
        ));
    };
    let blocks = config.with_role(Role::Reviewer).and_then(|(_, it)| it.blocks).unwrap_or_default();
    let outside = OutsideSince::commit(&workspace, &name)?;
    let plan = Plan::single("review", config, Some(base), None)?;
    let task = if arguments.task.is_empty() { plan.task.clone() } else { arguments.task.clone() };
    let plan = Plan { outside, task, roles: [(Role::Reviewer, reviewer)].into(), ..plan };
    let style = Style::from_flag(arguments.json);
    let seen = context::with_tools(style, |tools| judge(workspace, plan, tools))??;
    let review = seen.review.as_ref();
    if arguments.json {
        display::json_line(&json!({
            "result": "review",
            "base": name,
            "verdict": seen.run.verdict,
            "findings": review.map(|review| &review.findings),
            "problem": review.and_then(|review| review.problem.as_deref()),
            "reasons": seen.run.reasons,
        }));
    } else {
        display::result(&said(&seen, blocks));
    }
    match review {
        Some(review) if review.problem.is_some() => Ok(Ending::Tooling),
        _ => Ok((&seen.run).into()),
    }
}

fn said(seen: &redgreen_runner::judge::Outcome, blocks: Blocks) -> String {
    let Some(review) = &seen.review else {
        return format!(
            "not reviewed, since it does not pass: {}: {}",
            seen.run.verdict,
            seen.run.reasons.join("; ")
        );
    };
    let mut lines: Vec<String> = review
        .findings
        .iter()
        .map(|finding| {
            let blocks = if blocks.includes(finding.severity) { ", blocks" } else { "" };
            format!("{}: {}{blocks}: {}", finding.place(), finding.severity, finding.text)
        })
        .collect();
    lines.push(match &review.problem {
        Some(problem) => format!("there is no review: {problem}"),
        None if review.findings.is_empty() => "the reviewer found nothing".to_owned(),
        None if seen.run.verdict > Verdict::PassedBut => "the review blocks".to_owned(),
        None => "nothing of it blocks".to_owned(),
    });
    lines.join("\n")
}
