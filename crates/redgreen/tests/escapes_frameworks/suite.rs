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
    /// The id of the test of `subtract`.
    pub subtract: &'static str,
    /// Repairs `subtract`.
    pub fix: &'static str,
    /// What the framework prints when all is well.
    pub says_passed: &'static str,
    /// Makes the run print `says_passed` and end with 0, without running a test.
    pub fakes: &'static str,
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
}

/// A file: its path from the root, and its text.
pub type File = (&'static str, &'static str);

impl Suite {
    /// The project with more tests.
    pub fn with(&self, files: &[File]) -> Project {
        let project = (self.project)();
        for (path, text) in files {
            project.write(path, text);
        }
        project.commit();
        project
    }
}
