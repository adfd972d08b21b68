//! Gemini CLI's settings. Time limits are in milliseconds.

use crate::contract::EventKind;
use crate::settings::json::Comments;
use crate::settings::{
    ENTRY_NAME, Entries, Form, Hook, Off, START_SECONDS, STOP_SECONDS, Servers, Settings, Switch,
    SwitchFile, UserFile, entry_in_milliseconds, server_entry,
};

const PROJECT: &str = ".gemini/settings.json";
const USER: UserFile = UserFile { variable: None, folder: ".gemini", file: "settings.json" };

/// Where its hooks are.
pub static SETTINGS: Settings = Settings {
    project: PROJECT,
    user: USER,
    form: Form::Entries(Entries {
        hooks: &[
            Hook { event: "SessionStart", kind: EventKind::SessionStart, seconds: START_SECONDS },
            Hook { event: "AfterAgent", kind: EventKind::Stop, seconds: STOP_SECONDS },
        ],
        entry: entry_in_milliseconds,
        version: None,
        versioned: false,
        comments: Comments::Allowed,
    }),
    switches: &[
        Switch {
            files: &[SwitchFile::Project(PROJECT), SwitchFile::User(USER)],
            names: &["hooksConfig", "enabled"],
            off: Off::At(false),
        },
        // The name in the entries.
        Switch {
            files: &[SwitchFile::Project(PROJECT), SwitchFile::User(USER)],
            names: &["hooksConfig", "disabled"],
            off: Off::Naming(ENTRY_NAME),
        },
    ],
};

/// Where its servers of tools are: beside the hooks.
pub static SERVERS: Servers = Servers {
    project: Some(PROJECT),
    user: USER,
    name: "mcpServers",
    entry: server_entry,
    comments: Comments::Allowed,
};
