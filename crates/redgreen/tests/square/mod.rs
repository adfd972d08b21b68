//! Ways to fake a green, and honest changes that look a little like them: the real binary and the
//! real frameworks judge each with the tests as they were. Set `REDGREEN_CASE` to a part of a name to
//! play some of them, `REDGREEN_ALL` (or `cargo xtask test --all`) to play the variants, too.

mod cargo;
mod ctest;
mod go;
mod javascript;
mod jest;
mod junit;
mod mocha;
mod model;
mod pytest;
mod rspec;
mod servers;
mod silenced;
mod unittest;
mod vitest;
mod whole_files;
