//! A plan that has a secret in it: a key in the agent's command, say. Only what may be shown of it goes into
//! the journal, which lies in the work tree; all of it is needed to go on, and lies next to redgreen's key,
//! for its owner alone, until the loop has ended.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use serde_json::Value;

use crate::plan::Plan;
use crate::secrets::shown_variable;

/// What its owner alone may do with the file, and with its folder.
const MODE: u32 = 0o600;
const FOLDER_MODE: u32 = 0o700;

/// What may be shown of a plan; none where that is all of it.
pub(super) fn shown(plan: &Plan) -> Option<Plan> {
    let whole = serde_json::to_value(plan).ok()?;
    let shown = without_secrets("", whole.clone());
    if shown == whole {
        return None;
    }
    serde_json::from_value(shown).ok()
}

fn without_secrets(name: &str, value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(shown_variable(name, &text)),
        Value::Array(items) => {
            Value::Array(items.into_iter().map(|item| without_secrets(name, item)).collect())
        }
        Value::Object(fields) => {
            let clean = |(name, value): (String, Value)| {
                let value = without_secrets(&name, value);
                (name, value)
            };
            Value::Object(fields.into_iter().map(clean).collect())
        }
        other => other,
    }
}

/// Keeps all of a plan; on disk when this returns.
pub(super) fn keep(path: &Path, plan: &Plan) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder)?;
    redgreen_files::write_with_mode(path, &serde_json::to_vec(plan)?, MODE)
}

/// All of the plan of a session, if it is still there.
pub(super) fn read(path: &Path, session: &str) -> Option<Plan> {
    let plan: Plan = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    (plan.session == session).then_some(plan)
}
