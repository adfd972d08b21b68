//! The plan of an outer loop: a list of tasks, as a Markdown checklist or as YAML.

mod markdown;
#[cfg(test)]
mod tests;
mod yaml;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::document::{MAX_DOCUMENT_BYTES, Syntax, without_mark};
use crate::text::clean_block;
use crate::workflow::CodeType;

/// The most items of a plan.
pub const ITEMS_MAX: usize = 500;

/// A plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanFile {
    /// What every task should know: the text before the first item.
    pub about: String,
    /// The tasks, in order; at least one.
    pub items: Vec<Item>,
}

/// A task of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// What is to be done.
    pub task: String,
    /// The kind of change, where it is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<CodeType>,
    /// Commands that must pass, too, when it is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accept: Vec<String>,
    /// Whether the plan itself says that it is done.
    #[serde(default)]
    pub done: bool,
    /// Its line in the plan, from 1.
    pub line: usize,
}

impl Item {
    /// The first line of the task: what it is called in tables.
    pub fn title(&self) -> &str {
        self.task.lines().next().unwrap_or_default()
    }
}

/// Something wrong with a plan: where, what, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct PlanError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
    /// What to do about it.
    pub advice: String,
}

impl fmt::Display for PlanError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}: {}", self.line, self.reason)
    }
}

impl PlanError {
    fn new(line: usize, reason: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { line, reason: reason.into(), advice: advice.into() }
    }
}

/// Reads a plan; the name of its file tells YAML from Markdown.
pub fn read(text: &str, file_name: &str) -> Result<PlanFile, PlanError> {
    let text = without_mark(text);
    if text.len() > MAX_DOCUMENT_BYTES {
        let reason = format!("the plan has more than {MAX_DOCUMENT_BYTES} bytes");
        return Err(PlanError::new(1, reason, "split it into several plans"));
    }
    let plan = match Syntax::of_file_name(file_name) {
        Some(Syntax::Yaml | Syntax::Json) => yaml::read(text)?,
        Some(Syntax::Toml) => {
            return Err(PlanError::new(
                1,
                "a plan is not written in TOML",
                "write it as a Markdown checklist or as YAML",
            ));
        }
        None => markdown::read(text)?,
    };
    if let Some(item) = plan.items.get(ITEMS_MAX) {
        let reason = format!("the plan has more than {ITEMS_MAX} items");
        return Err(PlanError::new(item.line, reason, "split it into several plans"));
    }
    Ok(plan)
}

/// A task as it was written, fit to be stored and shown.
fn task(text: &str, line: usize) -> Result<String, PlanError> {
    let task = clean_block(text.trim().as_bytes(), usize::MAX);
    if task.is_empty() {
        return Err(PlanError::new(line, "the task is empty", "say what is to be done"));
    }
    Ok(task)
}

fn kind(word: &str, line: usize) -> Result<CodeType, PlanError> {
    word.trim().parse().map_err(|error: crate::workflow::UnknownWord| {
        let words: Vec<&str> = CodeType::ALL.iter().map(|kind| kind.as_str()).collect();
        PlanError::new(
            line,
            format!("{error}"),
            format!("write one of {}, or leave `kind` out", words.join(", ")),
        )
    })
}

fn command(text: &str, line: usize) -> Result<String, PlanError> {
    let command = text.trim();
    if command.is_empty() || command.contains('\0') {
        return Err(PlanError::new(
            line,
            "the acceptance command is empty",
            "write the command that must pass: `- accept: pytest tests/test_it.py`",
        ));
    }
    Ok(command.to_owned())
}
