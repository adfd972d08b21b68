//! One session, from its baseline to its verdict.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use jiff::Timestamp;
use minijinja::Value;
use redgreen_engine::state::State;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::workflow::LoopStatus;
use redgreen_runner::evidence::KeptEvidence;
use redgreen_runner::layout::SessionFolder;
use redgreen_runner::session::{self, SessionRecord};
use serde::Serialize;

use super::attempt::{self, AttemptView, RunView};
use super::inbox::{self, Waiting};
use super::now::{self, Row};
use crate::render::{Frame, page, part};
use crate::watch::Watched;
use crate::words::{Moment, between, moment, spaced};

/// How many journals are kept that have been read.
const RECORDS_KEPT: usize = 2;
/// The most bytes of a journal that is shown.
const JOURNAL_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// What a page of a session is made from.
pub struct SessionFacts<'a> {
    /// The work tree.
    pub root: &'a Path,
    /// The session's folder.
    pub folder: &'a SessionFolder,
    /// Its journal, read.
    pub record: &'a SessionRecord,
}

/// A journal that was read.
pub(crate) struct Read {
    pub(crate) record: SessionRecord,
    pub(crate) root: PathBuf,
    pub(crate) folder: PathBuf,
}

/// The journals that were read last: one that did not grow is not read again.
#[derive(Default)]
pub(crate) struct Records(Mutex<HashMap<String, (Stamp, Arc<Read>)>>);

type Stamp = (Option<SystemTime>, u64);

impl Records {
    /// A session's journal; none where there is no such session.
    pub(crate) fn of(&self, watched: &Watched, session: &str) -> Option<Arc<Read>> {
        let card = watched.look(|overview| overview.card(session).cloned())?;
        let folder = card.folder();
        let found = fs::metadata(folder.journal()).ok();
        // Who works in the tree can put anything in its place: what is no file would be waited for.
        let found = found.filter(|it| it.is_file() && it.len() <= JOURNAL_BYTES_MAX)?;
        let stamp = (found.modified().ok(), found.len());
        if let Some((known, read)) = self.kept().get(session)
            && *known == stamp
        {
            return Some(Arc::clone(read));
        }
        let record = session::read(&folder).ok()?;
        let folder = folder.path().to_owned();
        let read = Arc::new(Read { record, root: card.project, folder });
        let mut kept = self.kept();
        if kept.len() >= RECORDS_KEPT {
            kept.clear();
        }
        kept.insert(session.to_owned(), (stamp, Arc::clone(&read)));
        Some(read)
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<String, (Stamp, Arc<Read>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Serialize)]
struct View {
    /// Whether it is a file of its own.
    is_file: bool,
    session: String,
    task: String,
    project: String,
    folder: String,
    agent: String,
    gated: bool,
    standing: &'static str,
    class: &'static str,
    row: Option<Row>,
    reason: String,
    detail: String,
    attempts: u32,
    max_attempts: u32,
    cost: Option<String>,
    began: Moment,
    took: Option<String>,
    waiting: Option<Waiting>,
    steps: Vec<Step>,
    baseline: Option<RunView>,
    attempts_made: Vec<Value>,
    plan: Option<String>,
    hints: Vec<String>,
    flags: Vec<String>,
    memory: Vec<(&'static str, String)>,
    evidence: EvidenceView,
}

/// A step of the timeline.
#[derive(Serialize)]
struct Step {
    id: String,
    title: String,
    class: &'static str,
    said: String,
}

/// What is signed.
#[derive(Default, Serialize)]
struct EvidenceView {
    /// Whether the journal is as redgreen wrote it; none without a key.
    sealed: Option<bool>,
    key: Option<String>,
    verdicts: Vec<(String, String, String)>,
    problem: Option<String>,
}

/// The page's title and its own part; none where there is no such session.
pub(crate) fn body(
    watched: &Watched,
    records: &Records,
    session: &str,
    now: Timestamp,
) -> Option<(String, Value)> {
    let (card, standing) = watched.look(|overview| {
        overview.card(session).map(|card| (card.clone(), overview.standing(card)))
    })?;
    let row = now::row(&card, standing, now);
    let folder = card.folder();
    let title = row.task.clone();
    let read = records.of(watched, session)?;
    let facts = SessionFacts { root: &read.root, folder: &folder, record: &read.record };
    Some((title, part("session.html", &view(&facts, Some(row), now))))
}

/// The same as a file of its own: for a mail, or as an artifact of CI.
pub fn file(facts: &SessionFacts<'_>) -> String {
    let view = view(facts, None, Timestamp::now());
    let title = format!("redgreen: {} ({})", view.task, view.standing);
    page(&Frame { title: &title, ..Frame::default() }, part("session.html", &view))
}

fn view(facts: &SessionFacts<'_>, row: Option<Row>, now: Timestamp) -> View {
    let (state, plan) = (&facts.record.state, &facts.record.plan);
    let (standing, class) = match &row {
        Some(row) => (row.standing, row.class),
        None => standing(state.status),
    };
    let stop = state.stop.as_ref();
    let task = state.settings.as_ref().map_or("", |settings| settings.task.as_str());
    let is_file = row.is_none();
    let links = Some(plan.session.as_str()).filter(|_| !is_file);
    let attempts: Vec<AttemptView> =
        state.attempts.iter().map(|it| attempt::view(state, it, links)).collect();
    View {
        is_file,
        session: plan.session.clone(),
        task: match &row {
            Some(row) => row.task.clone(),
            None => clean_line(task, LINE_CHARS),
        },
        project: facts.root.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        folder: facts.root.to_string_lossy().into_owned(),
        agent: plan.agent.name.clone(),
        gated: plan.hosted,
        standing,
        class,
        row,
        reason: stop.map(|stop| spaced(stop.reason.as_str())).unwrap_or_default(),
        detail: stop.map(|stop| stop.detail.clone()).unwrap_or_default(),
        attempts: state.attempts_charged(),
        max_attempts: state.max_attempts(),
        cost: (state.cost_micros > 0).then(|| dollars(state.cost_micros)),
        began: moment(&state.started_at, now),
        took: between(&state.started_at, &state.updated_at),
        waiting: if is_file { None } else { inbox::of(&plan.session, plan.hosted, now) },
        steps: steps(state, &attempts),
        baseline: state.baseline.as_ref().map(|judged| attempt::run(judged, links)),
        attempts_made: attempts.iter().map(|view| part("attempt.html", view)).collect(),
        plan: state.plan.clone(),
        hints: state.hints.clone(),
        flags: state.flags.clone(),
        memory: memory(state),
        evidence: evidence(facts),
    }
}

fn standing(status: LoopStatus) -> (&'static str, &'static str) {
    match status {
        LoopStatus::Passed => ("passed", "passed"),
        LoopStatus::InProgress => ("not finished", "idle"),
        LoopStatus::Escalated => ("needs a person", "waits"),
        LoopStatus::Failed => ("failed", "ended"),
        LoopStatus::Aborted => ("aborted", "ended"),
    }
}

fn dollars(micros: u64) -> String {
    format!("${}.{:02}", micros / 1_000_000, micros % 1_000_000 / 10_000)
}

fn steps(state: &State, attempts: &[AttemptView]) -> Vec<Step> {
    let baseline = state.baseline.as_ref().map(|judged| {
        let run = attempt::run(judged, None);
        Step {
            id: "before".to_owned(),
            title: "Before".to_owned(),
            class: run.class,
            said: run.counts,
        }
    });
    let of = attempts.iter().map(|attempt| Step {
        id: format!("attempt-{}", attempt.number),
        title: format!("Attempt {}", attempt.number),
        class: attempt.class,
        said: attempt.in_short.clone(),
    });
    baseline.into_iter().chain(of).collect()
}

fn memory(state: &State) -> Vec<(&'static str, String)> {
    let known = &state.remembered;
    let patterns = known.patterns.join("\n");
    let parts = [
        ("Before the work began", known.brief.clone()),
        ("About the failures that were seen last", known.past.clone()),
        ("What is known to help", patterns),
    ];
    parts.into_iter().filter(|(_, text)| !text.trim().is_empty()).collect()
}

fn evidence(facts: &SessionFacts<'_>) -> EvidenceView {
    let kept = KeptEvidence::of(facts.root);
    let problem = kept.problem().map(str::to_owned);
    let Some(key) = kept.key().map(redgreen_evidence::Key::public) else {
        return EvidenceView { problem, ..EvidenceView::default() };
    };
    let tree = facts.record.state.tree().map(|tree| tree.tree.clone());
    let (bundles, refused) = tree.map(|tree| kept.store().bundles(&key, &tree)).unwrap_or_default();
    let verdict = |bundle: &redgreen_evidence::Bundle| {
        let evidence = &bundle.evidence;
        let result = spaced(evidence.result.as_str()).to_lowercase();
        (result, bundle.tree.tree.to_string(), evidence.at.clone())
    };
    EvidenceView {
        sealed: Some(kept.has_sealed(facts.folder)),
        key: Some(key.id()),
        verdicts: bundles.iter().map(verdict).collect(),
        problem: problem.or_else(|| refused.first().cloned()),
    }
}
