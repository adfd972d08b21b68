//! OpenCode's plugins: every script in a folder.

use serde_json::Value;

use crate::settings::{FIRST_LINE, Form, PROGRAM_LINE, STOP_SECONDS, Settings, UserFile};

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

/// The plugin, for an agent that takes it.
pub(crate) fn plugin(agent: &str, program: &str) -> String {
    format!(
        "{FIRST_LINE}\n{PROGRAM_LINE}{}\nconst AGENT = {}\nconst LIMIT_SECONDS = {STOP_SECONDS}\n{}",
        Value::from(program),
        Value::from(agent),
        include_str!("plugin.js")
    )
}
