//! Claude Code's settings. Time limits are in seconds.

use crate::contract::EventKind;
use crate::settings::json::Comments;
use crate::settings::{
    Entries, Form, Hook, Off, START_SECONDS, STOP_SECONDS, Servers, Settings, Switch, SwitchFile,
    UserFile, entry_in_seconds, server_entry,
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

/// Where its servers of tools are. It asks a person before it starts one of a project.
pub static SERVERS: Servers = Servers {
    project: Some(".mcp.json"),
    user: UserFile { variable: Some("CLAUDE_CONFIG_DIR"), folder: "", file: ".claude.json" },
    name: "mcpServers",
    entry: server_entry,
    comments: Comments::Refused,
};
