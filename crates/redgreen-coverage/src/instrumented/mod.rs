//! What programs that LLVM instrumented (`rustc -C instrument-coverage`) say of themselves: the counts that they write
//! when they end, and the map in their files from counts to places of the source. Read without LLVM's tools: they are
//! rarely installed, and would read all of a program for the few files of a change.

mod counts;
mod cursor;
mod map;
mod program;

pub use counts::Counts;
pub use map::{Mapped, Region};
pub use program::{keep, read_kept, read_program};
