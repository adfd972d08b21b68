//! Secrets in headers of requests and in addresses.

use std::ops::Range;

use super::assignment::{is_placeholder, stands_for_one};
use super::coding::plain_text;
use super::look::Look;
use super::search::Secret;

/// The fewest bytes of what a header carries.
const CARRIED_BYTES_MIN: usize = 6;
/// The fewest bytes of what follows the mere word `Bearer`.
const BEARER_BYTES_MIN: usize = 16;

/// The fewest bytes of `user:password` in base64.
const BASIC_BYTES_MIN: usize = 8;
/// The fewest bytes of a cookie's value.
const COOKIE_BYTES_MIN: usize = 6;

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`' | b'\\')
}

/// What a header carries: to the end of the word, whatever it is made of.
fn is_carried(byte: u8) -> bool {
    !byte.is_ascii_whitespace()
        && !is_quote(byte)
        && !matches!(byte, b',' | b';' | b')' | b'}' | b']')
}

/// `Authorization: Bearer …`, `"authorization": "Basic …"`, and those without a scheme.
pub(super) fn authorization(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let named = look.end_of(hit.end, |byte| is_quote(byte) || is_blank(byte));
    if !matches!(look.at(named), b':' | b'=') {
        return None;
    }
    let start = look.end_of(named + 1, |byte| is_quote(byte) || is_blank(byte));
    let scheme = look.end_of(start, |byte| byte.is_ascii_alphabetic());
    let value = look.end_of(scheme, is_blank);
    let has_scheme = scheme > start && value > scheme;
    carried(look, if has_scheme { value } else { start }, CARRIED_BYTES_MIN, !has_scheme)
}

/// `Bearer …` without the name of its header.
pub(super) fn bearer(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    carried(look, look.end_of(hit.end, is_blank), BEARER_BYTES_MIN, true)
}

/// `Basic …` without the name of its header, `"auth": "…"`: a user and a password in base64.
pub(super) fn basic(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let is_coded = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(&byte);
    let start = look.end_of(hit.end, |byte| is_blank(byte) || is_quote(byte));
    let coded = look.first(start);
    let seen = coded.iter().position(|byte| !is_coded(*byte)).unwrap_or(coded.len());
    let named = plain_text(coded.get(..seen)?)?;
    let is_secret = seen >= BASIC_BYTES_MIN && named.contains(&b':');
    is_secret.then(|| Secret { bytes: start..look.end_of(start, is_coded), unmarked: true })
}

/// `Cookie: name=value; other=value` from its first value on; of `Set-Cookie` the value alone.
pub(super) fn cookie(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let named = look.end_of(hit.end, |byte| is_quote(byte) || is_blank(byte) || byte == b']');
    if !matches!(look.at(named), b':' | b'=') {
        return None;
    }
    let is_open = |byte: u8| is_quote(byte) || is_blank(byte) || byte == b'[';
    let name = look.end_of(named + 1, is_open);
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let name_end = look.end_of(name, is_of_name);
    if name_end == name || look.at(name_end) != b'=' {
        return None;
    }
    let start = name_end + 1;
    let is_set = look.begins(hit.start.saturating_sub(4), "set-");
    let is_of_line = |byte: u8| byte != b'\n' && byte != b'\r' && !is_quote(byte);
    let is_of_value =
        |byte: u8| is_of_line(byte) && !(is_set && (byte == b';' || byte.is_ascii_whitespace()));
    let end = look.end_of(start, is_of_value);
    let values = look.short(start..end).map(|values| values.into_owned());
    let is_telling = values.is_none_or(|values| {
        let mut each = values.split(';').map(|pair| pair.split_once('=').map_or(pair, |it| it.1));
        each.any(|value| value.len() >= COOKIE_BYTES_MIN && !stands_for_one(value))
    });
    is_telling.then_some(Secret { bytes: start..end, unmarked: true })
}

fn carried(look: &Look<'_>, start: usize, least: usize, needs_digit: bool) -> Option<Secret> {
    if needs_digit && !look.has_digit(start) {
        return None;
    }
    let end = look.end_of(start, is_carried);
    let has_digit = look.first(start).iter().take(end - start).any(u8::is_ascii_digit);
    let is_secret =
        end - start >= least && (has_digit || !needs_digit) && !is_placeholder(look, start..end);
    is_secret.then_some(Secret { bytes: start..end, unmarked: true })
}

/// The password of `scheme://user:password@host`.
pub(super) fn url(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let is_of_authority = |byte: u8| {
        !byte.is_ascii_whitespace()
            && !matches!(byte, b'/' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
    };
    let end = look.end_of(hit.end, is_of_authority);
    let authority = look.bytes.get(hit.end..end)?;
    let at = authority.iter().rposition(|byte| *byte == b'@')?;
    let colon = authority.get(..at)?.iter().position(|byte| *byte == b':')?;
    let value = hit.end + colon + 1..hit.end + at;
    let is_secret = !value.is_empty() && !is_placeholder(look, value.clone());
    is_secret.then_some(Secret { bytes: value, unmarked: true })
}
