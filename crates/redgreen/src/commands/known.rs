//! `redgreen known`

use clap::{Args, Subcommand};
use redgreen_engine::classes::Judged;
use redgreen_model::execution::TestId;
use redgreen_model::known::{KNOWN_FILE, KnownTest};
use redgreen_runner::judge::judge;
use redgreen_runner::known;
use redgreen_runner::plan::Plan;
use redgreen_workspace::Workspace;
use serde_json::json;

use crate::context::{self, words};
use crate::display::{self, Style};
use crate::failure::{Ending, Failure};

/// What a day is in a time.
const DAY: usize = "2026-11-19".len();
/// The most tests that are named before somebody confirms them.
const SHOWN_MAX: usize = 20;

/// List tests that are red and known to be: a person's word, in redgreen.known.toml
///
/// Nobody is asked to repair them as long as they fail for the same cause. One that passes leaves the list by itself.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List tests that are red now: the checks are run to see it
    Add {
        /// The tests, by their ids
        #[arg(value_name = "TEST", required_unless_present = "all")]
        tests: Vec<String>,
        /// Every test that is red now
        #[arg(long, conflicts_with = "tests")]
        all: bool,
        /// Why they may be red for now
        #[arg(long, value_parser = words)]
        reason: String,
    },
    /// Show the list
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Take tests off the list: anybody may
    Remove {
        /// The tests, by their ids
        #[arg(value_name = "TEST", required = true)]
        tests: Vec<String>,
    },
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    match &arguments.command {
        Command::Add { tests, reason, .. } => add(workspace, tests, reason),
        Command::List { json } => list(&workspace, *json),
        Command::Remove { tests } => remove(&workspace, tests),
    }
}

fn add(workspace: Workspace, tests: &[String], reason: &str) -> Result<Ending, Failure> {
    if !context::is_person() {
        return Err(Failure::usage(
            "only a person at a terminal may say that a test is known to be red",
        )
        .hint("an agent leaves it red: what was red before, for the same reason, is not charged"));
    }
    let there = known::of_work_tree(&workspace)?;
    let config = context::configuration_to_run(workspace.root(), None, None)?;
    let plan = Plan::single("known", config, None, None)?;
    let asked = workspace.clone();
    let seen = context::with_tools(Style::from_flag(false), |tools| judge(asked, plan, tools))??;
    let ids = named(&seen.run, tests)?;
    if ids.is_empty() {
        display::result("no test is red that is not on the list");
        return Ok(Ending::Green);
    }
    match put(&workspace, there, &seen.run, (&ids, reason))? {
        true => Ok(Ending::Green),
        false => Err(Failure::usage("nothing was listed")),
    }
}

/// Whoever set the project up is asked whether what is red is known to be.
pub fn offer(workspace: &Workspace, run: &Judged, may_ask: bool) -> Result<(), Failure> {
    let ids = named(run, &[])?;
    if ids.is_empty() {
        return Ok(());
    }
    let add = "redgreen known add --all --reason \"…\"";
    let count = ids.len();
    let tests = if count == 1 { "test is" } else { "tests are" };
    display::note(&format!(
        "{count} {tests} red. If nobody is to repair that now, a person can say so: `{add}`"
    ));
    if !may_ask || !context::is_person() {
        return Ok(());
    }
    let reason = context::question("Why they are known to be red (empty: they are not)", "")?;
    match words(&reason) {
        Ok(reason) => {
            let there = known::of_work_tree(workspace)?;
            put(workspace, there, run, (&ids, &reason)).map(drop)
        }
        Err(_) => Ok(()),
    }
}

/// The red tests that are meant; all of them where none is named.
fn named(run: &Judged, tests: &[String]) -> Result<Vec<TestId>, Failure> {
    let red = || run.red.iter().filter(|test| !run.classes.known.contains(test));
    if tests.is_empty() {
        return Ok(red().cloned().collect());
    }
    let one = |name: &String| {
        let exactly = red().filter(|test| test.test == *name).cloned().collect::<Vec<_>>();
        if !exactly.is_empty() {
            return Ok(exactly);
        }
        if run.classes.known.iter().any(|test| test.test == *name) {
            return Ok(Vec::new());
        }
        let flaky = run.classes.flaky.iter().any(|test| test.test == *name);
        let why = if flaky { "is flaky: it passed once" } else { "was not seen to be red" };
        let red: Vec<&str> = red().take(SHOWN_MAX).map(|test| test.test.as_str()).collect();
        Err(Failure::usage(format!("{name} {why}")).hint(match red.is_empty() {
            true => "no test is red that is not on the list".to_owned(),
            false => format!("red are: {}", red.join(", ")),
        }))
    };
    Ok(tests.iter().map(one).collect::<Result<Vec<_>, _>>()?.concat())
}

/// Lists what a person confirms; whether they did.
fn put(
    workspace: &Workspace,
    mut list: Vec<KnownTest>,
    run: &Judged,
    (ids, reason): (&[TestId], &str),
) -> Result<bool, Failure> {
    let (by, now) = (context::user(), redgreen_runner::now());
    let day = now.get(..DAY).unwrap_or(&now);
    let new: Vec<KnownTest> =
        ids.iter().filter_map(|id| known::entry(run, id, (reason, &by, day))).collect();
    for known in new.iter().take(SHOWN_MAX) {
        display::note(&format!("  {}: {}", known.test, known.message));
    }
    if let Some(more) = new.len().checked_sub(SHOWN_MAX).filter(|more| *more > 0) {
        display::note(&format!("  and {more} more"));
    }
    let question = format!("List {} as known to be red? (y/n)", new.len());
    if !context::question(&question, "n")?.starts_with(['y', 'Y']) {
        return Ok(false);
    }
    let _lock = workspace.lock("redgreen known")?;
    list.retain(|known| !ids.contains(&known.id()));
    list.extend(new);
    known::put(workspace, &list, &by)?;
    display::result(&format!(
        "{} listed in {KNOWN_FILE}: commit it. Nobody has to repair them while they fail for the same cause",
        ids.len()
    ));
    Ok(true)
}

fn list(workspace: &Workspace, as_json: bool) -> Result<Ending, Failure> {
    let known = known::of_work_tree(workspace)?;
    if as_json {
        display::json_line(&json!({ "known": known }));
        return Ok(Ending::Green);
    }
    for known in &known {
        let KnownTest { test, reason, by, since, message, .. } = known;
        display::result(&format!("{test}: {reason} ({by}, {since}): {message}"));
    }
    if known.is_empty() {
        display::result("no test is known to be red");
    }
    Ok(Ending::Green)
}

fn remove(workspace: &Workspace, tests: &[String]) -> Result<Ending, Failure> {
    let _lock = workspace.lock("redgreen known")?;
    let there = known::of_work_tree(workspace)?;
    if let Some(name) = tests.iter().find(|name| !there.iter().any(|known| known.test == **name)) {
        return Err(Failure::usage(format!("{name} is not on the list"))
            .hint("`redgreen known list` shows it"));
    }
    let ids: Vec<TestId> =
        there.iter().filter(|known| tests.contains(&known.test)).map(KnownTest::id).collect();
    let gone = known::take_off(workspace, &ids)?;
    display::result(&format!("{} taken off {KNOWN_FILE}: commit it", gone.len()));
    Ok(Ending::Green)
}
