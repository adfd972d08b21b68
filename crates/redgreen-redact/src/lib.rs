//! Secrets in foreign text, replaced by `[redacted]`.
//!
//! Whoever stores, shows or sends text must not pass on a key that a test or an agent printed. What is
//! before a secret stays, because it helps: `ghp_[redacted]`, `password=[redacted]`. A form of secret is
//! a row in `forms/` with an example and a near miss, and the table tests itself. Values that are known
//! to be secret, such as those of the environment, are found whatever they look like and however they are
//! written; short ones only where their name says what they are.
//!
//! One pass looks for the words with which secrets begin, and only what follows such a word is looked at
//! more closely: ordinary text costs next to nothing, and any text costs time linear in its length.

mod assignment;
mod chance;
mod coding;
mod command;
mod cut;
mod forms;
mod header;
mod key_block;
mod known_search;
mod known_secrets;
mod look;
mod parts;
mod search;
mod spelling;
mod stream;
mod token;
mod value_start;
mod words;

use std::borrow::Cow;

use self::search::{Secret, search};

pub use self::known_secrets::{KnownSecret, Reach, know_secrets, secret_reach};
pub use self::parts::secrets_in;
pub use self::search::unmarked_secrets;
pub use self::stream::Redactor;

/// What stands in the place of a secret.
pub const REDACTED: &str = "[redacted]";
/// What everything that stands in the place of a secret begins with.
const BEGUN: &str = "[redacted";
/// How many bytes are looked at to tell what something is.
const LOOKED_AT: usize = 256;

/// The text without secrets. Doing it twice changes nothing.
pub fn redact(text: &str) -> Cow<'_, str> {
    replaced(text, &search().secrets(text), &plain)
}

/// Like [`redact`], for ids and other texts that are compared: those with different secrets stay
/// different, by a few digits of a digest of each.
pub fn redact_distinct(text: &str) -> Cow<'_, str> {
    replaced(text, &search().secrets(text), &tagged)
}

/// Whether [`redact_distinct`] has taken something out of a text: it is not what a framework calls it.
pub fn is_redacted(text: &str) -> bool {
    text.contains(BEGUN)
}

fn plain(_: &str) -> Cow<'static, str> {
    Cow::Borrowed(REDACTED)
}

fn tagged(value: &str) -> Cow<'static, str> {
    Cow::Owned(format!("{BEGUN}:{:08x}]", small_digest(value.bytes())))
}

/// FNV-1a: small, stable between versions, and nobody gains anything by colliding with themselves.
pub fn small_hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The same, folded: enough to tell apart, too little to tell what it was.
pub fn small_digest(bytes: impl Iterator<Item = u8>) -> u32 {
    let hash = small_hash(bytes);
    u32::try_from((hash >> 32) ^ (hash & 0xffff_ffff)).unwrap_or(0)
}

/// A text with something else in the place of each secret.
fn replaced<'text>(
    text: &'text str,
    secrets: &[Secret],
    instead: &dyn Fn(&str) -> Cow<'static, str>,
) -> Cow<'text, str> {
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for secret in secrets {
        // Whole characters: what is cut in two would not be text.
        let start = text.floor_char_boundary(secret.bytes.start);
        let end = text.ceil_char_boundary(secret.bytes.end);
        out.push_str(text.get(done..start).unwrap_or_default());
        out.push_str(&instead(text.get(start..end).unwrap_or_default()));
        done = end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

#[cfg(test)]
mod known_secrets_tests;
#[cfg(test)]
mod phrase_tests;
#[cfg(test)]
mod tests;
