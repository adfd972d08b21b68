//! Where things are: under `.redgreen/`, and outside of any work tree.

use redgreen_engine::effect::AgentRequest;
use std::fs;
use std::path::{Path, PathBuf};

use crate::RunnerError;

/// One session's folder.
#[derive(Clone, Debug)]
pub struct SessionFolder {
    root: PathBuf,
    folder: PathBuf,
    journal: PathBuf,
}

/// The folder of single judgements.
const RUNS: &str = "runs";
/// The folder of outer loops.
const OUTER: &str = "ralph";
/// How many single judgements are kept; older ones are removed.
const RUNS_KEPT: usize = 50;
/// Names the journal of a session that has it elsewhere: for those who only read.
const JOURNAL_ELSEWHERE: &str = "journal-is-at";

/// The name of an agent's analysis, beside what it was given.
pub(crate) const ANALYSIS: &str = "analysis.json";

impl SessionFolder {
    /// The folder of a session in this work tree, whether it exists or not.
    pub fn new(root: &Path, state_dir: &Path, session: &str) -> Self {
        let folder = state_dir.join("sessions").join(session);
        let elsewhere = fs::read_to_string(folder.join(JOURNAL_ELSEWHERE)).ok();
        let journal = elsewhere.map_or_else(|| folder.join("journal.jsonl"), PathBuf::from);
        Self { root: root.to_owned(), folder, journal }
    }

    /// The folder of a single judgement.
    pub(crate) fn of_run(root: &Path, state_dir: &Path, id: &str) -> Self {
        let folder = state_dir.join(RUNS).join(id);
        let journal = folder.join("journal.jsonl");
        Self { root: root.to_owned(), folder, journal }
    }

    /// The folder of an outer loop.
    pub fn of_outer(root: &Path, state_dir: &Path, id: &str) -> Self {
        let folder = state_dir.join(OUTER).join(id);
        let journal = folder.join("journal.jsonl");
        Self { root: root.to_owned(), folder, journal }
    }

    /// Every outer loop of a work tree, the newest first as far as their ids begin with the time.
    pub fn outer_loops(state_dir: &Path) -> Vec<String> {
        let mut names = names(&state_dir.join(OUTER));
        names.reverse();
        names
    }

    /// The folder of a session whose journal is elsewhere, where who works in the tree does not come
    /// to.
    pub(crate) fn with_journal(
        root: &Path,
        state_dir: &Path,
        session: &str,
        journal: PathBuf,
    ) -> Self {
        Self { journal, ..Self::new(root, state_dir, session) }
    }

    /// Makes the folder.
    pub(crate) fn make(&self) -> Result<(), RunnerError> {
        fs::create_dir_all(&self.folder)
            .map_err(RunnerError::file("make the folder", &self.folder))?;
        if self.journal.starts_with(&self.folder) {
            return Ok(());
        }
        let elsewhere = self.journal.to_string_lossy();
        write_whole(&self.folder.join(JOURNAL_ELSEWHERE), elsewhere.as_bytes())
    }

    /// Every session of a work tree, the newest first: their ids begin with the time.
    pub fn list(state_dir: &Path) -> Vec<String> {
        let mut names = names(&state_dir.join("sessions"));
        names.reverse();
        names
    }

    /// Every single judgement of a work tree that is kept, the newest first.
    pub fn runs(root: &Path, state_dir: &Path) -> Vec<Self> {
        let mut names = names(&state_dir.join(RUNS));
        names.reverse();
        names.iter().map(|name| Self::of_run(root, state_dir, name)).collect()
    }

    /// What the session is called.
    pub(crate) fn name(&self) -> String {
        let name = self.folder.file_name().unwrap_or_default();
        format!("session {}", name.to_string_lossy())
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// The recorded inputs: what `resume` reads.
    pub fn journal(&self) -> PathBuf {
        self.journal.clone()
    }

    /// Where all of the plan is kept if there is a secret in it: outside of the work tree. None if the
    /// journal itself is, or if there is no such place.
    pub(crate) fn withheld_plan(&self) -> Option<PathBuf> {
        let name = format!("{}.json", self.folder.file_name()?.to_string_lossy());
        let home = || crate::evidence::key_folder(&self.root).ok();
        let is_here = self.journal.starts_with(&self.folder);
        is_here.then(home).flatten().map(|home| home.join("plans").join(name))
    }

    /// The seal on the recorded inputs, beside them: redgreen itself wrote them.
    pub fn seal(&self) -> PathBuf {
        self.journal.with_extension("seal")
    }

    /// Whether anything was recorded: a crash may have come before.
    pub fn has_begun(&self) -> bool {
        crate::journal::has_begun(&self.journal())
    }

    /// The events, for reading later.
    pub fn events(&self) -> PathBuf {
        self.folder.join("events.jsonl")
    }

    /// The workflow document.
    pub fn workflow(&self) -> PathBuf {
        self.folder.join("workflow.json")
    }

    /// Where an agent hands in its analysis for a request.
    pub fn analysis(&self, request: &AgentRequest) -> PathBuf {
        self.agent(request.attempt, request.ask.name()).join(ANALYSIS)
    }

    /// The report for people.
    pub fn report(&self) -> PathBuf {
        self.folder.join("report.md")
    }

    /// Where an agent says that it is stuck.
    pub fn give_up(&self) -> PathBuf {
        self.folder.join("give-up")
    }

    /// The folder of an execution.
    pub fn execution(&self, number: u64) -> PathBuf {
        self.folder.join("executions").join(number.to_string())
    }

    /// The folder of the other corners, after so many executions.
    pub fn square(&self, executions: u64) -> PathBuf {
        self.folder.join("squares").join(executions.to_string())
    }

    /// The folder of one request to the agent.
    pub fn agent(&self, attempt: u32, phase: &str) -> PathBuf {
        self.folder.join("agent").join(format!("{attempt}-{phase}"))
    }

    /// A path as it is shown and stored: from the root of the work tree.
    pub fn shown(&self, path: &Path) -> String {
        shown(&self.root, path)
    }
}

/// redgreen's folder among those of all programs.
pub(crate) const STATE: &str = "redgreen";

/// Where the state of redgreen for a person is, outside of any work tree.
pub(crate) fn home_state() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let state = set("XDG_STATE_HOME").map(PathBuf::from);
    let home = || Some(Path::new(&set("HOME")?).join(".local/state"));
    state.or_else(home).map(|folder| folder.join(STATE))
}

/// Where redgreen writes down what it does, for who asks it to.
pub fn log_folder() -> Option<PathBuf> {
    Some(home_state()?.join("logs"))
}

/// Removes the oldest single judgements; their ids begin with the time.
pub(crate) fn forget_old_runs(state_dir: &Path) {
    let runs = state_dir.join(RUNS);
    for name in names(&runs).iter().rev().skip(RUNS_KEPT) {
        let _ = fs::remove_dir_all(runs.join(name));
    }
}

/// What is in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

/// A path as it is shown and stored: from the root of the work tree.
pub(crate) fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}

/// A folder that is there and empty, whatever an earlier run left in it.
pub(crate) fn fresh_folder(path: &Path) -> Result<(), RunnerError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(RunnerError::file("empty", path)(error));
        }
        _ => {}
    }
    fs::create_dir_all(path).map_err(RunnerError::file("make the folder", path))
}

/// Removes a file, if it is there.
pub(crate) fn forget(path: &Path) -> Result<(), RunnerError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(RunnerError::file("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// Writes a file so that it is either the old one or the new one, never half of it.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> Result<(), RunnerError> {
    redgreen_files::write_whole(path, content).map_err(RunnerError::file("write", path))
}
