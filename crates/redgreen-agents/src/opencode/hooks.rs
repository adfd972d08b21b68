//! OpenCode has no hooks that are commands: redgreen's plugin calls the gate, with this payload, and
//! reads this answer.

use crate::contract::{
    Answer, COMMON_FIELDS, EventKind, HookContract, Spoken, Words, decision, hear_decision, never,
    tell_common,
};

/// What the plugin tells, and what it is answered.
pub static CONTRACT: HookContract = HookContract {
    events: &[("session-start", EventKind::SessionStart), ("stop", EventKind::Stop)],
    fields: COMMON_FIELDS,
    tell: tell_common,
    say,
    hear: hear_decision,
    runs_hooks_of: &[],
    recognise: never,
    interrupted: never,
};

fn say(kind: &EventKind, answer: &Answer) -> Spoken {
    decision(Words { system_message: true, context: false }, kind, answer)
}
