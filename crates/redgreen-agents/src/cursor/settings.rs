//! Cursor's hooks. One event that it does not know voids the whole file, so the start of a task is
//! seen by the oldest event there is for it. Without a limit of its own, since redgreen counts.

use serde_json::{Value, json};

use crate::contract::EventKind;
use crate::settings::json::Comments;
use crate::settings::{
    Entries, Form, Hook, START_SECONDS, STOP_SECONDS, Servers, Settings, UserFile, server_entry,
};

/// Where its hooks are.
pub static SETTINGS: Settings = Settings {
    project: ".cursor/hooks.json",
    user: UserFile { variable: None, folder: ".cursor", file: "hooks.json" },
    form: Form::Entries(Entries {
        hooks: &[
            Hook { event: "beforeSubmitPrompt", kind: EventKind::Prompt, seconds: START_SECONDS },
            Hook { event: "stop", kind: EventKind::Stop, seconds: STOP_SECONDS },
        ],
        entry,
        version: Some(("version", 1)),
        versioned: true,
        comments: Comments::Allowed,
    }),
    switches: &[],
};

fn entry(hook: &Hook, command: &str) -> Value {
    match hook.kind {
        EventKind::Stop => {
            json!({"command": command, "timeout": hook.seconds, "loop_limit": null})
        }
        _ => json!({"command": command, "timeout": hook.seconds}),
    }
}

/// Where its servers of tools are.
pub static SERVERS: Servers = Servers {
    project: Some(".cursor/mcp.json"),
    user: UserFile { variable: None, folder: ".cursor", file: "mcp.json" },
    name: "mcpServers",
    entry: server_entry,
    comments: Comments::Refused,
};
