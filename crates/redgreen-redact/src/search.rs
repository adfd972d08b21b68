//! One pass over a text, and what is found in it.

use std::ops::Range;
use std::sync::LazyLock;

use super::forms::{FORMS, Find};
use super::known_search::KnownSecrets;
use super::known_secrets::{self, KnownSecret};
use super::look::Look;
use super::words::Words;
use super::{LOOKED_AT, cut};

/// How many values are looked for once more in the text that they were given in.
const REPEATED_MAX: usize = 32;
/// The fewest bytes of a value that is looked for once more: shorter ones may be words.
const REPEATED_BYTES_MIN: usize = 8;

/// The search of this process.
static SEARCH: LazyLock<Search> = LazyLock::new(|| Search::new(known_secrets::all()));

/// The search of this process.
pub(super) fn search() -> &'static Search {
    &SEARCH
}

/// The values in a text that only what stands around them tells: nobody knows them elsewhere. What is known
/// already is not looked for, so that this can be asked to know more.
pub fn unmarked_secrets(text: &str) -> Vec<String> {
    let found = Search::new(Vec::new()).secrets(text).into_iter().filter(|secret| secret.unmarked);
    let values = found.filter_map(|secret| text.get(secret.bytes));
    values.filter(|value| is_telling(value.as_bytes())).map(str::to_owned).collect()
}

/// Where a secret is.
#[derive(Debug)]
pub(super) struct Secret {
    pub(super) bytes: Range<usize>,
    /// Its value has no sign of its own by which it is known elsewhere.
    pub(super) unmarked: bool,
}

/// Looks for secrets.
pub(super) struct Search {
    /// The words with which secrets begin: first those of [`FORMS`], then those of known values.
    beginnings: Words,
    /// Values that are secret whatever they look like.
    known: KnownSecrets,
}

impl Search {
    pub(super) fn new(known: Vec<KnownSecret>) -> Self {
        let known = KnownSecrets::new(known);
        let forms = FORMS.iter().map(|form| form.beginning.as_bytes());
        Self { beginnings: Words::new(forms.chain(known.beginnings()), true), known }
    }

    /// The secrets of a text, in order, none within another.
    pub(super) fn secrets(&self, text: impl AsRef<[u8]>) -> Vec<Secret> {
        self.look_through(&mut Look::new(text.as_ref()))
    }

    /// The same, for who wants to know more of what was seen.
    pub(super) fn look_through(&self, look: &mut Look<'_>) -> Vec<Secret> {
        let mut found: Vec<Secret> = Vec::new();
        let mut from = 0;
        while let Some(place) = self.beginnings.next(look.bytes, from) {
            from = place + 1;
            let Some(secret) = self.secret_at(look, place) else { continue };
            from = secret.bytes.end.max(from);
            found.push(secret);
        }
        with_repeated(look.bytes, found)
    }

    /// The secret that begins at a place or is recognised by what begins there: a known value first, of several
    /// the longest.
    fn secret_at(&self, look: &mut Look<'_>, place: usize) -> Option<Secret> {
        let (mut form, mut known) = (None, None::<Secret>);
        for word in self.beginnings.at(look.bytes, place) {
            let Some(beginning) = word.checked_sub(FORMS.len()) else {
                form = form.or(FORMS.get(word));
                continue;
            };
            let other = self.known.find(look, place, beginning);
            let ends = |secret: &Option<Secret>| secret.as_ref().map(|secret| secret.bytes.end);
            known = if ends(&other) > ends(&known) { other } else { known };
        }
        if known.is_some() {
            return known;
        }
        let form = form?;
        let hit = place..place + form.beginning.len();
        (form.find)(look, hit.clone()).or_else(|| {
            let is_note = std::ptr::fn_addr_eq(form.find, cut::rest as Find);
            self.known.rest_at(look, cut::end_of_note(look, hit.end).filter(|_| is_note)?)
        })
    }
}

/// The secrets, and their values where they stand alone elsewhere in the text.
fn with_repeated(text: &[u8], mut found: Vec<Secret>) -> Vec<Secret> {
    let unmarked = found.iter().filter(|secret| secret.unmarked);
    let values: Vec<&[u8]> = unmarked
        .filter_map(|secret| text.get(secret.bytes.clone()))
        .filter(|value| is_telling(value))
        .take(REPEATED_MAX)
        .collect();
    if values.is_empty() {
        return found;
    }
    let again = Words::new(values.iter(), false);
    let mut more = Vec::new();
    let mut known = found.iter().peekable();
    let mut from = 0;
    while let Some(start) = again.next(text, from) {
        let longest = again.at(text, start).next().and_then(|word| values.get(word));
        let end = start + longest.map_or(1, |value| value.len());
        while known.next_if(|secret| secret.bytes.end <= start).is_some() {}
        from = match known.peek() {
            Some(secret) if secret.bytes.start < end => secret.bytes.end,
            _ => {
                more.push(Secret { bytes: start..end, unmarked: true });
                end
            }
        };
    }
    found.append(&mut more);
    found.sort_unstable_by_key(|secret| secret.bytes.start);
    found
}

/// Whether a value is none that a text says by chance.
fn is_telling(value: &[u8]) -> bool {
    (REPEATED_BYTES_MIN..=LOOKED_AT).contains(&value.len())
        && value.iter().any(u8::is_ascii_digit)
        && value.iter().any(u8::is_ascii_alphabetic)
}
