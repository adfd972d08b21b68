//! TAP, the Test Anything Protocol, in its versions 12, 13 and 14.

mod line;
mod read;
mod yaml;

pub use read::read;

pub(crate) use line::is_tap;

#[cfg(test)]
mod tests;
