//! Which lines ran, file by file, from whatever measured it.
//!
//! - [`formats`]: a file for each coverage format. Readers never fail: what cannot be understood is a diagnostic.
//! - [`paths`]: from the paths in a report to those of the tree.
//! - [`changed_functions`]: what a change does, and which of it ran.
//! - [`Coverage`]: what they all give.
//!
//! Everything here is a function of text.

mod change;
mod exclusions;
mod same;

pub mod formats;
pub mod instrumented;
pub mod paths;

pub use change::{Version, changed_functions};
pub use exclusions::Exclusions;
pub use redgreen_model::coverage::{Coverage, FileCoverage};
