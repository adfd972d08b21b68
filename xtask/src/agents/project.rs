//! The project that the agents play in, and the way to run things in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::programs::Agent;
use crate::Failure;
use crate::project::capture;

/// The file that has to be mended.
pub const FILE: &str = "calc.py";
const BROKEN: &str = "def add(a, b):\n    return a - b\n";
/// A fix that the tests refute.
pub const WRONG: &str = "def add(a, b):\n    return a * b\n";
/// Another one.
pub const ALSO_WRONG: &str = "def add(a, b):\n    return a / b\n";
/// The fix.
pub const RIGHT: &str = "def add(a, b):\n    return a + b\n";

/// The test, as redgreen names it.
pub const TEST: &str = "test_calc.Calc.test_add";
/// As many attempts as it takes, and few enough for any agent's own patience.
pub const ATTEMPTS: usize = 3;

fn configuration(agent: &Agent) -> String {
    format!(
        "[[checks]]
name = \"unit\"
command = \"python3 -m unittest\"

[agent]
name = \"{}\"
args = {:?}

[loop]
max_attempts = {ATTEMPTS}
backoff = \"none\"
",
        agent.name, agent.args
    )
}

/// One play's folders: a repository and a home.
pub struct Place {
    pub folder: PathBuf,
    path: String,
}

impl Place {
    /// A new one, with a test that fails. While the file `hang` is beside the project, the test
    /// renames it and waits for `go-on`.
    pub fn new(folder: PathBuf, agent: &Agent) -> Result<Self, Failure> {
        let wrong =
            |error: std::io::Error| format!("{} cannot be filled: {error}", folder.display());
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(wrong)?;
        }
        let place = Self { path: search_path(agent)?, folder: folder.clone() };
        let project = place.project();
        fs::create_dir_all(place.home())
            .and_then(|()| fs::create_dir_all(&project))
            .map_err(wrong)?;
        let files = [
            (FILE, BROKEN.to_owned()),
            ("test_calc.py", place.tests()),
            ("redgreen.toml", configuration(agent)),
            (".gitignore", "__pycache__/\n.aider*\n".to_owned()),
        ];
        for (name, text) in files {
            fs::write(project.join(name), text).map_err(wrong)?;
        }
        capture(place.command("git").args(["init", "-q"]))?;
        place.commit()?;
        Ok(place)
    }

    /// Commits everything.
    pub fn commit(&self) -> Result<(), Failure> {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        for words in [&["add", "-A"][..], &["commit", "-q", "--allow-empty", "-m", "start"]] {
            capture(self.command("git").args(identity).args(words))?;
        }
        Ok(())
    }

    pub fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    pub fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// Asks the next test run to hang.
    pub fn ask_to_hang(&self) -> Result<(), Failure> {
        fs::write(self.folder.join("hang"), "")
            .map_err(|error| format!("{}: {error}", self.folder.display()))
    }

    /// Lets the test that hangs go on. If that cannot be said, the play reaches its limit.
    pub fn go_on(&self) {
        let _ = fs::write(self.folder.join("go-on"), "");
    }

    /// Whether a test run hangs, or did.
    pub fn hangs(&self) -> bool {
        self.folder.join("hanging").exists()
    }

    fn tests(&self) -> String {
        let folder = self.folder.display();
        format!(
            "import os
import time
import unittest

from calc import add


class Calc(unittest.TestCase):
    def test_add(self):
        try:
            os.rename('{folder}/hang', '{folder}/hanging')
        except FileNotFoundError:
            pass
        else:
            while not os.path.exists('{folder}/go-on'):
                time.sleep(0.05)
        self.assertEqual(add(2, 3), 5)
"
        )
    }

    /// A program in the project, with an environment of its own.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .current_dir(self.project())
            .env_clear()
            .env("PATH", &self.path)
            .env("HOME", self.home())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("LC_ALL", "C.UTF-8");
        command
    }
}

/// The agent's programs first; a Python that needs no home of its own behind them.
fn search_path(agent: &Agent) -> Result<String, Failure> {
    let script = "import os, sys; print(os.path.dirname(os.path.realpath(sys.executable)))";
    let python = capture(Command::new("python3").args(["-c", script]))?;
    let inherited = std::env::var("PATH").unwrap_or_default();
    Ok(format!("{}:{}:{inherited}", agent.programs().display(), python.trim()))
}
