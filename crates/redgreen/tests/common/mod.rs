//! A hermetic place to run the real binary in: a project of its own, a private home, a cleared
//! environment, real git, real pytest, real cargo.

#![allow(dead_code, reason = "every test file uses another part of it")]

pub mod ctest;
pub mod edits;
pub mod escape;
pub mod maven;
pub mod node;
pub mod plain;
pub mod ruby;
pub mod shell;
pub mod terminal;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use nix::pty::openpty;
use serde_json::Value;
use tempfile::TempDir;

/// A git repository in a temporary folder, and the way to run redgreen in it.
pub struct Project {
    folder: TempDir,
    /// The root of the work tree, in the folder.
    place: PathBuf,
}

/// A redgreen that has ended.
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// The folder with what the tests need; a missing tool is a failure, never a skip.
pub fn tools() -> PathBuf {
    let target =
        Path::new(env!("CARGO_BIN_EXE_redgreen")).ancestors().nth(2).expect("a target folder");
    let venv = target.join("tools/venv/bin");
    assert!(
        venv.join("pytest").exists(),
        "pytest is not in {}: run `cargo xtask test`",
        venv.display()
    );
    venv
}

/// Ruby with RSpec; the folder is empty where the machine has them.
fn ruby() -> PathBuf {
    let target = Path::new(env!("CARGO_BIN_EXE_redgreen")).ancestors().nth(2);
    let folder = target.expect("a target folder").join("tools/ruby/bin");
    assert!(folder.exists(), "there is no {}: run `cargo xtask test`", folder.display());
    folder
}

/// What go has built, for all tests.
fn go_cache() -> PathBuf {
    let target = Path::new(env!("CARGO_BIN_EXE_redgreen")).ancestors().nth(2);
    target.expect("a target folder").join("tools/go-cache")
}

impl Project {
    /// An empty repository.
    pub fn empty() -> Self {
        Self::empty_at("project")
    }

    /// An empty repository at a place of this name, in a folder of its own.
    pub fn empty_at(place: &str) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("redgreen-test-")
            .tempdir()
            .expect("a temporary folder");
        let project = Self { folder, place: place.into() };
        for name in [place, "home", "agent", "programs"] {
            fs::create_dir_all(project.folder.path().join(name)).expect("a folder");
        }
        project.git(&["init", "-q", "-b", "main"]);
        project
    }

    /// Starts again with an empty repository. What was seen of earlier trees stays: a baseline that many
    /// cases share runs once.
    pub fn clear(&self) {
        let evidence = self.root().join(".redgreen/evidence");
        let kept = self.outside().join("evidence");
        let moved = evidence.exists().then(|| fs::rename(&evidence, &kept).expect("moved"));
        fs::remove_dir_all(self.root()).expect("removed");
        fs::create_dir_all(self.root().join(".redgreen")).expect("a folder");
        self.git(&["init", "-q", "-b", "main"]);
        if moved.is_some() {
            fs::rename(&kept, &evidence).expect("moved back");
        }
    }

    /// A small pytest project: `calc.py` with `add`, which is right, and `subtract`, which is
    /// wrong, and a test for each.
    pub fn pytest() -> Self {
        let project = Self::empty();
        project.write(
            "calc.py",
            "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a + b\n",
        );
        project.write(
            "tests/test_calc.py",
            "from calc import add, subtract\n\n\ndef test_add():\n    assert add(2, 2) == 4\n\n\ndef test_subtract():\n    assert subtract(5, 3) == 2\n",
        );
        project.write("redgreen.toml", "[[checks]]\nname = \"unit\"\ncommand = \"python -m pytest -q\"\nframework = \"pytest\"\n");
        project.write("conftest.py", "");
        project.write(".gitignore", "__pycache__/\n.pytest_cache/\n");
        project.commit();
        project
    }

    /// The same in Rust.
    pub fn cargo() -> Self {
        let project = Self::empty();
        project.write(
            "Cargo.toml",
            "[package]\nname = \"calc\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        );
        project.write(
            "src/lib.rs",
            "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\npub fn subtract(a: i32, b: i32) -> i32 {\n    a + b\n}\n",
        );
        project.write(
            "tests/calc.rs",
            "use calc::{add, subtract};\n\n#[test]\nfn adds() {\n    assert_eq!(add(2, 2), 4);\n}\n\n#[test]\nfn subtracts() {\n    assert_eq!(subtract(5, 3), 2);\n}\n",
        );
        project.write("redgreen.toml", "[[checks]]\nname = \"unit\"\ncommand = \"cargo test --offline\"\nframework = \"cargo_test\"\n");
        project.write(".gitignore", "/target\n");
        project.commit();
        project
    }

    /// The root of the work tree.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join(&self.place)
    }

    /// A folder beside the work tree, for agents and their notes.
    pub fn outside(&self) -> PathBuf {
        self.folder.path().join("agent")
    }

    /// A folder that is first on `PATH`, for programs that a project brings along.
    pub fn programs(&self) -> PathBuf {
        self.folder.path().join("programs")
    }

    /// The home of whoever runs redgreen here.
    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, content).expect("a file");
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).expect("a file")
    }

    pub fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "start"]);
    }

    pub fn git(&self, args: &[&str]) -> String {
        let mut command = self.command("git");
        command.args(["-c", "user.name=t", "-c", "user.email=t@example.org"]).args(args);
        let output = command.output().expect("git");
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// A command in the project with a cleared environment.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let inherited = std::env::var("PATH").unwrap_or_default();
        let home = std::env::var("HOME").unwrap_or_default();
        command
            .current_dir(self.root())
            .env_clear()
            .env(
                "PATH",
                [self.programs(), tools(), ruby(), inherited.into()]
                    .map(|it| it.display().to_string())
                    .join(":"),
            )
            .env("HOME", self.folder.path().join("home"))
            .env(
                "CARGO_HOME",
                std::env::var("CARGO_HOME").unwrap_or_else(|_| format!("{home}/.cargo")),
            )
            .env(
                "RUSTUP_HOME",
                std::env::var("RUSTUP_HOME").unwrap_or_else(|_| format!("{home}/.rustup")),
            )
            // What is built once needs neither.
            .env("CARGO_INCREMENTAL", "0")
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            // Shared: go builds its standard library once, and fetches nothing.
            .env("GOCACHE", go_cache())
            .env("GOTOOLCHAIN", "local")
            .env("GOPROXY", "off")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null());
        command
    }

    /// redgreen, to be started.
    pub fn redgreen_command(&self, args: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_redgreen"));
        command.args(args);
        command
    }

    /// redgreen, run to its end.
    pub fn redgreen(&self, args: &[&str]) -> Ended {
        self.redgreen_command(args).output().expect("redgreen").into()
    }

    /// A person at a terminal lets hooks run the project's commands.
    pub fn trust(&self) {
        let terminal = openpty(None, None).expect("a terminal");
        let stderr = terminal.slave.try_clone().expect("cloned");
        let mut command = self.redgreen_command(&["trust"]);
        let ended: Ended =
            command.stdin(terminal.slave).stderr(stderr).output().expect("redgreen").into();
        ended.assert_code(0);
    }

    /// redgreen, started.
    pub fn spawn(&self, args: &[&str]) -> Child {
        self.redgreen_command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("redgreen")
    }

    /// An agent that is a small shell program, run in the work tree's root; `$OUTSIDE` is a folder
    /// that is not part of it.
    pub fn agent(&self, script: &str) -> String {
        let path = self.outside().join("agent.sh");
        fs::write(&path, format!("OUTSIDE='{}'\n{script}\n", self.outside().display()))
            .expect("an agent");
        format!("sh '{}'", path.display())
    }

    /// The whole loop with an agent, as JSON events.
    pub fn run(&self, script: &str, args: &[&str]) -> Loop {
        let agent = self.agent(script);
        let mut all = vec!["run", "--json", "--agent-command", &agent];
        all.extend(args);
        all.push("make the tests pass");
        let ended = self.redgreen(&all);
        Loop { events: events(&ended.stdout), ended }
    }

    /// The newest session's id.
    pub fn session(&self) -> String {
        let mut sessions: Vec<String> = fs::read_dir(self.root().join(".redgreen/sessions"))
            .expect("sessions")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
            .collect();
        sessions.sort();
        sessions.pop().expect("a session")
    }

    /// How many executions there were in all sessions.
    pub fn executions(&self) -> usize {
        let sessions = fs::read_dir(self.root().join(".redgreen/sessions"));
        let folders = sessions.into_iter().flatten().flatten();
        let of = |folder: PathBuf| fs::read_dir(folder).map_or(0, Iterator::count);
        folders.map(|entry| of(entry.path().join("executions"))).sum()
    }

    /// A file of the newest session.
    pub fn session_file(&self, name: &str) -> String {
        self.read(&format!(".redgreen/sessions/{}/{name}", self.session()))
    }

    /// The inputs in the newest session's journal, without the header.
    pub fn journal(&self) -> Vec<Value> {
        events(&self.session_file("journal.jsonl")).into_iter().skip(1).collect()
    }
}

/// What `redgreen test` printed and recorded.
pub struct Tested {
    pub ended: Ended,
    pub record: Value,
}

impl Project {
    /// Executes the checks once.
    #[track_caller]
    pub fn tested(&self, more: &[&str]) -> Tested {
        let ended = self.redgreen(&[&["test", "--json"], more].concat());
        let last = ended.stdout.lines().last().unwrap_or_default();
        let result: Value = serde_json::from_str(last)
            .unwrap_or_else(|error| panic!("{error}\n{}\n{}", ended.stdout, ended.stderr));
        let journal = fs::read_to_string(result["record"].as_str().expect("a record"));
        let journal = events(&journal.expect("a file"));
        let mut judged = journal.iter().filter(|it| it["execution"]["purpose"] == "judge");
        let mut record = result.clone();
        record["execution"] = judged.next_back().expect("an execution")["execution"].clone();
        Tested { ended, record }
    }
}

impl Tested {
    pub fn verdict(&self) -> &str {
        self.record["verdict"].as_str().unwrap_or_default()
    }

    pub fn checks(&self) -> &[Value] {
        self.record["execution"]["checks"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The report of the first check.
    pub fn report(&self) -> &Value {
        &self.checks()[0]["report"]
    }
}

/// The tests of a report: `id outcome`, sorted.
pub fn outcomes(report: &Value) -> Vec<String> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let one = |test: &Value| format!("{} {}", word(&test["id"]), word(&test["outcome"]));
    let mut all: Vec<String> = report["tests"].as_array().into_iter().flatten().map(one).collect();
    all.sort();
    all
}

/// A loop that has ended.
pub struct Loop {
    pub ended: Ended,
    pub events: Vec<Value>,
}

impl Loop {
    /// The last event of a kind.
    pub fn last(&self, event: &str) -> &Value {
        self.events
            .iter()
            .rev()
            .find(|value| value["event"] == event)
            .unwrap_or_else(|| panic!("no event {event}:\n{}", self.text()))
    }

    /// How many events of a kind there are.
    pub fn count(&self, event: &str) -> usize {
        self.events.iter().filter(|value| value["event"] == event).count()
    }

    /// Asserts how it ended: exit code, status, and reason (empty for none).
    #[track_caller]
    pub fn assert_ended(&self, code: i32, status: &str, reason: &str) {
        let finished = self.last("finished");
        let seen = (
            self.ended.code,
            finished["status"].as_str().unwrap_or(""),
            finished["reason"].as_str().unwrap_or(""),
        );
        assert_eq!(seen, (Some(code), status, reason), "{}", self.text());
    }

    /// Everything, for a message.
    pub fn text(&self) -> String {
        format!("exit {:?}\n{}\n{}", self.ended.code, self.ended.stdout, self.ended.stderr)
    }
}

impl Ended {
    /// Asserts the exit code.
    #[track_caller]
    pub fn assert_code(&self, code: i32) {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// JSON lines.
pub fn events(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// Whether a process is there.
pub fn is_alive(pid: &str) -> bool {
    Path::new("/proc").join(pid.trim()).exists()
}
