//! The folder of the debug memory. No tree has it, so nothing that could count may hide in it; and who is
//! judged does not say where it is.

use std::fs;
use std::path::Path;

use redgreen_frameworks::file_role;
use redgreen_model::config::{Config, DEFAULT_MEMORY_LOCATION, MemorySettings};
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::tree::{FileRole, TreeHash};
use redgreen_workspace::Workspace;

use crate::RunnerError;

/// The configuration's file.
const CONFIG_FILE: &str = "redgreen.toml";
const CONFIG_BYTES_MAX: u64 = 1024 * 1024;
/// Folders in which memory keeps documents, and those in which it keeps files without endings.
const DOCUMENTS: &[&str] = &["sessions", "archive", "patterns"];
const NAMELESS: &[&str] = &[".drafts", ".in-use"];
/// Endings of documents, which other tools put there, too.
const DATA: &[&str] = &["json", "jsonl", "yaml", "yml", "md", "txt", "log", "csv"];

/// What tells git how to treat the folder.
const GIT_FILES: &[&str] = &[".gitignore", ".gitattributes"];

/// A work tree whose debug memory is where its configuration says, if that is what the tree before the
/// change says, too: the last commit, where none is named. Else it is at its usual place, and what lies
/// elsewhere counts.
pub fn placed(workspace: Workspace, before: Option<&TreeHash>) -> Result<Workspace, RunnerError> {
    let here = fs::read_to_string(workspace.root().join(CONFIG_FILE)).unwrap_or_default();
    let location = location_in(&here);
    if location == DEFAULT_MEMORY_LOCATION {
        return Ok(workspace);
    }
    let before = match before {
        Some(before) => Some(before.clone()),
        None => workspace.tree_of("HEAD")?,
    };
    let before = match before {
        Some(before) => workspace.read(&before, CONFIG_FILE, CONFIG_BYTES_MAX)?,
        None => None,
    };
    let agrees =
        before.is_none_or(|before| location_in(&String::from_utf8_lossy(&before)) == location);
    Ok(if agrees { workspace.remembering_at(&location) } else { workspace })
}

/// What a configuration says; one that cannot be read says nothing.
fn location_in(text: &str) -> String {
    Config::parse(text).map(|config| config.memory).unwrap_or_default().location
}

/// The debug memory needs a folder of its own: what else lies there could never be judged.
pub(crate) fn require_own_folder(
    root: &Path,
    settings: &MemorySettings,
) -> Result<(), RunnerError> {
    match stranger(root, settings) {
        None => Ok(()),
        Some(path) => Err(RunnerError::Configuration(format!(
            "the debug memory cannot be in {}: {path} lies there, and no tree has what lies there; name a folder of its own ([memory] location in {CONFIG_FILE}), or move the file",
            clean_line(&settings.location, LINE_CHARS)
        ))),
    }
}

/// The first file in the memory's folder that is not memory's and could count, from the root.
pub(crate) fn stranger(root: &Path, settings: &MemorySettings) -> Option<String> {
    let location = settings.location.trim_matches('/').to_owned();
    let mut open = vec![String::new()];
    while let Some(inside) = open.pop() {
        let folder = root.join(&location).join(&inside);
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder {
                open.push(format!("{inside}{name}/"));
            } else if !is_of_memory(&location, &inside, &name) {
                return Some(clean_line(&format!("{location}/{inside}{name}"), LINE_CHARS));
            }
        }
    }
    None
}

/// Whether a file is one that memory writes, or one that cannot count anyway.
fn is_of_memory(location: &str, inside: &str, name: &str) -> bool {
    let counts_here = file_role(&format!("{location}/{inside}{name}")) != FileRole::Inert;
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let is_data = ending.as_deref().is_some_and(|ending| DATA.contains(&ending));
    let folder = inside.trim_end_matches('/');
    let is_known = match folder {
        "" => {
            name.starts_with("index.sqlite3")
                || name.starts_with(".index-")
                || name.starts_with("session-") && is_data
        }
        "patterns" => name.starts_with("learned-patterns.") && is_data,
        folder if DOCUMENTS.contains(&folder) => {
            is_data && (name.contains("session-") || !counts_here)
        }
        folder => NAMELESS.contains(&folder) && ending.is_none(),
    };
    // Bytecode and the like are by-products elsewhere; here nobody would look at what they were made from.
    is_known || !counts_here && (is_data || GIT_FILES.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(location: &str, files: &[&str]) -> Option<String> {
        let folder = tempfile::tempdir().expect("a folder");
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(path, "").expect("a file");
        }
        let settings =
            MemorySettings { location: location.to_owned(), ..MemorySettings::default() };
        stranger(folder.path(), &settings)
    }

    #[test]
    fn what_memory_writes_is_at_home_everywhere() {
        for location in [DEFAULT_MEMORY_LOCATION, "notes/memory"] {
            let own = [
                ".gitignore",
                "index.sqlite3",
                "index.sqlite3-wal",
                ".index-lock",
                "sessions/session-00000000-0000-7000-8000-000000000000.json",
                "session-1.yaml",
                "patterns/learned-patterns.yaml",
                "patterns/learned-patterns.unreadable-0.txt",
                "archive/0-session-1.json",
                ".drafts/00000000-0000-7000-8000-000000000000",
                ".in-use/0123456789abcdef",
            ];
            let files: Vec<String> = own.iter().map(|file| format!("{location}/{file}")).collect();
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            assert_eq!(first(location, &files), None);
        }
        let others = [".aiwg/ralph/debug-memory/notes.md", ".aiwg/ralph/debug-memory/runs/1.json"];
        assert_eq!(first(DEFAULT_MEMORY_LOCATION, &others), None, "other tools' data");
    }

    #[test]
    fn code_and_what_tests_read_is_not() {
        for (location, file) in [
            ("src", "src/calc.py"),
            ("./src/", "./src/deep/er/calc.py"),
            ("tests/data", "tests/data/sessions/case.json"),
            ("tests/data", "tests/data/case.json"),
            (DEFAULT_MEMORY_LOCATION, ".aiwg/ralph/debug-memory/evil.py"),
            (DEFAULT_MEMORY_LOCATION, ".aiwg/ralph/debug-memory/sessions/session-1.py"),
            (DEFAULT_MEMORY_LOCATION, ".aiwg/ralph/debug-memory/.drafts/evil.js"),
            (DEFAULT_MEMORY_LOCATION, ".aiwg/ralph/debug-memory/evil.pyc"),
            (DEFAULT_MEMORY_LOCATION, ".aiwg/ralph/debug-memory/sessions/session-1.pyc"),
        ] {
            assert_eq!(first(location, &[file]).as_deref(), Some(file));
        }
    }
}
