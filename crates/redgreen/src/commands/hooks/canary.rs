//! A canary: a small project in a temporary repository, on which an installed hook has to block what
//! is red and to let go what is green.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use redgreen_agents::Agent;
use redgreen_agents::command::SESSION;
use redgreen_agents::contract::{EventKind, Heard, example, heard};
use redgreen_agents::scripted::{self, Turn};
use redgreen_exec::capture;
use redgreen_runner::gate::trust::trust_in;
use redgreen_workspace::Workspace;
use uuid::Uuid;

use super::super::{demo, trust};
use crate::failure::Failure;

/// What the name of a canary's folder begins with; the process id of its redgreen follows.
const NAME: &str = "redgreen-canary-";
/// How often it is tried to remove it, and the pause in between.
const REMOVALS: u32 = 40;
const PAUSE: Duration = Duration::from_millis(50);

/// A canary's folder, which goes with it.
pub struct Canary {
    folder: PathBuf,
    project: PathBuf,
    session: String,
    turns: Vec<Turn>,
}

/// What a hook did at the end of an agent.
pub struct Answered {
    /// What the agent would make of it.
    pub heard: Heard,
    /// What it said on standard error, and how it ended.
    pub remark: String,
}

impl Canary {
    /// A project in a repository of its own, whose commands hooks may run.
    pub fn new() -> Result<Self, Failure> {
        let session = Uuid::now_v7().to_string();
        let place = std::env::temp_dir();
        forget_those_of_the_dead(&place);
        let owner = std::process::id();
        let folder = place.join(format!("{NAME}{owner}-{session}"));
        let turns = scripted::parse(demo::SCRIPT)
            .map_err(|error| Failure::cannot("read the canary's script", error))?;
        let canary = Self { project: folder.join("project"), folder, session, turns };
        for (path, content) in demo::PROJECT {
            demo::write(&canary.project.join(path), content)?;
        }
        let workspace = Workspace::init(&canary.project)?;
        let checks = trust::checks_of(&workspace)?;
        trust_in(&canary.state(), &workspace, &checks)?;
        Ok(canary)
    }

    /// Does what an agent does that is wrong first (0) and right second (1).
    pub fn edit(&self, turn: u32) -> Result<(), Failure> {
        scripted::perform(&self.turns, turn + 1, &self.project, None)
            .map(|_| ())
            .map_err(|error| Failure::cannot("edit the canary", error))
    }

    /// Runs a hook's command as the agent would: through a shell, in the project, with the event on
    /// standard input.
    pub fn fire(
        &self,
        agent: &Agent,
        kind: &EventKind,
        command: &str,
    ) -> Result<Answered, Failure> {
        let folder = self.project.to_string_lossy();
        let payload = example(agent, kind, &self.session, &folder).unwrap_or_default();
        let output =
            capture("/bin/sh", &["-c", command], &self.project, &self.env(), payload.as_bytes())
                .map_err(Failure::of)?;
        let said = String::from_utf8_lossy(&output.stderr);
        Ok(Answered {
            heard: heard(agent, &output.stdout, output.status.code()),
            remark: format!("{}; {}", output.status, said.trim()),
        })
    }

    /// redgreen's state of the canary stays with the canary, and nobody's loop is around it.
    fn env(&self) -> Vec<(OsString, Option<OsString>)> {
        vec![("XDG_STATE_HOME".into(), Some(self.state().into())), (SESSION.into(), None)]
    }

    fn state(&self) -> PathBuf {
        self.folder.join("state")
    }
}

/// Removes canaries whose redgreen was killed.
fn forget_those_of_the_dead(place: &Path) {
    let owner = |name: &str| name.strip_prefix(NAME)?.split('-').next()?.parse::<u32>().ok();
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let owner = entry.file_name().to_str().and_then(owner);
        if owner.is_some_and(|owner| !Path::new("/proc").join(owner.to_string()).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

impl Drop for Canary {
    /// What a hook left running may still write here: tried again until it is done.
    fn drop(&mut self) {
        for _ in 0..REMOVALS {
            match fs::remove_dir_all(&self.folder) {
                Err(error) if error.kind() != ErrorKind::NotFound => thread::sleep(PAUSE),
                _ => return,
            }
        }
    }
}
