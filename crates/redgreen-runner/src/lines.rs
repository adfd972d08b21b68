//! Files with one JSON document a line.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::RunnerError;

/// All that can be read; a line that cannot says nothing.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Vec<T> {
    let text = if path.is_file() { fs::read_to_string(path) } else { Ok(String::new()) };
    let text = text.unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Adds a line; it is on disk when this returns.
pub(crate) fn append(path: &Path, entry: &impl Serialize) -> Result<(), RunnerError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(RunnerError::file("make the folder", folder))?;
    }
    let mut line = serde_json::to_vec(entry).map_err(|error| {
        RunnerError::Session(format!("cannot write to {}: {error}", path.display()))
    })?;
    line.push(b'\n');
    let file = fs::File::options().create(true).append(true).open(path);
    let written = file.and_then(|mut file| file.write_all(&line).and_then(|()| file.sync_all()));
    written.map_err(RunnerError::file("write", path))
}
