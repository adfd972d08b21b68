//! The fields of a payload, as far as it can be read.

use std::fmt;

use redgreen_model::text::{LINE_CHARS, clean_line};
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::{Map, Value};

/// States of a background task that has ended.
const ENDED: &[&str] =
    &["completed", "failed", "killed", "stopped", "cancelled", "canceled", "error", "done"];
/// Where a background task says what it is, the best first.
const TASK_WORDS: &[&str] = &["description", "command", "name", "type", "id"];

/// The fields at the top of a payload.
#[derive(Debug, Default)]
pub struct Payload {
    fields: Map<String, Value>,
    /// Why reading ended before the end.
    pub(super) unreadable: Option<String>,
}

impl Payload {
    /// Reads the fields of an object up to its end, or up to where it is wrong.
    pub fn read(bytes: &[u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text = String::from_utf8_lossy(bytes);
        let mut payload = Self::default();
        let mut reader = serde_json::Deserializer::from_str(&text);
        let gathered = reader.deserialize_any(Gather(&mut payload.fields));
        if let Err(error) = gathered {
            payload.unreadable = Some(clean_line(&error.to_string(), LINE_CHARS));
        }
        payload
    }

    /// The text of the first of these fields that is one, or that is a list that begins with one.
    pub fn text(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| match self.fields.get(*name)? {
            Value::String(text) => Some(text.as_str()),
            Value::Array(list) => list.first()?.as_str(),
            _ => None,
        })
    }

    /// All texts of these fields, in order; of a list, each.
    pub fn texts(&self, names: &[&str]) -> Vec<&str> {
        fn of(value: &Value) -> Vec<&str> {
            match value {
                Value::String(text) => vec![text],
                Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
                _ => Vec::new(),
            }
        }
        names.iter().filter_map(|name| self.fields.get(*name)).flat_map(of).collect()
    }

    /// Whether the field says so.
    pub fn is_true(&self, name: &str) -> bool {
        self.fields.get(name) == Some(&Value::Bool(true))
    }

    /// Whether the field is there, whatever it holds.
    pub fn has(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    /// What is known of each task that has not ended.
    pub(super) fn unfinished_tasks(&self, names: &[&str]) -> Vec<String> {
        let lists = names.iter().filter_map(|name| self.fields.get(*name)?.as_array());
        lists.flatten().filter(|task| !has_ended(task)).map(words_of).collect()
    }
}

fn has_ended(task: &Value) -> bool {
    task.get("status").and_then(Value::as_str).is_some_and(|status| ENDED.contains(&status))
}

fn words_of(task: &Value) -> String {
    let told = TASK_WORDS.iter().find_map(|word| task.get(word)?.as_str());
    clean_line(told.or(task.as_str()).unwrap_or("a task"), LINE_CHARS)
}

/// Puts each field where it survives an error further on.
struct Gather<'fields>(&'fields mut Map<String, Value>);

impl<'de> Visitor<'de> for Gather<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<Entries: MapAccess<'de>>(
        self,
        mut entries: Entries,
    ) -> Result<(), Entries::Error> {
        while let Some((name, value)) = entries.next_entry::<String, Value>()? {
            self.0.insert(name, value);
        }
        Ok(())
    }
}
