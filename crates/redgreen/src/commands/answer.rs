//! `redgreen answer`

use clap::Args;
use redgreen_engine::input::PersonsAnswer;
use redgreen_model::evidence::Acceptance;
use redgreen_model::text::{LINE_CHARS, MESSAGE_CHARS, clean_block, clean_line};
use redgreen_runner::gate::{self, Skip};
use redgreen_runner::layout::SessionFolder;
use redgreen_runner::people;
use redgreen_runner::reporting::report;
use redgreen_runner::session::{self, Session, SessionRecord};
use redgreen_runner::square;
use redgreen_workspace::Workspace;

use super::inbox;
use super::run::drive;
use crate::context::{self, words};
use crate::display::{self, Style};
use crate::failure::{Ending, Failure};

/// The most attempts that can be given at once.
const ATTEMPTS_MAX: i64 = 10;

/// What is said to an agent that may go on, and to which nothing else is said.
const GO_ON: &str = "try once more";

/// Answer a loop that needs you: for a person at a terminal
///
/// With a hint or more attempts the same loop goes on from the tree as it is now, with a bound of its own. Without an
/// option, what waits is shown.
#[derive(Args)]
pub struct Arguments {
    /// The session; without it the newest here that waits
    session: Option<String>,
    /// Go on: what the agent should know
    #[arg(long, value_name = "TEXT", value_parser = words)]
    hint: Option<String>,
    /// Go on: so many more attempts
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=ATTEMPTS_MAX))]
    more: Option<u32>,
    /// The code is right as it is now: the gate lets it go, as your word and not as a pass
    #[arg(long, value_name = "REASON", value_parser = words, conflicts_with_all = ["hint", "more"])]
    accept: Option<String>,
    /// The work tree goes back to what it was before the loop; what is there is kept in git
    #[arg(long, value_name = "REASON", value_parser = words, conflicts_with_all = ["hint", "more", "accept"])]
    reject: Option<String>,
    /// You go on yourself: nothing is changed, and it leaves the inbox
    #[arg(long, conflicts_with_all = ["hint", "more", "accept", "reject"])]
    take_over: bool,
    /// Print events as JSON lines
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    if !context::is_person() {
        return Err(Failure::usage("only a person at a terminal may answer")
            .hint("an agent that is stuck says so: redgreen give-up \"why\""));
    }
    let session = waiting(&workspace, arguments.session.as_deref())?;
    if let Some(case) = people::outbox().and_then(|outbox| outbox.case(&session)) {
        display::note(&inbox::shown(&case));
    }
    let folder = SessionFolder::new(workspace.root(), &workspace.state_path(), &session);
    let record = session::read(&folder)?;
    if record.state.asks_before().is_some() {
        return decide(arguments, &session);
    }
    let goes_on = arguments.hint.is_some() || arguments.more.is_some();
    if goes_on && record.plan.hosted {
        let hint = arguments.hint.as_deref().unwrap_or(GO_ON);
        gate::leave_hint(&workspace, hint, &context::user())?;
        answered(&session, &format!("{} {}", people::HINT, clean_line(hint, LINE_CHARS)))?;
        display::result(
            "the agent gets it with its next prompt, or when it wants to end; what it edits then has its attempts afresh",
        );
        return Ok(Ending::Green);
    }
    if goes_on {
        return go_on(arguments, workspace, &session, &folder);
    }
    match (&arguments.accept, &arguments.reject) {
        (Some(reason), _) => accept(workspace, &folder, &session, reason),
        (_, Some(reason)) => reject(&workspace, &record, reason),
        _ if arguments.take_over => take_over(&session, &record),
        _ => {
            display::result(&report(&workspace, &folder, &record.state));
            Err(Failure::usage(format!("say what is to become of session {session}")).hint(
                "go on: --hint TEXT, --more N; end it: --accept REASON, --reject REASON, --take-over",
            ))
        }
    }
}

/// A loop waits for this word before a step: it hears of it by itself.
fn decide(arguments: &Arguments, session: &str) -> Result<Ending, Failure> {
    let word = match arguments {
        Arguments { hint: Some(hint), .. } => format!("{} {hint}", people::HINT),
        Arguments { accept: Some(reason), .. } => format!("accepted: {reason}"),
        Arguments { reject: Some(reason), .. } => format!("{} {reason}", people::REJECTED),
        Arguments { take_over: true, .. } => people::TAKEN_OVER.to_owned(),
        Arguments { more: Some(_), .. } => "go on".to_owned(),
        _ => {
            return Err(Failure::usage(format!("session {session} asks you something")).hint(
                "go on: --accept REASON, --hint TEXT; end it: --reject REASON, --take-over",
            ));
        }
    };
    let word = clean_line(&word, LINE_CHARS);
    people::answer_by(session, &word, &context::user()).map_err(Failure::of)?;
    display::result("said: the loop that waits hears of it");
    Ok(Ending::Green)
}

/// The session that is meant: named, or the newest of this work tree that waits.
fn waiting(workspace: &Workspace, named: Option<&str>) -> Result<String, Failure> {
    let known = SessionFolder::list(&workspace.state_path());
    if let Some(named) = named {
        return match known.iter().any(|session| session == named) {
            true => Ok(named.to_owned()),
            false => Err(Failure::usage(format!("there is no session {named} in this work tree"))
                .hint("`redgreen inbox` says where each session is")),
        };
    }
    let cases = people::outbox().map(|outbox| outbox.cases()).unwrap_or_default();
    let waits = |session: &String| {
        cases.iter().any(|case| case.is_open() && case.escalation.session == *session)
    };
    known.into_iter().find(waits).ok_or_else(|| {
        Failure::usage("nothing waits for you in this work tree")
            .hint("`redgreen inbox` lists what waits elsewhere")
    })
}

fn go_on(
    arguments: &Arguments,
    workspace: Workspace,
    session: &str,
    folder: &SessionFolder,
) -> Result<Ending, Failure> {
    let hint = arguments.hint.as_deref().unwrap_or_default();
    let answer = PersonsAnswer {
        by: context::user(),
        at: String::new(),
        hint: clean_block(hint.as_bytes(), MESSAGE_CHARS),
        attempts: arguments.more,
    };
    let said = if hint.is_empty() {
        "more attempts".to_owned()
    } else {
        format!("{} {hint}", people::HINT)
    };
    drive(Style::from_flag(arguments.json), session, folder, |tools| {
        let taken_up = Session::answered(workspace, session, answer, tools)?;
        // If it ends in the same way, it waits anew.
        let _ = people::answer(session, &clean_line(&said, LINE_CHARS));
        taken_up.run()
    })
}

fn accept(
    workspace: Workspace,
    folder: &SessionFolder,
    session: &str,
    reason: &str,
) -> Result<Ending, Failure> {
    // While a loop works here, whoever is at the terminal may be its agent.
    let lock = workspace.lock("redgreen answer")?;
    let config = context::configuration(workspace.root())?.unwrap_or_default();
    let skip = Skip {
        code: square::code_now(context::workspace()?, &config)?,
        reason: clean_line(reason, LINE_CHARS),
        by: context::user(),
        by_person: true,
        at: redgreen_runner::now(),
    };
    gate::skip(&workspace, &skip)?;
    answered(session, &format!("accepted: {}", skip.reason))?;
    display::result(&format!(
        "accepted: the code as it is now, by {}: {}. The gate lets it go; nothing says that it passed",
        skip.by, skip.reason
    ));
    drop(lock);
    let Skip { reason, by, at, .. } = skip;
    let word = Acceptance { reason, by, at };
    let signed = context::with_tools(Style::People, |tools| {
        session::accept(workspace, folder, word, tools)
    })??;
    display::note(match signed {
        true => "`redgreen evidence show` has what was seen of it, with your name",
        false => "there is no evidence of it: this tree was not run in that session",
    });
    Ok(Ending::Green)
}

fn reject(workspace: &Workspace, record: &SessionRecord, reason: &str) -> Result<Ending, Failure> {
    let _lock = workspace.lock("redgreen answer")?;
    let saved = people::put_back(workspace, record)?;
    answered(
        &record.plan.session,
        &format!("{} {}", people::REJECTED, clean_line(reason, LINE_CHARS)),
    )?;
    display::result(&match saved {
        Some(saved) => format!(
            "rejected: the work tree is as it was before the loop; what was there is in {saved} (`git diff {saved}`)"
        ),
        None => "rejected: the loop had not begun, so nothing was put back".to_owned(),
    });
    Ok(Ending::Green)
}

fn take_over(session: &str, record: &SessionRecord) -> Result<Ending, Failure> {
    answered(session, people::TAKEN_OVER)?;
    let start = record.state.start.as_ref();
    let start = start.map(|start| format!("\nbefore the loop: git tree {}", start.tree));
    display::result(&format!(
        "it is yours: nothing was changed{}\nevery attempt: git for-each-ref refs/redgreen/{session}\nall that is known: redgreen report {session}",
        start.unwrap_or_default()
    ));
    Ok(Ending::Green)
}

fn answered(session: &str, word: &str) -> Result<(), Failure> {
    people::answer_by(session, word, &context::user()).map_err(Failure::of)
}
