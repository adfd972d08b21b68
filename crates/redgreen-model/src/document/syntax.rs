//! From text to a value, whatever the text.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::Problem;
use super::complaint::{show, show_message, show_text};

/// Deeper documents are refused; ours need eight levels.
const MAX_DEPTH: usize = 64;
/// More values than that (aliases expanded) are refused.
const MAX_NODES: usize = 250_000;

/// How a document is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// JSON.
    Json,
    /// YAML, one document.
    Yaml,
    /// TOML.
    Toml,
}

impl Syntax {
    /// The syntax that the name of a file tells.
    pub fn of_file_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "yaml" | "yml" => Some(Self::Yaml),
            "toml" => Some(Self::Toml),
            _ => None,
        }
    }

    /// The syntax a text seems to be in. Braces mean JSON; the first line that says something
    /// tells TOML from YAML.
    pub(super) fn guess(text: &str) -> Self {
        let text = without_mark(text);
        if text.trim_start().starts_with('{') {
            return Self::Json;
        }
        let first = text
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty() && !line.starts_with('#'))
            .unwrap_or_default();
        if is_toml_header(first) || is_toml_assignment(first) { Self::Toml } else { Self::Yaml }
    }
}

/// `[loop]`, `[[checks]]`: in YAML a list of one word, which is no document either.
fn is_toml_header(line: &str) -> bool {
    let header = line.split('#').next().unwrap_or_default().trim_end();
    header
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .is_some_and(|name| !name.is_empty() && !name.contains([',', ':', ' ']))
}

/// `key = value`, with nothing in the key that would make it YAML.
fn is_toml_assignment(line: &str) -> bool {
    line.split_once('=').is_some_and(|(key, _)| {
        let key = key.trim_end();
        !key.is_empty()
            && key.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-.\"".contains(letter))
    })
}

/// A place in a text. Both numbers start at 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

impl Position {
    /// The place of a byte.
    pub(crate) fn of_byte(text: &str, byte: usize) -> Self {
        let end = (0..=byte.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
        let before = &text[..end.unwrap_or(0)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)
    }
}

/// The text without a byte order mark.
pub(crate) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Reads JSON or YAML. Without a hint JSON comes first where the text starts with a brace; what is
/// no JSON may still be a flow mapping of YAML.
pub(super) fn read(text: &str, hint: Option<Syntax>) -> Result<Value, Problem> {
    let text = without_mark(text);
    match hint {
        Some(Syntax::Json) => read_json(text).map_err(|error| json_problem(&error)),
        None if text.trim_start().starts_with('{') => match read_json(text) {
            Err(error) if error.is_syntax() || error.is_eof() => {
                read_yaml(text).map_err(|_| json_problem(&error))
            }
            other => other.map_err(|error| json_problem(&error)),
        },
        _ => read_yaml(text),
    }
}

fn read_json(text: &str) -> Result<Value, serde_json::Error> {
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_str(text).map(|Tree(value)| value)
}

fn json_problem(error: &serde_json::Error) -> Problem {
    let place = format!(" at line {} column {}", error.line(), error.column());
    Problem {
        path: String::new(),
        message: format!(
            "not valid JSON: {}",
            show_message(&error.to_string().replace(&place, ""))
        ),
        position: Some(Position { line: error.line(), column: error.column().max(1) }),
    }
}

fn read_yaml(text: &str) -> Result<Value, Problem> {
    read_yaml_as(text).map(|Tree(value)| value)
}

/// Reads YAML into a type of its own, which may say where in the text its parts are.
pub(crate) fn read_yaml_as<T: DeserializeOwned>(text: &str) -> Result<T, Problem> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: MAX_DEPTH,
            flow_nesting_limit: MAX_DEPTH,
            max_nodes: MAX_NODES,
        },
        // YAML 1.2: `no` is a word, not a truth value.
        strict_booleans: true,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| yaml_problem(&error))
}

fn yaml_problem(error: &serde_saphyr::Error) -> Problem {
    let position = error.location().and_then(|place| {
        let line = usize::try_from(place.line()).ok()?;
        let column = usize::try_from(place.column()).ok()?;
        Some(Position { line, column })
    });
    if let Some(message) = beyond_bounds(error) {
        return Problem { path: String::new(), message, position };
    }
    let place = position.map_or_else(String::new, |position| format!(" at {position}"));
    let message = error.to_string();
    let message = show_message(message.strip_suffix(&place).unwrap_or(&message));
    Problem { path: String::new(), message: format!("not valid YAML: {message}"), position }
}

/// A document that is refused for its size, whatever else it is: few lines of YAML can stand for millions.
fn beyond_bounds(error: &serde_saphyr::Error) -> Option<String> {
    use serde_saphyr::Error;
    use serde_saphyr::budget::BudgetBreach;
    let too_deep = || format!("it is nested more than {MAX_DEPTH} levels deep");
    let mut error = error;
    while let Error::AliasError { error: inner, .. } = error {
        error = inner;
    }
    let what = match error {
        Error::Budget { breach: BudgetBreach::Depth { .. }, .. } => too_deep(),
        Error::Budget { breach: BudgetBreach::SequenceUnbalanced, .. } => return None,
        Error::Budget {
            breach: BudgetBreach::Nodes { .. } | BudgetBreach::Events { .. }, ..
        } => {
            format!("it stands for more than {MAX_NODES} values, its aliases counted")
        }
        Error::Budget { .. }
        | Error::AliasReplayCounterOverflow { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => {
            "its aliases stand for more than is read".to_owned()
        }
        // Of brackets inside of brackets the parser itself says it, in words alone.
        error if error.to_string().starts_with("recursion limit exceeded") => too_deep(),
        _ => return None,
    };
    Some(format!("not read, because {what}"))
}

/// A value in which no key came twice and every key was a string.
struct Tree(Value);

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor).map(Tree)
    }
}

/// A key of a mapping: anything in YAML, but only strings are keys of our documents.
struct Key(String);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_any(TreeVisitor)? {
            Value::String(key) => Ok(Key(key)),
            other => Err(de::Error::custom(format!(
                "the key {} is not a string: put it in quotes",
                show(&other)
            ))),
        }
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value);
        number.map(Value::Number).ok_or_else(|| E::custom(format!("{value} is not a number")))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Tree(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(Key(key)) = entries.next_key()? {
            if map.contains_key(&key) {
                let key = show_text(&key);
                return Err(de::Error::custom(format!("the key `{key}` comes twice")));
            }
            let Tree(value) = entries.next_value()?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}
