//! Secrets in headers of requests and in addresses.

use std::ops::Range;

use super::assignment::is_placeholder;
use super::look::Look;
use super::search::Secret;

/// The fewest bytes of what a header carries.
const CARRIED_BYTES_MIN: usize = 6;
/// The fewest bytes of what follows the mere word `Bearer`.
const BEARER_BYTES_MIN: usize = 16;

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
