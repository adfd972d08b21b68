//! The gate where there is nothing to do: a work tree that is as it was when it was verified.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::measure::{compare, time, time_with_input};
use super::suites::{EDITED, Suite};
use super::table::{Quantity, Row};
use super::{START_RUNS, Setting};
use crate::Failure;
use crate::project::{capture, tools_folder};
use crate::tools::{ensure_folder, install_from_npm, lock};

const SMALL_FILES: usize = 1_000;
const LARGE_FILES: usize = 50_000;
/// A hook for coding agents that is written in JavaScript.
const PEER: &str = "tdd-guard";
const PEER_VERSION: &str = "tdd-guard@1.7.0";

/// A small project against `git status --porcelain`.
pub fn small(setting: &Setting) -> Result<Row, Failure> {
    against_git(setting, SMALL_FILES)
}

/// A large one.
pub fn large(setting: &Setting) -> Result<Row, Failure> {
    against_git(setting, LARGE_FILES)
}

fn against_git(setting: &Setting, files: usize) -> Result<Row, Failure> {
    let verified = Verified::new(setting, files)?;
    let medians = compare(
        START_RUNS,
        || time(verified.command(&setting.redgreen).arg("gate")),
        || time(verified.command(Path::new("git")).args(["status", "--porcelain"])),
    )?;
    Ok(Row {
        ours: Quantity::Time(medians.ours),
        against: "git status",
        theirs: Quantity::Time(medians.theirs),
        target_ratio: 1.2,
    })
}

/// A large one after each edit of one file, against `git status --porcelain`: the check itself takes no time.
pub fn one_edit(setting: &Setting) -> Result<Row, Failure> {
    let verified = Verified::new(setting, LARGE_FILES)?;
    let file = verified.suite.folder().join(EDITED);
    let mut number = 0;
    let edit_and_gate = || {
        number += 1;
        fs::write(&file, format!("NUMBER = {number}\n"))
            .map_err(|error| format!("{} cannot be written: {error}", file.display()))?;
        time(verified.command(&setting.redgreen).arg("gate"))
    };
    let medians = compare(setting.runs, edit_and_gate, || {
        time(verified.command(Path::new("git")).args(["status", "--porcelain"]))
    })?;
    Ok(Row {
        ours: Quantity::Time(medians.ours),
        against: "git status",
        theirs: Quantity::Time(medians.theirs),
        target_ratio: 2.0,
    })
}

/// As an agent's hook, against one that is started by Node.
pub fn hook(setting: &Setting) -> Result<Row, Failure> {
    let peer = tools_folder().join(PEER);
    {
        let _lock = lock(&tools_folder())?;
        ensure_folder(PEER, &peer, PEER_VERSION, |folder| install_from_npm(folder, PEER_VERSION))?;
    }
    let peer = peer.join("node_modules/.bin").join(PEER);
    let verified = Verified::new(setting, SMALL_FILES)?;
    let event = verified.stop_event()?;
    let hook = |command: &mut Command| time_with_input(command, &event);
    let ours = || hook(verified.command(&setting.redgreen).args(["gate", "--hook", "claude"]));
    ours()?;
    let medians = compare(START_RUNS, ours, || hook(&mut verified.command(&peer)))?;
    Ok(Row {
        ours: Quantity::Time(medians.ours),
        against: PEER,
        theirs: Quantity::Time(medians.theirs),
        target_ratio: 0.1,
    })
}

/// A project whose tree was seen to pass, with a home of its own.
struct Verified {
    suite: Suite,
    home: PathBuf,
}

impl Verified {
    fn new(setting: &Setting, files: usize) -> Result<Self, Failure> {
        let suite = Suite::of_files(files)?;
        let home = suite.folder().with_extension("home");
        let emptied = if home.exists() { fs::remove_dir_all(&home) } else { Ok(()) };
        emptied
            .and_then(|()| fs::create_dir_all(&home))
            .map_err(|error| format!("{} cannot be made: {error}", home.display()))?;
        let verified = Self { suite, home };
        // Once to run the check, once to find the evidence and to look at the tree.
        for _ in 0..2 {
            capture(verified.command(&setting.redgreen).arg("gate"))?;
        }
        Ok(verified)
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.suite.folder()).env("HOME", &self.home);
        command.env_remove("XDG_STATE_HOME").env_remove("XDG_CONFIG_HOME");
        command
    }

    /// What an agent says when it wants to end.
    fn stop_event(&self) -> Result<PathBuf, Failure> {
        let event = serde_json::json!({
            "session_id": "bench",
            "transcript_path": self.home.join("transcript.jsonl"),
            "cwd": self.suite.folder(),
            "hook_event_name": "Stop",
            "stop_hook_active": false,
        });
        let path = self.home.join("stop.json");
        fs::write(&path, event.to_string())
            .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
        Ok(path)
    }
}
