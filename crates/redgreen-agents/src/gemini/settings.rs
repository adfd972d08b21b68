//! Gemini CLI's settings. Time limits are in milliseconds.

use crate::contract::EventKind;
use crate::settings::json::Comments;
use crate::settings::{
    Entries, Form, Hook, START_SECONDS, STOP_SECONDS, Settings, UserFile, entry_in_milliseconds,
};

/// Where its hooks are.
pub static SETTINGS: Settings = Settings {
    project: ".gemini/settings.json",
    user: UserFile { variable: None, folder: ".gemini", file: "settings.json" },
    form: Form::Entries(Entries {
        hooks: &[
            Hook { event: "SessionStart", kind: EventKind::SessionStart, seconds: START_SECONDS },
            Hook { event: "AfterAgent", kind: EventKind::Stop, seconds: STOP_SECONDS },
        ],
        entry: entry_in_milliseconds,
        versioned: false,
        comments: Comments::Allowed,
    }),
};
