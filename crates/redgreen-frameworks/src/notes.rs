//! Remarks of a reader: bounded, and what was left out is counted.

use redgreen_model::text::{LINE_CHARS, clean_line};

/// How many remarks about one report are listed.
const NOTES: usize = 20;

/// What a reader could not make sense of.
#[derive(Default)]
pub(crate) struct Notes {
    notes: Vec<String>,
    more: usize,
}

impl Notes {
    pub(crate) fn add(&mut self, note: &str) {
        if self.notes.len() < NOTES {
            self.notes.push(clean_line(note, LINE_CHARS));
        } else {
            self.more += 1;
        }
    }

    /// The remarks as diagnostics.
    pub(crate) fn finish(mut self) -> Vec<String> {
        if self.more > 0 {
            self.notes.push(format!("… and {} more like these", self.more));
        }
        self.notes
    }
}
