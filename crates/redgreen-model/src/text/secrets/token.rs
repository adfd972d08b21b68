//! Secrets that say by their first letters what they are.

use std::ops::Range;

use super::cut;
use super::look::Look;
use super::search::Secret;

/// The fewest bytes of a secret that somebody has cut, in front of the mark of the cut.
const CUT_BYTES_MIN: usize = 4;
/// The fewest bytes of a part of a web token.
const PART_BYTES_MIN: usize = 8;

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_url_safe(byte: u8) -> bool {
    is_word(byte) || byte == b'-'
}

/// The secret after a beginning in exactly these letters: at least so many bytes of a kind, or fewer
/// where it was cut.
fn body(
    look: &Look<'_>,
    beginning: (usize, &str),
    kind: fn(u8) -> bool,
    least: usize,
) -> Option<Secret> {
    let (place, word) = beginning;
    if !look.starts_with(place, word) {
        return None;
    }
    let start = place + word.len();
    let end = look.end_of(start, kind);
    let end = if end - start >= least { end } else { end_of_cut(look, start, end, kind)? };
    Some(Secret { bytes: start..end, unmarked: false })
}

/// The end of what is left of a secret in front of the mark of a cut and, where it was cut out of the
/// middle of a line, after it.
fn end_of_cut(look: &Look<'_>, start: usize, end: usize, kind: fn(u8) -> bool) -> Option<usize> {
    let (after, on_one_line) = cut::mark_at(look, end)?;
    if end - start < CUT_BYTES_MIN {
        return None;
    }
    Some(if on_one_line { look.end_of(after, kind) } else { end })
}

pub(super) fn aws(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let kind = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    let one_of = |word: &'static str| body(look, (hit.start, word), kind, 16);
    one_of("AKIA").or_else(|| one_of("ASIA"))
}

pub(super) fn github(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let kinds = ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"];
    let alphanumeric = |byte: u8| byte.is_ascii_alphanumeric();
    kinds.iter().find_map(|kind| body(look, (hit.start, kind), alphanumeric, 30))
}

pub(super) fn github_fine(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    body(look, (hit.start, "github_pat_"), is_word, 22)
}

pub(super) fn gitlab(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    body(look, (hit.start, "glpat-"), is_url_safe, 20)
}

pub(super) fn slack(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let kinds = ["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxc-", "xoxd-"];
    let kind = kinds.iter().find(|kind| look.starts_with(hit.start, kind))?;
    let first = look.first(hit.start + kind.len()).iter();
    let is_made = first.take_while(|byte| is_url_safe(**byte)).any(u8::is_ascii_digit);
    if is_made { body(look, (hit.start, kind), is_url_safe, 10) } else { None }
}

pub(super) fn anthropic(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    body(look, (hit.start, "sk-ant-"), is_url_safe, 20)
}

pub(super) fn openai(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    body(look, (hit.start, "sk-proj-"), is_url_safe, 20)
}

/// Its beginning is the end of many words: what follows must be made by no person and be no digest.
pub(super) fn openai_old(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let named =
        ["svcacct-", "admin-", "or-v1-"].iter().find(|name| look.starts_with(hit.end, name));
    let start = hit.end + named.map_or(0, |name| name.len());
    let kind: fn(u8) -> bool =
        if named.is_some() { is_url_safe } else { |byte| byte.is_ascii_alphanumeric() };
    if !look.starts_with(hit.start, "sk-") {
        return None;
    }
    let first = look.first(start);
    let seen = first.iter().position(|byte| !kind(*byte)).unwrap_or(first.len());
    let value = first.get(..seen)?;
    let is_made = value.iter().any(u8::is_ascii_digit)
        && (named.is_some()
            || value.iter().any(u8::is_ascii_uppercase)
                && value.iter().any(u8::is_ascii_lowercase));
    (seen >= 32 && is_made)
        .then(|| Secret { bytes: hit.end..look.end_of(start, kind), unmarked: false })
}

pub(super) fn google(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    body(look, (hit.start, "AIza"), is_url_safe, 30)
}

pub(super) fn stripe(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let kinds = ["sk_live_", "sk_test_", "rk_live_"];
    let alphanumeric = |byte: u8| byte.is_ascii_alphanumeric();
    kinds.iter().find_map(|kind| body(look, (hit.start, kind), alphanumeric, 16))
}

pub(super) fn npm(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    body(look, (hit.start, "npm_"), |byte| byte.is_ascii_alphanumeric(), 30)
}

pub(super) fn pypi(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let found = body(look, (hit.start, "pypi-AgE"), is_url_safe, 16)?;
    Some(Secret { bytes: hit.end..found.bytes.end, ..found })
}

/// A JSON web token: two or three parts, where the second of two is JSON as well.
pub(super) fn web_token(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    if !look.starts_with(hit.start, "eyJ") || hit.start < look.no_web_token_before {
        return None;
    }
    let found = end_of_web_token(look, hit.end);
    if found.is_none() {
        // The next beginning in the same part would come to the same end.
        look.no_web_token_before = look.end_of(hit.end, is_url_safe);
    }
    Some(Secret { bytes: hit.end..found?, unmarked: false })
}

fn end_of_web_token(look: &Look<'_>, start: usize) -> Option<usize> {
    let head = look.end_of(start, is_url_safe);
    if head - start < PART_BYTES_MIN {
        return None;
    }
    if look.at(head) != b'.' {
        return end_of_cut(look, start, head, is_url_safe);
    }
    let claims = look.end_of(head + 1, is_url_safe);
    let signature = match look.at(claims) {
        b'.' => look.end_of(claims + 1, is_url_safe),
        _ => claims,
    };
    let are_claims = look.starts_with(head + 1, "eyJ");
    let is_whole = claims - head > PART_BYTES_MIN && signature > claims + PART_BYTES_MIN;
    if are_claims || is_whole {
        return Some(signature);
    }
    end_of_cut(look, start, head, is_url_safe)
}
