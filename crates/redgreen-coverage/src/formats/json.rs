//! Going through JSON without keeping it.
//!
//! Each format says which members of which objects it wants; everything else is passed over. What is not of the kind
//! that is expected is passed over, too.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::counted::rounded;

/// What is done with the members of an object. Objects in a list are gone through one after the other.
pub(super) trait Object {
    /// A member was found: its value has to be taken, if only by [`pass_over`].
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error>;

    /// The object is over.
    fn end(&mut self) {}
}

/// Goes through a document, as far as it is one; whether it is one to its end.
pub(super) fn walk(text: &str, object: &mut impl Object) -> bool {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Walk(object).deserialize(&mut deserializer).and_then(|()| deserializer.end()).is_ok()
}

/// Takes the value of a member as an object, or a list of objects.
pub(super) fn enter<'de, A: MapAccess<'de>>(
    map: &mut A,
    object: &mut impl Object,
) -> Result<(), A::Error> {
    map.next_value_seed(Walk(object))
}

/// Takes the value of a member and forgets it.
pub(super) fn pass_over<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    map.next_value::<IgnoredAny>().map(drop)
}

/// A count, if the value is one.
pub(super) fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| rounded(value.as_f64()?))
}

/// A line's number, if the value is one.
pub(super) fn line(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

struct Walk<'object, O>(&'object mut O);

impl<'de, O: Object> DeserializeSeed<'de> for Walk<'_, O> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, O: Object> Visitor<'de> for Walk<'_, O> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            self.0.member(&key, &mut map)?;
        }
        self.0.end();
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Walk(&mut *self.0))?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}
