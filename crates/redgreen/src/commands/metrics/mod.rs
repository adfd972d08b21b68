//! `redgreen metrics`: one file for each form.

mod people;
mod prometheus;
mod since;

use clap::Args;
use jiff::Timestamp;
use redgreen_memory::{Metric, Metrics};
use serde_json::json;

use super::memory::ProjectMemory;
use crate::display;
use crate::failure::{Ending, Failure};
use since::Since;

/// Five figures that say whether the loop works, and whether memory helps
///
/// They are about the sessions in the debug memory that redgreen saw and that have ended. Where
/// nothing was measured there is no figure, which is not the same as zero.
#[derive(Args)]
pub struct Arguments {
    /// Only sessions of that time: 12h, 30d, 8w, or from a day on: 2026-01-25
    #[arg(long, value_name = "TIME", value_parser = since::parse)]
    since: Option<Since>,
    /// Print them as JSON
    #[arg(long, conflicts_with = "prometheus")]
    json: bool,
    /// Print them in the text format of Prometheus
    #[arg(long)]
    prometheus: bool,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let now = Timestamp::now();
    let since = arguments.since.map(|since| since.before(now)).transpose()?;
    let mut project = ProjectMemory::find()?;
    let metrics = project.memory.metrics(since, now);
    project.tell_notes();
    let metrics = metrics?;
    if arguments.json {
        display::json_line(&document(&metrics, since, now));
    } else if arguments.prometheus {
        display::result(prometheus::text(&metrics).trim_end());
    } else {
        display::result(&people::text(&metrics, since));
    }
    Ok(Ending::Green)
}

/// The figures with the time that they are of.
fn document(metrics: &Metrics, since: Option<Timestamp>, now: Timestamp) -> serde_json::Value {
    json!({
        "result": "metrics",
        "since": since.map(|since| since.to_string()),
        "until": now.to_string(),
        "sessions": metrics.sessions,
        "all": metrics.all,
        "by_agent": metrics.by_agent,
        "by_framework": metrics.by_framework,
        "by_code_type": metrics.by_code_type,
    })
}

/// What a figure is called by people.
fn title(metric: Metric) -> &'static str {
    match metric {
        Metric::FirstAttemptPassRate => "first-attempt pass rate",
        Metric::AverageAttempts => "average attempts to pass",
        Metric::EscalationRate => "escalation rate",
        Metric::DebugMemoryReuse => "debug-memory reuse rate",
        Metric::CoverageMetRate => "coverage met rate",
    }
}
