//! Where a value begins behind its name, and how it is given.

use std::ops::Range;

use super::look::Look;

/// The most bytes in front of a name that are looked at for what it is the name of.
const BEFORE_BYTES_MAX: usize = 64;
/// Longer options are none.
const OPTION_BYTES_MAX: usize = 20;
/// What says in a sentence what something is.
const SAYING: [&str; 2] = ["is", "was"];
/// How an element's name ends, and how the next element begins.
const ELEMENTS: [(&str, &str, &str); 2] = [("<", ">", "</"), ("&lt;", "&gt;", "&lt;/")];

/// A value that is given to a name.
pub(super) struct ValueStart {
    pub(super) start: usize,
    /// `NAME=value`, without a blank: no program is laid out like that, but for named arguments.
    pub(super) tight: bool,
    pub(super) colon: bool,
    /// The name is `token`, a word of languages, too.
    pub(super) is_token: bool,
    /// The name is that word and nothing else, as what reads a language calls what it reads.
    pub(super) is_of_language: bool,
    /// It is one of several on a line.
    pub(super) in_string: bool,
    pub(super) by: By,
}

/// By what a value is given.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// A sign: `name = value`, `name: value`.
    Sign,
    /// An option: `--name value`, `'--name', 'value'`.
    Option,
    /// A sentence: `the name is value`; or by `name="name" value="value"`. Others follow there, too.
    Words,
    /// An element: `<name>value</name>`, up to what the next one begins with.
    Element(&'static str),
    /// The attribute of one: `<x y="name">value</x>`.
    Attribute(&'static str),
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

impl ValueStart {
    pub(super) fn after(look: &Look<'_>, hit: &Range<usize>) -> Option<Self> {
        let is_closing = |byte: u8| is_quote(byte) || matches!(byte, b'\\' | b']');
        let name_end = end_of_name(look, hit.end);
        let closed = look.end_of(name_end, is_closing);
        let sign = look.end_of(closed, is_blank);
        let (after, by) = match (look.at(sign), look.at(sign + 1)) {
            (b'=', b'=' | b'~') | (b':', b':') => return None,
            (b'=', b'>') | (b':', b'=') => (sign + 2, By::Sign),
            (b'=' | b':', _) => (sign + 1, By::Sign),
            (b',', _) if closed > name_end && is_option(look, hit.start) => (sign + 1, By::Option),
            _ if sign > name_end && is_option(look, hit.start) => (sign, By::Option),
            _ => otherwise(look, hit.start, name_end..closed, sign)?,
        };
        let start = look.end_of(after, is_blank);
        // JSON within a string has its quotes escaped, and Python has letters before them.
        let unescaped = look.end_of(start, |byte| byte == b'\\');
        let prefixed = look.end_of(start, |byte| matches!(byte | 0x20, b'b' | b'r' | b'u' | b'f'));
        let start = match () {
            () if unescaped > start && is_quote(look.at(unescaped)) => unescaped,
            () if prefixed - start <= 2 && is_quote(look.at(prefixed)) => prefixed,
            () => start,
        };
        let name = look.bytes.get(hit.clone())?;
        let before = look.at(hit.start.wrapping_sub(1));
        let is_alone = !before.is_ascii_alphanumeric() && !b"_-".contains(&before);
        Some(Self {
            tight: sign == name_end && start == after,
            colon: look.at(sign) == b':',
            is_token: name.eq_ignore_ascii_case(b"token"),
            is_of_language: is_alone && matches!(name, b"token" | b"Token"),
            in_string: in_string(look, hit),
            start,
            by,
        })
    }
}

/// Whether a name is one of several on a line: `Server=db;Pwd=value;`.
pub(super) fn in_string(look: &Look<'_>, hit: &Range<usize>) -> bool {
    let before = look.bytes.get(..hit.start).unwrap_or_default();
    matches!(before, [.., b';'] | [.., b';', b' '])
}

/// The end of a name that goes on after its telling word: `secret_key`, `password2`, `secret key`.
fn end_of_name(look: &Look<'_>, place: usize) -> usize {
    let joined = place + usize::from(matches!(look.at(place), b'_' | b'-' | b' '));
    let end = if look.begins(joined, "key") { joined + 3 } else { place };
    look.end_of(end, |byte| byte.is_ascii_digit())
}

/// Whether a name is that of an option on a command line or in a list of arguments.
fn is_option(look: &Look<'_>, place: usize) -> bool {
    let before = look.bytes.get(place.saturating_sub(OPTION_BYTES_MAX)..place).unwrap_or_default();
    let is_edge = |byte: &u8| byte.is_ascii_whitespace() || is_quote(*byte);
    let name = before.iter().rposition(is_edge).map_or(0, |at| at + 1);
    before.get(name..).is_some_and(|name| name.starts_with(b"-"))
}

/// Where a value is given without a sign, and how.
fn otherwise(
    look: &Look<'_>,
    name: usize,
    closing: Range<usize>,
    sign: usize,
) -> Option<(usize, By)> {
    if let Some(after) = end_of_saying(look, sign).filter(|_| sign > closing.end) {
        return Some((after, By::Words));
    }
    if let Some(after) = end_of_value_name(look, sign).filter(|_| !closing.is_empty()) {
        return Some((after, By::Words));
    }
    ELEMENTS.into_iter().find_map(|(open, close, next)| {
        let is_closed = look.starts_with(closing.end, close);
        if is_closed && !closing.is_empty() {
            let by = By::Attribute(next);
            return is_in_element(look, name, open).then_some((closing.end + close.len(), by));
        }
        let is_its_name = closing.is_empty() && is_name_of_element(look, name, open);
        let after = match is_closed {
            _ if !is_its_name => return None,
            true => closing.end + close.len(),
            false => end_of_attributes(look, sign, close)?,
        };
        Some((after, By::Element(next)))
    })
}

/// Behind the attributes of an element.
fn end_of_attributes(look: &Look<'_>, place: usize, close: &str) -> Option<usize> {
    let first = look.first(place);
    let bytes = first.windows(close.len()).position(|window| window == close.as_bytes())?;
    let are_attributes = !first.get(..bytes)?.iter().any(|byte| b"<\n".contains(byte));
    (are_attributes && first.get(..bytes)?.contains(&b'=')).then_some(place + bytes + close.len())
}

/// Behind `is` in a sentence.
fn end_of_saying(look: &Look<'_>, place: usize) -> Option<usize> {
    let word = SAYING.iter().find(|word| look.begins(place, word))?;
    let end = place + word.len();
    let colon = end + usize::from(look.at(end) == b':');
    is_blank(look.at(colon)).then_some(colon)
}

/// Behind the name of the value of something that was named: `name="x" value=`, `"name": "x", "value":`.
fn end_of_value_name(look: &Look<'_>, place: usize) -> Option<usize> {
    let is_between = |byte: u8| is_blank(byte) || byte == b',' || byte == b'\\';
    let start = look.end_of(place, is_between);
    let start = start + usize::from(is_quote(look.at(start)));
    let end = look.begins(start, "value").then_some(start + "value".len())?;
    let sign = look.end_of(end, |byte| is_quote(byte) || byte == b'\\');
    let is_given = matches!(look.at(sign), b'=' | b':');
    is_given.then_some(sign + 1)
}

/// Whether a word is in the name of an element: `<db:password`.
fn is_name_of_element(look: &Look<'_>, word: usize, open: &str) -> bool {
    let before = look.bytes.get(word.saturating_sub(BEFORE_BYTES_MAX)..word).unwrap_or_default();
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(byte);
    let start = before.iter().rposition(|byte| !is_of_name(byte)).map_or(0, |at| at + 1);
    before.get(..start).is_some_and(|before| before.ends_with(open.as_bytes()))
}

/// Whether a word is in what an element begins with: behind `<`, and nothing ends in between.
fn is_in_element(look: &Look<'_>, word: usize, open: &str) -> bool {
    let before = look.bytes.get(word.saturating_sub(BEFORE_BYTES_MAX)..word).unwrap_or_default();
    let begun = before.windows(open.len()).rposition(|window| window == open.as_bytes());
    let within = begun.and_then(|begun| before.get(begun + open.len()..));
    within.is_some_and(|within| !within.iter().any(|byte| b">\n".contains(byte)))
}
