//! What became of the programs that ctest started: a line for each beginning and end, in a file that the starters share.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

const FILE: &str = "launched";

/// How far the program of a test came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launched {
    /// It began, and its end was not seen.
    Began,
    /// It ended, and said nothing of tests of its own.
    Plain,
    /// It reported its own tests, and none of them is red.
    Reported,
    /// It reported its own tests, and something in them is red.
    Red,
}

const WORDS: [(&str, Launched); 4] = [
    ("began", Launched::Began),
    ("plain", Launched::Plain),
    ("reported", Launched::Reported),
    ("red", Launched::Red),
];

/// Adds a line.
pub fn note(folder: &Path, name: &str, launched: Launched) -> Result<(), String> {
    let word = WORDS.iter().find(|(_, known)| *known == launched).map_or("", |(word, _)| word);
    let path = folder.join(FILE);
    let file = OpenOptions::new().append(true).create(true).open(&path);
    file.and_then(|mut file| file.write_all(format!("{word} {name}\n").as_bytes()))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// The last line of each test.
pub fn read(folder: &Path) -> HashMap<String, Launched> {
    let text = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    let line = |line: &str| {
        let (word, name) = line.split_once(' ')?;
        let (_, launched) = WORDS.iter().find(|(known, _)| *known == word)?;
        Some((name.to_owned(), *launched))
    };
    text.lines().filter_map(line).collect()
}
