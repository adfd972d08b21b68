//! What memory has to say: before files are touched, and at a failure.

mod at_failure;
mod brief;
mod past;
mod recollection;
mod tries;
mod wording;

pub use at_failure::{Nearness, Recollection};
pub use brief::{Brief, BriefRequest, Note, Scope};
pub use past::{BroughtBy, PastFailure, PastSession, Tried, Worked};
