//! The worker of a gate: it goes on when the hook that waits for it has to answer or is killed, so that
//! the next one finds what it saw.

use std::fs::{self, File, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use redgreen_model::gate;
use redgreen_model::tree::TreeHash;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::RunnerError;
use crate::layout::{forget, write_whole};

/// How often a worker is looked at.
const INTERVAL: Duration = Duration::from_millis(15);
/// The most bytes of what a worker says of itself.
const SIGN_BYTES: u64 = 4096;

/// What a worker says of itself while it works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Sign {
    pid: i32,
    tree: TreeHash,
}

/// What a worker found out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct WorkerAnswer {
    /// Another one for each answer.
    id: String,
    tree: TreeHash,
    decision: gate::Answer,
}

/// How waiting for a worker ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Waited {
    /// It has an answer.
    Answered(gate::Answer),
    /// It works on.
    StillWorking,
    /// It is gone, and left nothing.
    Gone,
}

/// The files of a worker.
pub struct Work {
    sign: PathBuf,
    answer: PathBuf,
    /// The id of the answer that was given last.
    given: PathBuf,
}

/// Held by a worker for as long as it lives.
pub struct Working {
    _sign: File,
}

impl Work {
    pub(super) fn new(record: &Path) -> Self {
        let beside = |name: &str| record.with_extension("").join(name);
        Self { sign: beside("worker"), answer: beside("answer.json"), given: beside("given") }
    }

    /// Where what a worker prints goes.
    pub fn log(&self) -> PathBuf {
        self.sign.with_extension("log")
    }

    /// The worker begins, for this tree. None if another one works already.
    pub fn begin(&self, tree: &TreeHash) -> Result<Option<Working>, RunnerError> {
        let mut file = self.open()?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => {
                return Err(RunnerError::file("lock", &self.sign)(error));
            }
        }
        let pid = i32::try_from(std::process::id()).unwrap_or_default();
        let sign = serde_json::to_vec(&Sign { pid, tree: tree.clone() }).unwrap_or_default();
        file.set_len(0)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .and_then(|_| file.write_all(&sign))
            .map_err(RunnerError::file("write", &self.sign))?;
        forget(&self.answer)?;
        Ok(Some(Working { _sign: file }))
    }

    /// What the worker found out of this tree.
    pub fn answer(&self, tree: &TreeHash, decision: gate::Answer) -> Result<(), RunnerError> {
        let answer = serde_json::to_vec(&WorkerAnswer {
            id: Uuid::now_v7().to_string(),
            tree: tree.clone(),
            decision,
        })
        .map_err(|error| RunnerError::Session(format!("cannot write the answer: {error}")))?;
        write_whole(&self.answer, &answer)
    }

    /// Takes the answer on this tree, if there is one that nobody has been given yet.
    pub fn take_answer(&self, tree: &TreeHash) -> Option<gate::Answer> {
        self.answer_after(self.given().as_deref(), tree)
    }

    /// The answer on this tree, unless it is an old one. Two hooks of one session may wait for it.
    fn answer_after(&self, old: Option<&str>, tree: &TreeHash) -> Option<gate::Answer> {
        let text = fs::read(&self.answer).ok()?;
        let answer: WorkerAnswer = serde_json::from_slice(&text).ok()?;
        if answer.tree != *tree || Some(answer.id.as_str()) == old {
            return None;
        }
        write_whole(&self.given, answer.id.as_bytes()).ok()?;
        Some(answer.decision)
    }

    fn given(&self) -> Option<String> {
        fs::read_to_string(&self.given).ok()
    }

    /// The tree that a worker is at, while one works.
    pub fn under_way(&self) -> Option<TreeHash> {
        self.is_working().then(|| self.sign().map(|sign| sign.tree)).flatten()
    }

    /// Asks a worker to end, and waits until it has.
    pub fn call_off(&self, limit: Duration) -> bool {
        if let Some(sign) = self.sign().filter(|_| self.is_working()) {
            let _ = kill(Pid::from_raw(sign.pid), Signal::SIGTERM);
        }
        let end = Instant::now() + limit;
        while self.is_working() {
            if Instant::now() >= end {
                return false;
            }
            std::thread::sleep(INTERVAL);
        }
        true
    }

    /// Waits for the worker's answer on this tree. `is_there` says whether it still runs, as far as who
    /// started it knows: it may not have begun yet. `was_at_it` says that a worker was on this tree already before
    /// anybody waited here: then its answer is fresh, even if another hook took it a moment ago.
    pub fn wait(
        &self,
        tree: &TreeHash,
        deadline: Instant,
        was_at_it: bool,
        mut is_there: impl FnMut() -> bool,
    ) -> Waited {
        let old = if was_at_it { None } else { self.given() };
        loop {
            let ended = !is_there() && !self.is_working();
            if let Some(decision) = self.answer_after(old.as_deref(), tree) {
                return Waited::Answered(decision);
            }
            if ended {
                return Waited::Gone;
            }
            if Instant::now() >= deadline {
                return Waited::StillWorking;
            }
            std::thread::sleep(INTERVAL);
        }
    }

    fn is_working(&self) -> bool {
        let Ok(file) = File::open(&self.sign) else { return false };
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    fn sign(&self) -> Option<Sign> {
        let mut text = Vec::new();
        File::open(&self.sign).ok()?.take(SIGN_BYTES).read_to_end(&mut text).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Makes the folder for its files: of a session whose start nobody saw there is nothing yet.
    pub fn make_room(&self) -> Result<(), RunnerError> {
        let Some(folder) = self.sign.parent() else { return Ok(()) };
        fs::create_dir_all(folder).map_err(RunnerError::file("make the folder", folder))
    }

    fn open(&self) -> Result<File, RunnerError> {
        self.make_room()?;
        File::options()
            .create(true)
            .read(true)
            .write(true)
            .truncate(false)
            .open(&self.sign)
            .map_err(RunnerError::file("open", &self.sign))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_hooks_are_given_the_answer_of_one_worker_and_the_next_one_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("record")).expect("a folder");
        let work = Work::new(&folder.path().join("record.json"));
        let tree = TreeHash("c".to_owned());
        let working = work.begin(&tree).expect("begun").expect("nobody else is at work");
        let decision = gate::Answer::block("red");
        work.answer(&tree, decision.clone()).expect("answered");
        // A child that another test starts holds the lock until it runs its program.
        let soon = Instant::now() + Duration::from_secs(60);
        let waited = |was_at_it| work.wait(&tree, soon, was_at_it, || false);
        assert_eq!(waited(true), Waited::Answered(decision.clone()));
        assert_eq!(
            waited(true),
            Waited::Answered(decision),
            "it came later, and was given the same"
        );
        drop(working);
        assert_eq!(waited(false), Waited::Gone, "of the last stop");
    }
}
