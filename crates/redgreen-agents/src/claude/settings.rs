//! Claude Code's settings. Time limits are in seconds.

use crate::contract::EventKind;
use crate::settings::json::Comments;
use crate::settings::{
    Entries, Form, Hook, START_SECONDS, STOP_SECONDS, Settings, UserFile, entry_in_seconds,
};

/// Where its hooks are.
pub static SETTINGS: Settings = Settings {
    project: ".claude/settings.json",
    user: UserFile {
        variable: Some("CLAUDE_CONFIG_DIR"),
        folder: ".claude",
        file: "settings.json",
    },
    form: Form::Entries(Entries {
        hooks: &[
            Hook { event: "SessionStart", kind: EventKind::SessionStart, seconds: START_SECONDS },
            Hook { event: "Stop", kind: EventKind::Stop, seconds: STOP_SECONDS },
        ],
        entry: entry_in_seconds,
        versioned: false,
        comments: Comments::Allowed,
    }),
};
