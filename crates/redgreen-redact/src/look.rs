//! A text while it is looked at.

use std::borrow::Cow;
use std::ops::Range;

use super::LOOKED_AT;

/// A text that is looked at. It may be any bytes: logs are.
pub(super) struct Look<'text> {
    pub(super) bytes: &'text [u8],
    /// Up to here there is no beginning of a web token, as was seen from an earlier one.
    pub(super) no_web_token_before: usize,
    /// Where a secret begins that may go on after the end of the text.
    pub(super) open_from: Option<usize>,
}

impl<'text> Look<'text> {
    pub(super) fn new(bytes: &'text [u8]) -> Self {
        Self { bytes, no_web_token_before: 0, open_from: None }
    }

    /// Notes that what begins at a place may go on after the end of the text.
    pub(super) fn is_open_from(&mut self, place: usize) {
        self.open_from = Some(self.open_from.map_or(place, |other| other.min(place)));
    }

    /// The byte at a place, or a zero after the end.
    pub(super) fn at(&self, place: usize) -> u8 {
        self.bytes.get(place).copied().unwrap_or(0)
    }

    /// The first bytes at a place, as many as are looked at. Who looks at all of them, for nothing and
    /// often, is not linear.
    pub(super) fn first(&self, place: usize) -> &'text [u8] {
        let rest = self.bytes.get(place..).unwrap_or_default();
        rest.get(..LOOKED_AT).unwrap_or(rest)
    }

    /// A short text; what is not UTF-8 is replaced. None for what is longer than what is looked at.
    pub(super) fn short(&self, range: Range<usize>) -> Option<Cow<'text, str>> {
        let bytes = self.bytes.get(range).filter(|bytes| bytes.len() <= LOOKED_AT)?;
        Some(String::from_utf8_lossy(bytes))
    }

    pub(super) fn starts_with(&self, place: usize, word: &str) -> bool {
        self.bytes.get(place..).is_some_and(|rest| rest.starts_with(word.as_bytes()))
    }

    /// The same, in capitals or not.
    pub(super) fn begins(&self, place: usize, word: &str) -> bool {
        let found = self.bytes.get(place..place.saturating_add(word.len()));
        found.is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
    }

    /// Whether there is a digit among the first bytes at a place.
    pub(super) fn has_digit(&self, place: usize) -> bool {
        self.first(place).iter().any(u8::is_ascii_digit)
    }

    /// The end of the bytes of a kind that begin at a place.
    pub(super) fn end_of(&self, place: usize, kind: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(place..).unwrap_or_default();
        place + rest.iter().position(|byte| !kind(*byte)).unwrap_or(rest.len())
    }
}
