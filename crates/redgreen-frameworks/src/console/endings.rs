//! How CI systems, build tools and shells say that something failed, was cancelled or was cut off.
//!
//! One row for each way, with a line that says it; the test below reads every one. What tells that all
//! is well is no row: a log without an ending is judged by its runs alone.

use std::sync::LazyLock;

use super::aftermath::Sign;

/// One way of saying it.
struct Ending {
    /// The line begins with this.
    begins: &'static str,
    /// This stands somewhere behind it.
    then: &'static str,
    /// What is said.
    sign: Sign,
    /// A line that says it.
    #[cfg_attr(not(test), expect(dead_code, reason = "the row tests itself with it"))]
    example: &'static str,
}

macro_rules! endings {
    ($($sign:ident $begins:literal, $then:literal: $example:literal;)*) => {
        &[$(Ending { begins: $begins, then: $then, sign: Sign::$sign, example: $example }),*]
    };
}

/// A word after which `0` means that all is well.
const CODES: [&str; 5] = ["code ", "status ", "exited with ", "Error ", "(exit "];

/// `Job` is the last word on a job; `Failed` that of a program in it, which a test may print as well.
const ENDINGS: &[Ending] = endings! {
    Job "Process completed with exit code ", "": "Process completed with exit code 1.";
    Job "Error: Process completed with exit code ", "": "Error: Process completed with exit code 2.";
    Job "The operation was canceled.", "": "The operation was canceled.";
    Job "Error: The operation was canceled.", "": "Error: The operation was canceled.";
    Job "The runner has received a shutdown signal", "": "The runner has received a shutdown signal. This can happen when the runner service is stopped.";
    Job "The hosted runner", " lost communication": "The hosted runner: x lost communication with the server.";
    Job "The job running on runner ", " has exceeded the maximum execution time": "The job running on runner x has exceeded the maximum execution time of 360 minutes.";
    Job "The action '", "' has timed out after ": "The action 'Run tests' has timed out after 10 minutes.";
    Job "ERROR: Job failed", "": "ERROR: Job failed: exit code 1";
    Job "ERROR: Job failed (system failure)", "": "ERROR: Job failed (system failure): pod was evicted";
    Job "ERROR: Job failed: execution took longer than ", "": "ERROR: Job failed: execution took longer than 1h0m0s seconds";
    Job "ERROR: Job failed: canceled", "": "ERROR: Job failed: canceled";
    Job "WARNING: script canceled externally", "": "WARNING: script canceled externally (UI, API)";
    Job "Done. Your build exited with ", "": "Done. Your build exited with 1.";
    Job "Your build exited with ", "": "Your build exited with 1.";
    Job "Your build has been stopped", "": "Your build has been stopped.";
    Job "Done: Job Cancelled", "": "Done: Job Cancelled";
    Job "The build has been terminated", "": "The build has been terminated";
    Job "No output has been received in the last ", "": "No output has been received in the last 10m0s, this potentially indicates a stalled build";
    Job "The job exceeded the maximum time limit for jobs", "": "The job exceeded the maximum time limit for jobs, and has been terminated.";
    Job "The log length has exceeded the limit of ", "": "The log length has exceeded the limit of 4 MB (this usually means that the test suite is raising the same exception over and over).";
    Job "The job has exceeded the maximum log length", "": "The job has exceeded the maximum log length, and has been terminated.";
    Failed "The command \"", "\" exited with ": "The command \"npm test\" exited with 1.";
    Job "Exited with code exit status ", "": "Exited with code exit status 1";
    Job "Exited with code ", "": "Exited with code 137";
    Job "Too long with no output (exceeded ", "": "Too long with no output (exceeded 10m0s): context deadline exceeded";
    Job "Finished: FAILURE", "": "Finished: FAILURE";
    Job "Finished: ABORTED", "": "Finished: ABORTED";
    Job "Finished: UNSTABLE", "": "Finished: UNSTABLE";
    Job "ERROR: script returned exit code ", "": "ERROR: script returned exit code 1";
    Job "Build step '", "' marked build as failure": "Build step 'Execute shell' marked build as failure";
    Job "Build timed out (after ", "": "Build timed out (after 3 minutes). Marking the build as aborted.";
    Job "Sending interrupt signal to process", "": "Sending interrupt signal to process";
    Job "Bash exited with code ", "": "Bash exited with code '1'.";
    Job "PowerShell exited with code ", "": "PowerShell exited with code '1'.";
    Job "Cmd.exe exited with code ", "": "Cmd.exe exited with code '1'.";
    Job "The job running on agent ", " ran longer than the maximum time": "The job running on agent Azure 1 ran longer than the maximum time of 60 minutes.";
    Job "Error: The command exited with status ", "": "Error: The command exited with status 1";
    Job "🚨 Error: The command exited with status ", "": "🚨 Error: The command exited with status 2";
    Job "🚨 Error: The command was interrupted by a signal", "": "🚨 Error: The command was interrupted by a signal: terminated";
    Job "Command exited with code ", "": "Command exited with code 1";
    Job "Build execution time has reached the maximum allowed time", "": "Build execution time has reached the maximum allowed time for your plan (60 minutes).";
    Job "Process exited with code ", "": "Process exited with code 1 (Step: Test)";
    Job "Step ", ") failed": "Step Test (Command Line) failed";
    Job "##teamcity[buildProblem ", "": "##teamcity[buildProblem description='x']";
    Job "Build failed", "": "Build failed";
    Job "[INFO] BUILD FAILURE", "": "[INFO] BUILD FAILURE";
    Job "[ERROR] BUILD FAILURE", "": "[ERROR] BUILD FAILURE";
    Job "[ERROR] Failed to execute goal ", "": "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-checkstyle-plugin:3.1.0:check";
    Job "BUILD FAILED", "": "BUILD FAILED in 3s";
    Job "FAILURE: Build failed with an exception", "": "FAILURE: Build failed with an exception.";
    Job "FAILURE: Build completed with ", " failures": "FAILURE: Build completed with 2 failures.";
    Failed "[error] (", ") ": "[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful";
    Failed "ERROR: Build did NOT complete successfully", "": "ERROR: Build did NOT complete successfully";
    Failed "FAILED: Build did NOT complete successfully", "": "FAILED: Build did NOT complete successfully";
    Failed "INFO: Build completed, ", " FAILED": "INFO: Build completed, 1 test FAILED, 3 total actions";
    Failed "ninja: build stopped: ", "": "ninja: build stopped: subcommand failed.";
    Failed "npm ERR! ", "": "npm ERR! code ELIFECYCLE";
    Failed "npm error ", "": "npm error code 1";
    Failed "error Command failed with exit code ", "": "error Command failed with exit code 1.";
    Failed "error Command failed with signal ", "": "error Command failed with signal \"SIGSEGV\".";
    Failed "ELIFECYCLE ", "": "ELIFECYCLE  Command failed with exit code 1.";
    Failed "ERR_PNPM_", "": "ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  web@1.0.0 test: `vitest`";
    Failed "lerna ERR! ", "": "lerna ERR! npm run test exited 1 in 'web'";
    Failed "NX   Running target ", " failed": "NX   Running target test for 2 projects failed";
    Failed "NX   Ran target ", " failed": "NX   Ran target test for project web failed";
    Failed "ERROR  run failed: ", "": "ERROR  run failed: command  exited (1)";
    Failed "ERROR: InvocationError for command ", "": "ERROR: InvocationError for command /usr/bin/flake8 (exited with code 1)";
    Failed "evaluation failed :(", "": "evaluation failed :( (3.21 seconds)";
    Failed "nox > Command ", " failed with exit code ": "nox > Command mypy src failed with exit code 1";
    Failed "nox > Session ", " failed": "nox > Session lint failed.";
    Failed "error: test failed, to rerun pass ", "": "error: test failed, to rerun pass `--lib`";
    Failed "error: could not compile ", "": "error: could not compile `shop` (lib) due to 1 previous error";
    Failed "Failed!  - Failed: ", "": "Failed!  - Failed:     1, Passed:     2, Skipped:     0";
    Failed "Test Run Failed.", "": "Test Run Failed.";
    Failed "Test Run Aborted.", "": "Test Run Aborted.";
    Failed "Build FAILED.", "": "Build FAILED.";
    Failed "rake aborted!", "": "rake aborted!";
    Failed "** (Mix) ", "": "** (Mix) Could not compile dependency :x";
    Failed "error: Recipe `", "` failed": "error: Recipe `test` failed on line 3 with exit code 1";
    Failed "task: Failed to run task ", "": "task: Failed to run task \"test\": exit status 1";
    Failed "ERROR: failed to solve: ", "": "ERROR: failed to solve: process \"/bin/sh -c npm test\" did not complete successfully: exit code: 1";
    Failed "The command '", "' returned a non-zero code: ": "The command '/bin/sh -c npm test' returned a non-zero code: 1";
    Failed "The process '", "' failed with exit code ": "The process '/usr/bin/node' failed with exit code 1";
    Failed "Segmentation fault", "": "Segmentation fault (core dumped)";
    Failed "Aborted (core dumped)", "": "Aborted (core dumped)";
    Failed "Bus error (core dumped)", "": "Bus error (core dumped)";
    Failed "Terminated", "": "Terminated";
    Failed "Out of memory: Kill", "": "Out of memory: Killed process 4711 (node)";
    Failed "FATAL ERROR: ", "out of memory": "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory";
    Failed "Error: The process '", "' failed with exit code ": "Error: The process '/usr/bin/node' failed with exit code 1";
};

/// Which rows a line may be one of, by its first byte.
static BY_FIRST: LazyLock<Vec<Vec<&'static Ending>>> = LazyLock::new(|| {
    let mut rows = vec![Vec::new(); 256];
    for ending in ENDINGS {
        if let Some(first) = ending.begins.as_bytes().first() {
            rows[usize::from(*first)].push(ending);
        }
    }
    rows
});

/// What a line without blanks around it says of an end; most lines have no row at all.
pub(super) fn ending(line: &str) -> Option<Sign> {
    let rows = BY_FIRST.get(usize::from(*line.as_bytes().first()?))?;
    rows.iter().find(|row| row.is_said_by(line)).map(|row| row.sign)
}

impl Ending {
    fn is_said_by(&self, line: &str) -> bool {
        let Some(rest) = line.strip_prefix(self.begins) else { return false };
        let Some(at) = rest.rfind(self.then) else { return false };
        let last = if self.then.is_empty() { self.begins } else { self.then };
        let code = if self.then.is_empty() { rest } else { &rest[at + self.then.len()..] };
        if self.begins == "Terminated" || self.begins == "Build failed" {
            return rest.is_empty();
        }
        let counts = CODES.iter().any(|words| last.ends_with(words));
        !counts || !matches!(code.trim_matches(['.', '\'', ' ']), "0" | "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_said_by_its_own_example() {
        assert!(ENDINGS.len() >= 60, "{}", ENDINGS.len());
        for row in ENDINGS {
            assert!(row.is_said_by(row.example), "{}", row.example);
            let found = super::super::aftermath::sign(row.example);
            assert_eq!(found, Some(row.sign), "{}", row.example);
        }
    }

    #[test]
    fn green_counts_are_no_pass_before_any_of_them() {
        let root = std::path::Path::new("/home/me/project");
        let places = crate::Places { root, folder: std::path::Path::new("") };
        for row in ENDINGS {
            let log = format!("==== 2 passed in 0.10s ====\n{}\n", row.example);
            let runs = super::super::read(log.as_bytes(), places, None);
            let red = runs.iter().any(|run| !run.report.errors.is_empty());
            assert!(red, "after green counts: {}", row.example);
        }
    }

    #[test]
    fn what_went_well_or_only_looks_like_an_end_is_none() {
        for line in [
            "Process completed with exit code 0.",
            "Done. Your build exited with 0.",
            "The command \"npm test\" exited with 0.",
            "Bash exited with code '0'.",
            "Exited with code 0",
            "Finished: SUCCESS",
            "[INFO] BUILD SUCCESS",
            "BUILD SUCCESSFUL in 3s",
            "Terminated 3 workers",
            "Build failed hooks are tested",
            "npm warn deprecated x",
            "Job succeeded",
            "error handling works",
            "INFO: Build completed successfully, 3 total actions",
        ] {
            assert_eq!(ending(line), None, "{line}");
        }
    }
}
