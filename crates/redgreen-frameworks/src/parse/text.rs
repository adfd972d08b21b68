//! Inputs that are not UTF-8 because another system wrote them.

use std::borrow::Cow;

/// The input as UTF-8 where it begins with the mark of UTF-16, as PowerShell redirects; else as it is.
pub(super) fn decoded(bytes: &[u8]) -> Cow<'_, [u8]> {
    let wide = |order: fn([u8; 2]) -> u16, bytes: &[u8]| {
        let units = bytes.chunks_exact(2).map(|pair| match pair {
            [first, second] => order([*first, *second]),
            _ => 0,
        });
        let text: String = char::decode_utf16(units)
            .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
        Cow::Owned(text.into_bytes())
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => wide(u16::from_le_bytes, rest),
        [0xfe, 0xff, rest @ ..] => wide(u16::from_be_bytes, rest),
        _ => Cow::Borrowed(bytes),
    }
}
