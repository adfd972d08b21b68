//! Copilot CLI's hooks: every file in a folder. Time limits are in seconds, and half a minute if none is
//! given.

use serde_json::{Value, json};

use crate::contract::EventKind;
use crate::settings::json::Comments;
use crate::settings::{
    Entries, Form, Hook, Off, SERVER_WORD, START_SECONDS, STOP_SECONDS, Servers, Settings, Switch,
    SwitchFile, UserFile,
};

/// The variable that names its folder.
const HOME: &str = "COPILOT_HOME";

/// Where its hooks are.
pub static SETTINGS: Settings = Settings {
    project: ".github/hooks/redgreen.json",
    user: UserFile { variable: Some(HOME), folder: ".copilot", file: "hooks/redgreen.json" },
    form: Form::Entries(Entries {
        hooks: &[
            Hook { event: "sessionStart", kind: EventKind::SessionStart, seconds: START_SECONDS },
            Hook { event: "agentStop", kind: EventKind::Stop, seconds: STOP_SECONDS },
        ],
        entry,
        version: Some(("version", 1)),
        versioned: true,
        comments: Comments::Refused,
    }),
    switches: &[
        Switch { files: &[SwitchFile::Own], names: &["disableAllHooks"], off: Off::At(true) },
        Switch {
            files: &[
                SwitchFile::Project(".github/copilot/settings.local.json"),
                SwitchFile::Project(".github/copilot/settings.json"),
                SwitchFile::User(UserFile {
                    variable: Some(HOME),
                    folder: ".copilot",
                    file: "settings.json",
                }),
            ],
            names: &["disableAllHooks"],
            off: Off::At(true),
        },
    ],
};

fn entry(hook: &Hook, command: &str) -> Value {
    json!({"type": "command", "bash": command, "timeoutSec": hook.seconds})
}

/// Where its servers of tools are: it reads those of a user alone.
pub static SERVERS: Servers = Servers {
    project: None,
    user: UserFile { variable: Some(HOME), folder: ".copilot", file: "mcp-config.json" },
    name: "mcpServers",
    entry: local_server,
    comments: Comments::Refused,
};

fn local_server(program: &str) -> Value {
    json!({"type": "local", "command": program, "args": [SERVER_WORD], "tools": ["*"]})
}
