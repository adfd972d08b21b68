//! Copilot CLI's hooks: every file in a folder. Time limits are in seconds, and half a minute if none is
//! given.

use serde_json::{Value, json};

use crate::contract::EventKind;
use crate::settings::json::Comments;
use crate::settings::{Entries, Form, Hook, START_SECONDS, STOP_SECONDS, Settings, UserFile};

/// Where its hooks are.
pub static SETTINGS: Settings = Settings {
    project: ".github/hooks/redgreen.json",
    user: UserFile {
        variable: Some("COPILOT_HOME"),
        folder: ".copilot",
        file: "hooks/redgreen.json",
    },
    form: Form::Entries(Entries {
        hooks: &[
            Hook { event: "sessionStart", kind: EventKind::SessionStart, seconds: START_SECONDS },
            Hook { event: "agentStop", kind: EventKind::Stop, seconds: STOP_SECONDS },
        ],
        entry,
        versioned: true,
        comments: Comments::Refused,
    }),
};

fn entry(hook: &Hook, command: &str) -> Value {
    json!({"type": "command", "bash": command, "timeoutSec": hook.seconds})
}
