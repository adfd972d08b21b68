//! `redgreen memory prune`

use clap::Args;
use jiff::Timestamp;
use redgreen_memory::{OldRecord, Pruned};
use serde_json::json;

use super::{ProjectMemory, count, line};
use crate::display;
use crate::failure::{Ending, Failure};

/// Move old records to the archive
///
/// A record is kept for 30 days, for 60 if something was learned, for 90 if the loop escalated, unless
/// redgreen.toml says otherwise. Nothing is deleted, and a record in use stays. No brief, pattern or
/// figure is made from a record in the archive, until somebody moves it back.
#[derive(Args)]
pub struct Arguments {
    /// Only say what would be moved
    #[arg(long)]
    dry_run: bool,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, project: &mut ProjectMemory) -> Result<Ending, Failure> {
    // Who asks what is there makes no folders.
    let pruned = if project.memory.folder().is_dir() {
        project.memory.prune(Timestamp::now(), arguments.dry_run)?
    } else {
        Pruned::default()
    };
    if !arguments.dry_run && !pruned.moved.is_empty() {
        project.memory.write_patterns()?;
    }
    if arguments.json {
        display::json_line(&json!({
            "result": "prune",
            "dry_run": arguments.dry_run,
            "moved": pruned.moved,
            "in_use": pruned.in_use,
            "kept": pruned.kept,
        }));
    } else {
        display::result(&description(&pruned, arguments.dry_run));
    }
    Ok(Ending::Green)
}

fn description(pruned: &Pruned, dry_run: bool) -> String {
    let verb = if dry_run { "would move" } else { "moved" };
    let moved = count(pruned.moved.len() as u64, "record");
    let mut lines = vec![format!("{verb} {moved} to the archive, {} kept", pruned.kept)];
    let record = |mark: &str, record: &OldRecord| {
        let age = count(record.age_days.max(0).unsigned_abs(), "day");
        format!("  {mark} {}: {age} old, kept for {}", line(&record.file), record.kept_days)
    };
    lines.extend(pruned.moved.iter().map(|old| record(verb, old)));
    lines.extend(pruned.in_use.iter().map(|old| record("in use:", old)));
    lines.join("\n")
}
