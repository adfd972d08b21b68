//! Answers, and how they are said.

use serde_json::{Map, Value, json};

use super::EventKind;

/// The most characters of a text for an agent: Codex cuts longer ones in the middle.
pub const REASON_CHARS: usize = 10_000;
/// What is put where a text was cut.
const CUT: &str = "\n[… cut: the rest is in redgreen's report]";

/// What a hook has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Go on, without a word.
    Allow,
    /// Go on, and know this.
    AllowWith(String),
    /// Not yet, for this reason: the agent reads it and goes on working.
    Block(String),
    /// Unverified, but no longer held: the bound is reached, and this is the last word.
    LetGo(String),
}

impl Answer {
    /// The text, if there is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Allow => None,
            Self::AllowWith(text) | Self::Block(text) | Self::LetGo(text) => Some(text),
        }
    }

    pub(super) fn bounded(&self) -> Self {
        match self {
            Self::Allow => Self::Allow,
            Self::AllowWith(text) => Self::AllowWith(bounded(text)),
            Self::Block(text) => Self::Block(bounded(text)),
            Self::LetGo(text) => Self::LetGo(bounded(text)),
        }
    }
}

fn bounded(text: &str) -> String {
    if text.chars().nth(REASON_CHARS).is_none() {
        return text.to_owned();
    }
    let kept = text.chars().take(REASON_CHARS - CUT.chars().count());
    kept.chain(CUT.chars()).collect()
}

/// What a hook's process does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken {
    /// On standard output.
    pub stdout: String,
    /// On standard error.
    pub stderr: String,
    /// Its exit code.
    pub exit_code: u8,
}

/// Which of the keys beside `decision` and `reason` an agent documents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words {
    /// `systemMessage`, shown to the person.
    pub system_message: bool,
    /// `hookSpecificOutput.additionalContext` when a session starts, shown to the model.
    pub context: bool,
}

/// The form that most agents take: `{"decision":"block","reason":…}`.
pub(crate) fn decision(words: Words, kind: &EventKind, answer: &Answer) -> Spoken {
    match (kind, answer) {
        (_, Answer::Allow) => quiet(),
        // Nothing can be held when a session starts; the model is told instead.
        (EventKind::SessionStart, Answer::AllowWith(text) | Answer::Block(text))
            if words.context =>
        {
            object(json!({"hookSpecificOutput": {
                "hookEventName": "SessionStart",
                "additionalContext": text,
            }}))
        }
        (EventKind::SessionStart, Answer::Block(text)) => remark(words, text),
        (_, Answer::Block(text)) => object(json!({"decision": "block", "reason": text})),
        (_, Answer::AllowWith(text) | Answer::LetGo(text)) => remark(words, text),
    }
}

/// Nothing said, nothing held.
fn quiet() -> Spoken {
    Spoken { stdout: String::new(), stderr: String::new(), exit_code: 0 }
}

/// Something to know, which holds nobody.
fn remark(words: Words, text: &str) -> Spoken {
    if words.system_message {
        object(json!({"systemMessage": text}))
    } else {
        Spoken { stderr: format!("{text}\n"), ..quiet() }
    }
}

/// An object as the answer.
pub(crate) fn object(value: Value) -> Spoken {
    let value = if value.is_object() { value } else { Value::Object(Map::new()) };
    Spoken { stdout: format!("{value}\n"), ..quiet() }
}
