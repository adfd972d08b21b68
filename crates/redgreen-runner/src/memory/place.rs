//! The folder of the debug memory. No tree has what is written there, so nothing that could count may hide in it; and
//! who is judged does not say where it is.

use std::fs;
use std::path::{Component, Path};

use redgreen_frameworks::file_role;
use redgreen_memory::Memory;
use redgreen_model::config::{Config, DEFAULT_MEMORY_LOCATION, MemorySettings};
use redgreen_model::debug_memory::layout::{DOCUMENTS, GIT_FILES, PATTERNS, STALE_MARK, WORKING};
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::tree::{FileRole, TreeHash};
use redgreen_workspace::Workspace;

use super::memory_of;
use crate::RunnerError;
use crate::trees::keeping_index;

/// The configuration's file.
const CONFIG_FILE: &str = "redgreen.toml";
const CONFIG_BYTES_MAX: u64 = 1024 * 1024;
/// Endings of documents, which other tools put there, too.
const DATA: &[&str] = &["json", "jsonl", "yaml", "yml", "md", "txt", "log", "csv"];
/// The ending of what is being written.
const DRAFT: &str = "draft";

/// A work tree whose debug memory is where its configuration says, if that is what the tree before the
/// change says, too: the last commit, where none is named. Else it is at its usual place, and what lies
/// elsewhere counts.
pub fn placed(workspace: Workspace, before: Option<&TreeHash>) -> Result<Workspace, RunnerError> {
    let workspace = keeping_index(workspace);
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
            "the debug memory cannot be in {}: {path} is there, and nothing else may be; name a folder of its own ([memory] location in {CONFIG_FILE}), or move the file",
            clean_line(&settings.location, LINE_CHARS)
        ))),
    }
}

/// The debug memory of a work tree for one who asks it, or why it is not used: no index is made where a link
/// leads, or among files that are not memory's.
pub fn opened(root: &Path, settings: &MemorySettings) -> Result<Memory, RunnerError> {
    let location = clean_line(&settings.location, LINE_CHARS);
    if let Some(obstacle) = obstacle(root, settings) {
        return Err(RunnerError::Configuration(format!(
            "the debug memory in {location} is not used: {obstacle}; make it a folder of its own, or name another one ([memory] location in {CONFIG_FILE})",
        )));
    }
    let memory = memory_of(root, settings);
    // One that is in use was looked at when it was new; a large one is not looked through for each question.
    if !memory.index_file().is_some_and(|index| index.is_file()) {
        require_own_folder(root, settings)?;
    }
    Ok(memory)
}

/// What keeps the debug memory from being used, in words. What is behind a link may be anywhere.
pub(crate) fn obstacle(root: &Path, settings: &MemorySettings) -> Option<String> {
    let shown = |path: &Path| {
        let path = path.strip_prefix(root).unwrap_or(path);
        clean_line(&path.to_string_lossy(), LINE_CHARS)
    };
    let mut path = root.to_owned();
    for part in Path::new(&settings.location).components() {
        if let Component::Normal(name) = part {
            path.push(name);
        }
        if fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink()) {
            return Some(format!("{} is a link", shown(&path)));
        }
    }
    DOCUMENTS.iter().chain(&WORKING).find_map(|name| {
        let path = path.join(name);
        let found = fs::symlink_metadata(&path).ok()?;
        let problem = match found.is_dir() {
            true => return None,
            false if found.is_symlink() => "is a link",
            false => "is no folder",
        };
        Some(format!("{} {problem}", shown(&path)))
    })
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
            // Then memory is not used; and a link or a nameless file there is no better place to hide.
            let stands_in_for_folder = inside.is_empty()
                && (DOCUMENTS.contains(&name.as_str()) || WORKING.contains(&name.as_str()));
            if is_folder {
                open.push(format!("{inside}{name}/"));
            } else if !stands_in_for_folder && !is_of_memory(&location, &inside, &name) {
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
                || [".index-lock", STALE_MARK].contains(&name)
                || name.starts_with("session-") && is_data
        }
        PATTERNS => name.starts_with("learned-patterns.") && is_data,
        folder if DOCUMENTS.contains(&folder) => {
            is_data && (name.contains("session-") || !counts_here)
        }
        folder => WORKING.contains(&folder) && ending.is_none_or(|ending| ending == DRAFT),
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
                ".drafts/.record.4711-18c5-0.draft",
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
            (DEFAULT_MEMORY_LOCATION, ".aiwg/ralph/debug-memory/.index-evil.py"),
            (DEFAULT_MEMORY_LOCATION, ".aiwg/ralph/debug-memory/sessions/session-1.py"),
            (DEFAULT_MEMORY_LOCATION, ".aiwg/ralph/debug-memory/.drafts/evil.js"),
            (DEFAULT_MEMORY_LOCATION, ".aiwg/ralph/debug-memory/evil.pyc"),
            (DEFAULT_MEMORY_LOCATION, ".aiwg/ralph/debug-memory/sessions/session-1.pyc"),
        ] {
            assert_eq!(first(location, &[file]).as_deref(), Some(file));
        }
    }
    #[test]
    fn a_link_or_a_file_in_the_place_of_a_folder_is_an_obstacle() {
        let settings = MemorySettings::default();
        let refused = |make: &dyn Fn(&Path)| {
            let folder = tempfile::tempdir().expect("a folder");
            let memory = folder.path().join(DEFAULT_MEMORY_LOCATION);
            fs::create_dir_all(&memory).expect("folders");
            make(&memory);
            assert_eq!(stranger(folder.path(), &settings), None, "it stops no loop");
            let refused = opened(folder.path(), &settings).err().map(|error| error.to_string());
            assert_eq!(refused.is_some(), obstacle(folder.path(), &settings).is_some());
            assert!(!folder.path().join("elsewhere").exists());
            refused.unwrap_or_default()
        };
        let link = |path: &Path| std::os::unix::fs::symlink("../../../elsewhere", path);
        assert_eq!(
            refused(&|memory| fs::create_dir(memory.join("sessions")).expect("a folder")),
            ""
        );
        for name in ["sessions", "archive", "patterns", ".drafts", ".in-use"] {
            let linked = refused(&|memory| link(&memory.join(name)).expect("a link"));
            assert!(
                linked.contains(&format!("debug-memory/{name} is a link; make it a folder")),
                "{linked}"
            );
            let file = refused(&|memory| fs::write(memory.join(name), "").expect("a file"));
            assert!(file.contains(&format!("debug-memory/{name} is no folder")), "{file}");
        }
    }
}
