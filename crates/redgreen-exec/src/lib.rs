//! The only place that starts a process: groups, time limits, capture, leaks.
//!
//! Linux only: it relies on child subreapers, `signalfd` and `/proc`.
//!
//! # How a job runs
//!
//! ```text
//! redgreen ──control──▶ supervisor ──starts──▶ command ──▶ its descendants
//!     ▲  ▲                  │                     │                │
//!     │  └─────status───────┘                     │                │
//!     └───────────────one pipe: stdout + stderr───┴────────────────┘
//! ```
//!
//! [`Executor::run`] starts a *supervisor*: the same binary with a hidden argument, which calls
//! [`supervise`]. The supervisor is a child subreaper, so that every descendant of the command,
//! whatever it forks, detaches or puts in a session of its own, stays below it in the process
//! table and can be found. It ends the whole family when the command exits, at the time limit, or
//! when the control pipe closes: because redgreen asked, or because redgreen is gone, even from
//! `kill -9`.
//!
//! redgreen is a subreaper too. When a command kills its supervisor, the orphans land here, are
//! ended here, and the run is [`Ended::SupervisorLost`].
//!
//! # Views
//!
//! A job with a [`View`] sees a folder with other files in it, at the folder's own path: the supervisor
//! lays an overlay over it in a mount namespace of its own. See `view/`.
//!
//! # What is deliberately absent
//!
//! - This crate does not know what a test is; it reports how a process ended and what it wrote.
//! - No `PR_SET_PDEATHSIG`: it follows the spawning *thread*. The control pipe does that work.
//! - No blocking reader threads: a process that holds the output pipe open cannot hold redgreen.
//!
//! **Invariant:** children of this process are started by this crate alone. After a supervisor is
//! lost, any other child that is younger than that supervisor counts as one of its orphans.

mod caller;
mod children;
mod detached;
mod error;
mod executor;
mod family;
mod job;
mod memory;
mod outcome;
mod output;
mod process_table;
mod readiness;
mod stop;
mod supervisor;
mod tool;
mod view;
mod wire;

pub use caller::{caller, is_there};
pub use detached::{Detached, detach, give_way, leave_session};
pub use error::{ExecError, ExecErrorKind};
pub use executor::{Executor, Supervisor};
pub use job::{Job, JobCommand, JobStdin, LogFilter, as_it_came};
pub use memory::machine_memory_bytes;
pub use outcome::{Captured, Ended, Leak, Outcome};
pub use process_table::{Running, running};
pub use stop::StopFlag;
pub use supervisor::supervise;
pub use tool::{ToolOutput, capture, capture_within};
pub use view::{
    Layer, NO_VIEWS_VARIABLE, View, hides_what_is_below, place_for_layers, remove_layers,
    views_work,
};
