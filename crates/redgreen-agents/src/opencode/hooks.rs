//! OpenCode has no hooks that are commands: redgreen's plugin calls the gate, with this payload, and
//! reads this answer.

use crate::claude;
use crate::contract::{Answer, EventKind, HookContract, Spoken, Words, decision};

/// What the plugin tells, and what it is answered.
pub static CONTRACT: HookContract = HookContract {
    events: &[("session-start", EventKind::SessionStart), ("stop", EventKind::Stop)],
    say,
    reads_at_start: false,
    ..claude::CONTRACT
};

fn say(kind: &EventKind, answer: &Answer) -> Spoken {
    decision(Words { system_message: true, context: false }, kind, answer)
}
