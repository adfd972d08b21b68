//! Gemini CLI runs nothing of a folder's settings unless the folder is trusted.

use crate::settings::{Folders, Trust, UserFile};

const FOLDERS: Folders = Folders {
    file: UserFile { variable: None, folder: ".gemini", file: "trustedFolders.json" },
    list: None,
    word: "TRUST_FOLDER",
    step: "start `gemini` in this folder once and choose to trust it (or use its /permissions)",
};

/// How its trust is set up.
pub static TRUST: Trust = Trust {
    grant: |around, scope| FOLDERS.grant(around, scope),
    revoke: |around, scope| FOLDERS.revoke(around, scope),
    look: |around, scope| FOLDERS.look(around, scope),
};
