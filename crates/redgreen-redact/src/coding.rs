//! A value as bytes are written in text: base64 and hexadecimal.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::look::Look;

/// How many bits a letter of base64 has.
const LETTER_BITS: usize = 6;
/// What fills up the last letters of base64, also in addresses.
const FILLINGS: [&str; 2] = ["=", "%3d"];

/// A value in another code.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Coding {
    /// The letters that are the value's own. Others at its edges are made by its neighbours, too.
    pub(super) text: String,
    /// Whether a letter with the value's last bits follows.
    pub(super) goes_on: bool,
}

/// What is the same wherever the value is coded: in base64 also behind other bytes, such as `user:`.
pub(super) fn codings(value: &str) -> Vec<Coding> {
    let digits = |digit: fn(&u8) -> String| value.as_bytes().iter().map(digit).collect::<String>();
    let in_hex = [digits(|byte| format!("{byte:02x}")), digits(|byte| format!("{byte:02X}"))];
    let mut all = Vec::from(in_hex.map(|text| Coding { text, goes_on: false }));
    for before in 0..3 {
        let bytes = [&[0; 3][..before], value.as_bytes()].concat();
        let bits = bytes.len() * 8;
        let own = (before * 8).div_ceil(LETTER_BITS)..bits / LETTER_BITS;
        for coded in [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
            let text = coded.get(own.clone()).unwrap_or_default().to_owned();
            all.push(Coding { text, goes_on: bits % LETTER_BITS > 0 });
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The end of the last letter of a value in base64 and of what fills it up.
pub(super) fn end_of_coded(look: &Look<'_>, place: usize) -> usize {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte);
    let mut end = place + usize::from(is_letter(look.at(place)));
    for _ in 0..2 {
        let filling = FILLINGS.iter().find(|filling| look.begins(end, filling));
        end += filling.map_or(0, |filling| filling.len());
    }
    end
}

/// The fewest letters of text in base64: what is shorter may be so by chance.
const TEXT_BYTES_MIN: usize = 12;

/// The text that a value is in base64: printable, in several lines or not.
pub(super) fn text_in_base64(value: &str) -> Option<String> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(&byte);
    if value.len() < TEXT_BYTES_MIN || !value.bytes().all(is_letter) {
        return None;
    }
    let text = String::from_utf8(decoded(value.as_bytes())?).ok()?;
    let is_text = |letter: char| !letter.is_control() || matches!(letter, '\n' | '\r' | '\t');
    text.chars().all(is_text).then_some(text)
}

/// What somebody has written in base64, where it is plain text.
pub(super) fn plain_text(coded: &[u8]) -> Option<Vec<u8>> {
    decoded(coded).filter(|bytes| bytes.iter().all(|byte| matches!(byte, b' '..=b'~')))
}

fn decoded(coded: &[u8]) -> Option<Vec<u8>> {
    let filled = coded.iter().rev().take_while(|byte| **byte == b'=').count();
    let letters = coded.get(..coded.len() - filled)?;
    STANDARD_NO_PAD.decode(letters).or_else(|_| URL_SAFE_NO_PAD.decode(letters)).ok()
}
