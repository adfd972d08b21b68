//! XML, read well enough for reports, and as fast as memory allows.
//!
//! A scanner of our own, because reports are often not XML in the end: cut in the middle, with a
//! bare `<` in a name, two documents in one file. It checks nothing, so it stops at nothing; what it
//! had to guess it counts. Every byte is looked at once, names and values are parts of the text.

mod scanner;
mod text;

pub use scanner::{InTag, Scanner, Shape, Token};
pub use text::{decoded, local, unescaped};
