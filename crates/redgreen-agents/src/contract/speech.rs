//! Answers, and how they are said.

use redgreen_model::gate::Answer;
use serde_json::{Map, Value, json};

use super::EventKind;

/// The most characters of a text for an agent: Codex cuts longer ones in the middle.
pub const REASON_CHARS: usize = 10_000;
/// What is put where a text was cut.
const CUT: &str = "\n[… cut off: the rest is in redgreen's report]";

/// An answer that no agent cuts.
pub(super) fn bounded(answer: &Answer) -> Answer {
    match answer {
        Answer::Allow { remarks, .. } if remarks.is_empty() => answer.clone(),
        Answer::Allow { .. } => Answer::tell(cut(&answer.text().unwrap_or_default())),
        Answer::Block { reason } => Answer::block(cut(reason)),
        Answer::LetGo { message } => Answer::let_go(cut(message)),
    }
}

fn cut(text: &str) -> String {
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
    let Some(text) = answer.text() else { return quiet() };
    match (kind, answer) {
        // Nothing can be held when a session starts; the model is told instead.
        (EventKind::SessionStart, Answer::Allow { .. } | Answer::Block { .. }) if words.context => {
            object(json!({"hookSpecificOutput": {
                "hookEventName": "SessionStart",
                "additionalContext": text,
            }}))
        }
        (EventKind::SessionStart, _) => remark(words, &text),
        (_, Answer::Block { .. }) => object(json!({"decision": "block", "reason": text})),
        (_, Answer::Allow { .. } | Answer::LetGo { .. }) => remark(words, &text),
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
