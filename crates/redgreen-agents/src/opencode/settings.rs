//! OpenCode's plugins: every script in a folder.

use serde_json::{Value, json};

use crate::settings::json::Comments;
use crate::settings::{
    FIRST_LINE, Form, PROGRAM_LINE, SERVER_WORD, STOP_SECONDS, Servers, Settings, UserFile,
};

/// Where the plugin is.
pub static SETTINGS: Settings = Settings {
    project: ".opencode/plugins/redgreen.js",
    user: UserFile {
        variable: Some("OPENCODE_CONFIG_DIR"),
        folder: ".config/opencode",
        file: "plugins/redgreen.js",
    },
    form: Form::Plugin(|program| plugin("opencode", program)),
    switches: &[],
};

/// Where its servers of tools are.
pub static SERVERS: Servers = Servers {
    project: Some("opencode.json"),
    user: UserFile {
        variable: Some("OPENCODE_CONFIG_DIR"),
        folder: ".config/opencode",
        file: "opencode.json",
    },
    name: "mcp",
    entry: local_server,
    comments: Comments::Allowed,
};

fn local_server(program: &str) -> Value {
    json!({"type": "local", "command": [program, SERVER_WORD], "enabled": true})
}

/// The plugin, for an agent that takes it.
pub(crate) fn plugin(agent: &str, program: &str) -> String {
    format!(
        "{FIRST_LINE}\n{PROGRAM_LINE}{}\nconst AGENT = {}\nconst LIMIT_SECONDS = {STOP_SECONDS}\n{}",
        Value::from(program),
        Value::from(agent),
        include_str!("plugin.js")
    )
}
