//! Claude Code's settings. Time limits are in seconds.

use crate::contract::EventKind;
use crate::settings::json::Comments;
use crate::settings::{
    Entries, Form, Hook, Off, START_SECONDS, STOP_SECONDS, Settings, Switch, SwitchFile, UserFile,
    entry_in_seconds,
};

const PROJECT: &str = ".claude/settings.json";
const USER: UserFile =
    UserFile { variable: Some("CLAUDE_CONFIG_DIR"), folder: ".claude", file: "settings.json" };

/// Where its hooks are.
pub static SETTINGS: Settings = Settings {
    project: PROJECT,
    user: USER,
    form: Form::Entries(Entries {
        hooks: &[
            Hook { event: "SessionStart", kind: EventKind::SessionStart, seconds: START_SECONDS },
            Hook { event: "Stop", kind: EventKind::Stop, seconds: STOP_SECONDS },
            Hook { event: "SubagentStop", kind: EventKind::SubagentStop, seconds: STOP_SECONDS },
        ],
        entry: entry_in_seconds,
        version: None,
        versioned: false,
        comments: Comments::Allowed,
    }),
    switches: &[Switch {
        files: &[
            SwitchFile::Project(".claude/settings.local.json"),
            SwitchFile::Project(PROJECT),
            SwitchFile::User(USER),
        ],
        names: &["disableAllHooks"],
        off: Off::At(true),
    }],
};
