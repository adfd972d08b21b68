//! `redgreen top`

mod screen;
mod tty;

use std::collections::BTreeSet;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;
use redgreen_runner::overview::{Card, Overview, Standing, folder};

use crate::display;
use crate::failure::{Ending, Failure};
use screen::{Wanted, rows, screen};
use tty::{Happening, Terminal};

/// The width of what is printed once, where no terminal says its own.
const WIDTH: usize = 120;
/// How often times are shown anew where nothing else happens.
const TICK: Duration = Duration::from_secs(1);

/// Watch all loops and gated sessions of yours, in all projects
///
/// What waits for you is first. It follows them as things happen, and answers nothing: `redgreen inbox` and
/// `redgreen answer` do. Keys: arrows or j and k move, a shows those that have ended, too, q ends.
#[derive(Args)]
pub struct Arguments {
    /// Print the list once, and end; the same where standard output is no terminal
    #[arg(long)]
    once: bool,
    /// Show sessions that have ended, too
    #[arg(long)]
    all: bool,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let mut overview = Overview::default();
    overview.refresh();
    let is_live = !arguments.once && display::columns().is_some() && display::is_live();
    if !is_live {
        let all = rows(&standings(&overview), arguments.all, Timestamp::now());
        let columns = display::columns().unwrap_or(WIDTH);
        let wanted = Wanted { columns, lines: usize::MAX, from: 0, all: arguments.all };
        display::result(&screen(&all, &wanted).join("\n"));
        return Ok(Ending::Green);
    }
    watch(&mut overview, arguments.all)
}

fn watch(overview: &mut Overview, all: bool) -> Result<Ending, Failure> {
    let terminal = Terminal::take_over(folder().as_deref())?;
    let (mut from, mut all) = (0_usize, all);
    loop {
        let rows = rows(&standings(overview), all, Timestamp::now());
        let (columns, lines) = terminal.size();
        from = from.min(rows.len().saturating_sub(1));
        terminal.draw(&screen(&rows, &Wanted { columns, lines, from, all }));
        match terminal.wait(TICK)? {
            Happening::Quit => return Ok(Ending::Green),
            Happening::Down => from += 1,
            Happening::Up => from = from.saturating_sub(1),
            Happening::All => all = !all,
            Happening::Changed | Happening::Nothing => {
                let _: BTreeSet<String> = overview.refresh();
            }
        }
    }
}

fn standings(overview: &Overview) -> Vec<(&Card, Standing)> {
    overview.cards().map(|card| (card, overview.standing(card))).collect()
}
