//! From text to [`Config`], with an error for everything that is wrong.

use std::sync::LazyLock;

use serde_json::Value;

use super::rules::{broken_rules, unknown_frameworks};
use super::source::Source;
use super::{Config, ConfigError, config_schema};
use crate::document::{
    Complaint, Fault, MAX_DOCUMENT_BYTES, Position, Rules, Step, show_message, show_text,
    shown_path, without_mark,
};
use crate::framework::FrameworkId;
use crate::nearest::nearest;

static RULES: LazyLock<Rules> = LazyLock::new(|| Rules::new(config_schema(&[])));

impl Config {
    /// Reads a `redgreen.toml`; the error is the first in the text.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        Self::parse_reporting_all(text).map_err(|errors| {
            let unknown = || nowhere("the configuration cannot be read".to_owned());
            errors.into_iter().next().unwrap_or_else(unknown)
        })
    }

    /// Reads a `redgreen.toml`; the errors are all that could be found, in the order of the text,
    /// and at least one.
    pub fn parse_reporting_all(text: &str) -> Result<Self, Vec<ConfigError>> {
        Self::parse_knowing(text, &[])
    }

    /// The same for who knows which frameworks there are; without one, each name is as good.
    pub fn parse_knowing(text: &str, frameworks: &[FrameworkId]) -> Result<Self, Vec<ConfigError>> {
        let text = without_mark(text);
        if text.len() > MAX_DOCUMENT_BYTES {
            let size = text.len();
            let message =
                format!("the file has {size} bytes, and at most {MAX_DOCUMENT_BYTES} are allowed");
            return Err(vec![nowhere(message)]);
        }
        let source = Source::parse(text).map_err(|(position, problem)| {
            let message = format!("not valid TOML: {}", show_message(&problem));
            vec![ConfigError { position, path: String::new(), message, hint: None }]
        })?;
        let value = source.to_json();
        let mut errors: Vec<ConfigError> = without_misspelt(RULES.check(&value))
            .into_iter()
            .map(|complaint| error_of(complaint, &source, &value))
            .collect();
        if errors.is_empty() {
            match serde_json::from_value::<Self>(value.clone()) {
                Ok(config) => {
                    let unknown = unknown_frameworks(&config, frameworks);
                    let broken = broken_rules(&config).into_iter().chain(unknown);
                    errors.extend(broken.map(|rule| error_of(rule, &source, &value)));
                    if errors.is_empty() {
                        return Ok(config);
                    }
                }
                // The schema is stricter than the types: this is for the day they disagree.
                Err(error) => errors.push(nowhere(error.to_string())),
            }
        }
        errors.sort_by_key(|error| error.position);
        Err(errors)
    }
}

/// A required key that is there, but misspelt, is one mistake and not two.
fn without_misspelt(complaints: Vec<Complaint>) -> Vec<Complaint> {
    let is_misspelt = |path: &[Step], missing: &str| {
        complaints.iter().any(|other| match &other.fault {
            Fault::UnknownKey { key, known } if other.path == path => {
                nearest(key, known.iter().map(String::as_str)) == Some(missing)
            }
            _ => false,
        })
    };
    let keeps = |complaint: &&Complaint| match &complaint.fault {
        Fault::Missing(key) => !is_misspelt(&complaint.path, key),
        _ => true,
    };
    complaints.iter().filter(keeps).cloned().collect()
}

fn nowhere(message: String) -> ConfigError {
    let position = Position { line: 1, column: 1 };
    ConfigError { position, path: String::new(), message, hint: None }
}

fn error_of(complaint: Complaint, source: &Source<'_>, value: &Value) -> ConfigError {
    let Complaint { mut path, fault } = complaint;
    let (position, message, hint) = match fault {
        Fault::Missing(key) => {
            let message = format!("`{key}` is missing {}", container(&path));
            let position = source.position_of(&path);
            path.push(Step::Key(key));
            (position, message, None)
        }
        Fault::UnknownKey { key, known } => {
            let place = container(&path);
            let hint = hint_for_key(&key, &known);
            let message = format!("unknown key `{}` {place}", show_text(&key));
            path.push(Step::Key(key));
            (source.position_of_key(&path), message, hint)
        }
        Fault::Wrong { problem, allowed } => {
            let problem = source.foreign_value(&path).unwrap_or(problem);
            let message = format!("{}: {problem}", subject(&path, value));
            let hint = hint_for_header(&path, value).unwrap_or(allowed);
            (source.position_of(&path), message, Some(hint).filter(|hint| !hint.is_empty()))
        }
        Fault::Format(message) | Fault::Cut(message) => (source.position_of(&path), message, None),
    };
    ConfigError { position, path: shown_path(&path), message, hint }
}

fn hint_for_key(key: &str, known: &[String]) -> Option<String> {
    match nearest(key, known.iter().map(String::as_str)) {
        Some(best) => Some(format!("did you mean `{best}`?")),
        None if known.is_empty() => None,
        None => Some(format!("known here are {}", known.join(", "))),
    }
}

/// The usual reason for a table in the place of a list: one pair of brackets too few.
fn hint_for_header(path: &[Step], value: &Value) -> Option<String> {
    let header = match path {
        [Step::Key(checks)] if checks == "checks" => "checks",
        [Step::Key(notify)] if notify == "notify" => "notify",
        [_, Step::Key(escalation)] if escalation == "escalation" => "loop.escalation",
        _ => return None,
    };
    let found = path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Index(index) => value.get(index),
    })?;
    found.is_object().then(|| format!("write [[{header}]], since there may be several"))
}

/// A setting and the table it is in: `` `max_attempts` in [loop] ``.
fn subject(path: &[Step], value: &Value) -> String {
    let mut place = Some(value);
    let mut table = 0;
    for (depth, step) in path.iter().enumerate() {
        if place.is_some_and(Value::is_object) {
            table = depth;
        }
        place = match step {
            Step::Key(key) => place.and_then(|value| value.get(key)),
            Step::Index(index) => place.and_then(|value| value.get(index)),
        };
    }
    let (table, setting) = path.split_at(table);
    if setting.is_empty() {
        return "the file".to_owned();
    }
    format!("`{}` {}", shown_path(setting), container(table))
}

/// A table as its header is written: `in [loop]`, `in [[checks]]`.
fn container(path: &[Step]) -> String {
    let keys: Vec<String> = path
        .iter()
        .filter_map(|step| match step {
            Step::Key(key) => Some(show_text(key)),
            Step::Index(_) => None,
        })
        .collect();
    let name = keys.join(".");
    match path.last() {
        None => "at the top level".to_owned(),
        Some(Step::Index(_)) => format!("in [[{name}]]"),
        Some(Step::Key(_)) => format!("in [{name}]"),
    }
}
