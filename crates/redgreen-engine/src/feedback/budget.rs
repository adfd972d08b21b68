//! How much a report may take, in tokens.
//!
//! Nobody's tokenizer is in here: each model has another one, and they weigh megabytes. What is counted is an upper
//! bound. Of these very reports, which are full of brackets and numbers, `o200k` and `cl100k` make a token of 2.7 to 3
//! characters; here it is one of 2.5. Beyond ASCII each byte counts as a token: a tokenizer of bytes cannot make more.

/// Half of the ASCII characters that make a token here, times four: 2.5 is 10 / 4.
const ASCII_TENTHS: usize = 4;
/// A report with less room than that says nothing.
const CHARS_MIN: usize = 1_000;

/// At most so many tokens.
pub fn tokens_at_most(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    (ascii * ASCII_TENTHS).div_ceil(10) + (text.len() - ascii)
}

/// The longest text that fits into so many tokens, of those that are made for less and less room in characters.
pub(super) fn fitted(tokens: usize, compose: impl Fn(usize) -> String) -> String {
    let mut room = (tokens * 10 / ASCII_TENTHS).max(CHARS_MIN);
    loop {
        let text = compose(room);
        if room <= CHARS_MIN || tokens_at_most(&text) <= tokens {
            return text;
        }
        room = (room * 9 / 10).max(CHARS_MIN);
    }
}

/// Room in characters that parts take from, one after the other.
pub(super) struct Left(usize);

impl Left {
    /// So much.
    pub(super) fn new(chars: usize) -> Self {
        Self(chars)
    }

    /// A part that is made for at most so much of what is left.
    pub(super) fn take(&mut self, most: usize, part: impl FnOnce(usize) -> String) -> String {
        let text = part(self.0.min(most));
        self.0 = self.0.saturating_sub(text.chars().count());
        text
    }

    /// What is left.
    pub(super) fn chars(&self) -> usize {
        self.0
    }
}

/// The first lines of a text that fit as a whole.
pub(super) fn whole_lines(text: &str, chars: usize) -> &str {
    if text.chars().count() <= chars {
        return text;
    }
    let mut end = 0;
    let mut left = chars;
    for line in text.split_inclusive('\n') {
        let length = line.chars().count();
        if length > left {
            break;
        }
        left -= length;
        end += line.len();
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_above_what_tokenizers_make_of_it() {
        assert_eq!(tokens_at_most("0123456789"), 4);
        assert_eq!(tokens_at_most("日本"), 6, "a byte is a token at most");
        assert_eq!(tokens_at_most(""), 0);
    }

    #[test]
    fn lines_are_whole() {
        assert_eq!(whole_lines("ab\ncd\n", 6), "ab\ncd\n");
        assert_eq!(whole_lines("ab\ncd\n", 5), "ab\n");
        assert_eq!(whole_lines("abc", 2), "");
    }
}
