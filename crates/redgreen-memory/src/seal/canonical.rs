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
    let mut sheet = Sheet::default();
    Part { sheet: &mut sheet, position: ValuePosition::Top }.deserialize(document)?;
    Ok(Sha256::digest(sheet.text).into())
}

/// What is written on. A record has hundreds of mappings, and there may be many records: so nothing is made anew for
/// each of them.
#[derive(Default)]
struct Sheet {
    text: String,
    /// The fields of the mappings that are not at their end yet, the innermost last.
    fields: Vec<Field>,
    /// Holds the fields of one mapping while they are put in order.
    aside: String,
}

/// Where a field begins in the text, where its key ends, and where it ends itself.
struct Field {
    begin: usize,
    colon: usize,
    end: usize,
}

impl Sheet {
    /// Puts the fields of a mapping in order: all that were written since there were so many.
    fn sort_fields(&mut self, outer: usize, begin: usize) -> Result<(), &'static str> {
        let Self { text, fields, aside } = self;
        aside.clear();
        aside.push_str(&text[begin..]);
        text.truncate(begin);
        let key = |field: &Field| &aside[field.begin - begin..field.colon - begin];
        let own = &mut fields[outer..];
        own.sort_unstable_by(|left, right| key(left).cmp(key(right)));
        // Which of two counts is for each reader to say: a seal cannot be on both.
        if own.windows(2).any(|pair| key(&pair[0]) == key(&pair[1])) {
            return Err("a key comes twice");
        }
        text.push('{');
        for (number, field) in own.iter().enumerate() {
            if number > 0 {
                text.push(',');
            }
            text.push_str(&aside[field.begin - begin..field.end - begin]);
        }
        text.push('}');
        fields.truncate(outer);
        Ok(())
    }
}

/// Where a value stands: the seal is `metadata.seal`, and nowhere else.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValuePosition {
    Top,
    Metadata,
    Seal,
    Elsewhere,
}

impl ValuePosition {
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
struct Part<'sheet> {
    sheet: &'sheet mut Sheet,
    position: ValuePosition,
}

impl Part<'_> {
    fn push(self, shown: impl fmt::Display) {
        // A text takes whatever it is given.
        let _ = write!(self.sheet.text, "{shown}");
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
        push_quoted(&mut self.sheet.text, value)
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
        let sheet = self.sheet;
        sheet.text.push('[');
        let begin = sheet.text.len();
        let position = ValuePosition::Elsewhere;
        while items.next_element_seed(Part { sheet: &mut *sheet, position })?.is_some() {
            sheet.text.push(',');
        }
        if sheet.text.len() > begin {
            sheet.text.pop();
        }
        sheet.text.push(']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let Self { sheet, position } = self;
        let (outer, start) = (sheet.fields.len(), sheet.text.len());
        loop {
            let begin = sheet.text.len();
            let key = Key { text: &mut sheet.text, position };
            let Some(below) = fields.next_key_seed(key)? else { break };
            if below == ValuePosition::Seal {
                sheet.text.truncate(begin);
                fields.next_value::<IgnoredAny>()?;
                continue;
            }
            let colon = sheet.text.len();
            sheet.text.push(':');
            fields.next_value_seed(Part { sheet: &mut *sheet, position: below })?;
            sheet.fields.push(Field { begin, colon, end: sheet.text.len() });
        }
        sheet.sort_fields(outer, start).map_err(Error::custom)
    }
}

/// A key, written to the end of the text; it says where its value stands.
struct Key<'text> {
    text: &'text mut String,
    position: ValuePosition,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = ValuePosition;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<ValuePosition, D::Error> {
        key.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = ValuePosition;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<ValuePosition, E> {
        push_quoted(self.text, key)?;
        Ok(self.position.below(key))
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
