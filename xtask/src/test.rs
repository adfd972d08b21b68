//! `cargo xtask test`: everything a change has to pass, in one command.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::libtest::{Counter, Tally};
use crate::project::{cargo, pass_through};
use crate::{Failure, tools};

/// One thing that has to hold before the tests are worth their time.
struct Step {
    name: &'static str,
    run: fn() -> Result<(), Failure>,
}

const STEPS: &[Step] =
    &[Step { name: "build and lints", run: build }, Step { name: "docs", run: docs }];

/// Has the tests play every variant of what they play, in the environment.
const ALL: &str = "REDGREEN_ALL";

/// Runs the steps until one fails, then the tests; the last line of the output says how many.
pub fn run(all: bool) -> Result<(), Failure> {
    // Quick ones first: a change that is not formatted should not wait for the compiler to say so.
    timed("programs", tools::require_programs)?;
    timed("format", format)?;
    // Tools are installed beside the compiler: they wait for their registries most of the time.
    std::thread::scope(|scope| {
        let tools = scope.spawn(|| timed("tools", tools::install));
        let steps = STEPS.iter().try_for_each(|step| timed(step.name, step.run));
        let tools = tools.join().unwrap_or_else(|_| Err("the installation gave up".into()));
        steps.and(tools)
    })?;
    let mut tally = Tally::default();
    let outcome = timed("tests", || tests(&mut tally, all));
    println!("{tally}");
    outcome
}

/// Runs a step and says how long it took; a failure carries its name.
fn timed(name: &str, run: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    println!("==> {name}");
    let started = Instant::now();
    let outcome = run();
    let verdict = if outcome.is_ok() { "ok" } else { "failed" };
    println!("==> {name}: {verdict} in {:.1} s", started.elapsed().as_secs_f64());
    outcome.map_err(|failure| format!("step `{name}` failed: {failure}"))
}

fn format() -> Result<(), Failure> {
    pass_through(&mut cargo(&["fmt", "--all", "--check"]))
        .map_err(|failure| format!("{failure}; `cargo fmt --all` repairs it"))
}

fn docs() -> Result<(), Failure> {
    let mut command = cargo(&["doc", "--workspace", "--no-deps"]);
    pass_through(command.env("RUSTDOCFLAGS", "-D warnings"))
}

/// How many tests run at once, in the environment.
const THREADS: &str = "RUST_TEST_THREADS";
/// How many for each core: most tests wait for other programs, some for a time limit.
const WAITING: usize = 3;

/// There are no tests in the documentation: an architecture test sees to that.
const TESTS: [&str; 5] = ["test", "--workspace", "--lib", "--bins", "--tests"];

/// Compiles with Clippy's compiler, which lints and builds in one pass; a warning is an error.
const LINTS: [&str; 4] = [
    "--config",
    "build.rustc-workspace-wrapper = 'clippy-driver'",
    "--config",
    "build.rustflags = ['-D', 'warnings']",
];

fn build() -> Result<(), Failure> {
    pass_through(cargo(&["test", "--workspace", "--all-targets", "--no-run"]).args(LINTS))
}

/// All tests, also after one has failed.
fn tests(tally: &mut Tally, all: bool) -> Result<(), Failure> {
    let mut command = cargo(&TESTS);
    command.args(LINTS).arg("--no-fail-fast");
    if all {
        command.env(ALL, "1");
    }
    if std::env::var_os(THREADS).is_none() {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        command.env(THREADS, (WAITING * cores).to_string());
    }
    let (counted, ended) = count_tests(&mut command, &mut io::stdout().lock())?;
    *tally = counted;
    judge(counted, ended)
}

fn judge(tally: Tally, ended: Result<(), Failure>) -> Result<(), Failure> {
    ended?;
    if tally.failed > 0 {
        return Err(format!("cargo called it a success, but {} tests failed", tally.failed));
    }
    if tally.passed == 0 {
        return Err("no test ran, and that is not a pass".into());
    }
    Ok(())
}

/// Passes the output on as it comes, and counts the tests in it.
fn count_tests(
    command: &mut Command,
    terminal: &mut impl Write,
) -> Result<(Tally, Result<(), Failure>), Failure> {
    let broken = |error: io::Error| format!("the output of the tests cannot be read: {error}");
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cargo cannot be started: {error}"))?;
    let mut counter = Counter::default();
    if let Some(stdout) = child.stdout.take() {
        let mut reader = BufReader::new(stdout);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).map_err(broken)? > 0 {
            terminal.write_all(&line).and_then(|()| terminal.flush()).map_err(broken)?;
            counter.line(&String::from_utf8_lossy(&line));
            line.clear();
        }
    }
    let status = child.wait().map_err(broken)?;
    let ended =
        if status.success() { Ok(()) } else { Err(format!("cargo test ended with {status}")) };
    Ok((counter.tally(), ended))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> (Tally, Result<(), Failure>) {
        let mut shown = Vec::new();
        let counted = count_tests(Command::new("sh").args(["-c", script]), &mut shown);
        assert!(shown.starts_with(b"running "), "the output is passed on");
        counted.expect("sh starts")
    }

    const RESULT: &str = "echo 'running 2 tests'; echo 'test result: ok. 2 passed; 0 failed; \
                          0 ignored; 0 measured; 0 filtered out; finished in 0.00s'";

    #[test]
    fn tests_that_passed_are_a_pass() {
        let (tally, ended) = shell(RESULT);
        assert_eq!(tally, Tally { passed: 2, failed: 0 });
        assert_eq!(judge(tally, ended), Ok(()));
    }

    #[test]
    fn a_binary_that_dies_is_a_failure_whatever_was_counted() {
        let (tally, ended) = shell(&format!("{RESULT}; exit 101"));
        assert_eq!(tally, Tally { passed: 2, failed: 0 });
        let failure = judge(tally, ended).expect_err("it ended with 101");
        assert!(failure.contains("101"), "{failure}");
    }

    #[test]
    fn no_test_at_all_is_a_failure() {
        let (tally, ended) = shell("echo 'running 0 tests'");
        assert!(judge(tally, ended).is_err());
    }

    #[test]
    fn a_failed_test_is_a_failure_whatever_the_exit_code() {
        assert!(judge(Tally { passed: 9, failed: 1 }, Ok(())).is_err());
    }
}
