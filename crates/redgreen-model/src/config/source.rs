//! A TOML text as a tree that knows where its parts are.

use std::ops::Range;

use serde_json::{Number, Value};
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use crate::document::{Position, Step};

/// A TOML text as a tree that knows where its parts are.
pub(super) struct Source<'t> {
    text: &'t str,
    root: Spanned<DeTable<'t>>,
}

impl<'t> Source<'t> {
    pub(super) fn parse(text: &'t str) -> Result<Self, (Position, String)> {
        DeTable::parse(text).map(|root| Self { text, root }).map_err(|error| {
            let byte = error.span().map_or(0, |span| span.start);
            (Position::of_byte(text, byte), error.message().to_owned())
        })
    }

    /// The tree as JSON, for the schema. `3.0` is an integer to JSON Schema and a date has no form
    /// in JSON: both become null, which no setting may be.
    pub(super) fn to_json(&self) -> Value {
        table_to_json(self.root.get_ref())
    }

    /// Where a value starts; where its nearest container starts, if it is not there itself.
    pub(super) fn position_of(&self, path: &[Step]) -> Position {
        self.at(self.find(path, |_, value| value))
    }

    /// Where the key of a value starts.
    pub(super) fn position_of_key(&self, path: &[Step]) -> Position {
        self.at(self.find(path, |key, _| key))
    }

    /// What a value is that has no form in JSON.
    pub(super) fn foreign_value(&self, path: &[Step]) -> Option<String> {
        let shown = |text: String, what: &str| Some(format!("{text} is {what}"));
        match self.value(path)? {
            DeValue::Float(float) => shown(float.to_string(), "a decimal number"),
            DeValue::Datetime(datetime) => shown(datetime.to_string(), "a date or time"),
            _ => None,
        }
    }

    fn at(&self, span: Range<usize>) -> Position {
        Position::of_byte(self.text, span.start)
    }

    fn value(&self, path: &[Step]) -> Option<&DeValue<'t>> {
        let (first, rest) = path.split_first()?;
        let Step::Key(first) = first else { return None };
        let (_, value) = entry(self.root.get_ref(), first)?;
        rest.iter().try_fold(value, |value, step| child(value, step)).map(Spanned::get_ref)
    }

    fn find(
        &self,
        path: &[Step],
        choose: impl Fn(Range<usize>, Range<usize>) -> Range<usize>,
    ) -> Range<usize> {
        let mut span = self.root.span();
        let mut place: Option<&Spanned<DeValue<'t>>> = None;
        for step in path {
            let table = match place.map(Spanned::get_ref) {
                None => Some(self.root.get_ref()),
                Some(DeValue::Table(table)) => Some(table),
                Some(_) => None,
            };
            let found = match (table, step) {
                (Some(table), Step::Key(key)) => {
                    entry(table, key).map(|(key, value)| (choose(key.span(), value.span()), value))
                }
                (None, Step::Index(_)) => {
                    place.and_then(|value| child(value, step)).map(|value| (value.span(), value))
                }
                _ => None,
            };
            let Some((at, value)) = found else { break };
            span = at;
            place = Some(value);
        }
        span
    }
}

type Entry<'a, 't> = (&'a Spanned<std::borrow::Cow<'t, str>>, &'a Spanned<DeValue<'t>>);

fn entry<'a, 't>(table: &'a DeTable<'t>, key: &str) -> Option<Entry<'a, 't>> {
    table.iter().find(|(name, _)| name.get_ref() == key)
}

fn child<'a, 't>(value: &'a Spanned<DeValue<'t>>, step: &Step) -> Option<&'a Spanned<DeValue<'t>>> {
    match (value.get_ref(), step) {
        (DeValue::Table(table), Step::Key(key)) => entry(table, key).map(|(_, value)| value),
        (DeValue::Array(items), Step::Index(index)) => items.get(*index),
        _ => None,
    }
}

fn table_to_json(table: &DeTable<'_>) -> Value {
    let entries = table.iter();
    entries.map(|(key, value)| (key.get_ref().to_string(), to_json(value.get_ref()))).collect()
}

fn to_json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(integer) => integer_to_json(integer),
        DeValue::Boolean(truth) => Value::Bool(*truth),
        DeValue::Array(items) => items.iter().map(|item| to_json(item.get_ref())).collect(),
        DeValue::Table(table) => table_to_json(table),
        DeValue::Float(_) | DeValue::Datetime(_) => Value::Null,
    }
}

/// An integer beyond 64 bits becomes the nearest float: it is out of every range all the same.
fn integer_to_json(integer: &DeInteger<'_>) -> Value {
    let (digits, radix) = (integer.as_str(), integer.radix());
    match i128::from_str_radix(digits, radix) {
        Ok(number) => match i64::try_from(number) {
            Ok(number) => Value::from(number),
            #[expect(clippy::cast_precision_loss, reason = "only shown to be out of range")]
            Err(_) => Number::from_f64(number as f64).map_or(Value::Null, Value::Number),
        },
        Err(_) => Number::from_f64(f64::MAX).map_or(Value::Null, Value::Number),
    }
}
