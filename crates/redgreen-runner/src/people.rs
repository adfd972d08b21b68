//! People hear of a loop that needs them: what they get is written down as the loop ends, and sent by whoever has
//! the time for it. An agent that waits at the gate does not wait for that.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use redgreen_engine::escalation::{escalation, issue_section};
use redgreen_engine::input::PersonsWord;
use redgreen_engine::state::State;
use redgreen_model::config::{Channel, NotifySettings};
use redgreen_model::escalation::Escalation;
use redgreen_model::workflow::LoopStatus;
use redgreen_notify::{Outbox, Surroundings};
use redgreen_workspace::Workspace;
use uuid::Uuid;

use crate::layout::{SessionFolder, home_state};
use crate::session::{self, SessionRecord};
use crate::{RunnerError, clock};

pub use redgreen_notify::{Answered, Attempted, Case, OutboxError, Standing};

/// The project's own list of issues.
pub(crate) const ISSUES: &str = ".sdd/issues.md";
/// How a person's word begins in a case.
pub const HINT: &str = "hint:";
/// The same for one that does not let it go on.
pub const REJECTED: &str = "rejected:";
/// A person goes on by themselves.
pub const TAKEN_OVER: &str = "taken over";
/// The program that reads the keyring, the service that secrets are kept under, and how long it may take: it may ask
/// somebody to unlock it.
const KEYRING: &str = "secret-tool";
const KEYRING_SERVICE: &str = "redgreen";
const KEYRING_LIMIT: Duration = Duration::from_secs(20);
/// What a test message says where nobody wrote a template.
const TEST: &str = "{{ task }}. This is how you hear of a loop that needs you.";
/// What a section that was begun has at least: the mark of a heading.
const TORN_BYTES_MIN: usize = "## ".len();
/// How long somebody waits for a delivery that fails, in seconds: then it is left to the next redgreen.
const PATIENCE_SECONDS: i64 = 6;

/// The cases of this person, in all projects; none where there is no place for them.
pub fn outbox() -> Option<Outbox> {
    folder().map(Outbox::at)
}

/// The folder of those cases.
pub fn folder() -> Option<PathBuf> {
    home_state().map(|folder| folder.join("escalations"))
}

/// Writes down that somebody is needed, if so.
pub(crate) fn call(
    workspace: &Workspace,
    ways: &[NotifySettings],
    state: &State,
    report: String,
) -> Result<(), OutboxError> {
    if !matches!(state.status, LoopStatus::Escalated | LoopStatus::Aborted) {
        return Ok(());
    }
    let escalation = escalation(state, report);
    append_issue(workspace.root(), &escalation)?;
    let Some(outbox) = outbox() else { return Ok(()) };
    let comments = ways.iter().any(|way| way.channel == Channel::IssueComment);
    let remote = if comments { workspace.remote() } else { None };
    outbox.put(Case::new(workspace.root(), remote, escalation, ways))
}

/// What agents at the gate left here waits for nobody any more: the gate has seen all of it pass.
pub(crate) fn settle_gated(workspace: &Workspace) -> Result<(), OutboxError> {
    let Some(outbox) = outbox() else { return Ok(()) };
    let (root, state_dir) = (workspace.root(), workspace.state_path());
    let cases = outbox.cases();
    let open = cases.iter().filter(|case| case.is_open() && case.project == root);
    for session in open.map(|case| &case.escalation.session) {
        let folder = SessionFolder::new(root, &state_dir, session);
        if session::read(&folder).is_ok_and(|record| record.plan.hosted) {
            answer(session, "settled: what an agent made of it was seen to pass")?;
        }
    }
    Ok(())
}

/// Writes down that a person is asked before a step, and who is to hear of it.
pub(crate) fn ask(
    workspace: &Workspace,
    ways: &[NotifySettings],
    state: &State,
    question: &str,
) -> Result<(), OutboxError> {
    let Some(outbox) = outbox() else { return Ok(()) };
    let asked = escalation(state, String::new());
    let how = "--accept REASON | --hint TEXT | --reject REASON";
    let follow_up = format!("redgreen answer {} {how}", asked.session);
    let asked = Escalation { detail: question.to_owned(), follow_up, ..asked };
    let comments = ways.iter().any(|way| way.channel == Channel::IssueComment);
    let remote = if comments { workspace.remote() } else { None };
    outbox.put(Case::new(workspace.root(), remote, asked, ways))
}

/// What a person said to a step that they were asked about, if they did.
pub(crate) fn word(session: &str) -> Option<PersonsWord> {
    let answered = outbox()?.case(session)?.answered?;
    let by = answered.by.clone();
    let rest = |prefix: &str| answered.word.strip_prefix(prefix).map(|text| text.trim().to_owned());
    Some(if let Some(text) = rest(HINT) {
        PersonsWord::Hint { by, text }
    } else if let Some(reason) = rest(REJECTED) {
        PersonsWord::Stop { by, reason }
    } else if answered.word == TAKEN_OVER {
        PersonsWord::Stop { by, reason: answered.word }
    } else {
        PersonsWord::GoOn { by }
    })
}

/// Adds the escalation to the project's own list of issues, where it has one; nothing in there is ever rewritten.
fn append_issue(root: &Path, escalation: &Escalation) -> Result<(), OutboxError> {
    let path = root.join(ISSUES);
    let is_kept =
        path.parent().is_some_and(|folder| folder.symlink_metadata().is_ok_and(|it| it.is_dir()));
    let is_file = path.symlink_metadata().map_or(true, |it| it.is_file());
    if !is_kept || !is_file {
        return Ok(());
    }
    let (heading, section) = issue_section(escalation);
    let there = fs::read(&path).unwrap_or_default();
    let rest = missing(&there, &heading, &section);
    if rest.is_empty() {
        return Ok(());
    }
    let gap = match there.as_slice() {
        _ if rest.len() < section.len() => "",
        [] => "",
        [.., b'\n'] => "\n",
        _ => "\n\n",
    };
    let open = File::options().create(true).append(true).open(&path);
    let written = open.and_then(|mut file| file.write_all(&[gap.as_bytes(), rest].concat()));
    written.map_err(|source| OutboxError { action: "write into", path, source })
}

/// What is not there yet of a section: all of it, or what was left out because redgreen was killed while it wrote.
fn missing<'section>(there: &[u8], heading: &str, section: &'section str) -> &'section [u8] {
    let section = section.as_bytes();
    let begun =
        (TORN_BYTES_MIN..=section.len()).rev().find(|end| there.ends_with(&section[..*end]));
    let is_there = || there.split(|byte| *byte == b'\n').any(|line| line == heading.as_bytes());
    match begun {
        Some(end) => &section[end..],
        None if is_there() => &[],
        None => section,
    }
}

/// What a channel needs: a variable of this process, else what the keyring has under its name.
fn surroundings() -> Surroundings {
    Surroundings::new(|name| std::env::var(name).ok()).with_keyring(in_keyring)
}

/// A secret of the desktop's keyring, by the program that every one of them comes with.
fn in_keyring(name: &str) -> Option<String> {
    let asked = ["lookup", "service", KEYRING_SERVICE, "account", name];
    let told =
        redgreen_exec::capture_within(KEYRING, &asked, Path::new("/"), KEYRING_LIMIT).ok()?;
    let secret = String::from_utf8(told.stdout).ok().filter(|_| told.status.success())?;
    Some(secret.trim_end_matches('\n').to_owned())
}

/// Sends what is due, with a little patience; with `again` also what was refused before.
pub fn deliver(again: bool) -> Result<Vec<Attempted>, OutboxError> {
    let Some(outbox) = outbox() else { return Ok(Vec::new()) };
    let surroundings = surroundings();
    let until = clock::seconds() + PATIENCE_SECONDS;
    let mut attempted = outbox.deliver(clock::seconds(), again, &surroundings)?;
    while let Some(pause) = pause_before(&attempted, outbox.next_due(), until) {
        sleep(pause);
        let more = outbox.deliver(clock::seconds(), false, &surroundings)?;
        if more.is_empty() {
            break;
        }
        attempted.retain(|it| it.standing != Standing::Waiting);
        attempted.extend(more);
    }
    Ok(attempted)
}

/// Sends a test message in each of these ways, once.
pub fn try_out(workspace: &Workspace, ways: &[NotifySettings]) -> Vec<Attempted> {
    let project = workspace.root().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut state = State::new();
    state.updated_at = clock::now();
    let sample = Escalation {
        task: format!("a test message from redgreen in {project}; nothing is wrong"),
        session: format!("test-{}", Uuid::now_v7()),
        ..escalation(&state, String::new())
    };
    let own = |way: &NotifySettings| NotifySettings {
        template: way.template.clone().or_else(|| Some(TEST.to_owned())),
        ..way.clone()
    };
    let ways: Vec<NotifySettings> = ways.iter().map(own).collect();
    let case = Case::new(workspace.root(), workspace.remote(), sample, &ways);
    redgreen_notify::try_once(case, &surroundings())
}

/// Writes down what a person said to a case, where there is one.
pub fn answer(session: &str, word: &str) -> Result<(), OutboxError> {
    answer_by(session, word, "redgreen")
}

/// The same, with the person's name.
pub fn answer_by(session: &str, word: &str, by: &str) -> Result<(), OutboxError> {
    let Some(outbox) = outbox() else { return Ok(()) };
    let answered = Answered { at: clock::now(), word: word.to_owned(), by: by.to_owned() };
    outbox.answer(session, answered)
}

/// Puts the work tree back as it was before a loop; what is there is kept, under the name that is returned.
pub fn put_back(
    workspace: &Workspace,
    record: &SessionRecord,
) -> Result<Option<String>, RunnerError> {
    let Some(start) = &record.state.start else { return Ok(None) };
    let name = format!("{}/rejected", record.plan.session);
    Ok(Some(workspace.restore(&start.tree, &name)?.saved_ref))
}

/// How long to wait for the next try, where it comes soon and something here waits for it.
fn pause_before(attempted: &[Attempted], due: Option<i64>, until: i64) -> Option<Duration> {
    let waits = attempted.iter().any(|it| it.standing == Standing::Waiting);
    let due = due.filter(|due| waits && *due <= until)?;
    u64::try_from(due - clock::seconds()).ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn a_section_that_was_torn_is_ended_and_one_that_is_there_stays() {
        let (heading, section) =
            ("## redgreen session s", "## redgreen session s\n\n- Goal: gö on\n");
        for end in 3..=section.len() {
            let there = [b"# Issues\n\n", &section.as_bytes()[..end]].concat();
            let whole = [&there, missing(&there, heading, section)].concat();
            assert_eq!(whole, format!("# Issues\n\n{section}").into_bytes(), "{end}");
        }
        for there in ["", "# Issues\n", "## redgreen session s2\n"] {
            assert_eq!(missing(there.as_bytes(), heading, section), section.as_bytes(), "{there}");
        }
        let later = format!("{section}\nI looked at it.\n");
        assert!(missing(later.as_bytes(), heading, section).is_empty());
    }
}
