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
const CODES: [&str; 7] =
    ["code ", "code: ", "status ", "status: ", "exited with ", "Error ", "(exit "];

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
    Job "The self-hosted runner", " lost communication": "The self-hosted runner: x lost communication with the server.";
    Job "The hosted runner", " encountered an error": "The hosted runner encountered an error while running your job.";
    Job "The job was canceled because ", "": "The job was canceled because \"test_3_12\" failed.";
    Job "Error: Job '", "' failed": "Error: Job 'test' failed";
    Job "[", "🏁  Job failed": "[CI/test] 🏁  Job failed";
    Job "exitcode '", "': failure": "exitcode '1': failure";
    Job "FATAL: exit code ", "": "FATAL: exit code 1";
    Job "CircleCI received exit code ", "": "CircleCI received exit code 1";
    Job "Build was canceled", "": "Build was canceled";
    Job "Build was aborted", "": "Build was aborted";
    Job "Build step '", "' changed build result to ": "Build step 'Publish JUnit test result report' changed build result to UNSTABLE";
    Job "Finished: NOT_BUILT", "": "Finished: NOT_BUILT";
    Job "Job complete, result: FAILURE", "": "Job complete, result: FAILURE";
    Job "##teamcity[buildStatus status='FAILURE'", "": "##teamcity[buildStatus status='FAILURE' text='1 test failed']";
    Job "##vso[task.complete result=Failed", "": "##vso[task.complete result=Failed;]tests failed";
    Job "Vstest failed with error", "": "Vstest failed with error. Check logs for failures.";
    Job "Dotnet command failed with non-zero exit code", "": "Dotnet command failed with non-zero exit code on the following projects : shop.csproj";
    Job "Error: Npm failed with return code: ", "": "Error: Npm failed with return code: 1";
    Job "Npm failed with return code: ", "": "Npm failed with return code: 1";
    Job "Script failed with exit code: ", "": "Script failed with exit code: 1";
    Job "[Container] ", " State: FAILED": "[Container] 2026/01/02 03:04:05 Phase complete: BUILD State: FAILED";
    Job "[Container] ", " Command did not execute successfully": "[Container] 2026/01/02 03:04:05 Command did not execute successfully: npm test. Reason: exit status 1";
    Job "BUILD FAILURE: ", "": "BUILD FAILURE: Build step failure: build step 0 \"node\" failed";
    Job "ERROR: build step ", " failed: ": "ERROR: build step 0 \"node\" failed: step exited with non-zero status: 1";
    Job "Exceeded build time limit", "": "Exceeded build time limit of 120 minutes.";
    Job "Container 'Build' exceeded memory limit", "": "Container 'Build' exceeded memory limit.";
    Job "-----> test command ", " completed with exit status ": "-----> test command `npm test` completed with exit status 1";
    Job "Failed during stage '", "": "Failed during stage 'building site': Build script returned non-zero exit code: 2";
    Job "[SYSTEM]", " failed with exit code: ": "[SYSTEM] Error: Failed to run freestyle step: test; Container for step failed with exit code: 1";
    Job "container step-", " has failed": "container step-test has failed  : [{\"key\":\"StartedAt\"}]";
    Job "{\"component\":\"entrypoint\",\"error\":", "": "{\"component\":\"entrypoint\",\"error\":\"wrapped process failed: exit status 1\"}";
    Failed "##teamcity[testFailed ", "": "##teamcity[testFailed name='adds' message='x']";
    Failed "Exit status: ", "": "Exit status: 1";
    Failed "exit code: ", "": "exit code: 1 duration: 12s";
    Failed "- exit code: ", "": "- exit code: 1";
    Failed "exit status ", "": "exit status 1";
    Failed "Error: exit status ", "": "Error: exit status 2";
    Failed "Error: Command \"", "\" exited with ": "Error: Command \"npm run build\" exited with 1";
    Failed "Command failed with exit code ", "": "Command failed with exit code 1: npm test";
    Failed "Command failed with status (", "": "Command failed with status (1): [ruby test.rb]";
    Failed "Command exited with non-zero status ", "": "Command exited with non-zero status 1";
    Failed "Command terminated by signal ", "": "Command terminated by signal 9";
    Failed "error: builder for '", "' failed": "error: builder for '/nix/store/x.drv' failed with exit code 1";
    Failed "executor failed running ", "": "executor failed running [/bin/sh -c npm test]: exit code: 1";
    Failed "fatal: [", "FAILED! => ": "fatal: [localhost]: FAILED! => {\"rc\": 1}";
    Failed "The SSH command responded with a non-zero exit status", "": "The SSH command responded with a non-zero exit status. Vagrant";
    Failed "==> ERROR: A failure occurred in ", "": "==> ERROR: A failure occurred in check().";
    Failed "dpkg-buildpackage: error: ", "": "dpkg-buildpackage: error: debian/rules binary subprocess returned exit status 2";
    Failed "dh_auto_test: error: ", "": "dh_auto_test: error: make -j2 test returned exit code 2";
    Failed "error: Bad exit status from ", "": "error: Bad exit status from /var/tmp/rpm-tmp.x (%check)";
    Failed "//", " FAILED in ": "//shop:prices_test       FAILED in 1.2s";
    Failed "Executed ", " locally.": "Executed 3 out of 3 tests: 2 tests pass and 1 fails locally.";
    Failed "✕ ", " failed in ": "✕ //:tests failed in 1.2s (exit code 1).";
    Failed "❌ ", " failed": "❌ 1 script failed.";
    Failed "✖ ", " failed (": "✖  1 of 3 failed (33%)";
    Failed "ALL ", "| ✖ Failed": "ALL                | ✖ Failed  | 1985 s (accumulated)";
    Failed "Operations failed.", "": "Operations failed.";
    Failed "Projects failed to build.", "": "Projects failed to build.";
    Failed "Failed tasks:", "": "Failed tasks:";
    Failed "Failed:    ", "#": "Failed:    web#test";
    Failed "Failed with errors in ", "": "Failed with errors in 1m 2s";
    Failed "➤ YN0000: ", "Failed with errors in ": "➤ YN0000: Failed with errors in 3s 120ms";
    Failed "[ELIFECYCLE] ", "": "[ELIFECYCLE] Command failed with exit code 1.";
    Failed "[ERR_PNPM_", "": "[ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL] web@1.0.0 test: `vitest`";
    Failed "error: script \"", "\" exited with code ": "error: script \"test\" exited with code 1";
    Failed "error: script \"", "\" was terminated by signal ": "error: script \"test\" was terminated by signal SIGSEGV";
    Failed "ERROR: \"", "\" exited with ": "ERROR: \"test:unit\" exited with 1.";
    Failed "[", " exited with code ": "[0] npm run test exited with code 1";
    Failed "Warning: Task \"", "\" failed.": "Warning: Task \"eslint\" failed. Use --force to continue.";
    Failed "Aborted due to warnings.", "": "Aborted due to warnings.";
    Failed "'", "' errored after ": "'test' errored after 1.2 s";
    Failed "Errors while running CTest", "": "Errors while running CTest";
    Failed "** TEST FAILED **", "": "** TEST FAILED **";
    Failed "** BUILD FAILED **", "": "** BUILD FAILED **";
    Failed "** BUILD INTERRUPTED **", "": "** BUILD INTERRUPTED **";
    Failed "error: terminated(", "": "error: terminated(1): /usr/bin/swift-build";
    Failed "error: Exited with ", "": "error: Exited with signal code 11";
    Failed "fastlane finished with errors", "": "fastlane finished with errors";
    Failed "scons: building terminated because of errors", "": "scons: building terminated because of errors.";
    Failed "...failed updating ", "": "...failed updating 1 target...";
    Failed "[error] Total time: ", "": "[error] Total time: 5 s, completed Jan 2, 2026";
    Failed "Subprocess failed (exit code: ", "": "Subprocess failed (exit code: 1)";
    Failed "Error encountered performing task '", "": "Error encountered performing task 'test' with profile(s): 'base'";
    Failed "===> Failures occurred running tests", "": "===> Failures occurred running tests: 1";
    Failed "===> Error running tests", "": "===> Error running tests:";
    Failed "cabal: Tests failed", "": "cabal: Tests failed for test:spec from shop-0.1.";
    Failed "Error: cabal: Tests failed", "": "Error: cabal: Tests failed for test:spec from shop-0.1.";
    Failed "Test suite ", ": FAIL": "Test suite spec: FAIL";
    Failed "Error: [S-", "": "Error: [S-1995] Test suite failure for package shop-0.1";
    Failed "Execution halted", "": "Execution halted";
    Failed "Status: ", " ERROR": "Status: 1 ERROR, 2 NOTEs";
    Failed "Result: FAIL", "": "Result: FAIL";
    Failed "Script ", " returned with error code ": "Script phpstan handling the lint event returned with error code 1";
    Failed "rails aborted!", "": "rails aborted!";
    Failed "Vulnerabilities found!", "": "Vulnerabilities found!";
    Failed "SimpleCov failed with exit ", "": "SimpleCov failed with exit 2 due to a coverage related error";
    Failed "ERROR: ", ": commands failed": "ERROR:   py37: commands failed";
    Failed "nox > * ", ": failed": "nox > * lint: failed";
    Failed "subprocess.CalledProcessError: ", "": "subprocess.CalledProcessError: Command '['npm', 'test']' returned non-zero exit status 1.";
    Failed "error: process didn't exit successfully: ", "": "error: process didn't exit successfully: `target/debug/shop` (exit status: 1)";
    Failed "error: doctest failed", "": "error: doctest failed, to rerun pass `--doc`";
    Failed "error: aborting due to ", "": "error: aborting due to 2 previous errors";
    Failed "Error: \"Test failed during run\"", "": "Error: \"Test failed during run\"";
    Failed "Error: running ", " failed with exit code ": "Error: running \"go test ./...\" failed with exit code 1";
    Failed "Test Suite Failed", "": "Test Suite Failed";
    Failed "QUALITY GATE STATUS: FAILED", "": "QUALITY GATE STATUS: FAILED - View details";
    Failed "timeout: sending signal ", "": "timeout: sending signal TERM to command ‘make’";
    Failed "Floating point exception (core dumped)", "": "Floating point exception (core dumped)";
    Failed "Illegal instruction (core dumped)", "": "Illegal instruction (core dumped)";
    Failed "Trace/breakpoint trap (core dumped)", "": "Trace/breakpoint trap (core dumped)";
    Failed "Error: The process '", "' failed with exit code ": "Error: The process '/usr/bin/node' failed with exit code 1";
};

/// Lines that say it only if nothing stands behind.
const WHOLE: [&str; 2] = ["Terminated", "Build failed"];

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
        if WHOLE.contains(&self.begins) {
            return rest.is_empty();
        }
        if !CODES.iter().any(|words| last.ends_with(words)) {
            return true;
        }
        let code = code.split([' ', ':', ';', ',', ')']).next().unwrap_or(code);
        !matches!(code.trim_matches(['.', '\'']), "0" | "")
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
            "Exit status: 0",
            "exit code: 0 duration: 12s",
            "[0] npm run test exited with code 0",
            "[Container] 2026/01/02 03:04:05 Phase complete: BUILD State: SUCCEEDED",
            "-----> test command `npm test` completed with exit status 0",
            "Executed 3 out of 3 tests: 3 tests pass.",
            "Test suite spec: PASS",
            "Status: OK",
            "Result: PASS",
            "[CI/test] 🏁  Job succeeded",
            "Script phpunit handling the test event returned with error code 0",
            "Exit status: 0; 3 files",
        ] {
            assert_eq!(ending(line), None, "{line}");
        }
    }
}
