//! Qwen Code's settings. Time limits are in milliseconds. Headless it does not say that a session starts,
//! but it says each prompt.

use serde_json::{Value, json};

use crate::contract::EventKind;
use crate::settings::json::Comments;
use crate::settings::{Entries, Form, Hook, START_SECONDS, STOP_SECONDS, Settings, UserFile};

/// Where its hooks are.
pub static SETTINGS: Settings = Settings {
    project: ".qwen/settings.json",
    user: UserFile { variable: None, folder: ".qwen", file: "settings.json" },
    form: Form::Entries(Entries {
        hooks: &[
            Hook { event: "UserPromptSubmit", kind: EventKind::Prompt, seconds: START_SECONDS },
            Hook { event: "Stop", kind: EventKind::Stop, seconds: STOP_SECONDS },
        ],
        entry,
        versioned: false,
        comments: Comments::Allowed,
    }),
};

fn entry(hook: &Hook, command: &str) -> Value {
    json!({"matcher": "*", "hooks": [{
        "type": "command",
        "name": "redgreen",
        "command": command,
        "timeout": hook.seconds * MILLISECONDS,
    }]})
}

/// It counts a time limit in milliseconds.
const MILLISECONDS: u64 = 1_000;
