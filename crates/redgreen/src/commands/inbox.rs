//! `redgreen inbox`

use clap::Args;
use redgreen_runner::people::{self, Case};
use serde_json::json;

use crate::display;
use crate::failure::{Ending, Failure};

/// The most failures that are named of one case.
const NAMED_MAX: usize = 3;

/// List what waits for a person, in all projects
#[derive(Args)]
pub struct Arguments {
    /// Also what somebody has answered
    #[arg(long)]
    all: bool,
    /// Print one line of JSON for each
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let cases = people::outbox().map(|outbox| outbox.cases()).unwrap_or_default();
    let cases: Vec<Case> =
        cases.into_iter().filter(|case| arguments.all || case.is_open()).collect();
    for case in cases.iter().rev() {
        if arguments.json {
            display::json_line(&json!({"result": "case", "open": case.is_open(), "case": case}));
        } else {
            display::result(&shown(case));
        }
    }
    if cases.is_empty() && !arguments.json {
        display::result("nothing waits for you");
    }
    Ok(Ending::Green)
}

/// A case in a few lines.
pub fn shown(case: &Case) -> String {
    let it = &case.escalation;
    let reason = it.reason.map(|reason| format!("{reason}, ")).unwrap_or_default();
    let mut lines = vec![
        format!("{}  {}", it.at, it.task),
        format!("  in {}, session {}", case.project.display(), it.session),
        format!("  {reason}{} of {} attempts: {}", it.attempt_count, it.max_attempts, it.detail),
    ];
    for failure in it.failures.iter().take(NAMED_MAX) {
        lines.push(format!("  red: {}: {}", failure.test, failure.error_type));
    }
    let more = it.failures.len().saturating_sub(NAMED_MAX) as u64 + it.failures_left_out;
    if more > 0 {
        lines.push(format!("  and {more} more"));
    }
    for delivery in &case.deliveries {
        let (channel, standing) = (delivery.settings.channel, delivery.standing.as_str());
        let remark = Some(&delivery.remark).filter(|remark| !remark.is_empty());
        let remark = remark.map(|remark| format!(": {remark}")).unwrap_or_default();
        lines.push(format!("  {channel} {standing}{remark}"));
    }
    lines.push(match &case.answered {
        Some(answered) => format!("  answered at {}: {}", answered.at, answered.word),
        None => format!("  next: {}", it.follow_up),
    });
    lines.join("\n")
}
