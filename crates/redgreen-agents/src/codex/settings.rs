//! Codex's hooks, in a file of their own. Time limits are in seconds. What is not trusted is skipped
//! silently: see `trust.rs`.

use crate::contract::EventKind;
use crate::settings::json::Comments;
use crate::settings::{
    Entries, Form, Hook, Off, START_SECONDS, STOP_SECONDS, Settings, Switch, SwitchFile, UserFile,
    entry_in_seconds,
};

/// The variable that names its folder.
const HOME: &str = "CODEX_HOME";
/// Where its features are switched on and off.
const CONFIGS: &[SwitchFile] = &[
    SwitchFile::Project(".codex/config.toml"),
    SwitchFile::User(UserFile { variable: Some(HOME), folder: ".codex", file: "config.toml" }),
];

/// Where its hooks are.
pub static SETTINGS: Settings = Settings {
    project: ".codex/hooks.json",
    user: UserFile { variable: Some(HOME), folder: ".codex", file: "hooks.json" },
    form: Form::Entries(Entries {
        hooks: &[
            Hook { event: "SessionStart", kind: EventKind::SessionStart, seconds: START_SECONDS },
            Hook { event: "Stop", kind: EventKind::Stop, seconds: STOP_SECONDS },
        ],
        entry: entry_in_seconds,
        version: None,
        versioned: false,
        comments: Comments::Refused,
    }),
    switches: &[
        Switch { files: CONFIGS, names: &["features", "hooks"], off: Off::At(false) },
        // Its name in older versions.
        Switch { files: CONFIGS, names: &["features", "codex_hooks"], off: Off::At(false) },
    ],
};
