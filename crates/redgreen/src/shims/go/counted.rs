//! Has go count which statements of the changed files run.

use std::fs;
use std::path::{Path, PathBuf};

use redgreen_frameworks::COVERAGE_FOLDER;
use redgreen_frameworks::go::arguments::GoTestCall;
use redgreen_frameworks::go::collector::{
    GoCounting, LIST_FORMAT, UNUSED_PACKAGE, folders, left_by,
};

use crate::shims::stand_in::asked;
use crate::shims::stand_in::real_program::RealProgram;
use crate::shims::stand_in::watch::{PassOn, pass_to};

/// One `go test` that is counted.
pub struct Counted {
    counting: GoCounting,
    note: PathBuf,
    profile: PathBuf,
}

impl Counted {
    /// What to count in this call; none where nobody asks for it.
    pub fn begin(
        go: &RealProgram,
        call: &GoTestCall,
        folder: &Path,
        run_folder: &Path,
    ) -> Option<Self> {
        let asked = asked(run_folder);
        let folders: Vec<&str> =
            folders(&asked).into_iter().filter(|folder| Path::new(folder).is_dir()).collect();
        if folders.is_empty() {
            return None;
        }
        let answer = go
            .command()
            // The folders of the answer are without links, as those of the question.
            .current_dir(fs::canonicalize(folder).ok()?)
            .env_remove("PWD")
            .args(["list", "-e", "-find", "-f", LIST_FORMAT])
            .args(call.flags_of_packages())
            .args(folders)
            .output();
        let listed = answer.map(|answer| answer.stdout).unwrap_or_default();
        let [note, profile] = <[String; 2]>::from(left_by(std::process::id()))
            .map(|name| run_folder.join(COVERAGE_FOLDER).join(name));
        let counting = GoCounting::new(
            call,
            &asked,
            &String::from_utf8_lossy(&listed),
            &profile.to_string_lossy(),
        );
        Some(Self { counting, note, profile })
    }

    /// The call that counts.
    pub fn call(&self) -> &GoTestCall {
        &self.counting.call
    }

    /// Whether the user did not ask for coverage.
    pub fn is_ours(&self) -> bool {
        self.counting.is_ours
    }

    /// Leaves for the reader what it needs. `folder` is the one that go worked in.
    pub fn end(self, folder: &Path) -> Result<(), String> {
        let theirs = folder.join(&self.counting.profile);
        if theirs != self.profile {
            // One that is not there is said by the reader.
            let _ = fs::copy(theirs, &self.profile);
        }
        let note = serde_json::to_vec(&self.counting.note).map_err(|error| error.to_string())?;
        fs::write(&self.note, note)
            .map_err(|error| format!("cannot write {}: {error}", self.note.display()))
    }
}

/// Passes standard error on, without what go says of packages that redgreen wants counted.
pub fn pass_to_stderr() -> PassOn {
    let mut pass = pass_to(std::io::stderr());
    Box::new(move |bytes| {
        let ours = |line: &&[u8]| !line.starts_with(UNUSED_PACKAGE.as_bytes());
        bytes.split_inclusive(|byte| *byte == b'\n').filter(ours).for_each(&mut pass);
    })
}
