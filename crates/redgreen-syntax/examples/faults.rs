//! The small edits of a source, one in a line: number of the line, kind, and the line with the edit. For the benchmark
//! that looks for them again.
//!
//! `cargo run -p redgreen-syntax --example faults FILE`
#![allow(clippy::print_stdout, reason = "it is there to print")]

use std::error::Error;

use redgreen_syntax::{language_of, mutants};

/// More than any file of the benchmark has.
const MAX: usize = 10_000;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("FILE")?;
    let source = std::fs::read_to_string(&path)?;
    let language = language_of(&path).ok_or("no language has such files")?;
    for mutant in mutants(language, &source, &|_, _| true, (None, MAX)) {
        let edited = mutant.applied(&source);
        let lines = source.lines().zip(edited.lines()).enumerate();
        let changed: Vec<(usize, &str)> =
            lines.filter(|(_, (old, new))| old != new).map(|(at, (_, new))| (at, new)).collect();
        if let ([(at, new)], true) =
            (&changed[..], source.lines().count() == edited.lines().count())
        {
            println!("{}\t{:?}\t{new}", at + 1, mutant.kind);
        }
    }
    Ok(())
}
