//! Reading documents that people and other tools wrote, and saying what is wrong with them.
//!
//! Nothing here fails: whatever the text, the answer is a [`Validation`] that names every problem
//! with its place in the document.

mod complaint;
mod path;
mod rules;
pub(crate) mod schema;
mod syntax;

use std::sync::LazyLock;

use serde_json::Value;

use crate::config::{Config, ConfigError};
use crate::debug_memory::debug_memory_schema;
use crate::workflow::{Workflow, workflow_schema};

pub(crate) use complaint::{Complaint, Fault, show_message, show_text};
pub(crate) use path::{Step, shown_path};
pub(crate) use rules::Rules;
pub use syntax::{Position, Syntax};
pub(crate) use syntax::{read_yaml_as, without_mark};

/// A longer text is refused unread.
pub const MAX_DOCUMENT_BYTES: usize = 16 * 1024 * 1024;

/// At most so many problems of one document are shown.
pub const MAX_PROBLEMS: usize = 500;

/// What a text was checked as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DocumentKind {
    /// A workflow document, `executable-feedback/v1`.
    Workflow,
    /// A debug-memory record, `debug-memory/v1`.
    DebugMemory,
    /// A `redgreen.toml`.
    Configuration,
    /// Nothing that redgreen knows.
    Unknown,
}

impl DocumentKind {
    /// What people call it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Workflow => "workflow document",
            Self::DebugMemory => "debug-memory record",
            Self::Configuration => "redgreen.toml",
            Self::Unknown => "unknown document",
        }
    }
}

impl std::fmt::Display for DocumentKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// Something wrong with a document, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The place in the document, such as `loop_state.attempts[0].timestamp`; empty for the
    /// document as a whole.
    pub path: String,
    /// What is wrong, and what is allowed.
    pub message: String,
    /// The place in the text, where it is known.
    pub position: Option<Position>,
}

impl Problem {
    fn whole(message: impl Into<String>) -> Self {
        Self { path: String::new(), message: message.into(), position: None }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(position) = self.position {
            write!(formatter, "{position}: ")?;
        }
        if !self.path.is_empty() {
            write!(formatter, "{}: ", self.path)?;
        }
        formatter.write_str(&self.message)
    }
}

/// What a check of a document found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validation {
    /// What the text was checked as.
    pub kind: DocumentKind,
    /// What makes it invalid, in the order of the document.
    pub errors: Vec<Problem>,
    /// What should be put right, but does not make it invalid.
    pub warnings: Vec<Problem>,
}

impl Validation {
    /// Whether the document may be used.
    pub fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }

    fn refused(kind: DocumentKind, error: Problem) -> Self {
        Self { kind, errors: vec![error], warnings: Vec::new() }
    }
}

/// A kind of document that is recognised by its top-level keys.
struct KnownKind {
    kind: DocumentKind,
    /// One of these keys is enough to recognise it.
    marks: &'static [&'static str],
    rules: &'static LazyLock<Rules>,
}

static WORKFLOW_RULES: LazyLock<Rules> = LazyLock::new(|| Rules::new(workflow_schema()));

static DEBUG_MEMORY_RULES: LazyLock<Rules> = LazyLock::new(|| Rules::new(debug_memory_schema()));

fn known_kinds() -> [KnownKind; 2] {
    [
        KnownKind {
            kind: DocumentKind::Workflow,
            marks: &["workflow_id", "code_artifact", "execution_config", "loop_state"],
            rules: &WORKFLOW_RULES,
        },
        KnownKind {
            kind: DocumentKind::DebugMemory,
            marks: &["session_id", "executions", "learnings"],
            rules: &DEBUG_MEMORY_RULES,
        },
    ]
}

/// The value of a text in JSON or YAML, whatever it says; why there is none, otherwise. Without a
/// hint the syntax is guessed.
pub fn read_value(text: &str, hint: Option<Syntax>) -> Result<Value, Problem> {
    if text.len() > MAX_DOCUMENT_BYTES {
        return Err(too_long(text));
    }
    syntax::read(text, hint)
}

fn too_long(text: &str) -> Problem {
    Problem::whole(format!(
        "the document has {} bytes, and at most {MAX_DOCUMENT_BYTES} are allowed",
        text.len()
    ))
}

/// Checks a document: what it is, and everything that is wrong with it.
///
/// Without a hint the syntax is guessed from the text. TOML is checked as a `redgreen.toml`.
pub fn validate(text: &str, hint: Option<Syntax>) -> Validation {
    check(text, hint).0
}

/// Reads a workflow document: the document with its warnings, or everything that is wrong with it.
pub fn read_workflow(
    text: &str,
    hint: Option<Syntax>,
) -> Result<(Workflow, Vec<Problem>), Vec<Problem>> {
    let (validation, value) = check(text, hint);
    match (validation.kind, value) {
        _ if !validation.is_valid() => Err(validation.errors),
        (DocumentKind::Workflow, Some(value)) => {
            let workflow = serde_json::from_value(with_whole_numbers(value)).map_err(too_large)?;
            Ok((workflow, validation.warnings))
        }
        (kind, _) => {
            Err(vec![Problem::whole(format!("this is a {kind}: expected a workflow document"))])
        }
    }
}

/// A value as a workflow document, or everything that is wrong with it.
pub(crate) fn check_workflow(value: Value) -> Result<Workflow, Vec<Problem>> {
    let is_error = |complaint: &Complaint| !matches!(complaint.fault, Fault::Format(_));
    let errors: Vec<Problem> =
        WORKFLOW_RULES.check(&value).into_iter().filter(is_error).map(problem_of).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    serde_json::from_value(with_whole_numbers(value)).map_err(too_large)
}

/// What is left are numbers beyond what the types can hold.
fn too_large(error: serde_json::Error) -> Vec<Problem> {
    let message = format!("a number is too large ({})", show_message(&error.to_string()));
    vec![Problem::whole(message)]
}

fn check(text: &str, hint: Option<Syntax>) -> (Validation, Option<Value>) {
    if text.len() > MAX_DOCUMENT_BYTES {
        return (Validation::refused(DocumentKind::Unknown, too_long(text)), None);
    }
    match hint.unwrap_or_else(|| Syntax::guess(text)) {
        Syntax::Toml => (check_configuration(text), None),
        _ => match syntax::read(text, hint) {
            Ok(value) => (check_value(&value), Some(value)),
            Err(problem) => (Validation::refused(DocumentKind::Unknown, problem), None),
        },
    }
}

fn check_configuration(text: &str) -> Validation {
    let errors = match Config::parse_reporting_all(text) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.into_iter().map(Problem::from).collect(),
    };
    Validation { kind: DocumentKind::Configuration, errors, warnings: Vec::new() }
}

impl From<ConfigError> for Problem {
    fn from(error: ConfigError) -> Self {
        let message = error.what();
        Self { path: error.path, message, position: Some(error.position) }
    }
}

fn check_value(value: &Value) -> Validation {
    let kinds = known_kinds();
    let Some(object) = value.as_object() else {
        return Validation::refused(DocumentKind::Unknown, not_a_mapping(value, &kinds));
    };
    let Some(known) =
        kinds.iter().find(|known| known.marks.iter().any(|mark| object.contains_key(*mark)))
    else {
        let problem = Problem::whole(format!(
            "this is not a document that redgreen knows: {}",
            expected(&kinds)
        ));
        return Validation::refused(DocumentKind::Unknown, problem);
    };
    let mut validation = Validation { kind: known.kind, errors: Vec::new(), warnings: Vec::new() };
    for complaint in known.rules.check(value) {
        let is_warning = matches!(complaint.fault, Fault::Format(_));
        let list = if is_warning { &mut validation.warnings } else { &mut validation.errors };
        list.push(problem_of(complaint));
    }
    validation
}

fn problem_of(complaint: Complaint) -> Problem {
    let mut path = complaint.path;
    let message = match complaint.fault {
        Fault::Missing(key) => {
            path.push(Step::Key(key));
            "missing, but required".to_owned()
        }
        Fault::UnknownKey { key, .. } => {
            path.push(Step::Key(key));
            "not allowed here".to_owned()
        }
        Fault::Wrong { problem, allowed } if allowed.is_empty() => problem,
        Fault::Wrong { problem, allowed } => format!("{problem}: {allowed}"),
        Fault::Format(message) | Fault::Cut(message) => message,
    };
    Problem { path: shown_path(&path), message, position: None }
}

fn not_a_mapping(value: &Value, kinds: &[KnownKind]) -> Problem {
    let found = match value {
        Value::Null => "the document is empty",
        Value::Array(_) => "the document is a list",
        _ => "the document is a single value",
    };
    Problem::whole(format!("{found}: {}", expected(kinds)))
}

fn expected(kinds: &[KnownKind]) -> String {
    let kinds: Vec<String> = kinds
        .iter()
        .map(|known| format!("a {} (a mapping with {})", known.kind, known.marks.join(", ")))
        .collect();
    format!("expected {}, or a redgreen.toml", kinds.join(", "))
}

/// JSON Schema counts `3.0` as an integer; serde does not.
fn with_whole_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(whole(&number).unwrap_or(number)),
        Value::Array(items) => items.into_iter().map(with_whole_numbers).collect(),
        Value::Object(entries) => {
            entries.into_iter().map(|(key, value)| (key, with_whole_numbers(value))).collect()
        }
        other => other,
    }
}

fn whole(number: &serde_json::Number) -> Option<serde_json::Number> {
    /// Up to here every whole number has a float of its own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let float = number.as_f64().filter(|_| number.is_f64())?;
    #[expect(clippy::cast_possible_truncation, reason = "whole, and within the exact range")]
    (float.fract() == 0.0 && float.abs() <= EXACT).then(|| (float as i64).into())
}
