//! Whether this machine can make views.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::{Layer, View, remove_layers};
use crate::{Ended, Executor, Job, JobCommand, JobStdin, StopFlag};

/// If this variable is set to anything but nothing, there are no views.
pub const NO_VIEWS_VARIABLE: &str = "REDGREEN_NO_VIEWS";
/// How long the tiny job may take. Mounting takes milliseconds.
const LIMIT: Duration = Duration::from_secs(20);
const NAME: &str = "view-probe";
/// Sees the upper layer, the lower one and no deleted file, and writes.
const LINE: &str = "test -e upper && test -e lower && test ! -e deleted && echo seen > written";

static KNOWN: Mutex<Option<HashMap<PathBuf, Result<(), String>>>> = Mutex::new(None);

/// Whether jobs can have views whose upper layers lie in a folder; else why not, in words. Tried out
/// once for each folder, with a tiny job.
pub fn views_work(executor: &Executor, folder: &Path) -> Result<(), String> {
    allowed()?;
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some(answer) = known.get(folder) {
        return answer.clone();
    }
    let place = folder.join(format!("{NAME}-{}", std::process::id()));
    let answer = try_out(executor, &place);
    let _ = remove_layers(&place);
    known.insert(folder.to_owned(), answer.clone());
    answer
}

/// Whether views are not switched off.
pub(super) fn allowed() -> Result<(), String> {
    match std::env::var_os(NO_VIEWS_VARIABLE).is_some_and(|value| !value.is_empty()) {
        true => Err(format!("{NO_VIEWS_VARIABLE} is set")),
        false => Ok(()),
    }
}

/// The first of some folders that layers can lie in; else why the first cannot be used. A folder in a
/// container often cannot, being in a layer itself, where one in memory can.
pub fn place_for_layers(executor: &Executor, folders: &[PathBuf]) -> Result<PathBuf, String> {
    let mut reason = None;
    for folder in folders {
        match views_work(executor, folder) {
            Ok(()) => return Ok(folder.clone()),
            Err(said) => reason = reason.or(Some(said)),
        }
    }
    Err(reason.unwrap_or_else(|| "no folder to try".to_owned()))
}

fn try_out(executor: &Executor, place: &Path) -> Result<(), String> {
    let said = |error: &dyn std::fmt::Display| format!("view: {}: {error}", place.display());
    let [at, upper, work] = ["at", "upper", "work"].map(|name| place.join(name));
    for folder in [&at, &upper, &work] {
        fs::create_dir_all(folder).map_err(|error| said(&error))?;
    }
    for file in [at.join("lower"), at.join("deleted"), upper.join("upper")] {
        fs::write(&file, "probe").map_err(|error| said(&error))?;
    }
    let layers = vec![Layer { at: at.clone(), upper: upper.clone(), work }];
    let deleted = vec![at.join("deleted")];
    let view = View { layers, deleted, ..View::default() };
    let job = Job {
        command: JobCommand::Shell(LINE.to_owned()),
        folder: at.clone(),
        env: Vec::new(),
        stdin: JobStdin::Null,
        limit: Some(LIMIT),
        memory_bytes: None,
        grace: Duration::ZERO,
        log: place.join("log"),
        log_cap_bytes: 0,
        log_filter: crate::as_it_came,
        keep_head_bytes: 0,
        keep_tail_bytes: 0,
        view: Some(view),
    };
    let stop = StopFlag::new().map_err(|error| said(&error))?;
    let outcome = executor.run(&job, &stop).map_err(|error| said(&error))?;
    match outcome.ended {
        Ended::Exited(0)
            if upper.join("written").exists()
                && at.join("deleted").exists()
                && !at.join("written").exists() =>
        {
            Ok(())
        }
        Ended::NotStarted { reason } => Err(reason),
        other => Err(said(&format!("a job in it did not see what it should ({other:?})"))),
    }
}
