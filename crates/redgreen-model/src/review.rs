//! What a reviewer says of a change: an answer of somebody else, read leniently and cleaned.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::text::{LINE_CHARS, MESSAGE_CHARS, clean_block, clean_line};
use crate::workflow::words::wire_enum;

/// The most findings that are kept of one review.
const FINDINGS_MAX: usize = 100;

wire_enum! {
    /// How bad a finding of a reviewer is.
    #[derive(Default)]
    pub enum Severity: "severity" {
        /// Worth knowing.
        Info = "info",
        /// Should be mended.
        #[default]
        Warning = "warning",
        /// Must be mended.
        Error = "error",
    }
}

/// One finding of a reviewer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewFinding {
    /// The file, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// How bad it is.
    pub severity: Severity,
    /// What it is.
    pub text: String,
}

impl ReviewFinding {
    /// The place, as far as it is known.
    pub fn place(&self) -> String {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            (Some(file), None) => file.clone(),
            (None, _) => "the change".to_owned(),
        }
    }
}

/// Reads an answer: a list of findings, alone or under `findings`, maybe with words around it.
pub fn parse(answer: &str) -> Result<Vec<ReviewFinding>, String> {
    let value = json_in(answer).ok_or("its answer has no list of findings as JSON")?;
    let list = value.get("findings").unwrap_or(&value);
    let list = list.as_array().ok_or("its answer has no list of findings")?;
    let finding = |value: &Value| {
        let text = ["text", "message", "description"];
        let text = text.iter().find_map(|name| value.get(name)?.as_str());
        let text = text.ok_or("a finding of it has no text")?;
        let severity = value.get("severity").and_then(Value::as_str).unwrap_or_default();
        let line = value.get("line").and_then(Value::as_u64);
        Ok(ReviewFinding {
            file: value
                .get("file")
                .and_then(Value::as_str)
                .map(|file| clean_line(file, LINE_CHARS)),
            line: line.and_then(|line| u32::try_from(line).ok()),
            severity: severity_of(severity),
            text: clean_block(text.as_bytes(), MESSAGE_CHARS),
        })
    };
    list.iter().take(FINDINGS_MAX).map(finding).collect()
}

/// Other words for the same; one that nobody knows is a warning.
fn severity_of(word: &str) -> Severity {
    match word.to_lowercase().as_str() {
        "error" | "critical" | "blocker" | "blocking" | "high" | "major" => Severity::Error,
        "info" | "note" | "low" | "minor" | "nit" | "suggestion" => Severity::Info,
        _ => Severity::Warning,
    }
}

/// The first JSON in a text that is a whole list or object.
fn json_in(text: &str) -> Option<Value> {
    let starts = text.match_indices(['[', '{']).map(|(start, _)| start);
    starts.take(FINDINGS_MAX).find_map(|start| {
        let mut values =
            serde_json::Deserializer::from_str(text.get(start..)?).into_iter::<Value>();
        values.next()?.ok().filter(is_list)
    })
}

fn is_list(value: &Value) -> bool {
    value.get("findings").unwrap_or(value).is_array()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_with_words_around_it() {
        let said = "I looked at [src]:\n```json\n{\"findings\": [{\"file\": \"a.py\", \"line\": 3, \"severity\": \"critical\", \"text\": \"off by one\"}, {\"text\": \"long\", \"severity\": \"nit\"}]}\n```";
        let found = parse(said).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].place().as_str(), found[0].severity), ("a.py:3", Severity::Error));
        assert_eq!((found[1].place().as_str(), found[1].severity), ("the change", Severity::Info));
        assert_eq!(parse("[]"), Ok(Vec::new()));
        assert!(!parse("[{\"text\": \"\\u001b[2Jx\"}]").unwrap()[0].text.contains('\u{1b}'));
    }

    #[test]
    fn what_is_no_list_is_said() {
        for said in ["", "all is well", "{\"verdict\": \"ok\"}", "[{\"file\": \"a\"}]", "[1"] {
            assert!(parse(said).is_err(), "{said}");
        }
    }
}
