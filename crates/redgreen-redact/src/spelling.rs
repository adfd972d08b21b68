//! A value as others write it: JSON and the languages escape it, shells quote it, addresses and pages
//! encode it.
//!
//! There is no list of a value's spellings. How it begins is known for each way of writing, so that it can
//! be looked for; from there on it is compared letter by letter, and a letter may be written in any way.

use std::collections::BTreeSet;

use super::look::Look;
use super::words::BYTES_MIN;

/// How many bytes of a value are looked for; the rest is compared.
const BEGINNING_BYTES: usize = 8;
/// The most backslashes that are one letter or stand in front of one: strings within strings have them
/// doubled.
const BACKSLASHES_MAX: usize = 16;
/// The most bytes that tools put in front of a line.
const MARGIN_BYTES_MAX: usize = 12;

/// How a text goes on at a place, compared with a value.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Compared {
    /// As the value does, up to this place.
    Same(usize),
    /// As the value does, for so many of its bytes, up to this place, where something else follows.
    Parts(usize, usize),
    /// The same, where the text ends.
    Ends(usize),
}

/// A way of writing: what it makes of a letter, if that is another.
type Writing = fn(char) -> Option<String>;

/// How values are written.
const WRITINGS: &[Writing] = &[
    |_| None,
    |letter| backslashed(letter, "\"", 1),
    |letter| backslashed(letter, "'", 1),
    |letter| backslashed(letter, "\"", 3),
    |letter| backslashed(letter, " !\"#$&'()*;<>?[]^`{|}", 1),
    |letter| backslashed(letter, "\"$`", 1),
    |letter| backslashed(letter, "/\"", 1),
    |letter| coded_unit(letter).or_else(|| backslashed(letter, "\"", 1)),
    |letter| byte_by_byte(letter).or_else(|| backslashed(letter, "'", 1)),
    |letter| percent(letter, "-_.~"),
    |letter| percent(letter, "-_.~/"),
    |letter| percent(letter, "-_.~!*'()"),
    |letter| if letter == ' ' { Some("+".to_owned()) } else { percent(letter, "-_.~") },
    |letter| entity(letter, "&quot;", "&#x27;"),
    |letter| entity(letter, "&quot;", "&#39;"),
    |letter| entity(letter, "&#34;", "&apos;"),
    |letter| (letter == '\'').then(|| "'\\''".to_owned()),
    |letter| (letter == '\'').then(|| "'\"'\"'".to_owned()),
];

/// How a value begins, however it is written; in small letters, as case is not looked at.
pub(super) fn beginnings(value: &str) -> BTreeSet<Vec<u8>> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if value.bytes().take(BEGINNING_BYTES).all(is_plain) {
        return [value
            .bytes()
            .take(BEGINNING_BYTES)
            .map(|byte| byte.to_ascii_lowercase())
            .collect()]
        .into();
    }
    let written = |writing: &Writing| {
        let letters = value.chars().take(BEGINNING_BYTES);
        let text: String =
            letters.map(|letter| writing(letter).unwrap_or_else(|| letter.to_string())).collect();
        let mut bytes = text.into_bytes();
        // Not beyond a line, which may be all that has come.
        let line =
            bytes.iter().position(|byte| *byte == b'\n').map_or(BEGINNING_BYTES, |end| end + 1);
        bytes.truncate(line.clamp(BYTES_MIN, BEGINNING_BYTES));
        bytes.make_ascii_lowercase();
        bytes
    };
    WRITINGS.iter().map(written).collect()
}

fn backslashed(letter: char, escaped: &str, count: usize) -> Option<String> {
    let backslashes = "\\".repeat(count);
    match letter {
        '\n' => Some(format!("{backslashes}n")),
        '\t' => Some(format!("{backslashes}t")),
        '\\' => Some(format!("{backslashes}\\")),
        _ => escaped.contains(letter).then(|| format!("{backslashes}{letter}")),
    }
}

fn coded_unit(letter: char) -> Option<String> {
    let mut units = [0; 2];
    let units = letter.encode_utf16(&mut units).iter();
    (!letter.is_ascii()).then(|| units.map(|unit| format!("\\u{unit:04x}")).collect())
}

fn byte_by_byte(letter: char) -> Option<String> {
    let mut bytes = [0; 4];
    let bytes = letter.encode_utf8(&mut bytes).bytes();
    (!letter.is_ascii()).then(|| bytes.map(|byte| format!("\\x{byte:02x}")).collect())
}

fn percent(letter: char, kept: &str) -> Option<String> {
    let mut bytes = [0; 4];
    let bytes = letter.encode_utf8(&mut bytes).bytes();
    let is_kept = letter.is_ascii_alphanumeric() || kept.contains(letter);
    (!is_kept).then(|| bytes.map(|byte| format!("%{byte:02x}")).collect())
}

fn entity(letter: char, quote: &str, apostrophe: &str) -> Option<String> {
    let name = match letter {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => quote,
        '\'' => apostrophe,
        _ => return None,
    };
    Some(name.to_owned())
}

/// Compares a text at a place with a value, which may be broken into lines where `wraps`.
pub(super) fn compare(look: &Look<'_>, place: usize, value: &str, wraps: bool) -> Compared {
    if look.starts_with(place, value) {
        return Compared::Same(place + value.len());
    }
    // Most that begins alike is something else, and that soon.
    let same = look.bytes.get(place..).unwrap_or_default().iter().zip(value.as_bytes());
    let same = same.take_while(|(one, other)| one == other && one.is_ascii_alphanumeric()).count();
    let mut at = place + same;
    let letters = value.get(same..).unwrap_or_default().char_indices();
    let mut letters = letters.map(|(place, letter)| (same + place, letter)).peekable();
    while let Some((done, letter)) = letters.next() {
        let next = match letter {
            '\\' => {
                let mut count = 1;
                while letters.next_if(|(_, next)| *next == '\\').is_some() {
                    count += 1;
                }
                let next = letters.peek().map(|(_, next)| *next);
                backslashes(look, at, count, next)
            }
            // What the value itself has is no code for its beginning.
            '%' if value.get(done..).is_some_and(|rest| rest.starts_with("%25")) => {
                look.starts_with(at, "%").then_some(at + 1)
            }
            _ => letter_at(look, at, letter),
        };
        let next = next.or_else(|| {
            let line = if wraps && done > 0 { letter_at(look, at, '\n')? } else { return None };
            letter_at(look, line, letter)
        });
        let Some(next) = next else {
            let is_end = at >= look.bytes.len() || wraps && is_last_line_end(look, at);
            return if is_end { Compared::Ends(done) } else { Compared::Parts(done, at) };
        };
        at = next;
        if let ('\n', Some((_, first))) = (letter, letters.peek()) {
            at = end_of_margin(look, at, *first);
        }
    }
    Compared::Same(at)
}

fn is_last_line_end(look: &Look<'_>, at: usize) -> bool {
    letter_at(look, at, '\n').is_some_and(|next| next >= look.bytes.len())
}

/// Where a line begins with a letter, behind what tools put in front of each line: `E   `, `+`, `> `, `| `.
fn end_of_margin(look: &Look<'_>, place: usize, letter: char) -> usize {
    if letter_at(look, place, letter).is_some() {
        return place;
    }
    let margin = look.first(place).iter().take(MARGIN_BYTES_MAX);
    let most = place + margin.take_while(|byte| b" \t+->|E".contains(byte)).count();
    let begins = |place: &usize| letter_at(look, *place, letter).is_some();
    (place..=most).rev().find(begins).unwrap_or(most)
}

/// The end of a letter, however it is written, if it is at this place.
fn letter_at(look: &Look<'_>, place: usize, letter: char) -> Option<usize> {
    let mut bytes = [0; 4];
    let raw: &str = letter.encode_utf8(&mut bytes);
    let as_it_is = || look.starts_with(place, raw).then_some(place + raw.len());
    if letter.is_ascii_alphanumeric() {
        return as_it_is();
    }
    // The longest first: each of them may begin with the letter itself.
    let written = match look.at(place) {
        b'%' => percent_at(look, place, raw),
        b'\\' => escaped_at(look, place, letter, raw),
        b'&' => entity_at(look, place, letter),
        b'\'' if letter == '\'' => ["'\\''", "'\"'\"'"]
            .iter()
            .find(|quoted| look.starts_with(place, quoted))
            .map(|quoted| place + quoted.len()),
        b'+' if letter == ' ' => Some(place + 1),
        b'\r' if letter == '\n' && look.at(place + 1) == b'\n' => Some(place + 2),
        _ => None,
    };
    written.or_else(as_it_is)
}

fn end_of_backslashes(look: &Look<'_>, place: usize) -> usize {
    let first = look.first(place).iter().take(BACKSLASHES_MAX);
    place + first.take_while(|byte| **byte == b'\\').count()
}

/// So many backslashes in front of a letter, or as many as there are of them in a string, or in one
/// within another.
fn backslashes(look: &Look<'_>, place: usize, count: usize, next: Option<char>) -> Option<usize> {
    let there = end_of_backslashes(look, place) - place;
    let fits = |end: usize| next.is_none_or(|next| letter_at(look, end, next).is_some());
    let mut ends = [4, 2, 1].map(|times| times * count).into_iter().filter(|all| *all <= there);
    let end = ends.find(|all| fits(place + all)).map(|all| place + all);
    end.or_else(|| (0..count).try_fold(place, |place, _| percent_at(look, place, "\\")))
}

fn percent_at(look: &Look<'_>, place: usize, raw: &str) -> Option<usize> {
    raw.bytes().try_fold(place, |place, byte| {
        let is_it = look.at(place) == b'%' && hex_at(look, place + 1, 2) == Some(byte.into());
        is_it.then_some(place + 3)
    })
}

fn escaped_at(look: &Look<'_>, place: usize, letter: char, raw: &str) -> Option<usize> {
    let after = end_of_backslashes(look, place);
    let code = u32::from(letter);
    match (look.at(after), letter) {
        (b'n', '\n') | (b't', '\t') | (b'r', '\r') => Some(after + 1),
        (b'u', _) if hex_at(look, after + 1, 4) == Some(code) => Some(after + 5),
        (b'x', _) if hex_at(look, after + 1, 2) == Some(code) => Some(after + 3),
        (b'u', _) if code > 0xffff => coded_units_at(look, place, letter),
        (b'x', _) if code > 0x7f => bytes_at(look, place, raw),
        _ => look.starts_with(after, raw).then_some(after + raw.len()),
    }
}

fn coded_units_at(look: &Look<'_>, place: usize, letter: char) -> Option<usize> {
    let mut units = [0; 2];
    letter.encode_utf16(&mut units).iter().try_fold(place, |place, unit| {
        let after = end_of_backslashes(look, place);
        let is_it = look.at(after) == b'u' && hex_at(look, after + 1, 4) == Some((*unit).into());
        is_it.then_some(after + 5)
    })
}

fn bytes_at(look: &Look<'_>, place: usize, raw: &str) -> Option<usize> {
    raw.bytes().try_fold(place, |place, byte| {
        let after = end_of_backslashes(look, place);
        let is_it = look.at(after) == b'x' && hex_at(look, after + 1, 2) == Some(byte.into());
        is_it.then_some(after + 3)
    })
}

fn entity_at(look: &Look<'_>, place: usize, letter: char) -> Option<usize> {
    let names = [("&quot;", '"'), ("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>'), ("&apos;", '\'')];
    let mut known = names.iter().filter(|(_, stands_for)| *stands_for == letter);
    if let Some((name, _)) = known.find(|(name, _)| look.begins(place, name)) {
        return Some(place + name.len());
    }
    let code = u32::from(letter);
    let numbers = [format!("&#{code};"), format!("&#x{code:x};"), format!("&#0{code};")];
    let number = numbers.iter().find(|number| look.begins(place, number))?;
    Some(place + number.len())
}

/// The number that so many digits are.
fn hex_at(look: &Look<'_>, place: usize, digits: usize) -> Option<u32> {
    let text = look.bytes.get(place..place + digits)?;
    let text = text.iter().all(u8::is_ascii_hexdigit).then_some(text)?;
    u32::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok()
}
