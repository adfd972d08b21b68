//! The lines that explain one failure, as many as are worth keeping.

/// The most bytes of a block's beginning, and of its end.
const HALF_BYTES: usize = 16 * 1024;

/// Lines that belong together. Of a very long block the beginning and the end stay.
#[derive(Debug, Default)]
pub(super) struct Block {
    head: String,
    tail: String,
    cut: bool,
}

impl Block {
    /// Adds a line.
    pub fn push(&mut self, line: &str) {
        let part = if self.tail.is_empty() && self.head.len() + line.len() < HALF_BYTES {
            &mut self.head
        } else {
            &mut self.tail
        };
        part.push_str(line);
        part.push('\n');
        if self.tail.len() > 4 * HALF_BYTES {
            self.tail = end_of(&self.tail).to_owned();
            self.cut = true;
        }
    }

    /// The text, and an empty block again, which keeps its memory for the next one.
    pub fn take(&mut self) -> String {
        let tail = std::mem::take(&mut self.tail);
        let mut text = self.head.clone();
        if std::mem::take(&mut self.cut) || tail.len() > HALF_BYTES {
            text.push_str("[…]\n");
        }
        text.push_str(end_of(&tail));
        self.head.clear();
        text
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.head.is_empty() && self.tail.is_empty()
    }
}

/// Whole lines from the end.
fn end_of(text: &str) -> &str {
    let from = text.len().saturating_sub(HALF_BYTES);
    if from == 0 {
        return text;
    }
    let line = memchr::memchr(b'\n', text.as_bytes().get(from..).unwrap_or_default());
    line.and_then(|at| text.get(from + at + 1..)).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_and_the_end_stay() {
        let mut block = Block::default();
        for number in 0..100_000 {
            block.push(&format!("line {number}"));
        }
        let text = block.take();
        assert!(text.len() < 2 * HALF_BYTES + 100, "{}", text.len());
        assert!(text.starts_with("line 0\nline 1\n") && text.ends_with("\nline 99999\n"));
        assert!(text.contains("\n[…]\n"), "and the cut is marked");
        assert!(block.is_empty());
        block.push("one");
        assert_eq!(block.take(), "one\n");
    }
}
