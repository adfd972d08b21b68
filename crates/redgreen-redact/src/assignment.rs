//! Values that are given to something whose name says that it is secret.
//!
//! The same words stand in source, where what follows is code, and in settings and logs, where it is the
//! secret itself. What is quoted is a value; what is not is one if no program would be written like that.

use std::ops::Range;

use super::BEGUN;
use super::forms::{FORMS, Find};
use super::known_secrets::{is_common, is_state};
use super::look::Look;
use super::search::Secret;
use super::value_start::{By, ValueStart, in_string};

/// The fewest bytes of a quoted value.
const QUOTED_BYTES_MIN: usize = 8;
/// The fewest bytes of a value in a sentence.
const SAID_BYTES_MIN: usize = 6;
/// The fewest bytes of one that has signs in it, and no digit.
const SIGNS_BYTES_MIN: usize = 8;
/// The fewest bytes of a value in an element.
const ELEMENT_BYTES_MIN: usize = 4;
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

/// `password = value`, `"token": "value"`, `API_KEY=value`, `--secret value`, `<password>value</password>`,
/// `the password is value`.
pub(super) fn value(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let given = ValueStart::after(look, &hit)?;
    let found = match (given.by, look.at(given.start)) {
        (By::Element(next) | By::Attribute(next), _) => element(look, &hit, &given, next)?,
        (_, quote @ (b'"' | b'\'' | b'`')) => quoted(look, &given, quote)?,
        _ => bare(look, &given)?,
    };
    let found = match given.by {
        By::Words => said(look, found)?,
        By::Option if is_other_argument(look, &found) => return None,
        _ => found,
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
    let start = ValueStart::after(look, &hit)?.start;
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
    let is_like_secret = in_string(look, &hit) || text.iter().any(u8::is_ascii_digit);
    if is_like_secret && !is_folder { value(look, hit) } else { None }
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

fn quoted(look: &Look<'_>, given: &ValueStart, quote: u8) -> Option<Range<usize>> {
    let start = given.start + 1;
    let end = look.end_of(start, |byte| byte != quote && byte != b'\n');
    let escaped = look.at(given.start.wrapping_sub(1)) == b'\\' && look.at(end - 1) == b'\\';
    let end = if escaped && end > start { end - 1 } else { end };
    let bytes = end - start;
    let has_digit = look.first(start).iter().take(bytes).any(u8::is_ascii_digit);
    let is_word = given.is_token && !has_digit && bytes < WORD_BYTES_MIN;
    let least = if given.by == By::Words { SAID_BYTES_MIN } else { QUOTED_BYTES_MIN };
    let is_secret = bytes >= least && !is_word && !is_placeholder(look, start..end);
    is_secret.then_some(start..end)
}

/// Whether what follows on an option is another one, or a pair such as `id=name`.
fn is_other_argument(look: &Look<'_>, found: &Range<usize>) -> bool {
    let first = look.first(found.start).get(..found.len()).unwrap_or_default();
    let name = first.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    let is_pair =
        name > 0 && matches!(first.get(name..), Some([b'=', value, ..]) if *value != b'=');
    first.starts_with(b"-") || is_pair
}

/// What a sentence says is a value if it is no word, but for what ends the sentence.
fn said(look: &Look<'_>, found: Range<usize>) -> Option<Range<usize>> {
    let text = look.short(found.clone())?;
    let bytes = text.trim_end_matches(['.', ':', '?']).len();
    is_made_up(&text).then_some(found.start..found.start + bytes)
}

/// Whether a word is none of a language, and no measure, version, path or name of a method either.
fn is_made_up(text: &str) -> bool {
    let text = text.trim_end_matches(['.', ':', '?', '!']);
    let has = |kind: fn(&u8) -> bool| text.as_bytes().iter().any(kind);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let has_signs = text.bytes().any(|byte| b"!#$%^&*+~".contains(&byte));
    let unit = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_measure = unit.len() < text.len()
        && unit.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let version = text.trim_start_matches(['v', 'V']);
    let is_version = version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_place = text.contains('/') && !(has(u8::is_ascii_uppercase) && is_mixed);
    text.len() >= SAID_BYTES_MIN
        && !text.contains(char::is_whitespace)
        && !(is_measure || is_version || is_place || is_common(text))
        && (is_mixed || has_signs && text.len() >= SIGNS_BYTES_MIN)
}

/// The text of an element. Words are one in an element that has a password, and no others.
fn element(
    look: &Look<'_>,
    name: &Range<usize>,
    given: &ValueStart,
    next: &str,
) -> Option<Range<usize>> {
    let first = look.first(given.start);
    let bytes = first.windows(next.len()).position(|window| window == next.as_bytes())?;
    let text = std::str::from_utf8(first.get(..bytes)?).ok()?.trim_end_matches([' ', '\t']);
    let name = look.bytes.get(name.clone())?;
    let is_password = name.get(..4).is_some_and(|it| it.eq_ignore_ascii_case(b"pass"));
    let is_word = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.');
    let is_plain = text.bytes().all(is_word) || text.bytes().all(|byte| byte.is_ascii_digit());
    let is_like_secret = match given.by {
        By::Element(_) if is_password => true,
        By::Element(_) => !is_plain || text.len() >= WORD_BYTES_MIN,
        _ => is_made_up(text),
    };
    let is_secret = is_like_secret
        && text.len() >= ELEMENT_BYTES_MIN
        && !text.contains(|letter: char| letter.is_whitespace() || "<>{}()".contains(letter))
        && !look.begins(given.start, &String::from_utf8_lossy(name))
        && !(is_literal(text) || is_state(text) || stands_for_one(text));
    is_secret.then_some(given.start..given.start + text.len())
}

fn bare(look: &Look<'_>, given: &ValueStart) -> Option<Range<usize>> {
    let is_of_value = |byte: u8| {
        !byte.is_ascii_whitespace()
            && !matches!(
                byte,
                b',' | b';' | b'&' | b'"' | b'\'' | b'`' | b')' | b'}' | b']' | b'>' | b'|' | b'\\'
            )
    };
    // What it is, is recognised by its first bytes.
    let first = look.first(given.start);
    let seen = first.iter().position(|byte| !is_of_value(*byte)).unwrap_or(first.len());
    let is_argument = matches!(look.at(given.start + seen), b')' | b',');
    let is_like_settings = given.tight && !given.colon && !is_argument;
    let is_in_string = given.in_string && is_like_settings;
    let least = if is_in_string { STRING_BYTES_MIN } else { BARE_BYTES_MIN };
    let value = first.get(..seen)?;
    if seen < least || !is_no_code(value, is_like_settings) {
        return None;
    }
    if given.is_of_language && !given.in_string && is_kind(value) {
        return None;
    }
    Some(given.start..look.end_of(given.start + seen, is_of_value))
}

/// What a language calls a kind of token: `NUMBER`, `LeftParen`, `STRING_LITERAL`.
fn is_kind(value: &[u8]) -> bool {
    value.len() < WORD_BYTES_MIN
        && value.first().is_some_and(u8::is_ascii_uppercase)
        && value.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
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
