//! Cursor's hooks. A stop cannot be held: a follow-up message is sent instead. Cursor may not close
//! a hook's input, and may begin it with a byte order mark.
//!
//! It also runs the hooks in Claude Code's settings, if a person has allowed it.

use serde_json::{Value, json};

use crate::claude;
use crate::contract::{Answer, EventKind, Fields, HookContract, Payload, Spoken, Told, object};

/// What it tells hooks, and what they answer.
pub static CONTRACT: HookContract = HookContract {
    events: &[
        ("sessionStart", EventKind::SessionStart),
        ("stop", EventKind::Stop),
        ("subagentStop", EventKind::SubagentStop),
        ("beforeSubmitPrompt", EventKind::Prompt),
    ],
    fields: Fields {
        event: &["hook_event_name"],
        session: &["conversation_id", "session_id"],
        folder: &["cwd", "workspace_roots"],
        last_message: &[],
        background: &[],
    },
    tell,
    say,
    hear: |answer| answer["followup_message"].as_str(),
    runs_hooks_of: &["claude"],
    recognise: |payload| payload.has("cursor_version") && payload.has("conversation_id"),
    interrupted,
    ..claude::CONTRACT
};

fn say(kind: &EventKind, answer: &Answer) -> Spoken {
    let text = answer.text();
    let holds = matches!(answer, Answer::Block { .. });
    let mut spoken = object(match (kind, answer, &text) {
        (EventKind::SessionStart, Answer::Allow { .. } | Answer::Block { .. }, Some(text)) => {
            json!({"additional_context": text})
        }
        (EventKind::Prompt, _, _) => json!({}),
        (_, Answer::Block { .. }, Some(text)) => json!({"followup_message": text}),
        _ => json!({}),
    });
    if let Some(text) = text.filter(|_| !holds) {
        spoken.stderr = format!("{text}\n");
    }
    spoken
}

/// A person pressed stop: a follow-up would start again what they ended.
fn interrupted(payload: &Payload) -> bool {
    payload.text(&["status"]) == Some("aborted")
}

fn tell(told: &Told<'_>) -> Value {
    json!({
        "conversation_id": told.session,
        "generation_id": told.session,
        "hook_event_name": told.event,
        "cursor_version": "2.0.0",
        "workspace_roots": [told.folder],
        "status": "completed",
        "loop_count": 0,
    })
}
