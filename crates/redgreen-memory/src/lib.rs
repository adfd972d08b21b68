//! The debug memory: what every loop tried, what failed, why, and what helped.
//!
//! The truth is plain files that people can read, review and merge: one [`Record`] for each session.
//! Everything else is derived from them and comes back if it is deleted: the index, and the patterns in
//! `patterns/learned-patterns.yaml`.
//!
//! ```text
//! <folder>/
//!   sessions/session-<uuid>.json      one record for each loop
//!   patterns/learned-patterns.yaml    what the records teach, derived
//!   archive/                          what retention moved out
//! ```
//!
//! Only what redgreen saw counts as a success, and a record shows that by its seal ([`Notary`]): whoever works in the
//! tree can write all of these files. The index shows nothing of the kind, so it is kept elsewhere, by whoever says
//! where ([`Memory::new`]):
//!
//! ```text
//! <indexes>/<digest of the folder's path>/
//!   index.sqlite3                     derived; delete it and it comes back
//!   folder                            the memory that it is of
//! ```
//!
//! The folder is in the work tree, and so are the records: git carries them from one to the other like the code that
//! they are about. Two work trees of one repository have a memory each, and know of each other's sessions once those
//! are committed and merged, which is also when the code is the same.
//!
//! [`Memory`] is the door. Records are written strictly and read leniently ([`read_record`]); what cannot be
//! read is named with its reason, and never touched.
//!
//! [`Record`]: redgreen_model::debug_memory::Record

mod archive;
mod cause;
mod changes;
mod error;
mod exchange;
mod facts;
mod file;
mod habits;
mod index;
mod index_access;
mod layout;
mod learn;
mod memory;
mod metrics;
mod moment;
mod reader;
mod recall;
mod record;
mod retention;
mod seal;
mod search;
mod settings;
mod stats;

pub use error::MemoryError;
pub use exchange::Imported;
pub use habits::Habit;
pub use learn::{
    OFFERED_ABOVE, OFFERED_AFTER, OFFERED_IN_PLACES, Pattern, PatternsFile, RECENT, Recurring,
    SeenHabit,
};
pub use memory::Memory;
pub use metrics::{Figure, Group, Metric, Metrics, Standing, sparkline};
pub use recall::{
    Brief, BriefRequest, BroughtBy, Nearness, Note, PastFailure, PastSession, Recollection, Scope,
    Tried, Worked,
};
pub use record::{RECORDED_BY, read as read_record};
pub use retention::{Held, OldRecord, Pruned};
pub use seal::{Notary, Origin, SEALED_AS, sealed_digest};
pub use search::Hit;
pub use settings::{Format, IN_PROGRESS_IS_YOUNG, Retention, Settings};
pub use stats::{Shown, Stats, UnknownKey, Unreadable};
