//! What a program wrote to a terminal, as the lines that a person sees in the end. Only what redgreen uses is
//! understood: colours, and a line that is erased for the next one.

use std::time::Duration;

/// The size of the terminal.
pub const COLUMNS: u16 = 112;
pub const ROWS: u16 = 50;

/// A line, and when it was complete.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    /// Since the start.
    pub at: Duration,
    /// Texts with the number of their colour or weight; 0 is neither.
    pub spans: Vec<(u8, String)>,
}

/// A terminal that grows downwards.
#[derive(Default)]
pub struct Screen {
    lines: Vec<Line>,
    spans: Vec<(u8, String)>,
    width: u16,
    style: u8,
    /// Bytes that wait for the rest of their letter or of their sequence.
    rest: Vec<u8>,
}

impl Screen {
    /// Takes what was written at a time.
    pub fn take(&mut self, bytes: &[u8], at: Duration) {
        self.rest.extend_from_slice(bytes);
        let whole = std::mem::take(&mut self.rest);
        let complete = match str::from_utf8(&whole) {
            Ok(text) => text,
            Err(error) => str::from_utf8(&whole[..error.valid_up_to()]).unwrap_or_default(),
        };
        let mut left = complete;
        while let Some(letter) = left.chars().next() {
            let Some(length) = self.next(left, letter, at) else { break };
            left = &left[length..];
        }
        self.rest = whole[complete.len() - left.len()..].to_vec();
    }

    /// What was seen, without an unfinished line.
    pub fn lines(self) -> Vec<Line> {
        self.lines
    }

    /// Takes one letter or sequence, and says how long it is; none if it is not complete.
    fn next(&mut self, left: &str, letter: char, at: Duration) -> Option<usize> {
        match letter {
            '\u{1b}' => {
                let end = left.find(|letter: char| letter.is_ascii_alphabetic())?;
                match (&left[1..end], &left[end..=end]) {
                    (code, "m") => self.style = code.trim_start_matches('[').parse().unwrap_or(0),
                    (_, "K") => self.erase(),
                    _ => {}
                }
                return Some(end + 1);
            }
            '\n' => self.end_line(at),
            '\r' => {}
            letter => self.put(letter, at),
        }
        Some(letter.len_utf8())
    }

    fn put(&mut self, letter: char, at: Duration) {
        if self.width == COLUMNS {
            self.end_line(at);
        }
        self.width += 1;
        match self.spans.last_mut() {
            Some((style, text)) if *style == self.style => text.push(letter),
            _ => self.spans.push((self.style, letter.to_string())),
        }
    }

    fn erase(&mut self) {
        self.spans.clear();
        self.width = 0;
    }

    fn end_line(&mut self, at: Duration) {
        self.lines.push(Line { at, spans: std::mem::take(&mut self.spans) });
        self.width = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(chunks: &[&[u8]]) -> Vec<Vec<(u8, String)>> {
        let mut screen = Screen::default();
        for chunk in chunks {
            screen.take(chunk, Duration::ZERO);
        }
        screen.lines().into_iter().map(|line| line.spans).collect()
    }

    #[test]
    fn colours_are_kept_and_what_was_erased_is_not() {
        let wanted = vec![vec![(0, "a ".to_owned()), (31, "red".to_owned())], Vec::new()];
        assert_eq!(seen(&[b"a \x1b[31mred\x1b[0m\r\n\r\x1b[2K- busy\r\x1b[2K\r\n"]), wanted);
    }

    #[test]
    fn letters_and_sequences_may_come_in_two_halves() {
        assert_eq!(
            seen(&[b"\x1b[3", b"2mgr\xe2\x86", b"\x92\x1b", b"[0m\n"]),
            [[(32, "gr→".to_owned())]]
        );
    }

    #[test]
    fn a_long_line_goes_on_in_the_next() {
        let long = "x".repeat(usize::from(COLUMNS) + 1) + "\n";
        let lines = seen(&[long.as_bytes()]);
        assert_eq!(lines[1], [(0, "x".to_owned())]);
    }
}
