//! `redgreen mutants`

use clap::Args;
use redgreen_engine::square::mutants::is_hollow;
use redgreen_model::config::{CoverageMode, Mutants};
use redgreen_model::coverage::CoverageFacts;
use redgreen_model::mutants::Fate;
use redgreen_model::verdict::Verdict;
use redgreen_runner::judge::judge;
use redgreen_runner::plan::Plan;
use serde_json::json;

use super::square::{base, rules_of};
use crate::context;
use crate::display::{self, Style};
use crate::failure::{Ending, Failure};

/// How many are tried where nobody says so.
const TRIED: u32 = 100;

/// Say which small edits of a change no test notices
///
/// Edits the changed lines that tests run, one small edit at a time, each in a tree of its own, and runs the tests that run
/// them. Your files stay as they are. Exit code 1 if there is a function of which no test notices what it does.
#[derive(Args)]
pub struct Arguments {
    /// The revision to compare with [default: HEAD, or its parent if the work tree is the same as HEAD]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// The most edits to try
    #[arg(long, value_name = "N", default_value_t = TRIED, value_parser = clap::value_parser!(u32).range(1..))]
    max: u32,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let (name, tree) = base(&workspace, arguments.base.as_deref())?;
    let rules = rules_of(&workspace, &tree, &name)?;
    let mut config = context::configuration_of(workspace.root(), rules, None, None)?;
    config.coverage.mode = CoverageMode::Auto;
    config.coverage.mutants = Mutants::AtMost(arguments.max);
    let plan = Plan::single("mutants", config, Some(tree), None)?;
    let seen = context::with_tools(Style::from_flag(arguments.json), |tools| {
        judge(workspace, plan, tools)
    })??;
    let Some(read) = &seen.square else {
        let what = seen.run.reasons.first().map_or("", String::as_str);
        display::note(&format!("the tests are not green, so no edit says anything: {what}"));
        return Ok(match seen.run.verdict {
            Verdict::Passed => Ending::Green,
            verdict => verdict.into(),
        });
    };
    let facts = read.facts.coverage.clone().unwrap_or_default();
    for problem in &facts.problems {
        display::note(problem);
    }
    match arguments.json {
        true => display::json_line(&document(&name, &facts)),
        false => display::result(&display::coverage::mutants(&name, &facts)),
    }
    let hollow = facts.functions.iter().any(is_hollow);
    Ok(if hollow { Ending::Red } else { Ending::Green })
}

fn document(base: &str, facts: &CoverageFacts) -> serde_json::Value {
    let all = || facts.functions.iter().flat_map(|function| &function.mutants);
    let count = |fate: Fate| all().filter(|mutant| mutant.fate == fate).count();
    let functions = facts.functions.iter().filter(|function| !function.mutants.is_empty());
    let functions = functions.map(|function| {
        json!({
            "file": function.file,
            "function": function.function,
            "hollow": is_hollow(function),
            "mutants": function.mutants,
        })
    });
    json!({
        "result": "mutants",
        "base": base,
        "tried": all().count(),
        "noticed": count(Fate::Noticed),
        "survived": count(Fate::Survived),
        "functions": functions.collect::<Vec<_>>(),
    })
}
