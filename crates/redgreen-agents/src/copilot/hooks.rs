//! Copilot CLI's hooks. It documents no key for a message to the person, ignores what is said when
//! a session starts, and lets go after eight blocks.
//!
//! It also runs the hooks in Claude Code's settings, with a payload in that form.

use std::path::Path;

use serde_json::{Value, json};

use crate::claude;
use crate::contract::{
    Answer, EventKind, Fields, HookContract, Payload, Spoken, Told, Words, decision,
};

/// What it tells hooks, and what they answer. Its own payloads do not name the event.
pub static CONTRACT: HookContract = HookContract {
    events: &[
        ("sessionStart", EventKind::SessionStart),
        ("agentStop", EventKind::Stop),
        ("subagentStop", EventKind::SubagentStop),
        ("userPromptSubmitted", EventKind::Prompt),
    ],
    fields: Fields { session: &["sessionId", "session_id"], ..claude::CONTRACT.fields },
    tell,
    say,
    reads_at_start: false,
    runs_hooks_of: &["claude"],
    recognise,
    ..claude::CONTRACT
};

fn say(kind: &EventKind, answer: &Answer) -> Spoken {
    decision(Words { system_message: false, context: false }, kind, answer)
}

/// A payload in Claude Code's form. Two signs are asked for: what is taken for Copilot's may be left
/// to Copilot's own hook, and a stop of Claude Code must never be.
fn recognise(payload: &Payload) -> bool {
    let transcript = payload.text(&["transcript_path"]).map(Path::new);
    let in_its_folder =
        transcript.is_some_and(|path| path.components().any(|part| part.as_os_str() == ".copilot"));
    let dated = payload.has("timestamp") && !payload.has("permission_mode");
    let its_fields = payload.has("stop_reason") || payload.has("initial_prompt");
    dated && (in_its_folder || its_fields)
}

fn tell(told: &Told<'_>) -> Value {
    json!({
        "sessionId": told.session,
        "timestamp": 1_767_225_600_000_u64,
        "cwd": told.folder,
        "stopReason": "end_turn",
        "stop_hook_active": false,
    })
}
