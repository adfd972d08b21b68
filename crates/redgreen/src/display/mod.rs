//! What people and programs see. Results go to standard output, everything else to standard error.

mod analysis;
mod comparison;
pub mod coverage;
mod gate;
mod json;
mod last_time;
mod live;
mod reading;
mod square;
mod terminal;
mod wording;

use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use redgreen_runner::events::EventSink;
use serde::Serialize;

use crate::failure::Failure;

pub use gate::{BlockReason, blocked};
pub use live::fitted;
pub use reading::reading;
pub use square::square_result;
pub use terminal::{columns, size};
pub use wording::{failures, seconds, test_result};

/// How to show what happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// For people.
    People,
    /// One JSON document a line.
    Json,
}

impl Style {
    /// The style that a `--json` flag asks for.
    pub fn from_flag(json: bool) -> Self {
        if json { Self::Json } else { Self::People }
    }
}

/// A display that was chosen.
pub enum Display {
    /// For people.
    Terminal(terminal::Terminal),
    /// For programs.
    Json(json::JsonLines),
}

/// The display for a style.
pub fn choose(style: Style) -> Display {
    match style {
        Style::People => Display::Terminal(terminal::Terminal::new(is_live(), wants_colour())),
        Style::Json => Display::Json(json::JsonLines),
    }
}

impl Display {
    /// Where events go.
    pub fn sink(&self) -> &dyn EventSink {
        match self {
            Self::Terminal(terminal) => terminal,
            Self::Json(lines) => lines,
        }
    }

    /// Says what happens next, after somebody stopped the work.
    pub fn stopping(&self) {
        if let Self::Terminal(terminal) = self {
            terminal.stopping();
        }
    }

    /// Takes away what only shows progress.
    pub fn finish(&self) {
        if let Self::Terminal(terminal) = self {
            terminal.clear();
        }
    }
}

/// Whether lines alone are wanted, on a terminal too.
static PLAIN: AtomicBool = AtomicBool::new(false);

/// From now on there are lines alone, without colour.
pub fn stay_plain() {
    PLAIN.store(true, Ordering::Relaxed);
}

/// Whether standard error is a terminal that can do more than lines.
pub fn is_live() -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    std::io::stderr().is_terminal() && !is_dumb && !PLAIN.load(Ordering::Relaxed)
}

fn wants_colour() -> bool {
    is_live() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// A result, on standard output. A reader that went away is no reason to fail.
pub fn result(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// A result as one line of JSON.
pub fn json_line(value: &impl Serialize) {
    if let Ok(line) = serde_json::to_string(value) {
        result(&line);
    }
}

/// Texts as they are, on standard output and standard error.
pub fn raw(stdout: &str, stderr: &str) {
    let _ = std::io::stdout().lock().write_all(stdout.as_bytes());
    let _ = std::io::stderr().lock().write_all(stderr.as_bytes());
}

/// Something to know, on standard error.
pub fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// An error, on standard error.
pub fn error(failure: &Failure) {
    note(&failure.to_string());
}
