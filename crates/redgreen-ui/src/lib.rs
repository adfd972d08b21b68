//! Loops and gated sessions as pages: served on loopback by `redgreen ui`, or one of them as a file.
//!
//! The pages are for looking. Nothing can be changed by them: who can read the address could use it, and an agent that runs as
//! the same user can read what a browser keeps.

mod diff;
mod door;
mod pages;
mod picture;
mod render;
mod request;
mod server;
mod watch;
mod words;

pub use pages::session::{SessionFacts, file};
pub use server::Ui;

/// Why pages cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum UiError {
    /// The port is not to be had.
    #[error("cannot listen on 127.0.0.1:{port}: {problem}")]
    Listen {
        /// The port.
        port: u16,
        /// What the system says.
        problem: std::io::Error,
    },
    /// There is nothing random.
    #[error("cannot make a token: {0}")]
    NoToken(String),
    /// Changes cannot be seen.
    #[error("cannot watch the sessions: {0}")]
    Watch(String),
}
