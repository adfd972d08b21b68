//! `redgreen notify`

use clap::Args;
use redgreen_runner::people::{self, Attempted, Standing};

use crate::failure::{Ending, Failure};
use crate::{context, display};

/// Send what people have not heard yet, or try out the ways to reach them
#[derive(Args)]
pub struct Arguments {
    /// Send a test message in each way that redgreen.toml names under `[[notify]]`
    #[arg(long)]
    test: bool,
    /// Print one line of JSON for each message
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let attempted =
        if arguments.test { tried()? } else { people::deliver(true).map_err(Failure::of)? };
    if attempted.is_empty() && !arguments.json {
        display::result("nothing waits to be sent");
    }
    for attempted in &attempted {
        if arguments.json {
            display::json_line(attempted);
        } else {
            display::result(&shown(attempted));
        }
    }
    let all = attempted.iter().all(|it| it.standing == Standing::Delivered);
    Ok(if all { Ending::Green } else { Ending::Tooling })
}

fn tried() -> Result<Vec<Attempted>, Failure> {
    let workspace = context::workspace()?;
    let config = context::configuration(workspace.root())?.unwrap_or_default();
    if config.notify.is_empty() {
        return Err(Failure::usage("redgreen.toml names no way to reach people").hint(
            "add a part [[notify]] with `channel = \"slack\"`, \"issue_comment\", \"email\", \"webhook\" or \"cli\"",
        ));
    }
    Ok(people::try_out(&workspace, &config.notify))
}

/// Sends what a loop that ended wrote down, and says what became of it; it never changes how the loop ended.
pub fn send() {
    match people::deliver(false) {
        Ok(attempted) => attempted.iter().for_each(|it| display::note(&shown(it))),
        Err(problem) => display::note(&format!("nobody was notified: {problem}")),
    }
}

fn shown(attempted: &Attempted) -> String {
    let Attempted { channel, remark, text, .. } = attempted;
    match (attempted.standing, text) {
        (_, Some(text)) => text.clone(),
        (Standing::Delivered, None) => format!("{channel}: sent to {remark}"),
        (Standing::Waiting, None) => {
            format!(
                "{channel}: not sent yet: {remark}. It is kept, and tried again later (`redgreen notify` tries now)"
            )
        }
        (Standing::Refused, None) => {
            format!("{channel}: not sent: {remark}. It is kept; then run `redgreen notify`")
        }
    }
}
