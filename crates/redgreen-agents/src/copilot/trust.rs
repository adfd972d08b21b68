//! Copilot CLI runs no hooks of a folder that is not trusted. It writes its file anew with each start,
//! so what redgreen has put there looks like a person's word after that, and stays.

use crate::settings::{Folders, Trust, UserFile};

const FOLDERS: Folders = Folders {
    file: UserFile { variable: Some("COPILOT_HOME"), folder: ".copilot", file: "config.json" },
    list: Some("trustedFolders"),
    word: "",
    step: "start `copilot` in this folder once and choose to trust it for future sessions",
};

/// How its trust is set up.
pub static TRUST: Trust = Trust {
    grant: |around, scope| FOLDERS.grant(around, scope),
    revoke: |around, scope| FOLDERS.revoke(around, scope),
    look: |around, scope| FOLDERS.look(around, scope),
};
