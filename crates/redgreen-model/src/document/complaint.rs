//! What a schema has against a document, in words.

use serde_json::Value;

use super::path::Step;
use crate::framework::FRAMEWORK_PATTERN;
use crate::workflow::words::allowed_words;

/// Longer texts of a document are cut where they are shown.
const SHOWN_CHARS: usize = 60;
/// So are messages of parsers.
const SHOWN_MESSAGE_CHARS: usize = 300;

/// What patterns mean, for those who do not read regular expressions.
const PATTERNS_IN_WORDS: [(&str, &str); 3] = [
    (FRAMEWORK_PATTERN, "allowed are lower-case letters, digits and `_`"),
    (r"^\.aiwg/ralph/debug-memory/", "expected a path below `.aiwg/ralph/debug-memory/`"),
    ("^[a-z0-9_-]+$", "allowed are lower-case letters, digits, `-` and `_`"),
];

/// One thing a schema has against a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// Where.
    pub path: Vec<Step>,
    /// What.
    pub fault: Fault,
}

/// What can be wrong at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A required key of this mapping is not there.
    Missing(String),
    /// A key of this mapping is none of the known ones.
    UnknownKey {
        /// The key.
        key: String,
        /// The keys that are known here.
        known: Vec<String>,
    },
    /// A value that is not allowed.
    Wrong {
        /// What is wrong with it.
        problem: String,
        /// What would be allowed; empty where the problem says it.
        allowed: String,
    },
    /// A value that is not in its format: worth a warning, not an error.
    Format(String),
    /// There is more, which is not shown.
    Cut(String),
}

fn wrong(problem: impl Into<String>, allowed: impl Into<String>) -> Fault {
    Fault::Wrong { problem: problem.into(), allowed: allowed.into() }
}

pub(super) fn out_of_format(value: &Value, format: &str) -> Fault {
    let shown = show(value);
    Fault::Format(match format {
        "uuid" => format!("{shown} is not a UUID: it is read as it is, but redgreen writes UUIDs"),
        "date-time" => format!(
            "{shown} is not a date and time of RFC 3339, such as 2026-01-25T10:00:00Z: it is read \
             as it is"
        ),
        _ => format!("{shown} is not a valid {format}: it is read as it is"),
    })
}

pub(super) fn unknown_word(value: &Value, words: &[&str]) -> Fault {
    let allowed = allowed_words(value.as_str().unwrap_or_default(), words);
    wrong(format!("{} is not known", show(value)), allowed)
}

pub(super) fn wrong_type(value: &Value, expected: &[&str]) -> Fault {
    let problem = match value {
        Value::Null => "null is not allowed".to_owned(),
        Value::Array(_) | Value::Object(_) => format!("this is {}", type_of(value)),
        _ => format!("{} is {}", show(value), type_of(value)),
    };
    let names: Vec<&str> = expected.iter().map(|name| type_in_words(name)).collect();
    wrong(problem, format!("expected {}", names.join(" or ")))
}

pub(super) fn out_of_range(value: &Value, schema: &Value) -> Fault {
    wrong(format!("{} is out of range", show(value)), allowed_range(schema))
}

pub(super) fn too_short(letters: u64, least: u64) -> Fault {
    match letters {
        0 => wrong("it is empty", "expected some text"),
        _ => wrong(format!("it has {letters} letters"), format!("expected at least {least}")),
    }
}

pub(super) fn no_match(value: &Value, pattern: &str) -> Fault {
    wrong(format!("{} does not fit", show(value)), pattern_in_words(pattern))
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a truth value",
        Value::Number(number) if number.is_f64() => "a decimal number",
        Value::Number(_) => "a whole number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
    }
}

fn type_in_words(name: &str) -> &'static str {
    match name {
        "array" => "a list",
        "boolean" => "true or false",
        "integer" => "a whole number",
        "number" => "a number",
        "object" => "a mapping",
        "string" => "a string",
        _ => "nothing",
    }
}

/// The range a schema allows: "allowed is 1 to 10".
fn allowed_range(schema: &Value) -> String {
    let bound = |keyword| schema.get(keyword);
    match (bound("minimum"), bound("maximum")) {
        (Some(least), Some(most)) => format!("allowed is {least} to {most}"),
        (Some(least), None) => format!("allowed is {least} or more"),
        (None, Some(most)) => format!("allowed is {most} or less"),
        (None, None) => String::new(),
    }
}

fn pattern_in_words(pattern: &str) -> String {
    PATTERNS_IN_WORDS
        .iter()
        .find(|(known, _)| *known == pattern)
        .map_or_else(|| format!("expected the pattern `{pattern}`"), |(_, words)| (*words).into())
}

/// A value of a document, short and harmless.
pub(crate) fn show(value: &Value) -> String {
    match value {
        Value::String(text) => format!("\"{}\"", show_text(text)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a mapping".to_owned(),
        other => other.to_string(),
    }
}

/// A text of a document, short and without control characters.
pub(crate) fn show_text(text: &str) -> String {
    harmless(text, SHOWN_CHARS, |letter| matches!(letter, '"' | '\\'))
}

/// A message of a parser, which may quote the document.
pub(crate) fn show_message(message: &str) -> String {
    harmless(&message.replace('\n', " "), SHOWN_MESSAGE_CHARS, |_| false)
}

fn harmless(text: &str, most_chars: usize, is_escaped: impl Fn(char) -> bool) -> String {
    let mut shown = String::new();
    for letter in text.chars().take(most_chars) {
        match letter {
            '"' | '\'' | '\\' if !is_escaped(letter) => shown.push(letter),
            letter => shown.extend(letter.escape_debug()),
        }
    }
    if text.chars().nth(most_chars).is_some() {
        shown.push('…');
    }
    shown
}
