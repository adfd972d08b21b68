//! What the watchers of the languages write: which file of the project was opened or loaded, and which of its files
//! named it.

use redgreen_model::reach::Reached;
use serde::Deserialize;

/// The environment variable that names the folder that they write to.
pub const FOLDER_VARIABLE: &str = "REDGREEN_REACHED";
/// The environment variable that names the root of the work tree, as the command sees it.
pub const ROOT_VARIABLE: &str = "REDGREEN_ROOT";
/// That folder, in the folder of a run.
pub const FOLDER: &str = "reached";
/// The most bytes of a path.
const PATH_BYTES_MAX: usize = 1_000;

/// A line of what a process wrote.
#[derive(Deserialize)]
struct Line {
    /// What was reached, from the root.
    file: String,
    /// Who named it; empty for the runner.
    by: String,
    /// Whether somebody else may have.
    #[serde(default)]
    unsure: bool,
}

/// Reads what one process wrote. A line that cannot be read says nothing.
pub fn read(bytes: &[u8], seen: &mut Reached) {
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(Line { file, by, unsure }) = serde_json::from_slice(line) else { continue };
        let is_path = |path: &str| {
            path.len() <= PATH_BYTES_MAX && !path.starts_with('/') && !path.contains(['\0', '\n'])
        };
        if is_path(&file) && is_path(&by) && !file.is_empty() {
            seen.add(&file, &by, !unsure);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_what_is_no_line_says_nothing() {
        let text = br#"{"file": "a/x.txt", "by": "a/code.py"}
{"file": "a/x.txt", "by": ""}
{"file": "a/y.txt", "by": "a/code.py", "unsure": true}
{"file": "/etc/passwd", "by": ""}
{"file": "a/z.t"#;
        let mut seen = Reached::default();
        read(text, &mut seen);
        assert_eq!(seen.by.len(), 1);
        assert_eq!(seen.by["a/x.txt"].iter().collect::<Vec<_>>(), ["", "a/code.py"]);
        assert_eq!(seen.perhaps_by["a/y.txt"].iter().collect::<Vec<_>>(), ["a/code.py"]);
    }
}
