//! `redgreen clean`

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use redgreen_runner::clean::Old;

use crate::failure::{Ending, Failure};
use crate::{context, display};

/// Remove what old sessions left behind: their folders in .redgreen, the trees kept under refs/redgreen, their cases in the inbox
///
/// Kept are a loop that can go on, a session that is held, and all evidence. The debug memory has its own
/// `redgreen memory prune`.
#[derive(Args)]
pub struct Arguments {
    /// Remove what is older than this many days [default: retention_days of the memory, 30]
    #[arg(long, value_name = "DAYS")]
    older_than: Option<u32>,
    /// Say what would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let days = match arguments.older_than {
        Some(days) => days,
        None => context::configuration(workspace.root())?.unwrap_or_default().memory.retention_days,
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let old = Old::find(&workspace, now, DAY * days)?;
    if old.is_empty() {
        display::result(&format!("nothing is older than {days} days"));
        return Ok(Ending::Green);
    }
    if !arguments.dry_run {
        old.remove(&workspace)?;
    }
    display::result(&format!(
        "{}: {} sessions, {} single runs ({} KiB), {} trees under refs/redgreen, {} cases in the inbox",
        if arguments.dry_run { "would remove" } else { "removed" },
        old.sessions.len(),
        old.runs.len(),
        old.bytes.div_ceil(1024),
        old.refs.len(),
        old.cases.len()
    ));
    if !arguments.dry_run && !old.refs.is_empty() {
        display::note("git frees their space with its next `git gc`");
    }
    Ok(Ending::Green)
}
