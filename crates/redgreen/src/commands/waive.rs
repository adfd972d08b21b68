//! `redgreen waive`

use std::io::{BufRead as _, Write as _};

use clap::Args;
use redgreen_model::square::Waiver;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_runner::square;

use crate::failure::{Ending, Failure};
use crate::{context, display};

/// Accept a finding: for a person at a terminal
///
/// It counts for exactly this code, and ends with the next edit. Name, time and reason are recorded.
#[derive(Args)]
pub struct Arguments {
    /// The finding, as `redgreen square` names it
    #[arg(value_name = "FINDING")]
    finding: String,
    /// Why it is acceptable
    #[arg(long, value_parser = crate::context::words)]
    reason: String,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let workspace = context::workspace()?;
    if !context::is_person() {
        return Err(Failure::usage("only a person at a terminal may waive a finding")
            .hint("a changed expectation can be declared, also by an agent: redgreen declare TEST --reason R"));
    }
    // While a loop works here, whoever is at the terminal may be its agent.
    let lock = workspace.lock("redgreen waive")?;
    let config = context::configuration(workspace.root())?.unwrap_or_default();
    let code = square::code_now(workspace, &config)?;
    display::note(&format!(
        "You accept {} for the code as it is now. Type its name once more to confirm:",
        arguments.finding
    ));
    let _ = std::io::stderr().flush();
    let mut typed = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut typed)
        .map_err(|error| Failure::cannot("read the answer", error))?;
    if typed.trim() != arguments.finding {
        return Err(Failure::usage("not waived: the names differ"));
    }
    let waiver = Waiver {
        finding: arguments.finding.clone(),
        code,
        reason: clean_line(&arguments.reason, LINE_CHARS),
        by: context::user(),
        at: redgreen_runner::now(),
    };
    let path = square::waive(&waiver)?;
    drop(lock);
    display::result(&format!("waived: {} ({})", waiver.finding, path.display()));
    Ok(Ending::Green)
}
