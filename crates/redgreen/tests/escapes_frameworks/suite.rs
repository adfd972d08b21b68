//! What the cases need to know of a framework.

use crate::common::Project;

/// A small project of a framework, and ways to spoil it. Scripts are for `sh`, in the root of the
/// project; test sources run with the root as their folder, and `../agent` beside it.
pub struct Suite {
    /// The framework's name in `redgreen.toml`.
    pub framework: &'static str,
    /// The command of the check.
    pub command: &'static str,
    /// A committed project: `add`, which is right, `subtract`, which adds, and a test for each.
    pub project: fn() -> Project,
    /// The file with `subtract`.
    pub file: &'static str,
    /// The id of the test of `subtract`.
    pub subtract: &'static str,
    /// Repairs `subtract`.
    pub fix: &'static str,
    /// A line that changes nothing in `file`.
    pub comment: &'static str,
    /// What the framework prints when all is well.
    pub says_passed: &'static str,
    /// Makes `subtract` end the process with status 0.
    pub exits: &'static str,
    /// The verdict then: some frameworks notice it themselves.
    pub exit_verdict: &'static str,
    /// Makes the run print `says_passed` and end with 0, without running a test.
    pub fakes: &'static str,
    /// Makes `subtract` wait for ever.
    pub hangs: &'static str,
    /// Long enough for the run to come as far as that, on a busy machine.
    pub hang_limit_seconds: u32,
    /// A test that starts `setsid sleep 1000`, writes its process id to `../agent/pid`, and passes.
    pub daemon: File,
    /// A test that does nothing until `subtract` is right, and then writes 60 MB or more to each of standard
    /// output and error, opens `../agent/here` for writing and then `../agent/go-on` for reading.
    pub floods: File,
    /// A test that prints all bytes from 0 to 255, and `ff fe 80 c3 28` to standard error, and passes.
    pub bytes: File,
    /// A test that fails until `subtract` is right, with terminal control in its message and, where
    /// the framework allows it, its name, which contains `evil`.
    pub evil: File,
    /// Breaks the build or the collection, and the error that is the failure then.
    pub breaks: Broken,
    /// Makes `subtract` die of a signal.
    pub dies: &'static str,
    /// Words that the report has then, beside the test's id.
    pub death: &'static str,
    /// What is named when the process ends under the test: the test, or what holds it.
    pub in_flight: &'static str,
}

/// A file: its path from the root, and its text.
pub type File = (&'static str, &'static str);

/// A change that does not build.
pub struct Broken {
    pub script: &'static str,
    pub error_type: &'static str,
    pub file: &'static str,
    pub line: u64,
}

impl Suite {
    /// The project with one more test.
    pub fn with(&self, (path, text): File) -> Project {
        let project = (self.project)();
        project.write(path, text);
        project.commit();
        project
    }

    /// An agent that does something at the first attempt, and something else later.
    pub fn first(&self, script: &str, later: &str) -> String {
        format!("if [ $REDGREEN_ATTEMPT = 1 ]; then {script}\nelse {later}\nfi")
    }

    /// An agent that repairs the code at the second attempt.
    pub fn second_time_lucky(&self) -> String {
        let comment = format!("printf '%s\\n' '{}' >> '{}'", self.comment, self.file);
        self.first(&comment, self.fix)
    }
}
