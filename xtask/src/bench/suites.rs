//! The projects that the benchmarks run on, made anew each time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;
use crate::project::{bench_folder, capture};

/// A committed git repository with a `redgreen.toml`.
pub struct Suite {
    folder: PathBuf,
    executions: PathBuf,
    tests: usize,
}

/// As people run it in CI.
pub const PYTEST_ARGUMENT: &str = "--quiet";

const QUICK_FILES: usize = 10;
const QUICK_TESTS_IN_FILE: usize = 100;
const MODULE_FILES: usize = 5;
const MODULE_TESTS_IN_FILE: usize = 100;
const SLOW_TESTS: usize = 6;
const SLOW_TEST_SECONDS: f64 = 0.5;
/// A file of code among many others.
pub const EDITED: &str = "code.py";
const FILES_IN_FOLDER: usize = 100;
const FLOOD_BYTES: u64 = 2 * 1024 * 1024 * 1024;

impl Suite {
    /// 1,000 tests that take no time.
    pub fn quick() -> Result<Self, Failure> {
        let file = |number| {
            let tests = (0..QUICK_TESTS_IN_FILE)
                .map(|test| format!("def test_{test:03}():\n    assert {test} + 1 == 1 + {test}\n"))
                .collect::<Vec<_>>();
            (format!("tests/test_quick_{number:02}.py"), tests.join("\n\n"))
        };
        let files = (0..QUICK_FILES).map(file).collect();
        Self::pytest("quick", files, QUICK_FILES * QUICK_TESTS_IN_FILE)
    }

    /// A few tests that take three seconds together.
    pub fn three_seconds() -> Result<Self, Failure> {
        let tests = (0..SLOW_TESTS)
            .map(|test| format!("def test_{test}():\n    time.sleep({SLOW_TEST_SECONDS})\n"))
            .collect::<Vec<_>>();
        let text = format!("import time\n\n\n{}", tests.join("\n\n"));
        Self::pytest("three-seconds", vec![("tests/test_slow.py".into(), text)], SLOW_TESTS)
    }

    /// 500 tests of a module, of which each takes a few milliseconds.
    pub fn of_a_module(name: &str) -> Result<Self, Failure> {
        let file = |number| {
            let tests = (0..MODULE_TESTS_IN_FILE).map(|test| {
                format!("def test_{test:03}():\n    assert work({test}) == {test} + 1\n")
            });
            let tests = tests.collect::<Vec<_>>().join("\n\n");
            (
                format!("tests/test_module_{number}.py"),
                format!("from module import work\n\n\n{tests}"),
            )
        };
        let mut files: Vec<(String, String)> = (0..MODULE_FILES).map(file).collect();
        let module =
            "import time\n\n\ndef work(number):\n    time.sleep(0.004)\n    return number + 1\n";
        files.push(("module.py".into(), module.into()));
        Self::pytest(name, files, MODULE_FILES * MODULE_TESTS_IN_FILE)
    }

    /// Changes a file of the project.
    pub fn append(&self, path: &str, text: &str) -> Result<(), Failure> {
        let path = self.folder.join(path);
        let changed = fs::read_to_string(&path).and_then(|old| fs::write(&path, old + text));
        changed.map_err(|error| format!("{} cannot be changed: {error}", path.display()))
    }

    /// A check that prints 2 GB.
    pub fn flood() -> Result<Self, Failure> {
        let config = format!(
            "[[checks]]\nname = \"flood\"\ncommand = \"head -c {FLOOD_BYTES} /dev/zero\"\n\
             judge_by = \"exit_code\"\n"
        );
        Self::create("flood", vec![("redgreen.toml".into(), config)], 0)
    }

    /// So many small files, and a check that passes at once.
    pub fn of_files(count: usize) -> Result<Self, Failure> {
        let file = |number: usize| {
            let folder = number / FILES_IN_FOLDER;
            (format!("src/part_{folder}/file_{number}.txt"), format!("{number}\n"))
        };
        let mut files: Vec<(String, String)> = (1..count).map(file).collect();
        let config = "[[checks]]\ncommand = \"true\"\njudge_by = \"exit_code\"\n";
        files.push(("redgreen.toml".into(), config.into()));
        files.push((EDITED.into(), "NUMBER = 0\n".into()));
        Self::create(&format!("files-{count}"), files, 0)
    }

    /// The root of the repository.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn pytest(name: &str, mut files: Vec<(String, String)>, tests: usize) -> Result<Self, Failure> {
        let config =
            format!("[[checks]]\nframework = \"pytest\"\ncommand = \"pytest {PYTEST_ARGUMENT}\"\n");
        files.push(("redgreen.toml".into(), config));
        files.push((".gitignore".into(), "__pycache__/\n.pytest_cache/\n.redgreen/\n".into()));
        files.push(("conftest.py".into(), executions_hook(&executions_file(name))));
        Self::create(name, files, tests)
    }

    fn create(name: &str, files: Vec<(String, String)>, tests: usize) -> Result<Self, Failure> {
        let suite =
            Self { folder: bench_folder().join(name), executions: executions_file(name), tests };
        suite.write(&files).map_err(|error| {
            format!("the project {} cannot be made: {error}", suite.folder.display())
        })?;
        let identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid"];
        for args in [
            ["init", "--quiet"].as_slice(),
            &["add", "--all"],
            &["commit", "--quiet", "--no-verify", "--message", "Benchmark"],
        ] {
            capture(Command::new("git").args(identity).args(args).current_dir(&suite.folder))?;
        }
        Ok(suite)
    }

    fn write(&self, files: &[(String, String)]) -> std::io::Result<()> {
        for old in [&self.folder, &self.executions] {
            if old.is_dir() {
                fs::remove_dir_all(old)?;
            } else if old.exists() {
                fs::remove_file(old)?;
            }
        }
        for (path, text) in files {
            let path = self.folder.join(path);
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(path, text)?;
        }
        Ok(())
    }

    /// Both sides must have executed every test, as often as they were started: a result that was
    /// remembered, or a test that was left out, would make a flattering number.
    pub fn check_executions(&self, of_each_side: usize) -> Result<(), Failure> {
        let counted = fs::read_to_string(&self.executions)
            .map_err(|error| format!("{} cannot be read: {error}", self.executions.display()))?;
        let expected = format!("{}\n", self.tests).repeat(2 * of_each_side);
        if counted == expected {
            return Ok(());
        }
        let counted: Vec<&str> = counted.lines().collect();
        Err(format!(
            "{} executions of {} tests were expected, but their numbers of tests are {counted:?}",
            2 * of_each_side,
            self.tests
        ))
    }
}

/// Outside the project, where writing does not change the tree that is tested.
fn executions_file(name: &str) -> PathBuf {
    bench_folder().join(format!("{name}.executions"))
}

/// A `conftest.py` that leaves a line for each execution: how many tests it ran.
fn executions_hook(file: &Path) -> String {
    format!(
        "def pytest_sessionfinish(session):\n    \
             with open({:?}, \"a\") as executions:\n        \
                 executions.write(f\"{{session.testscollected}}\\n\")\n",
        file.display().to_string()
    )
}
