//! Codex's hooks. It has no guard of its own, and drops an answer with a key that it does not know.

use crate::contract::{
    Answer, COMMON_FIELDS, EventKind, HookContract, Spoken, Words, decision, hear_decision, never,
    tell_common,
};

/// What it tells hooks, and what they answer.
pub static CONTRACT: HookContract = HookContract {
    events: &[
        ("SessionStart", EventKind::SessionStart),
        ("Stop", EventKind::Stop),
        ("SubagentStop", EventKind::SubagentStop),
        ("UserPromptSubmit", EventKind::Prompt),
    ],
    fields: COMMON_FIELDS,
    tell: tell_common,
    say,
    hear: hear_decision,
    runs_hooks_of: &[],
    recognise: never,
    interrupted: never,
};

fn say(kind: &EventKind, answer: &Answer) -> Spoken {
    decision(Words { system_message: true, context: true }, kind, answer)
}
