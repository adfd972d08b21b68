//! `redgreen declare`

mod untested;

use clap::Args;
use redgreen_agents::command::SESSION;
use redgreen_engine::declaration::without_effect;
use redgreen_model::square::Declaration;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_runner::layout::SessionFolder;
use redgreen_runner::{gate, plan, session, square};

use super::square::{base, rules_of};
use crate::failure::{Ending, Failure};
use crate::{context, display};

/// Declare a changed expectation: the task asks for what the test expects now
///
/// For agents and people. A test that was green and changed together with the code blocks until
/// somebody declares it; then it is allowed, and listed by name. The declaration ends with the next
/// edit of the test. One that can have no effect is refused with exit code 1.
#[derive(Args)]
pub struct Arguments {
    /// The test, by its id
    #[arg(required_unless_present = "untested", value_name = "TEST")]
    tests: Vec<String>,
    /// Changed code that needs no test, as redgreen named it: `src/cart.py:12-14`, or a whole file
    #[arg(long, value_name = "PLACE", conflicts_with = "tests")]
    untested: Option<String>,
    /// Why the expectation changed
    #[arg(long, value_parser = crate::context::words)]
    reason: String,
    /// The revision that the change is compared with [default: where the loop or the agent's session began, or HEAD]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
}

/// A declaration is about one change of the tests.
const NOTHING_CHANGED: &str = "nothing on the tests' side has changed, so there is no changed expectation to declare; \
                               --base names another revision to compare with";

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let state_dir = workspace.state_dir()?;
    let in_loop = std::env::var(SESSION).ok().filter(|_| arguments.base.is_none());
    let folder = match &in_loop {
        Some(id) => Some(SessionFolder::new(workspace.root(), &state_dir, id)),
        None if arguments.base.is_none() => {
            gate::held(&workspace).into_iter().next().map(|held| held.folder)
        }
        None => None,
    };
    let mut refused = Vec::new();
    let (tree, checks, config) = match &folder {
        Some(folder) => {
            let record = session::read(folder)?;
            for test in &arguments.tests {
                refused.extend(without_effect(&record.state, test).map(|why| (test, why)));
            }
            let start = record
                .state
                .start
                .clone()
                .ok_or_else(|| Failure::usage("the session has not begun"))?;
            (start.tree, record.plan.checks, record.plan.config)
        }
        None => {
            let (name, tree) = base(&workspace, arguments.base.as_deref())?;
            let rules = rules_of(&workspace, &tree, &name)?;
            let config = context::configuration_of(workspace.root(), rules, None, None)?;
            (tree, plan::planned_checks(&config)?, config)
        }
    };
    let by = in_loop.map_or_else(context::user, |id| format!("the agent of session {id}"));
    if let Some(place) = &arguments.untested {
        let changed = square::changed_code(&workspace, &config, &checks, &tree, place)?;
        return untested::declare(&state_dir, place, &changed, (&arguments.reason, &by));
    }
    let changes = square::changes_of(&workspace, &config, &checks, &tree, &arguments.tests)?;
    for (test, _) in arguments.tests.iter().zip(&changes).filter(|(_, change)| !change.any) {
        if !refused.iter().any(|(refused, _)| *refused == test) {
            refused.push((test, NOTHING_CHANGED.to_owned()));
        }
    }
    for (test, why) in &refused {
        display::note(&format!("not declared: {}: {why}", clean_line(test, LINE_CHARS)));
    }
    let is_refused = |test: &String| refused.iter().any(|(refused, _)| *refused == test);
    for (test, change) in arguments.tests.iter().zip(changes) {
        if is_refused(test) {
            continue;
        }
        let declaration = Declaration {
            test: test.clone(),
            change: change.change,
            reason: clean_line(&arguments.reason, LINE_CHARS),
            by: by.clone(),
            at: redgreen_runner::now(),
        };
        square::declare(&state_dir, &declaration)?;
        let test = clean_line(test, LINE_CHARS);
        display::result(&format!("declared: {test}"));
        if !change.is_known {
            display::note(&format!(
                "no test `{test}` was found in the changed files: the declaration counts if a run has a test of exactly this name, until the tests change again"
            ));
        }
    }
    Ok(if refused.is_empty() { Ending::Green } else { Ending::Red })
}
