//! `redgreen declare`

mod untested;

use clap::Args;
use redgreen_agents::command::SESSION;
use redgreen_engine::declaration::{Declarable, Refusal};
use redgreen_model::config::Config;
use redgreen_model::square::Declaration;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::tree::TreeHash;
use redgreen_runner::layout::SessionFolder;
use redgreen_runner::plan::PlannedCheck;
use redgreen_runner::session::SessionRecord;
use redgreen_runner::square::Declarations;
use redgreen_runner::{gate, judge, plan, session, square};
use redgreen_workspace::Workspace;

use super::square::{base, rules_of};
use crate::failure::{Ending, Failure};
use crate::{context, display};

/// Declare a changed expectation: the task asks for what the test expects now
///
/// For agents and people. A test that was green and changed together with the code blocks until
/// somebody declares it; then it is allowed, and listed by name. The declaration ends with the next
/// edit of the test. One that can have no effect is refused with exit code 1, a name that is no test's with exit code 2.
#[derive(Args)]
pub struct Arguments {
    /// The test, by its id; without its case for all cases of a parametrised test. With a `*` in it, which stands for
    /// anything: every changed expectation whose id it fits
    #[arg(required_unless_present_any = ["files", "untested"], value_name = "TEST")]
    tests: Vec<String>,
    /// Every changed expectation in this file
    #[arg(long = "file", value_name = "PATH")]
    files: Vec<String>,
    /// Changed code that needs no test, as redgreen named it: `src/cart.py:12-14`, or a whole file
    #[arg(long, value_name = "PLACE", conflicts_with_all = ["tests", "files"])]
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
/// What the project says of it.
const NOT_BY_AGENTS: &str = "only a person at a terminal may declare here: redgreen.toml has agent_may_declare = false under [square]";
/// Nobody has run the tests that a declaration would be about.
const NOT_SEEN: &str = "redgreen has not seen a test of this name. `redgreen square` runs the tests as they were, and \
                        says what there is to declare";

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let in_loop = std::env::var(SESSION).ok().filter(|_| arguments.base.is_none());
    let change = Change::find(&workspace, in_loop.as_deref(), arguments.base.as_deref())?;
    let by = by(in_loop.as_deref(), change.is_held);
    if !change.config.square.agent_may_declare && !context::is_person() {
        return Err(Failure::usage(NOT_BY_AGENTS));
    }
    let state_dir = workspace.state_dir()?;
    let kept = Declarations::by(&change.config, &state_dir);
    if let Some(place) = &arguments.untested {
        let Change { base, checks, config, .. } = &change;
        let changed = square::changed_code(&workspace, config, checks, base, place)?;
        return untested::declare(kept, place, &changed, (&arguments.reason, &by));
    }
    let known = change.record.as_ref().and_then(|record| Declarable::of(&record.state));
    let (tests, mut refused) = named(arguments, known.as_ref());
    let changes =
        square::changes_of(&workspace, &change.config, &change.checks, &change.base, &tests)?;
    for (test, found) in tests.iter().zip(changes) {
        let in_doubt = known.is_none() && !found.is_known;
        if !found.any {
            refused.push((test.clone(), Refusal::NoEffect(NOTHING_CHANGED.to_owned())));
            continue;
        }
        if in_doubt && change.record.is_none() {
            refused.push((test.clone(), Refusal::NoSuchTest(NOT_SEEN.to_owned())));
            continue;
        }
        let declaration = Declaration {
            test: test.clone(),
            change: found.change,
            reason: clean_line(&arguments.reason, LINE_CHARS),
            by: by.clone(),
            at: redgreen_runner::now(),
        };
        square::declare(kept, &declaration)?;
        let test = clean_line(test, LINE_CHARS);
        display::result(&format!("declared: {test}"));
        if in_doubt {
            display::note(&format!(
                "no test `{test}` was found in the changed files: the declaration counts if a run has a test of this name, until the tests change again"
            ));
        }
    }
    let mut ending = Ending::Green;
    for (name, refusal) in &refused {
        let (Refusal::NoSuchTest(why) | Refusal::NoEffect(why)) = refusal;
        let name = clean_line(name, LINE_CHARS);
        display::note(&format!("not declared: {name}: {}", clean_line(why, LINE_CHARS)));
        ending = match refusal {
            Refusal::NoSuchTest(_) => Ending::Usage,
            Refusal::NoEffect(_) if ending == Ending::Green => Ending::Red,
            Refusal::NoEffect(_) => ending,
        };
    }
    Ok(ending)
}

/// Who declares, as the user reads it.
fn by(session: Option<&str>, is_held: bool) -> String {
    match (session, context::mark_of_an_agent()) {
        (Some(id), _) => format!("the agent of session {id}"),
        (None, Some(mark)) => format!("the agent ({mark})"),
        (None, None) if context::is_person() => context::user(),
        (None, None) if is_held => "the agent that is held".to_owned(),
        (None, None) => format!("{}, not at a terminal", context::user()),
    }
}

/// The change that is declared about.
struct Change {
    base: TreeHash,
    checks: Vec<PlannedCheck>,
    config: Config,
    /// Who has seen it last, if anybody has.
    record: Option<SessionRecord>,
    /// Whether it is that of an agent that may not end yet.
    is_held: bool,
}

impl Change {
    /// That of the loop which called, of an agent that is held, or of the work tree against a revision.
    fn find(
        workspace: &Workspace,
        session: Option<&str>,
        named: Option<&str>,
    ) -> Result<Self, Failure> {
        let (root, state_dir) = (workspace.root(), workspace.state_dir()?);
        let folder = match (session, named) {
            (Some(id), _) => Some(SessionFolder::new(root, &state_dir, id)),
            (None, None) => gate::held(workspace).into_iter().next().map(|held| held.folder),
            (None, Some(_)) => None,
        };
        if let Some(folder) = folder {
            let record = session::read(&folder)?;
            let start = record.state.start.as_ref();
            let base =
                start.ok_or_else(|| Failure::usage("the session has not begun"))?.tree.clone();
            let (checks, config) = (record.plan.checks.clone(), record.plan.config.clone());
            let is_held = session.is_none();
            return Ok(Self { base, checks, config, record: Some(record), is_held });
        }
        let (name, base) = base(workspace, named)?;
        let rules = rules_of(workspace, &base, &name)?;
        let config = context::configuration_of(root, rules, None, None)?;
        let record = judge::last_against(root, &state_dir, &base);
        let checks = plan::planned_checks(&config)?;
        Ok(Self { checks, base, config, record, is_held: false })
    }
}

/// The tests that are meant, and what is meant by nothing.
fn named(
    arguments: &Arguments,
    known: Option<&Declarable<'_>>,
) -> (Vec<String>, Vec<(String, Refusal)>) {
    let unseen = || Err(Refusal::NoSuchTest(NOT_SEEN.to_owned()));
    let by_name = arguments.tests.iter().map(|name| {
        let meant = match known {
            Some(known) => known.meant(name),
            None if name.contains('*') => unseen(),
            None => Ok(vec![name.clone()]),
        };
        (name, meant)
    });
    let in_file = arguments
        .files
        .iter()
        .map(|path| (path, known.map_or_else(unseen, |known| known.in_file(path))));
    let (mut tests, mut refused) = (Vec::new(), Vec::new());
    for (name, meant) in by_name.chain(in_file) {
        match meant {
            Ok(meant) => tests.extend(meant),
            Err(refusal) => refused.push((name.clone(), refusal)),
        }
    }
    tests.sort();
    tests.dedup();
    (tests, refused)
}
