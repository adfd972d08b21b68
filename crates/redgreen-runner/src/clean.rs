//! What earlier work has left behind in a work tree and in its repository: sessions, single judgements,
//! the trees that are kept under `refs/redgreen/` for them, and what people were to hear of them. Evidence bounds itself, and
//! stays.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use redgreen_workspace::Workspace;
use uuid::Uuid;

use crate::layout::SessionFolder;
use crate::{RunnerError, gate, overview, people, session};

/// What is older than it needs to be.
#[derive(Debug, Default)]
pub struct Old {
    /// Loops and sessions at the gate, by their ids.
    pub sessions: Vec<String>,
    /// Single judgements, by their ids.
    pub runs: Vec<String>,
    /// The names of kept trees.
    pub refs: Vec<String>,
    /// The sessions whose cases nobody can answer any more.
    pub cases: Vec<String>,
    /// How much is on disk, without what git stores for the trees.
    pub bytes: u64,
}

impl Old {
    /// What is older than this. Kept, however old: a loop that has something left to do, and a session that is held.
    pub fn find(workspace: &Workspace, now: Duration, age: Duration) -> Result<Self, RunnerError> {
        let (root, state_dir) = (workspace.root(), workspace.state_dir()?);
        let is_old = |id: &str| began(id).is_some_and(|began| began.saturating_add(age) <= now);
        let name = |folder: &SessionFolder| {
            folder.path().file_name().map(|name| name.to_string_lossy().into_owned())
        };
        let held = gate::held(workspace).into_iter().map(|held| held.folder);
        let held: BTreeSet<String> = held.filter_map(|folder| name(&folder)).collect();
        let is_needed = |id: &str| {
            held.contains(id) || session::has_more_to_do(&SessionFolder::new(root, &state_dir, id))
        };
        let there = SessionFolder::list(&state_dir);
        let sessions = there.iter().filter(|id| is_old(id) && !is_needed(id)).cloned().collect();
        let runs = SessionFolder::runs(root, &state_dir);
        let runs = runs.iter().filter_map(name).filter(|id| is_old(id)).collect();
        let mut old = Self { sessions, runs, ..Self::default() };
        let is_kept = |id: &str| {
            there.iter().any(|known| known == id) && !old.sessions.iter().any(|gone| gone == id)
        };
        let cases = people::outbox().map(|outbox| outbox.cases()).unwrap_or_default();
        let cases = cases.iter().filter(|case| is_old(&case.escalation.session));
        let cases = cases.filter(|case| match case.project == root {
            true => !is_kept(&case.escalation.session),
            false => !case.project.is_dir(),
        });
        old.cases = cases.map(|case| case.escalation.session.clone()).collect();
        old.bytes = old.folders(&state_dir).map(|folder| bytes_in(&folder)).sum();
        // A session of another work tree of this repository keeps its trees here, too, and is not in the list.
        let others = fs::read_dir(workspace.repository().join("worktrees"));
        let has_others = others.is_ok_and(|mut others| others.next().is_some());
        for saved in workspace.saved_under("")? {
            let session = saved.name.split('/').next().unwrap_or_default();
            let goes = old.sessions.iter().any(|id| id == session);
            let is_orphan = is_old(session) && !there.iter().any(|id| id == session);
            if goes || (is_orphan && !has_others) {
                old.refs.push(saved.name);
            }
        }
        Ok(old)
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        let nothing_here = self.sessions.is_empty() && self.runs.is_empty();
        nothing_here && self.refs.is_empty() && self.cases.is_empty()
    }

    /// Removes it: the trees first, so that what is left after a failure is found again.
    pub fn remove(&self, workspace: &Workspace) -> Result<(), RunnerError> {
        let _lock = workspace.lock("redgreen clean")?;
        for name in &self.refs {
            workspace.forget(name)?;
        }
        for folder in self.folders(&workspace.state_dir()?) {
            fs::remove_dir_all(&folder).map_err(RunnerError::file("remove", &folder))?;
        }
        self.sessions.iter().for_each(|session| overview::forget(session));
        let Some(outbox) = people::outbox() else { return Ok(()) };
        let forgotten = self.cases.iter().try_for_each(|case| outbox.forget(case));
        forgotten.map_err(|problem| RunnerError::Session(problem.to_string()))
    }

    fn folders(&self, state_dir: &Path) -> impl Iterator<Item = PathBuf> {
        let sessions = self.sessions.iter().map(|id| state_dir.join("sessions").join(id));
        let runs = self.runs.iter().map(|id| state_dir.join("runs").join(id));
        sessions.chain(runs).collect::<Vec<_>>().into_iter()
    }
}

/// When a session began: its id says so.
fn began(id: &str) -> Option<Duration> {
    let (seconds, nanos) = Uuid::parse_str(id).ok()?.get_timestamp()?.to_unix();
    Some(Duration::new(seconds, nanos))
}

/// How much the files in a folder take. Links are not followed.
fn bytes_in(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(found) if found.is_dir() => bytes_in(&entry.path()),
            Ok(found) => found.len(),
            Err(_) => 0,
        })
        .sum()
}
