//! Qwen Code's settings. Time limits are in milliseconds. Headless it does not say that a session starts,
//! but it says each prompt.

use crate::contract::EventKind;
use crate::settings::json::Comments;
use crate::settings::{
    Entries, Form, Hook, Off, START_SECONDS, STOP_SECONDS, Servers, Settings, Switch, SwitchFile,
    UserFile, entry_in_milliseconds, server_entry,
};

const PROJECT: &str = ".qwen/settings.json";
const USER: UserFile = UserFile { variable: None, folder: ".qwen", file: "settings.json" };

/// Where its hooks are.
pub static SETTINGS: Settings = Settings {
    project: PROJECT,
    user: USER,
    form: Form::Entries(Entries {
        hooks: &[
            Hook { event: "UserPromptSubmit", kind: EventKind::Prompt, seconds: START_SECONDS },
            Hook { event: "Stop", kind: EventKind::Stop, seconds: STOP_SECONDS },
        ],
        entry: entry_in_milliseconds,
        // Without it, Qwen Code rewrites the file when it first starts.
        version: Some(("$version", 4)),
        versioned: false,
        comments: Comments::Allowed,
    }),
    switches: &[Switch {
        files: &[SwitchFile::Project(PROJECT), SwitchFile::User(USER)],
        names: &["disableAllHooks"],
        off: Off::At(true),
    }],
};

/// Where its servers of tools are: beside the hooks.
pub static SERVERS: Servers = Servers {
    project: Some(PROJECT),
    user: USER,
    name: "mcpServers",
    entry: server_entry,
    comments: Comments::Allowed,
};
