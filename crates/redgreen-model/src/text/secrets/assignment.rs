//! Values that are given to something whose name says that it is secret.
//!
//! The same words stand in source, where what follows is code, and in settings and logs, where it is the
//! secret itself. What is quoted is a value; what is not is one if no program would be written like that.

use std::ops::Range;

use super::BEGUN;
use super::forms::{FORMS, Find};
use super::look::Look;
use super::search::Secret;

/// The fewest bytes of a quoted value.
const QUOTED_BYTES_MIN: usize = 8;
/// The fewest bytes of a value without quotes.
const BARE_BYTES_MIN: usize = 6;
/// The fewest bytes of a value in a string of several.
const STRING_BYTES_MIN: usize = 4;
/// The most bytes of a password that are looked at to tell it from a folder.
const PWD_BYTES_MAX: usize = 64;
/// The fewest bytes of a signature.
const SIGNATURE_BYTES_MIN: usize = 32;
/// The most bytes of a name that is that of other things, too.
const SIGNATURE_NAME_BYTES: usize = 4;
/// The fewest digits of a value that has nothing else: shorter ones count something.
const DIGITS_MIN: usize = 8;
/// The fewest bytes of a quoted `token` without a digit: shorter ones are words of a language.
const WORD_BYTES_MIN: usize = 16;
/// Longer names with underscores are not those of variables.
const NAME_BYTES_MAX: usize = 20;

/// `password = value`, `"token": "value"`, `API_KEY=value`, `--secret value`.
pub(super) fn value(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let given = Given::after(look, &hit)?;
    let found = match look.at(given.start) {
        quote @ (b'"' | b'\'' | b'`') => quoted(look, &given, quote)?,
        _ => bare(look, &given)?,
    };
    // What says itself what it is, is found for that, and keeps its first letters.
    let is_whole = |secret: Secret| secret.bytes.end == found.end;
    let marked = FORMS.iter().filter(|form| !std::ptr::fn_addr_eq(form.find, value as Find));
    for form in marked {
        if !look.begins(found.start, form.beginning) {
            continue;
        }
        let hit = found.start..found.start + form.beginning.len();
        if (form.find)(look, hit).is_some_and(is_whole) {
            return None;
        }
    }
    Some(Secret { bytes: found, unmarked: true })
}

/// `Pwd=value`: the name of a folder, too.
pub(super) fn pwd(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let before = look.at(hit.start.wrapping_sub(1));
    if before.is_ascii_alphanumeric() {
        return None;
    }
    let start = Given::after(look, &hit)?.start;
    let start = start + usize::from(matches!(look.at(start), b'"' | b'\'' | b'`'));
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b";\"'`".contains(byte);
    let text: Vec<u8> = look
        .first(start)
        .iter()
        .copied()
        .take(PWD_BYTES_MAX)
        .take_while(|byte| !is_end(byte))
        .collect();
    let is_folder = matches!(*text, [b'/' | b'~' | b'.' | b'\\', ..] | [_, b':', ..]);
    let is_told = in_string(look, &hit) || text.iter().any(u8::is_ascii_digit);
    if is_told && !is_folder { value(look, hit) } else { None }
}

/// The signature of an address that lets in who has it: `&sig=value`.
pub(super) fn signature(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    if !b"?&; \t\n\"'`\0".contains(&look.at(hit.start.wrapping_sub(1))) {
        return None;
    }
    let is_of_it = |byte: u8| byte.is_ascii_alphanumeric() || b"%+/=_-".contains(&byte);
    let first = look.first(hit.end);
    let seen = first.iter().position(|byte| !is_of_it(*byte)).unwrap_or(first.len());
    let has = |kind: fn(&u8) -> bool| first.iter().take(seen).any(kind);
    let is_made =
        has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    let is_long = hit.len() > SIGNATURE_NAME_BYTES;
    let is_secret = seen >= SIGNATURE_BYTES_MIN && (is_made || is_long);
    is_secret.then(|| Secret { bytes: hit.end..look.end_of(hit.end, is_of_it), unmarked: true })
}

/// Whether a name is one of several on a line: `Server=db;Pwd=value;`.
fn in_string(look: &Look<'_>, hit: &Range<usize>) -> bool {
    let before = look.bytes.get(..hit.start).unwrap_or_default();
    matches!(before, [.., b';'] | [.., b';', b' '])
}

/// Where a value begins, and how it is given.
pub(super) struct Given {
    pub(super) start: usize,
    /// `NAME=value`, without a blank: no program is laid out like that, but for named arguments.
    tight: bool,
    colon: bool,
    /// The name is `token`, a word of languages, too.
    is_token: bool,
    /// It is one of several on a line.
    in_string: bool,
}

impl Given {
    pub(super) fn after(look: &Look<'_>, hit: &Range<usize>) -> Option<Self> {
        let is_blank = |byte: u8| matches!(byte, b' ' | b'\t');
        let is_closing = |byte: u8| matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b']');
        let name_end = end_of_name(look, hit.end);
        let sign = look.end_of(look.end_of(name_end, is_closing), is_blank);
        let after = match (look.at(sign), look.at(sign + 1)) {
            (b'=', b'=' | b'~') | (b':', b':') => return None,
            (b'=', b'>') | (b':', b'=') => sign + 2,
            (b'=' | b':', _) => sign + 1,
            _ if sign > name_end && is_option(look, hit.start) => sign,
            _ => return None,
        };
        let start = look.end_of(after, is_blank);
        // JSON within a string has its quotes escaped, and Python has letters before them.
        let unescaped = look.end_of(start, |byte| byte == b'\\');
        let prefixed = look.end_of(start, |byte| matches!(byte | 0x20, b'b' | b'r' | b'u' | b'f'));
        let is_quote = |place: usize| matches!(look.at(place), b'"' | b'\'' | b'`');
        let start = match () {
            () if unescaped > start && is_quote(unescaped) => unescaped,
            () if prefixed - start <= 2 && is_quote(prefixed) => prefixed,
            () => start,
        };
        Some(Self {
            tight: sign == name_end && start == after,
            colon: look.at(sign) == b':',
            is_token: look.bytes.get(hit.clone())?.eq_ignore_ascii_case(b"token"),
            in_string: in_string(look, hit),
            start,
        })
    }
}

/// The end of a name that goes on after its telling word: `secret_key`, `password2`.
fn end_of_name(look: &Look<'_>, place: usize) -> usize {
    let joined = place + usize::from(matches!(look.at(place), b'_' | b'-'));
    let end = if look.begins(joined, "key") { joined + 3 } else { place };
    look.end_of(end, |byte| byte.is_ascii_digit())
}

/// Whether a name is that of an option on a command line.
fn is_option(look: &Look<'_>, place: usize) -> bool {
    let before = look.bytes.get(place.saturating_sub(NAME_BYTES_MAX)..place).unwrap_or_default();
    let name = before.iter().rposition(|byte| byte.is_ascii_whitespace()).map_or(0, |at| at + 1);
    before.get(name..).is_some_and(|name| name.starts_with(b"--"))
}

fn quoted(look: &Look<'_>, given: &Given, quote: u8) -> Option<Range<usize>> {
    let start = given.start + 1;
    let end = look.end_of(start, |byte| byte != quote && byte != b'\n');
    let escaped = look.at(given.start.wrapping_sub(1)) == b'\\' && look.at(end - 1) == b'\\';
    let end = if escaped && end > start { end - 1 } else { end };
    let bytes = end - start;
    let has_digit = look.first(start).iter().take(bytes).any(u8::is_ascii_digit);
    let is_word = given.is_token && !has_digit && bytes < WORD_BYTES_MIN;
    let is_secret = bytes >= QUOTED_BYTES_MIN && !is_word && !is_placeholder(look, start..end);
    is_secret.then_some(start..end)
}

fn bare(look: &Look<'_>, given: &Given) -> Option<Range<usize>> {
    let is_of_value = |byte: u8| {
        !byte.is_ascii_whitespace()
            && !matches!(
                byte,
                b',' | b';' | b'&' | b'"' | b'\'' | b'`' | b')' | b'}' | b']' | b'>' | b'|' | b'\\'
            )
    };
    // What it is, is told by its first bytes.
    let first = look.first(given.start);
    let seen = first.iter().position(|byte| !is_of_value(*byte)).unwrap_or(first.len());
    let is_argument = matches!(look.at(given.start + seen), b')' | b',');
    let is_like_settings = given.tight && !given.colon && !is_argument;
    let is_in_string = given.in_string && is_like_settings;
    let least = if is_in_string { STRING_BYTES_MIN } else { BARE_BYTES_MIN };
    if seen < least || !is_no_code(first.get(..seen)?, is_like_settings) {
        return None;
    }
    Some(given.start..look.end_of(given.start + seen, is_of_value))
}

/// Whether what stands without quotes is a value.
fn is_no_code(value: &[u8], is_like_settings: bool) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return true };
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_number =
        value.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b':' | b'-'));
    if value.iter().any(|byte| matches!(byte, b'(' | b'[' | b'{' | b'<'))
        || stands_for_one(text)
        || is_path(text)
        || is_number && (digits < DIGITS_MIN || digits < value.len())
    {
        return false;
    }
    let is_word =
        |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.' | b':' | b'/');
    if value.iter().all(is_word) {
        return is_like_settings && !is_literal(text);
    }
    is_like_settings || !is_variable(text)
}

fn is_path(text: &str) -> bool {
    let is_absolute = text.starts_with('/') && text.get(1..).is_some_and(|rest| rest.contains('/'));
    text.starts_with("./")
        || text.starts_with("../")
        || text.starts_with("~/")
        || text.contains("://")
        || is_absolute && !text.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Words that stand for a value in programs.
fn is_literal(text: &str) -> bool {
    let words = ["true", "false", "null", "nullptr", "None", "this", "undefined", "string"];
    words.contains(&text) || ["String", "required", "optional"].contains(&text)
}

/// A variable, or a field of one: `token2`, `config.v2.api_key`.
fn is_variable(text: &str) -> bool {
    let is_name = |name: &str| {
        name.len() <= NAME_BYTES_MAX
            && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let is_named =
        |word: &str| text.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word));
    let says_so = ["token", "password", "secret", "passwd"].iter().any(|word| is_named(word));
    text.split('.').all(is_name) && (text.contains(['.', '_']) || says_so)
}

/// Whether a value stands for one: `***`, `<token>`, `${TOKEN}`, `{{ token }}`, `xxxx`.
pub(super) fn is_placeholder(look: &Look<'_>, value: Range<usize>) -> bool {
    look.short(value).is_some_and(|value| stands_for_one(&value))
}

pub(super) fn stands_for_one(value: &str) -> bool {
    let first = value.bytes().next().unwrap_or(0);
    let is_of_one = !value.is_empty() && value.bytes().all(|byte| byte == first);
    let is_between = |open: &str, close: &str| value.starts_with(open) && value.ends_with(close);
    is_of_one
        || value.contains(BEGUN)
        || value.contains("-----")
        || is_between("<", ">")
        || is_between("{", "}")
        || is_between("[", "]")
        || is_between("%(", "s")
        || is_between("%", "%")
        || value.starts_with("${")
        || value.contains("***")
        || value.starts_with('$')
            && value.bytes().skip(1).all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
