//! Known values as they are looked for.

use super::coding::{codings, end_of_coded};
use super::known_secrets::{KnownSecret, Reach, VALUE_BYTES_MIN, secret_reach};
use super::look::Look;
use super::search::Secret;
use super::spelling::{Compared, beginnings, compare};
use super::value_start::ValueStart;
use super::{BEGUN, cut, key_block};

/// The fewest bytes of a value's part that is known for one where the value was cut.
const PART_BYTES_MIN: usize = 8;
/// The fewest bytes of one that may be words.
const WORDS_BYTES_MIN: usize = 16;
/// The fewest bytes of a line of a key.
const KEY_LINE_BYTES_MIN: usize = 16;
/// What a line of a value is taken for that tells nothing by itself.
const LINE_NAME: &str = "password";

/// Something to look for.
struct SearchTerm {
    text: String,
    how: How,
}

/// How something is recognised.
enum How {
    /// By its letters.
    Plain,
    /// By its letters, where it stands alone.
    Word,
    /// By its letters, which are a code of its own; whether its last letter follows.
    Coded(bool),
    /// By the name that it stands behind.
    Behind(String),
}

/// Known values, in every way in which they are looked for.
pub(super) struct KnownSecrets {
    sought: Vec<SearchTerm>,
    /// How they begin, in small letters, each with the one that it is the beginning of.
    beginnings: Vec<(Vec<u8>, usize)>,
}

impl KnownSecrets {
    pub(super) fn new(secrets: Vec<KnownSecret>) -> Self {
        let mut known = Self { sought: Vec::new(), beginnings: Vec::new() };
        for KnownSecret { name, value, reach } in secrets {
            if value.contains(BEGUN) {
                continue;
            }
            match reach {
                Reach::BehindItsName => known.seek(value, How::Behind(name)),
                Reach::AsWord => known.seek(value, How::Word),
                Reach::Anywhere => known.seek_anywhere(value),
            }
        }
        known
    }

    fn seek_anywhere(&mut self, value: String) {
        if value.len() < VALUE_BYTES_MIN {
            return;
        }
        for line in value.lines().map(str::trim).filter(|line| line.len() < value.len()) {
            if tells(line) {
                self.seek(line.to_owned(), How::Plain);
            }
        }
        for coding in codings(&value) {
            self.seek(coding.text, How::Coded(coding.goes_on));
        }
        self.seek(value, How::Plain);
    }

    fn seek(&mut self, text: String, how: How) {
        let begin = match &how {
            How::Behind(name) => [name.to_ascii_lowercase().into_bytes()].into(),
            _ => beginnings(&text),
        };
        let index = self.sought.len();
        self.beginnings.extend(begin.into_iter().map(|beginning| (beginning, index)));
        self.sought.push(SearchTerm { text, how });
    }

    /// How the values begin.
    pub(super) fn beginnings(&self) -> impl Iterator<Item = &[u8]> {
        self.beginnings.iter().map(|(beginning, _)| beginning.as_slice())
    }

    /// The value that a beginning at a place is the beginning of.
    pub(super) fn find(
        &self,
        look: &mut Look<'_>,
        place: usize,
        beginning: usize,
    ) -> Option<Secret> {
        let (text, index) = self.beginnings.get(beginning)?;
        let sought = self.sought.get(*index)?;
        let bytes = match &sought.how {
            How::Plain => {
                let compared = compare(look, place, &sought.text, false);
                place..end_of(look, place, &sought.text, compared)?
            }
            How::Coded(goes_on) => {
                let compared = compare(look, place, &sought.text, true);
                let is_whole = matches!(compared, Compared::Same(_));
                let end = end_of(look, place, &sought.text, compared)?;
                place..if is_whole && *goes_on { end_of_coded(look, end) } else { end }
            }
            How::Word => place..word_at(look, place, &sought.text)?,
            How::Behind(_) => behind(look, place..place + text.len(), &sought.text)?,
        };
        Some(Secret { bytes, unmarked: false })
    }

    /// What is left of a value whose beginning was cut off.
    pub(super) fn rest_at(&self, look: &Look<'_>, place: usize) -> Option<Secret> {
        let first = look.at(place);
        let plain = self.sought.iter().filter(|sought| matches!(sought.how, How::Plain));
        let rests = plain.flat_map(|sought| {
            let starts = sought.text.char_indices().skip(1).map(|(start, _)| start);
            starts.filter_map(|start| sought.text.get(start..))
        });
        let is_here = |rest: &&str| {
            rest.as_bytes().first() == Some(&first)
                && rest.len() >= PART_BYTES_MIN
                && look.starts_with(place, rest)
        };
        let rest = rests.filter(is_here).max_by_key(|rest| rest.len())?;
        Some(Secret { bytes: place..place + rest.len(), unmarked: false })
    }
}

/// Whether a line of a value is one that no other text has by chance.
fn tells(line: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| line.as_bytes().iter().any(kind);
    let is_of_key = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    // Such a line may begin with a slash, and is no path.
    let is_of_key = line.len() >= KEY_LINE_BYTES_MIN
        && line.bytes().all(is_of_key)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase);
    let is_secret = secret_reach(LINE_NAME, line) == Some(Reach::Anywhere)
        && (has(u8::is_ascii_digit) || !line.contains(' '));
    !line.contains("-----") && !key_block::is_header(line) && (is_of_key || is_secret)
}

/// The end of a value, or of what is left of it in front of a cut or at the end of the text. If it may go
/// on after that, this is noted.
fn end_of(look: &mut Look<'_>, place: usize, value: &str, compared: Compared) -> Option<usize> {
    match compared {
        Compared::Same(end) => Some(end),
        Compared::Parts(done, at) if done >= PART_BYTES_MIN => cut::end_of_known(look, at, value),
        Compared::Parts(..) => None,
        Compared::Ends(done) => {
            look.is_open_from(place);
            let part = value.get(..done)?;
            let has = |kind: fn(&u8) -> bool| part.as_bytes().iter().any(kind);
            let is_made = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
            let is_enough = done >= WORDS_BYTES_MIN || done >= PART_BYTES_MIN && is_made;
            is_enough.then_some(look.bytes.len())
        }
    }
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn word_at(look: &Look<'_>, place: usize, value: &str) -> Option<usize> {
    let Compared::Same(end) = compare(look, place, value, false) else { return None };
    let stands_alone = !is_of_word(look.at(place.wrapping_sub(1))) && !is_of_word(look.at(end));
    stands_alone.then_some(end)
}

/// The value that stands behind its name.
fn behind(
    look: &Look<'_>,
    name: std::ops::Range<usize>,
    value: &str,
) -> Option<std::ops::Range<usize>> {
    if is_of_word(look.at(name.start.wrapping_sub(1))) {
        return None;
    }
    let given = ValueStart::after(look, &name)?;
    let is_quote = matches!(look.at(given.start), b'"' | b'\'' | b'`');
    let places = [Some(given.start), is_quote.then_some(given.start + 1)];
    places.into_iter().flatten().find_map(|start| {
        let Compared::Same(end) = compare(look, start, value, false) else { return None };
        (!is_of_word(look.at(end))).then_some(start..end)
    })
}
