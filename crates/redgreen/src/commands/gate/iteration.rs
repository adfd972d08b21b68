//! `redgreen gate --iteration N --loop ID`: does an iteration of somebody's own loop count?

use redgreen_model::verdict::Verdict;
use redgreen_runner::gate::said_kind;
use redgreen_runner::plan::{OutsideSince, Plan};
use redgreen_runner::ralph::own::{Answered, Own};
use serde_json::json;

use super::super::test::given_check;
use super::tree::base_of;
use super::{Arguments, plan};
use crate::context;
use crate::display::{self, Style};
use crate::failure::{Ending, Failure};

/// The most letters of a loop's id.
const ID_MAX: usize = 64;

/// The id of a loop: it is a folder's name.
pub fn loop_id(text: &str) -> Result<String, String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    if text.is_empty()
        || text.len() > ID_MAX
        || text.starts_with('.')
        || !text.chars().all(is_plain)
    {
        return Err(format!("expected up to {ID_MAX} letters, digits, `-`, `_` or `.`"));
    }
    Ok(text.to_owned())
}

pub fn run(arguments: &Arguments, number: u32, id: &str) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let (name, first) = base_of(&workspace, arguments)?;
    let command = given_check(&arguments.command, false)?;
    let since = match OutsideSince::commit(&workspace, &name)? {
        OutsideSince::Never => OutsideSince::commit(&workspace, "HEAD")?,
        since => since,
    };
    let style = Style::from_flag(arguments.json);
    let answered = context::with_tools(style, |tools| {
        let config = match plan::rules(&workspace, &first, &name, command.clone()) {
            Ok(config) => config,
            Err(failure) => return Ok(Err(failure)),
        };
        let template = Plan::single("gate", config, Some(first.clone()), None)?;
        let own = Own::open(workspace.clone(), id, &first, template, tools)?;
        let (base, name) = (own.base().clone(), format!("the last iteration of {id} that counts"));
        // The rules are those of the tree that it is compared with: a change cannot loosen them.
        let config = match plan::rules(&workspace, &base, &name, command) {
            Ok(config) => config,
            Err(failure) => return Ok(Err(failure)),
        };
        let plan = Plan::single("gate", config, Some(base), None)?;
        let plan = Plan { outside: since, ..plan.of_kind(said_kind(&workspace)) };
        own.ask(number, plan).map(Ok)
    })???;
    Ok(shown(arguments, id, &answered))
}

fn shown(arguments: &Arguments, id: &str, answered: &Answered) -> Ending {
    let Answered { iteration, outcome, state } = answered;
    let result = &iteration.result;
    if arguments.json {
        display::json_line(&json!({
            "result": "iteration",
            "loop": id,
            "iteration": iteration.number,
            "counts": iteration.counts,
            "why": result.detail,
            "verdict": outcome.as_ref().map(|outcome| outcome.run.verdict),
            "tree": result.tree,
            "tests": result.after,
            "gained": iteration.gained,
            "iterations_without_gain": state.without_gain,
            "progress": state.progress(),
        }));
    } else {
        if let Some(outcome) = outcome.as_ref().filter(|_| !iteration.counts) {
            display::result(&display::square_result(
                outcome,
                "the last iteration that counts",
                display::columns(),
            ));
        }
        let word = if iteration.counts { "COUNTS" } else { "DOES NOT COUNT" };
        display::result(&format!(
            "{word}: iteration {} of {id}: {}; {} of {} tests pass",
            iteration.number, result.detail, result.after.passed, result.after.ran
        ));
    }
    let tools = outcome.as_ref().is_some_and(|it| it.run.verdict == Verdict::ToolingError);
    match (iteration.counts, tools) {
        (true, _) => Ending::Green,
        (false, true) => Ending::Tooling,
        (false, false) => Ending::Red,
    }
}
