//! `redgreen skip`

use clap::Args;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_runner::gate::{self, Skip};
use redgreen_runner::square;

use crate::failure::{Ending, Failure};
use crate::{context, display};

/// Say that the code as it is need not be run, with a reason
///
/// The gate then lets exactly this code go, as a skip and not as a pass, and records who said so and
/// why. For a person at a terminal; for an agent only if redgreen.toml sets `agent_may_skip` under [gate].
#[derive(Args)]
pub struct Arguments {
    /// Why
    #[arg(value_parser = crate::context::words)]
    reason: String,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    let config = context::configuration(workspace.root())?.unwrap_or_default();
    let is_person = context::is_person();
    if !is_person && !config.gate.agent_may_skip {
        return Err(Failure::usage("only a person at a terminal may skip the checks")
            .hint("an agent that is stuck says so: redgreen give-up \"why\""));
    }
    let skip = Skip {
        code: square::code_now(context::workspace()?, &config)?,
        reason: clean_line(&arguments.reason, LINE_CHARS),
        by: if is_person { context::user() } else { format!("an agent of {}", context::user()) },
        // What the configuration says now is a courtesy: the gate goes by the one before the change.
        by_person: is_person,
        at: redgreen_runner::now(),
    };
    gate::skip(&workspace, &skip)?;
    display::result(&format!("skipped: the code as it is now, by {}: {}", skip.by, skip.reason));
    Ok(Ending::Green)
}
