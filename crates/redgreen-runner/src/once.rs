//! Executes the checks a single time and keeps what was seen.

use std::fs;
use std::path::{Path, PathBuf};

use redgreen_engine::classes::{History, settle};
use redgreen_engine::evidence::PassedTree;
use redgreen_engine::judge::{CheckFailure, judge};
use redgreen_model::config::Config;
use redgreen_model::event::Event;
use redgreen_model::execution::{Execution, Purpose};
use redgreen_model::verdict::Verdict;
use redgreen_workspace::Workspace;
use serde::Serialize;

use crate::RunnerError;
use crate::checks::{CheckRunner, Order};
use crate::events::Events;
use crate::evidence::{Ways, Witness};
use crate::ground::Ground;
use crate::layout::{fresh_folder, write_whole};
use crate::plan::PlannedCheck;
use crate::session::Tools;
use crate::trees::Trees;

/// How many single executions are kept; older ones are removed.
const KEPT: usize = 50;
/// The version of the record.
const VERSION: u32 = 1;

/// What a single execution showed.
pub struct Once {
    /// What was seen.
    pub execution: Execution,
    /// The verdict.
    pub verdict: Verdict,
    /// Why, where it is not `passed`.
    pub reasons: Vec<String>,
    /// Everything that went wrong.
    pub failures: Vec<CheckFailure>,
    /// The record, on disk.
    pub record: PathBuf,
}

#[derive(Serialize)]
struct Record<'once> {
    version: u32,
    redgreen: &'static str,
    verdict: Verdict,
    reasons: &'once [String],
    execution: &'once Execution,
}

/// Executes the checks once on the tree as it is.
pub fn execute(
    workspace: Workspace,
    config: &Config,
    checks: &[PlannedCheck],
    id: &str,
    tools: &Tools<'_>,
) -> Result<Once, RunnerError> {
    crate::memory::require_own_folder(workspace.root(), &config.memory)?;
    let _lock = workspace.lock(&format!("redgreen test, run {id}"))?;
    let runs = workspace.state_dir()?.join("runs");
    let folder = runs.join(id);
    fresh_folder(&folder)?;
    let events = Events::open(tools.display, &folder.join("events.jsonl"))?;
    let executor = tools.after_predecessor(&workspace, config, &events)?;
    let trees = Trees::new(workspace, config)?;
    let ways = Ways { checks, config, code_type: None, fresh: false };
    let witness = Witness::new(&trees.workspace, &ways, &events);
    let runner = CheckRunner {
        trees: &trees,
        executor: &executor,
        stop: tools.stop,
        events: &events,
        limits: &config.limits,
        program: &tools.program,
        witness: &witness,
    };
    let order = Order {
        number: 1,
        purpose: Purpose::Judge,
        attempt: 0,
        checks,
        only: &[],
        folder: folder.join("execution"),
        earlier: Vec::new(),
        time_left: None,
        ground: &Ground::WorkTree,
    };
    let execution = runner.execute(&order)?;
    let history = History::default();
    let judged = settle(execution.clone(), judge(&execution, &history.ran_before), None, &history);
    let record = folder.join("execution.json");
    let text = serde_json::to_vec_pretty(&Record {
        version: VERSION,
        redgreen: env!("CARGO_PKG_VERSION"),
        verdict: judged.verdict,
        reasons: &judged.reasons,
        execution: &execution,
    })
    .map_err(|error| RunnerError::Session(format!("cannot write the record: {error}")))?;
    write_whole(&record, &text)?;
    events.say(&Event::Judged {
        number: 1,
        purpose: Purpose::Judge,
        attempt: 0,
        verdict: judged.verdict,
        reasons: judged.reasons.clone(),
        counts: judged.counts(),
        classes: judged.classes.clone(),
    });
    if judged.verdict == Verdict::Passed {
        let passed = PassedTree { run: &judged, compared: None, code_type: None, session: None };
        witness.attest(&events, judged.ran_on(), &passed);
    }
    forget_old(&runs);
    Ok(Once {
        execution,
        verdict: judged.verdict,
        reasons: judged.reasons,
        failures: judged.failures,
        record,
    })
}

/// Removes the oldest records; their ids begin with the time.
fn forget_old(runs: &Path) {
    let entries = fs::read_dir(runs).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    folders.sort_unstable();
    for folder in folders.iter().rev().skip(KEPT) {
        let _ = fs::remove_dir_all(folder);
    }
}
