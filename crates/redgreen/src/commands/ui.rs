//! `redgreen ui`

use clap::Args;
use redgreen_ui::Ui;

use crate::display;
use crate::failure::{Ending, Failure};

/// Watch loops and gated sessions on a page, in all your projects
///
/// The page is served on this machine alone, at an address that nobody can guess, until Ctrl-C. It is for looking: what
/// waits for you is answered in a terminal, and the page says how.
#[derive(Args)]
pub struct Arguments {
    /// The port; without it any that is free
    #[arg(long, default_value_t = 0)]
    port: u16,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let ui = Ui::open(arguments.port).map_err(Failure::of)?;
    display::result(&ui.address());
    display::note(
        "open this address in a browser; who has it can read what is shown. Ctrl-C ends it",
    );
    ui.serve();
    Ok(Ending::Green)
}
