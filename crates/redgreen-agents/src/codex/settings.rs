//! Codex's hooks, in a file of their own. Time limits are in seconds. What is not trusted is skipped
//! silently: see `trust.rs`.

use crate::contract::EventKind;
use crate::settings::json::Comments;
use crate::settings::{
    Entries, Form, Hook, START_SECONDS, STOP_SECONDS, Settings, UserFile, entry_in_seconds,
};

/// Where its hooks are.
pub static SETTINGS: Settings = Settings {
    project: ".codex/hooks.json",
    user: UserFile { variable: Some("CODEX_HOME"), folder: ".codex", file: "hooks.json" },
    form: Form::Entries(Entries {
        hooks: &[
            Hook { event: "SessionStart", kind: EventKind::SessionStart, seconds: START_SECONDS },
            Hook { event: "Stop", kind: EventKind::Stop, seconds: STOP_SECONDS },
        ],
        entry: entry_in_seconds,
        version: None,
        versioned: false,
        comments: Comments::Refused,
    }),
    switches: &[],
};
