//! Gemini CLI's hooks. It has no guard of its own.

use crate::contract::{
    Answer, COMMON_FIELDS, EventKind, Fields, HookContract, Spoken, Words, decision, never,
};

/// What it tells hooks, and what they answer.
pub static CONTRACT: HookContract = HookContract {
    events: &[
        ("SessionStart", EventKind::SessionStart),
        ("AfterAgent", EventKind::Stop),
        ("BeforeAgent", EventKind::Prompt),
    ],
    fields: Fields { last_message: &["prompt_response"], ..COMMON_FIELDS },
    say,
    runs_hooks_of: &[],
    recognise: never,
    interrupted: never,
};

fn say(kind: &EventKind, answer: &Answer) -> Spoken {
    decision(Words { system_message: true, context: true }, kind, answer)
}
