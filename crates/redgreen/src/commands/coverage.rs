//! `redgreen coverage`

use std::path::PathBuf;

use clap::Args;
use redgreen_engine::square::coverage::{Held, KnownKind, hold};
use redgreen_model::coverage::CoverageFacts;
use redgreen_model::verdict::Verdict;
use redgreen_model::workflow::CodeType;
use redgreen_runner::judge::judge;
use redgreen_runner::plan::{OutsideSince, Plan, planned_checks};
use redgreen_runner::square;
use serde_json::json;

use super::run::code_type;
use super::square::{base, rules_of};
use super::trust;
use crate::context;
use crate::display::{self, Style};
use crate::failure::{Ending, Failure};

/// Say which changed lines no test runs
///
/// Runs the checks, or reads reports that another tool wrote: LCOV, Cobertura, JaCoCo, Clover, coverage.py, Istanbul,
/// Go, llvm-cov. What moved and what is only laid out anew is no change. Exit code 1 if tests run too little of it.
#[derive(Args)]
pub struct Arguments {
    /// The revision to compare with [default: HEAD, or its parent if the work tree is the same as HEAD]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// The kind of change, which says how much tests have to run [default: told from the change]
    #[arg(long, value_name = "KIND", value_parser = code_type)]
    code_type: Option<CodeType>,
    /// Print the result as JSON
    #[arg(long, conflicts_with = "github")]
    json: bool,
    /// Print annotations for GitHub Actions
    #[arg(long)]
    github: bool,
    /// Run only commands that a person has trusted (`redgreen trust`)
    #[arg(long)]
    trusted: bool,
    /// Reports to read instead of running the checks
    #[arg(value_name = "REPORT")]
    reports: Vec<PathBuf>,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let (name, tree) = base(&workspace, arguments.base.as_deref())?;
    let config = context::configuration_of(
        workspace.root(),
        rules_of(&workspace, &tree, &name)?,
        None,
        None,
    )?;
    let settings = config.coverage.clone();
    let kind = arguments.code_type.or(settings.kind);
    let (facts, repairs) = match arguments.reports.as_slice() {
        [] => {
            let plan = Plan {
                code_type: arguments.code_type,
                outside: OutsideSince::commit(&workspace, &name)?,
                ..Plan::single("coverage", config, Some(tree), None)?
            };
            if arguments.trusted {
                trust::require(&workspace, &plan)?;
            }
            let seen = context::with_tools(Style::from_flag(arguments.json), |tools| {
                judge(workspace, plan, tools)
            })??;
            let Some(read) = &seen.square else {
                let what = seen.run.reasons.first().map_or("", String::as_str);
                display::note(&format!(
                    "the tests are not green, so nothing is said of what they run: {what}"
                ));
                return Ok(match seen.run.verdict {
                    Verdict::Passed => Ending::Green,
                    verdict => verdict.into(),
                });
            };
            let repairs = !read.square.proofs.is_empty();
            (read.facts.coverage.clone().unwrap_or_default(), repairs)
        }
        reports => {
            let checks = planned_checks(&config)?;
            let facts =
                square::reported_coverage(&workspace, (&config, &checks), (&tree, None), reports)?;
            (facts, false)
        }
    };
    let known = KnownKind { said: kind, by_agent: false, repairs };
    let held = hold(&facts, &settings, known, &[]);
    show(arguments, &name, &facts, held.as_ref());
    let met = held.as_ref().is_none_or(|held| held.figures.met);
    let measured = held.as_ref().is_none_or(|held| held.figures.measured > 0);
    // Reports that say nothing of the change are no reason to go on.
    let may_be_unknown = kind.is_none() && arguments.reports.is_empty();
    Ok(match (met && measured) || (!measured && may_be_unknown) {
        true => Ending::Green,
        false => Ending::Red,
    })
}

fn show(arguments: &Arguments, base: &str, facts: &CoverageFacts, held: Option<&Held>) {
    for problem in &facts.problems {
        display::note(problem);
    }
    if arguments.json {
        display::json_line(&json!({
            "result": "coverage",
            "base": base,
            "figures": held.map(|held| &held.figures),
            "percent": held.and_then(|held| held.figures.percent()),
            "functions": facts.functions,
            "untested": held.map(|held| &held.untested),
            "problems": facts.problems,
        }));
    } else if arguments.github {
        display::result(&display::coverage::annotations(held));
    } else {
        display::result(&display::coverage::table(base, facts, held));
    }
}
