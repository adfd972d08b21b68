//! `redgreen ralph`

use std::io::Read as _;
use std::path::Path;

use clap::Args;
use redgreen_engine::ralph::{
    Bounds, Budget, DEFAULT_PATIENCE, DEFAULT_TRIES, EndReason, Rules, State, table,
};
use redgreen_model::document::MAX_DOCUMENT_BYTES;
use redgreen_model::plan_file::{self, PlanFile};
use redgreen_runner::layout::SessionFolder;
use redgreen_runner::ralph::{self, Outer};
use redgreen_runner::{RunnerError, Tools};
use redgreen_workspace::Workspace;
use serde_json::{Value, json};
use uuid::Uuid;

use super::notify;
use super::run::Worker;
use crate::context;
use crate::display::{self, Style};
use crate::failure::{Ending, Failure};

/// Work through a plan: each item a bounded loop of its own
///
/// The plan is a Markdown checklist or YAML. An item is done when redgreen has seen its loop pass, never because an agent
/// says so. One that is not done after its tries is put away and needs a person; the loop goes on with the next.
#[derive(Args)]
pub struct Arguments {
    /// The plan: a Markdown checklist, or YAML with `items:`
    #[arg(required_unless_present_any = ["resume", "status", "end"])]
    plan: Option<String>,
    /// Go on with a loop that was interrupted, or with what one did not get done; the newest, or the one named
    #[arg(long, value_name = "LOOP", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["plan", "Worker", "BoundArguments"])]
    resume: Option<String>,
    /// Show the items of a loop; of the newest, or the one named
    #[arg(long, value_name = "LOOP", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["plan", "resume", "Worker", "BoundArguments"])]
    status: Option<String>,
    /// End a loop that was interrupted, for a person: half work is put back
    #[arg(long, value_name = "LOOP", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["plan", "resume", "status", "Worker", "BoundArguments"])]
    end: Option<String>,
    /// Commit each item that is done, with its evidence as a git note; the work tree must be clean
    #[arg(long, conflicts_with_all = ["resume", "status", "end"])]
    commit: bool,
    #[command(flatten)]
    bounds: BoundArguments,
    #[command(flatten)]
    worker: Worker,
    /// Print events and the result as JSON lines
    #[arg(long)]
    json: bool,
}

/// When the loop ends before all items are done.
#[derive(Args)]
struct BoundArguments {
    /// End after so many iterations; one is the loop of one item
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_iterations: Option<u32>,
    /// How often an item is tried before it needs a person (1 to 10)
    #[arg(long, value_name = "N", default_value_t = DEFAULT_TRIES, value_parser = clap::value_parser!(u32).range(1..=10))]
    tries: u32,
    /// End after so many iterations in a row that gained no item and no test
    #[arg(long, value_name = "N", default_value_t = DEFAULT_PATIENCE, value_parser = clap::value_parser!(u32).range(1..))]
    patience: u32,
    /// The time limit of all the work, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    time_limit: Option<u64>,
    /// How many attempts of agents there may be in all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    attempts_budget: Option<u32>,
    /// What the agents may cost, in dollars, as they report it
    #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
    cost_budget: Option<u64>,
}

impl BoundArguments {
    fn bounds(&self) -> Bounds {
        Bounds {
            iterations: self.max_iterations,
            tries: self.tries,
            patience: self.patience,
            budget: Budget {
                seconds: self.time_limit,
                attempts: self.attempts_budget,
                cost_micros: self.cost_budget,
            },
            ..Bounds::default()
        }
    }
}

/// Dollars as millionths of one.
fn dollars(text: &str) -> Result<u64, String> {
    let amount: f64 = text.parse().map_err(|_| "expected an amount such as 2.50".to_owned())?;
    if !amount.is_finite() || amount <= 0.0 || amount > 1e9 {
        return Err("expected an amount above 0, such as 2.50".to_owned());
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    let micros = (amount * 1_000_000.0).round() as u64;
    Ok(micros.max(1))
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let style = Style::from_flag(arguments.json);
    if let Some(named) = &arguments.status {
        let id = known(&workspace, named, false)?;
        let folder = SessionFolder::of_outer(workspace.root(), &workspace.state_path(), &id);
        return Ok(shown(&ralph::read(&folder)?, arguments.json));
    }
    if let Some(named) = &arguments.resume {
        let id = known(&workspace, named, false)?;
        return drive(style, &id, |tools| Outer::resume(workspace, &id, tools)?.run());
    }
    if let Some(named) = &arguments.end {
        if !context::is_person() {
            return Err(Failure::usage("only a person at a terminal may end a loop")
                .hint("an agent that is stuck says so: redgreen give-up \"why\""));
        }
        let id = known(&workspace, named, true)?;
        let by = context::user();
        return drive(style, &id, |tools| Outer::end(workspace, &id, by, tools)?.run());
    }
    begin(arguments, workspace, style)
}

fn begin(arguments: &Arguments, workspace: Workspace, style: Style) -> Result<Ending, Failure> {
    let name = arguments.plan.as_deref().unwrap_or_default();
    let plan = read_plan(name)?;
    if let Some(open) = ralph::newest(&workspace, true) {
        display::note(&format!(
            "loop {open} was interrupted: `redgreen ralph --resume {open}` goes on with it"
        ));
    }
    let config = arguments.worker.configuration(&workspace)?;
    let mut template = arguments.worker.plan(workspace.root(), name, false, config)?;
    let id = Uuid::now_v7().to_string();
    template.session.clone_from(&id);
    let rules = Rules {
        id: id.clone(),
        plan: name.to_owned(),
        about: plan.about,
        items: plan.items,
        bounds: arguments.bounds.bounds(),
        commit: arguments.commit,
    };
    drive(style, &id, |tools| Outer::start(workspace, template, rules, tools)?.run())
}

fn read_plan(name: &str) -> Result<PlanFile, Failure> {
    let mut text = Vec::new();
    let limit = MAX_DOCUMENT_BYTES as u64 + 1;
    std::fs::File::open(name)
        .and_then(|file| file.take(limit).read_to_end(&mut text))
        .map_err(|error| Failure::usage(format!("cannot read the plan {name}: {error}")))?;
    let text = String::from_utf8(text)
        .map_err(|_| Failure::usage(format!("the plan {name} is not UTF-8 text")))?;
    let file_name = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
    plan_file::read(&text, &file_name).map_err(|error| {
        Failure::usage(format!("{name}:{}: {}", error.line, error.reason)).hint(error.advice)
    })
}

/// The loop that is meant: named, or the newest.
fn known(workspace: &Workspace, named: &str, open: bool) -> Result<String, Failure> {
    if !named.is_empty() {
        let folder = SessionFolder::of_outer(workspace.root(), &workspace.state_path(), named);
        return match folder.has_begun() {
            true => Ok(named.to_owned()),
            false => Err(Failure::usage(format!("there is no loop {named} in this work tree"))
                .hint("`redgreen ralph --status` shows the newest")),
        };
    }
    ralph::newest(workspace, open).ok_or_else(|| {
        Failure::usage("there is no such loop in this work tree")
            .hint("`redgreen ralph PLAN` begins one")
    })
}

/// Runs a loop with its display, and says how it ended.
fn drive(
    style: Style,
    id: &str,
    work: impl FnOnce(&Tools<'_>) -> Result<State, RunnerError>,
) -> Result<Ending, Failure> {
    match context::with_tools(style, work)? {
        Ok(state) => {
            notify::send();
            Ok(shown(&state, style == Style::Json))
        }
        Err(error @ (RunnerError::Configuration(_) | RunnerError::Session(_))) => Err(error.into()),
        Err(error) => Err(Failure::from(error)
            .go_on(format!("what is recorded is kept: go on with `redgreen ralph --resume {id}`"))),
    }
}

/// Shows the items, and says how the program ends.
fn shown(state: &State, is_json: bool) -> Ending {
    if is_json {
        display::json_line(&as_json(state));
    } else {
        display::result(&table(state));
    }
    match state.end {
        Some(EndReason::Complete) => Ending::Green,
        Some(EndReason::ToolingError) => Ending::Tooling,
        _ => Ending::Red,
    }
}

fn as_json(state: &State) -> Value {
    let rules = state.rules.as_ref();
    let items = state.items.iter().enumerate().map(|(index, item)| {
        let last = state.last_of(index);
        json!({
            "item": index + 1,
            "task": rules.and_then(|rules| rules.items.get(index)).map(|item| &item.task),
            "standing": item.standing,
            "commit": item.commit,
            "session": last.map(|last| &last.result.session),
            "attempts": last.map(|last| last.result.attempts),
            "tests": last.map(|last| &last.result.after),
            "outcome": last.map(|last| &last.result.outcome),
            "detail": last.map(|last| &last.result.detail),
        })
    });
    let iterations = state.iterations.iter().map(|it| {
        json!({
            "iteration": it.number,
            "item": it.item.map(|item| item + 1),
            "counts": it.counts,
            "gained": it.gained,
            "tests": it.result.after,
            "detail": it.result.detail,
            "at": it.at,
        })
    });
    json!({
        "result": "ralph",
        "loop": rules.map(|rules| &rules.id),
        "plan": rules.map(|rules| &rules.plan),
        "ended": state.ended(),
        "reason": state.end,
        "progress": state.progress(),
        "done": state.done(),
        "escalated": state.escalated(),
        "spent": state.spent,
        "items": items.collect::<Vec<_>>(),
        "iterations": iterations.collect::<Vec<_>>(),
    })
}
