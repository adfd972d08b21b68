//! What a schema has against a document, in words.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::MAX_PROBLEMS;
use super::path::{Step, steps_of};
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

/// A schema, ready to check documents.
pub(crate) struct Rules {
    schema: Value,
    validator: Result<Validator, String>,
}

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

impl Rules {
    pub(crate) fn new(schema: Value) -> Self {
        // Formats are checked only to warn of them: no part of a schema of ours depends on one.
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .build(&schema)
            .map_err(|error| error.to_string());
        Self { schema, validator }
    }

    /// Everything the schema has against a document, in the order of the document.
    pub(crate) fn check(&self, document: &Value) -> Vec<Complaint> {
        let validator = match &self.validator {
            Ok(validator) => validator,
            Err(error) => {
                let problem = format!("the schema itself cannot be used ({error})");
                let allowed = "this is a bug in redgreen".to_owned();
                return vec![Complaint {
                    path: Vec::new(),
                    fault: Fault::Wrong { problem, allowed },
                }];
            }
        };
        let mut found = validator.iter_errors(document).flat_map(|error| {
            let (path, ranks) = steps_of(error.instance_path().as_str(), document);
            self.faults(&error)
                .into_iter()
                .map(move |fault| (ranks.clone(), Complaint { path: path.clone(), fault }))
        });
        let mut ranked: Vec<(Vec<usize>, Complaint)> = found.by_ref().take(MAX_PROBLEMS).collect();
        let is_cut = found.next().is_some();
        ranked.sort_by(|left, right| left.0.cmp(&right.0));
        let mut complaints: Vec<Complaint> =
            ranked.into_iter().map(|(_, complaint)| complaint).collect();
        if is_cut {
            let fault =
                Fault::Cut(format!("only {MAX_PROBLEMS} problems are shown: there are more"));
            complaints.push(Complaint { path: Vec::new(), fault });
        }
        complaints
    }

    fn faults(&self, error: &ValidationError<'_>) -> Vec<Fault> {
        let value = error.instance().as_ref();
        let fault = match error.kind() {
            ValidationErrorKind::Required { property } => {
                Fault::Missing(property.as_str().unwrap_or_default().to_owned())
            }
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                let known = self.known_keys(error);
                return unexpected
                    .iter()
                    .take(MAX_PROBLEMS + 1)
                    .map(|key| Fault::UnknownKey { key: key.clone(), known: known.clone() })
                    .collect();
            }
            ValidationErrorKind::Format { format } => Fault::Format(out_of_format(value, format)),
            // A value of another type is in no list and matches nothing: the type is reported already.
            ValidationErrorKind::Enum { .. } if !value.is_string() => return Vec::new(),
            ValidationErrorKind::Enum { options } => unknown_word(value, options),
            ValidationErrorKind::Type { kind } => wrong_type(value, kind),
            ValidationErrorKind::Minimum { .. } | ValidationErrorKind::Maximum { .. } => wrong(
                format!("{} is out of range", show(value)),
                allowed_range(self.schema_around(error)),
            ),
            ValidationErrorKind::MinLength { .. } => wrong("it is empty", "expected some text"),
            ValidationErrorKind::Pattern { pattern } => {
                wrong(format!("{} does not fit", show(value)), pattern_in_words(pattern))
            }
            _ => wrong(error.masked().to_string(), ""),
        };
        vec![fault]
    }

    /// The schema that holds the keyword an error comes from.
    fn schema_around(&self, error: &ValidationError<'_>) -> Option<&Value> {
        let keyword = error.schema_path().as_str();
        self.schema.pointer(keyword.rsplit_once('/')?.0)
    }

    fn known_keys(&self, error: &ValidationError<'_>) -> Vec<String> {
        self.schema_around(error)
            .and_then(|schema| schema.get("properties")?.as_object())
            .map(|properties| properties.keys().cloned().collect())
            .unwrap_or_default()
    }
}

fn wrong(problem: impl Into<String>, allowed: impl Into<String>) -> Fault {
    Fault::Wrong { problem: problem.into(), allowed: allowed.into() }
}

fn out_of_format(value: &Value, format: &str) -> String {
    let shown = show(value);
    match format {
        "uuid" => format!("{shown} is not a UUID: it is read as it is, but redgreen writes UUIDs"),
        "date-time" => format!(
            "{shown} is not a date and time of RFC 3339, such as 2026-01-25T10:00:00Z: it is read \
             as it is"
        ),
        _ => format!("{shown} is not a valid {format}: it is read as it is"),
    }
}

fn unknown_word(value: &Value, options: &Value) -> Fault {
    let words: Vec<&str> =
        options.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let allowed = allowed_words(value.as_str().unwrap_or_default(), &words);
    wrong(format!("{} is not known", show(value)), allowed)
}

fn wrong_type(value: &Value, expected: &TypeKind) -> Fault {
    let problem = match value {
        Value::Null => "null is not allowed".to_owned(),
        Value::Array(_) | Value::Object(_) => format!("this is {}", type_of(value)),
        _ => format!("{} is {}", show(value), type_of(value)),
    };
    let allowed = match expected {
        TypeKind::Single(name) => format!("expected {}", type_in_words(name.as_str())),
        TypeKind::Multiple(names) => {
            let names: Vec<&str> = names.iter().map(|name| type_in_words(name.as_str())).collect();
            format!("expected {}", names.join(" or "))
        }
    };
    wrong(problem, allowed)
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
fn allowed_range(schema: Option<&Value>) -> String {
    let bound = |keyword| schema.and_then(|schema| schema.get(keyword));
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
