//! Secrets of which somebody has left out a part.

use std::ops::Range;

use super::look::Look;
use super::search::Secret;

/// How somebody says that text was left out.
const CUTS: &[&str] = &["...", "…", "\n[... ", "\n[… ", "\n[redgreen: "];
/// The fewest digits of the digest of an id that was cut.
const DIGEST_BYTES_MIN: usize = 8;
/// The most bytes between what says so and the end of its line.
const NOTE_BYTES_MAX: usize = 80;
/// The fewest bytes of what is left of a secret that has no sign but its letters.
const REST_BYTES_MIN: usize = 12;

/// Where the mark of a cut ends, if one is here, and whether the text goes on behind it on the same line.
pub(super) fn mark_at(look: &Look<'_>, place: usize) -> Option<(usize, bool)> {
    if is_digest(look, place) {
        return Some((place, false));
    }
    let mark = CUTS.iter().find(|mark| look.starts_with(place, mark))?;
    Some((place + mark.len(), !mark.starts_with('\n')))
}

/// Whether an id was cut here: then a digest of all of it ends it.
fn is_digest(look: &Look<'_>, place: usize) -> bool {
    let digits = look.first(place).iter().skip(1).take_while(|byte| byte.is_ascii_hexdigit());
    look.at(place) == b'#' && digits.count() >= DIGEST_BYTES_MIN
}

/// The end of what is left of a known value, in front of the mark of a cut and behind it.
pub(super) fn end_of_known(look: &Look<'_>, place: usize, value: &str) -> Option<usize> {
    let (after, on_one_line) = mark_at(look, place)?;
    if !on_one_line {
        return Some(place);
    }
    let rests = value.char_indices().skip(1).filter_map(|(start, _)| value.get(start..));
    let rest = rests.filter(|rest| look.starts_with(after, rest)).max_by_key(|rest| rest.len());
    Some(rest.map_or(place, |rest| after + rest.len()))
}

/// Where text goes on behind a line that says that something was left out.
pub(super) fn end_of_note(look: &Look<'_>, place: usize) -> Option<usize> {
    let line = look.first(place).iter().take(NOTE_BYTES_MAX);
    let end = place + line.take_while(|byte| **byte != b'\n').count();
    (look.at(end.wrapping_sub(1)) == b']' && look.at(end) == b'\n').then_some(end + 1)
}

/// What follows on what was left out: it may be the end of a secret, whose beginning is gone.
pub(super) fn rest(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let start = end_of_note(look, hit.end)?;
    if start >= look.bytes.len() {
        look.is_open_from(hit.start);
        return None;
    }
    let is_of_rest = |byte: u8| byte.is_ascii_alphanumeric() || b"_-+=".contains(&byte);
    let first = look.first(start);
    let seen = first.iter().position(|byte| !is_of_rest(*byte)).unwrap_or(first.len());
    let value = first.get(..seen)?;
    let is_made = value.iter().any(u8::is_ascii_digit)
        && value.iter().any(u8::is_ascii_uppercase)
        && value.iter().any(u8::is_ascii_lowercase);
    let is_secret = seen >= REST_BYTES_MIN && is_made;
    is_secret.then(|| Secret { bytes: start..look.end_of(start, is_of_rest), unmarked: false })
}
