//! From bytes to events, a piece at a time.

use redgreen_model::text::{LINE_CHARS, clean_block, clean_line};

use super::StreamEvent;

/// The longest line that is read, in bytes; producers bound their texts far below.
const LINE_BYTES: usize = 1 << 20;
/// How many things that could not be understood are listed one by one.
const DIAGNOSTICS: usize = 20;

/// Reads a stream that is still being written.
#[derive(Debug, Default)]
pub struct StreamReader {
    partial: Vec<u8>,
    skipping: bool,
    line: u64,
    diagnostics: Vec<String>,
    more_diagnostics: u64,
}

impl StreamReader {
    /// A reader at the beginning of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes and gives the events that are whole now.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<StreamEvent> {
        let mut events = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (content, ends) = match piece.split_last() {
                Some((b'\n', content)) => (content, true),
                _ => (piece, false),
            };
            self.take(content);
            if ends {
                events.extend(self.end_of_line());
            }
        }
        events
    }

    /// Ends the stream: a last line without its line break was torn, and is a diagnostic.
    pub fn finish(mut self) -> Vec<String> {
        if self.skipping || !self.partial.trim_ascii().is_empty() {
            self.line += 1;
            self.note("the last line is torn: its writer was stopped in the middle of it");
        }
        if self.more_diagnostics > 0 {
            self.diagnostics.push(format!("… and {} more like these", self.more_diagnostics));
        }
        self.diagnostics
    }

    fn take(&mut self, content: &[u8]) {
        if self.partial.len() + content.len() > LINE_BYTES {
            self.skipping = true;
            self.partial.clear();
        }
        if !self.skipping {
            self.partial.extend_from_slice(content);
        }
    }

    fn end_of_line(&mut self) -> Option<StreamEvent> {
        self.line += 1;
        let line = std::mem::take(&mut self.partial);
        if std::mem::take(&mut self.skipping) {
            self.note(&format!("longer than {LINE_BYTES} bytes"));
            return None;
        }
        if line.trim_ascii().is_empty() {
            return None;
        }
        match serde_json::from_slice(&line) {
            Ok(event) => Some(event),
            Err(error) => {
                let start = clean_line(&clean_block(&line, 80), 80);
                self.note(&clean_line(&format!("{error}: {start}"), LINE_CHARS));
                None
            }
        }
    }

    fn note(&mut self, what: &str) {
        if self.diagnostics.len() < DIAGNOSTICS {
            self.diagnostics.push(format!("report stream, line {}: {what}", self.line));
        } else {
            self.more_diagnostics += 1;
        }
    }
}
