//! Qwen Code's settings. Time limits are in milliseconds. Headless it does not say that a session starts,
//! but it says each prompt.

use crate::contract::EventKind;
use crate::settings::json::Comments;
use crate::settings::{
    Entries, Form, Hook, START_SECONDS, STOP_SECONDS, Settings, UserFile, entry_in_milliseconds,
};

/// Where its hooks are.
pub static SETTINGS: Settings = Settings {
    project: ".qwen/settings.json",
    user: UserFile { variable: None, folder: ".qwen", file: "settings.json" },
    form: Form::Entries(Entries {
        hooks: &[
            Hook { event: "UserPromptSubmit", kind: EventKind::Prompt, seconds: START_SECONDS },
            Hook { event: "Stop", kind: EventKind::Stop, seconds: STOP_SECONDS },
        ],
        entry: entry_in_milliseconds,
        versioned: false,
        comments: Comments::Allowed,
    }),
};
