//! One text for every way to write a document down.
//!
//! Compact JSON: no blanks, the keys of every mapping in the order of their bytes, numbers without an exponent and
//! whole ones without a point. So a seal survives a formatter, other line ends and the way from JSON to YAML; and
//! what a later redgreen adds is part of the text, too, whoever reads it.

use std::fmt::{self, Write as _};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use sha2::{Digest as _, Sha256};

/// The SHA-256 of a document without its seal.
pub(super) fn digest<'de, D: Deserializer<'de>>(document: D) -> Result<[u8; 32], D::Error> {
    let mut text = String::new();
    Part { text: &mut text, place: Place::Top }.deserialize(document)?;
    Ok(Sha256::digest(text).into())
}

/// Where a value stands: the seal is `metadata.seal`, and nowhere else.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Top,
    Metadata,
    Seal,
    Elsewhere,
}

impl Place {
    /// Where the value of a key of this mapping stands.
    fn below(self, key: &str) -> Self {
        match (self, key) {
            (Self::Top, "metadata") => Self::Metadata,
            (Self::Metadata, "seal") => Self::Seal,
            _ => Self::Elsewhere,
        }
    }
}

/// A value that is written to the end of the text.
struct Part<'text> {
    text: &'text mut String,
    place: Place,
}

impl Part<'_> {
    fn push(self, shown: impl fmt::Display) {
        // A text takes whatever it is given.
        let _ = write!(self.text, "{shown}");
    }
}

impl<'de> DeserializeSeed<'de> for Part<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Part<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.push(value);
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.push(value);
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.push(value);
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        // As few digits as tell it from all others, and none behind the point of a whole one; there is one zero.
        self.push(value + 0.0);
        Ok(())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        push_quoted(self.text, value)
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.push("null");
        Ok(())
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        self.deserialize(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let text = self.text;
        text.push('[');
        let begin = text.len();
        while items.next_element_seed(Part { text: &mut *text, place: Place::Elsewhere })?.is_some()
        {
            text.push(',');
        }
        if text.len() > begin {
            text.pop();
        }
        text.push(']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let Self { text, place } = self;
        let begin = text.len();
        let mut written: Vec<Field> = Vec::new();
        loop {
            let key = text.len() - begin;
            let Some(below) = fields.next_key_seed(Key { text: &mut *text, place })? else { break };
            if below == Place::Seal {
                text.truncate(begin + key);
                fields.next_value::<IgnoredAny>()?;
                continue;
            }
            let colon = text.len() - begin;
            text.push(':');
            fields.next_value_seed(Part { text: &mut *text, place: below })?;
            written.push(Field { key, colon, end: text.len() - begin });
        }
        let fields = text.split_off(begin);
        sort_into(text, &fields, written).map_err(Error::custom)
    }
}

/// A field of a mapping in the text of all of its fields.
struct Field {
    key: usize,
    colon: usize,
    end: usize,
}

fn sort_into(text: &mut String, fields: &str, mut written: Vec<Field>) -> Result<(), &'static str> {
    let key = |field: &Field| &fields[field.key..field.colon];
    written.sort_by(|left, right| key(left).cmp(key(right)));
    // Which of two counts is for each reader to say: a seal cannot be on both.
    if written.windows(2).any(|pair| key(&pair[0]) == key(&pair[1])) {
        return Err("a key comes twice");
    }
    text.push('{');
    for (number, field) in written.iter().enumerate() {
        if number > 0 {
            text.push(',');
        }
        text.push_str(&fields[field.key..field.end]);
    }
    text.push('}');
    Ok(())
}

/// A key, written to the end of the text; it says where its value stands.
struct Key<'text> {
    text: &'text mut String,
    place: Place,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Place;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<Place, D::Error> {
        key.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Place;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Place, E> {
        push_quoted(self.text, key)?;
        Ok(self.place.below(key))
    }
}

/// A text as JSON has it.
fn push_quoted<E: Error>(text: &mut String, value: &str) -> Result<(), E> {
    let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    if value.bytes().all(is_plain) {
        text.push('"');
        text.push_str(value);
        text.push('"');
    } else {
        text.push_str(&serde_json::to_string(value).map_err(Error::custom)?);
    }
    Ok(())
}
