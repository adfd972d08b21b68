//! A small project in a folder of its own, and a run of the real pytest in it.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use redgreen_frameworks::{InjectionRequest, RunMaterial, STREAM_FILE, WorkTree, adapter};
use redgreen_model::execution::Ended;
use redgreen_model::report::{Failure, Report, TestOutcome};
use redgreen_model::text::clean_block;

/// How much of the console is looked at, in characters.
const CONSOLE_CHARS: usize = 100_000;

pub struct Project {
    folder: tempfile::TempDir,
}

pub struct Run {
    pub report: Report,
    pub console: String,
    pub code: Option<i32>,
}

impl Project {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, content) in files {
            std::fs::write(folder.path().join(path), content).unwrap();
        }
        Self { folder }
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        self.pytest(arguments, None)
    }

    pub fn run_only(&self, arguments: &[&str], only: &[String]) -> Run {
        self.pytest(arguments, Some(only))
    }

    fn pytest(&self, arguments: &[&str], only: Option<&[String]>) -> Run {
        let adapter = adapter(redgreen_frameworks::pytest::ID);
        let run_folder = tempfile::tempdir().unwrap();
        let injection = adapter.inject(&InjectionRequest {
            run_folder: run_folder.path(),
            program: Path::new("/nowhere/redgreen"),
            measure: &[],
            only,
            corner: false,
            by_exit_code: false,
            inherited: &|_| None,
        });
        for file in &injection.files {
            let path = run_folder.path().join(&file.path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, &file.content).unwrap();
        }
        let root = self.folder.path().canonicalize().unwrap();
        let output = Command::new(python())
            .args(["-m", "pytest"])
            .args(arguments)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", run_folder.path())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .envs(injection.env)
            .current_dir(&root)
            .output()
            .unwrap();
        let console = clean_block(&[output.stdout, output.stderr].concat(), CONSOLE_CHARS);
        let ended = match (output.status.code(), output.status.signal()) {
            (Some(code), _) => Ended::Exited { code },
            (None, signal) => Ended::Signalled { signal: signal.unwrap() },
        };
        let stream = std::fs::read(run_folder.path().join(STREAM_FILE)).unwrap_or_default();
        let report = adapter.read(&RunMaterial {
            stream: &stream,
            console: &console,
            command: "python -m pytest",
            ended: &ended,
            root: &root,
            folder: Path::new(""),
            work_tree: WorkTree::default(),
        });
        Run { report, console, code: output.status.code() }
    }
}

impl Run {
    /// The outcomes, by id without this prefix, in the order of the ids.
    pub fn outcomes(&self, prefix: &str) -> Vec<(&str, TestOutcome)> {
        let mut outcomes: Vec<(&str, TestOutcome)> = self
            .report
            .tests
            .iter()
            .map(|test| (test.id.strip_prefix(prefix).unwrap_or(&test.id), test.outcome))
            .collect();
        outcomes.sort_unstable_by_key(|(id, _)| *id);
        outcomes
    }

    /// Why a test is red.
    pub fn failure(&self, id: &str) -> &Failure {
        let test = self.report.tests.iter().find(|test| test.id == id);
        let test = test.unwrap_or_else(|| panic!("{id} did not end\n{}", self.console));
        test.failure.as_ref().unwrap_or_else(|| panic!("{id} is {:?}", test.outcome))
    }
}

/// The Python that `cargo xtask test` prepares. A missing one is a failure, never a skip.
fn python() -> PathBuf {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/venv/bin/python");
    assert!(python.exists(), "{} is missing: run `cargo xtask test`", python.display());
    python
}
