//! How many tests each check had and how long it took when all of it ran last: shown while it runs again. It decides
//! nothing, so that whoever writes something else there changes a guess at the time that is left.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use redgreen_model::execution::{CheckRun, Ended, Execution, Purpose};
use serde::{Deserialize, Serialize};

/// The file, under `.redgreen/`.
const FILE: &str = "pace.json";
/// The most bytes of it that are read.
const BYTES_MAX: u64 = 256 * 1024;
/// The version of its format.
const VERSION: u32 = 1;

/// What is known of the checks of a work tree.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Paces {
    version: u32,
    checks: BTreeMap<String, Pace>,
}

/// What is known of one check.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pace {
    command: String,
    /// How many tests it had.
    pub(crate) tests: u64,
    /// How long it took.
    pub(crate) duration_ms: u64,
}

fn file(state: &Path) -> PathBuf {
    state.join(FILE)
}

impl Paces {
    /// What is on record below a work tree's state; nothing where that cannot be read.
    pub(crate) fn read(state: &Path) -> Self {
        let bytes = || {
            let opened = redgreen_files::open_regular(&file(state)).ok()??;
            redgreen_files::read_at_most(opened.file, BYTES_MAX).ok()?
        };
        let read = bytes().and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        read.filter(|paces| paces.version == VERSION).unwrap_or_default()
    }

    /// What is known of a check with this command.
    pub(crate) fn of(&self, check: &str, command: &str) -> Option<&Pace> {
        self.checks.get(check).filter(|pace| pace.command == command)
    }

    /// Writes down what an execution of all tests took.
    pub(crate) fn note(state: &Path, execution: &Execution) {
        if !matches!(execution.purpose, Purpose::Baseline | Purpose::Judge) {
            return;
        }
        let mut paces = Self::read(state);
        paces.version = VERSION;
        let mut is_new = false;
        for run in execution.checks.iter().filter(|run| came_to_its_end(run)) {
            let pace = Pace {
                command: run.command.clone(),
                tests: run.report.counts().total,
                duration_ms: run.duration_ms,
            };
            is_new |= paces.checks.get(&run.check) != Some(&pace);
            paces.checks.insert(run.check.clone(), pace);
        }
        if let (true, Ok(text)) = (is_new, serde_json::to_vec(&paces)) {
            let _ = redgreen_files::write_cache(&file(state), &text);
        }
    }
}

fn came_to_its_end(run: &CheckRun) -> bool {
    matches!(run.ended, Ended::Exited { .. }) && run.reused_from.is_none()
}
