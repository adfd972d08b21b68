//! Secrets that say by their first letters what they are.

use std::ops::Range;

use super::cut;
use super::look::Look;
use super::search::Secret;

/// The fewest bytes of a secret that somebody has cut, in front of the mark of the cut.
const CUT_BYTES_MIN: usize = 4;
/// The fewest bytes of a part of a web token.
const PART_BYTES_MIN: usize = 8;

/// The fewest bytes of what lets in who has the address of a hook.
const HOOK_BYTES_MIN: usize = 20;
/// The digits of the number in front of the token of a bot, and the bytes of the token.
const BOT_DIGITS: std::ops::RangeInclusive<usize> = 8..=10;
const BOT_BYTES_MIN: usize = 33;
/// The bytes of a key that belongs to the id of one.
const AWS_KEY_BYTES: usize = 40;
/// The most bytes between an id and its key.
const AWS_BETWEEN_MAX: usize = 8;

pub(super) fn letters(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

pub(super) fn capitals(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

pub(super) fn hex(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'a'..=b'f')
}

pub(super) fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

pub(super) fn url_safe(byte: u8) -> bool {
    word(byte) || byte == b'-'
}

/// The secret after a beginning in exactly these letters: at least so many bytes of a kind, or fewer
/// where it was cut.
pub(super) fn after(
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

/// The same after letters that end at a place.
pub(super) fn behind(
    look: &Look<'_>,
    end: usize,
    whole: &str,
    kind: fn(u8) -> bool,
    least: usize,
) -> Option<Secret> {
    after(look, (end.checked_sub(whole.len())?, whole), kind, least)
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
    let one_of = |word: &'static str| after(look, (hit.start, word), capitals, 16);
    let id = one_of("AKIA").or_else(|| one_of("ASIA"))?;
    let end = end_of_aws_key(look, id.bytes.end).unwrap_or(id.bytes.end);
    Some(Secret { bytes: id.bytes.start..end, ..id })
}

/// The end of the key that stands next to its id, as in a table or a list.
fn end_of_aws_key(look: &Look<'_>, place: usize) -> Option<usize> {
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || b",:;|\"'`/=".contains(byte);
    let between = look.first(place).iter().take_while(|byte| is_between(byte)).count();
    if between == 0 || between > AWS_BETWEEN_MAX {
        return None;
    }
    let start = place + between;
    let is_of_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'+');
    let first = look.first(start);
    let key = first.get(..first.iter().take_while(|byte| is_of_key(byte)).count())?;
    let has = |kind: fn(&u8) -> bool| key.iter().any(kind);
    let is_made =
        has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    (key.len() == AWS_KEY_BYTES && is_made).then_some(start + key.len())
}

/// The address of a hook: who has it may write.
pub(super) fn webhook(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let is_of_path = |byte: u8| url_safe(byte) || byte == b'/';
    let first = look.first(hit.end);
    let seen = first.iter().position(|byte| !is_of_path(*byte)).unwrap_or(first.len());
    let last = first.get(..seen)?.rsplit(|byte| *byte == b'/').find(|step| !step.is_empty())?;
    let is_secret = last.len() >= HOOK_BYTES_MIN && last.iter().any(u8::is_ascii_digit);
    is_secret.then(|| Secret { bytes: hit.end..look.end_of(hit.end, is_of_path), unmarked: false })
}

/// The same behind `/api/webhooks/`.
pub(super) fn webhook_of_discord(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let is_one = look.starts_with(hit.end.checked_sub("/api/webhooks/".len())?, "/api/webhooks/");
    if is_one { webhook(look, hit) } else { None }
}

/// Two parts, each of its own length.
pub(super) fn sendgrid(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let first = after(look, (hit.start, "SG."), url_safe, 16)?;
    let second = after(look, (first.bytes.end, "."), url_safe, 32)?;
    Some(Secret { bytes: hit.end..second.bytes.end, unmarked: false })
}

/// Those of services have the name of what they are for in front.
pub(super) fn doppler(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let whole = after(look, (hit.start, "dp.st."), url_safe, 1)?;
    let end = match look.at(whole.bytes.end) {
        b'.' => after(look, (whole.bytes.end, "."), letters, 32)?.bytes.end,
        _ if whole.bytes.len() >= 32 => whole.bytes.end,
        _ => return None,
    };
    Some(Secret { bytes: hit.end..end, unmarked: false })
}

/// What follows on the number of a bot.
pub(super) fn telegram(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let before = look.bytes.get(..hit.start).unwrap_or_default();
    let most = BOT_DIGITS.end() + 1;
    let digits = before.iter().rev().take(most).take_while(|byte| byte.is_ascii_digit()).count();
    let found = after(look, (hit.start, ":AA"), url_safe, BOT_BYTES_MIN)?;
    let is_bot = BOT_DIGITS.contains(&digits);
    is_bot.then_some(Secret { bytes: hit.start + 1..found.bytes.end, unmarked: false })
}

/// Three letters stand in front of its mark.
pub(super) fn azure(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let is_of_it = |byte: u8| url_safe(byte) || matches!(byte, b'.' | b'~');
    let before = look.bytes.get(hit.start.checked_sub(3)?..hit.start)?;
    let mark = ["7Q~", "8Q~"].into_iter().find(|mark| look.starts_with(hit.start, mark))?;
    let is_whole = before.iter().all(|byte| is_of_it(*byte));
    after(look, (hit.start, mark), is_of_it, 31).filter(|_| is_whole)
}

pub(super) fn slack(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let kinds = ["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxc-", "xoxd-"];
    let kind = kinds.iter().find(|kind| look.starts_with(hit.start, kind))?;
    let first = look.first(hit.start + kind.len()).iter();
    let is_made = first.take_while(|byte| url_safe(**byte)).any(u8::is_ascii_digit);
    if is_made { after(look, (hit.start, kind), url_safe, 10) } else { None }
}

/// Its beginning is the end of many words: what follows must be made by no person and be no digest.
pub(super) fn openai_old(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let named =
        ["svcacct-", "admin-", "or-v1-"].iter().find(|name| look.starts_with(hit.end, name));
    let start = hit.end + named.map_or(0, |name| name.len());
    let kind: fn(u8) -> bool =
        if named.is_some() { url_safe } else { |byte| byte.is_ascii_alphanumeric() };
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

pub(super) fn pypi(look: &mut Look<'_>, hit: Range<usize>) -> Option<Secret> {
    let found = after(look, (hit.start, "pypi-AgE"), url_safe, 16)?;
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
        look.no_web_token_before = look.end_of(hit.end, url_safe);
    }
    Some(Secret { bytes: hit.end..found?, unmarked: false })
}

fn end_of_web_token(look: &Look<'_>, start: usize) -> Option<usize> {
    let head = look.end_of(start, url_safe);
    if head - start < PART_BYTES_MIN {
        return None;
    }
    if look.at(head) != b'.' {
        return end_of_cut(look, start, head, url_safe);
    }
    let claims = look.end_of(head + 1, url_safe);
    let signature = match look.at(claims) {
        b'.' => look.end_of(claims + 1, url_safe),
        _ => claims,
    };
    let are_claims = look.starts_with(head + 1, "eyJ");
    let is_whole = claims - head > PART_BYTES_MIN && signature > claims + PART_BYTES_MIN;
    if are_claims || is_whole {
        return Some(signature);
    }
    end_of_cut(look, start, head, url_safe)
}
