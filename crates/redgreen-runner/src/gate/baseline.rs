//! What was red before an agent came, seen while it begins its work: when it ends, the dependencies that are installed in
//! the work tree may be others, and what they break is not what was red before.
//!
//! Nobody waits for it, and nothing is disturbed: the tree runs in a view, after everything else, and without the lock of
//! the work tree. What the agent does in the meantime would show in the view, so what was seen counts only if
//! nothing was written until its end. A stop calls it off, and sees for itself.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use redgreen_model::execution::Purpose;
use redgreen_model::tree::TreeState;
use redgreen_workspace::Workspace;
use uuid::Uuid;

use super::record::folder;
use super::{Gate, Work, trust};
use crate::checks::{CheckRunner, Order};
use crate::events::Events;
use crate::evidence::{Ways, Witness};
use crate::layout::fresh_folder;
use crate::plan::{Plan, PlannedCheck};
use crate::square::corner::{Room, state_of};
use crate::square::{elsewhere, not_started};
use crate::trees::Trees;
use crate::{RunnerError, Tools};

/// Where dependencies are installed in a work tree, mostly where git does not look.
const INSTALLED: [&str; 3] = ["node_modules", ".venv", "venv"];
/// How long a baseline that is called off has to end.
const CALL_OFF: Duration = Duration::from_secs(20);

/// Where the worker of a work tree's baseline keeps what it is doing: there is one at a time.
pub fn work(root: &Path) -> Work {
    Work::new(&folder(root).join("baseline.json"))
}

/// Ends the recording of a baseline that is under way: what it sees does not count any more.
pub fn call_off(root: &Path) {
    work(root).call_off(CALL_OFF);
}

/// Whether dependencies are installed in a work tree, as far as one look tells.
pub fn is_of_use(root: &Path) -> bool {
    INSTALLED.iter().any(|name| root.join(name).is_dir())
}

impl Gate {
    /// Whether nobody has seen this session begin here.
    pub fn is_new(&self) -> bool {
        self.record.start().is_none()
    }
}

/// Runs the checks on the tree that a session begins with and records what was seen, where that is of use and nobody did
/// so before. Says whether it was recorded.
pub fn record(workspace: Workspace, plan: &Plan, tools: &Tools<'_>) -> Result<bool, RunnerError> {
    let trusted = trust::is_trusted(&workspace, &plan.checks);
    let Some(base) = plan.base.as_ref().filter(|_| trusted && plan.config.gate.record_baseline)
    else {
        return Ok(false);
    };
    let work = work(workspace.root());
    let trees = Trees::new(workspace, &plan.config)?;
    let base = state_of(&trees, base)?;
    let Some(_working) = work.begin(&base.tree)? else { return Ok(false) };
    let logs = trees.workspace.state_dir()?.join("baselines").join(Uuid::now_v7().to_string());
    fresh_folder(&logs)?;
    let recorded = seen(&trees, &base, plan, tools, &logs);
    let _ = fs::remove_dir_all(&logs);
    recorded
}

fn seen(
    trees: &Trees,
    base: &TreeState,
    plan: &Plan,
    tools: &Tools<'_>,
    logs: &Path,
) -> Result<bool, RunnerError> {
    let (workspace, checks) = (&trees.workspace, &plan.checks);
    let events = Events::open(tools.display, &logs.join("events.jsonl"))?;
    let config = &plan.config;
    let ways = Ways { checks, config, code_type: None, fresh: false };
    let witness = Witness::new(workspace, &ways, &events);
    let (number, purpose) = (1, Purpose::Baseline);
    let is_known = witness.recall(&events, (number, purpose), base, &[]).is_some();
    let (before, moment) = (stamps(workspace.root(), checks), workspace.moment()?);
    let is_there = || -> Result<bool, RunnerError> { Ok(workspace.tree_anew()? == base.tree) };
    if is_known || before.is_empty() || !is_there()? {
        return Ok(false);
    }
    let room = Room::new(tools.executor, &workspace.state_dir()?)?;
    if room.has_copies() {
        return Ok(false); // What runs in a copy is not what runs in the project.
    }
    let others = elsewhere(workspace.root(), checks);
    let Ok(ground) = room.ground(trees, &base.tree, &base.tree, &others)? else {
        return Ok(false);
    };
    let silent = Witness::new(workspace, &ways, &events).silent();
    let runner = CheckRunner {
        trees,
        executor: tools.executor,
        stop: tools.stop,
        events: &events,
        limits: &config.limits,
        coverage: &config.coverage,
        program: &tools.program,
        witness: &silent,
    };
    let execution = runner.execute(&Order {
        number,
        purpose,
        attempt: 0,
        checks,
        only: &[],
        measure: &[],
        folder: logs.join("execution"),
        earlier: Vec::new(),
        time_left: None,
        ground: &ground,
    })?;
    let undisturbed = is_there()?
        && workspace.written_since(&base.tree, moment, &|_| true)?.is_empty()
        && stamps(workspace.root(), checks) == before;
    let counts = undisturbed && not_started(&execution).is_none() && !tools.stop.is_raised();
    if counts {
        witness.saw(&events, &execution, &[]);
    }
    Ok(counts)
}

/// When something was last installed, or removed, for each folder of dependencies.
fn stamps(root: &Path, checks: &[PlannedCheck]) -> BTreeMap<PathBuf, (i64, i64)> {
    let folders = checks.iter().map(|check| root.join(&check.settings.folder));
    let installed = folders.chain([root.to_owned()]).flat_map(|folder| {
        INSTALLED.map(|name| folder.join(name)).into_iter().filter(|folder| folder.is_dir())
    });
    let mut stamps = BTreeMap::new();
    for folder in installed {
        let versions = fs::read_dir(folder.join("lib")).into_iter().flatten().flatten();
        let packages = versions.map(|version| version.path().join("site-packages"));
        let own = [folder.join(".package-lock.json"), folder.clone()];
        for path in packages.chain(own) {
            if let Ok(found) = fs::metadata(&path) {
                stamps.insert(path, (found.ctime(), found.ctime_nsec()));
            }
        }
    }
    stamps
}
