//! What the records teach: for each cause how often it came, what made it go away, and whether that
//! still works.

mod habits_seen;
mod learnings;
mod pattern;
mod patterns_file;
mod patterns_update;
mod recurring;
mod sums;

pub(crate) use habits_seen::habits_seen;
pub use habits_seen::{OFFERED_IN_PLACES, SeenHabit};
pub use pattern::{OFFERED_ABOVE, OFFERED_AFTER, Pattern, RECENT};
pub(crate) use pattern::{best_of_project, offered_among, pattern_of};
pub use patterns_file::PatternsFile;
pub use recurring::Recurring;
pub(crate) use sums::sum_up;
