//! Gemini CLI's hooks. It has no guard of its own.

use serde_json::{Value, json};

use crate::claude;
use crate::contract::{EventKind, Fields, HookContract, Told};

/// What it tells hooks, and what they answer.
pub static CONTRACT: HookContract = HookContract {
    events: &[
        ("SessionStart", EventKind::SessionStart),
        ("AfterAgent", EventKind::Stop),
        ("BeforeAgent", EventKind::Prompt),
    ],
    fields: Fields { last_message: &["prompt_response"], ..claude::CONTRACT.fields },
    tell,
    ..claude::CONTRACT
};

fn tell(told: &Told<'_>) -> Value {
    json!({
        "session_id": told.session,
        "cwd": told.folder,
        "hook_event_name": told.event,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "prompt": "Do it.",
        "prompt_response": "Done.",
        "stop_hook_active": false,
    })
}
