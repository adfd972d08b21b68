//! A value of somebody else's document, asked for what it may hold under several names.

use redgreen_model::text::{BLOCK_CHARS, LINE_CHARS, MESSAGE_CHARS, clean_block, clean_line};
use serde_json::Value;

/// A value of a document; nothing is as good as null.
#[derive(Clone, Copy)]
pub(super) struct Node<'a>(pub(super) &'a Value);

static NOTHING: Value = Value::Null;

impl<'a> Node<'a> {
    /// What stands under the first of these names that is there.
    pub(super) fn get(self, names: &[&str]) -> Node<'a> {
        let found = names.iter().find_map(|name| self.0.get(name).filter(|value| !value.is_null()));
        Node(found.unwrap_or(&NOTHING))
    }

    /// The items of a list; a single value is a list of one.
    pub(super) fn items(self) -> impl Iterator<Item = Node<'a>> {
        let items: &[Value] = match self.0 {
            Value::Array(items) => items,
            Value::Null => &[],
            single => std::slice::from_ref(single),
        };
        items.iter().map(Node)
    }

    pub(super) fn is_nothing(self) -> bool {
        self.0.is_null()
    }

    /// A text of several lines, clean and bounded; numbers and truth values are texts, too.
    pub(super) fn block(self) -> Option<String> {
        self.lines_of(MESSAGE_CHARS)
    }

    /// The same for one that may be longer: as long as it is written.
    pub(super) fn long_block(self) -> Option<String> {
        self.lines_of(BLOCK_CHARS)
    }

    fn lines_of(self, chars_max: usize) -> Option<String> {
        let text = self.raw().map(|text| clean_block(text.as_bytes(), chars_max));
        text.filter(|text| has_words(text))
    }

    /// A text of one line, clean and bounded.
    pub(super) fn line(self) -> Option<String> {
        self.raw().map(|text| clean_line(text.trim(), LINE_CHARS)).filter(|text| has_words(text))
    }

    fn raw(self) -> Option<String> {
        match self.0 {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(value) => Some(value.to_string()),
            _ => None,
        }
    }

    /// The lines of a list.
    pub(super) fn lines(self) -> Vec<String> {
        self.items().filter_map(Node::line).collect()
    }

    /// A number, written as one or as a text, with or without a sign for per cent.
    pub(super) fn number(self) -> Option<f64> {
        match self.0 {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().trim_end_matches('%').trim_end().parse().ok(),
            _ => None,
        }
        .filter(|number| number.is_finite())
    }

    /// A number from 0 to 1; more than that is per cent.
    pub(super) fn share(self) -> Option<f64> {
        let number = self.number()?;
        let share = if number > 1.0 { number / 100.0 } else { number };
        Some(share.clamp(0.0, 1.0))
    }

    /// A count.
    pub(super) fn count(self) -> Option<u64> {
        match self.0 {
            Value::Number(number) if number.is_u64() => number.as_u64(),
            _ => {
                let number = self.number().filter(|number| *number >= 0.0)?;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "not negative; a count beyond the range is the largest"
                )]
                Some(number as u64)
            }
        }
    }

    /// A count that fits.
    pub(super) fn small(self) -> Option<u32> {
        self.count().map(|count| u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// A word of an enumeration.
    pub(super) fn word<T: std::str::FromStr>(self) -> Option<T> {
        let word = self.line()?.to_lowercase().replace([' ', '-'], "_");
        word.parse().ok()
    }
}

fn has_words(text: &str) -> bool {
    !text.trim().is_empty()
}
