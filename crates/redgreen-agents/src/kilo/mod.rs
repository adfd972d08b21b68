//! Kilo Code, which grew out of OpenCode: the plugin and the command line are the same, in folders and
//! with variables of its own.

use crate::agent::{Agent, UNKNOWN};
use crate::opencode;
use crate::settings::{Form, Settings, UserFile};
use crate::start::Start;

/// Kilo Code.
pub static AGENT: Agent = Agent {
    name: "kilo",
    title: "Kilo Code",
    program: "kilo",
    hooks: Some(&opencode::CONTRACT),
    start: Some(&Start { install: "npm install --global @kilocode/cli", ..opencode::START }),
    settings: Some(&Settings {
        project: ".kilo/plugins/redgreen.js",
        user: UserFile {
            variable: Some("KILO_CONFIG_DIR"),
            folder: ".config/kilo",
            file: "plugins/redgreen.js",
        },
        form: Form::Plugin(|program| opencode::plugin("kilo", program)),
        switches: &[],
    }),
    marks: &["KILO"],
    variables: &["KILO"],
    ..UNKNOWN
};
