//! Claude Code's hooks, which most agents took over, in whole or in part. Its own guard lets go after
//! eight blocks in a row.

use serde_json::{Value, json};

use crate::contract::{
    Answer, EventKind, Fields, HookContract, Spoken, Told, Words, decision, hear_decision, never,
};

/// What it tells hooks, and what they answer.
pub(crate) const CONTRACT: HookContract = HookContract {
    events: &[
        ("SessionStart", EventKind::SessionStart),
        ("Stop", EventKind::Stop),
        ("SubagentStop", EventKind::SubagentStop),
        ("UserPromptSubmit", EventKind::Prompt),
    ],
    fields: Fields {
        event: &["hook_event_name"],
        session: &["session_id"],
        folder: &["cwd"],
        last_message: &["last_assistant_message"],
        background: &["background_tasks"],
    },
    project: "CLAUDE_PROJECT_DIR",
    tell,
    say,
    reads_at_start: true,
    hear: hear_decision,
    runs_hooks_of: &[],
    recognise: never,
    interrupted: never,
};

fn say(kind: &EventKind, answer: &Answer) -> Spoken {
    decision(Words { system_message: true, context: true }, kind, answer)
}

fn tell(told: &Told<'_>) -> Value {
    json!({
        "session_id": told.session,
        "cwd": told.folder,
        "hook_event_name": told.event,
        "permission_mode": "default",
        "stop_hook_active": false,
        "last_assistant_message": "Done.",
    })
}
