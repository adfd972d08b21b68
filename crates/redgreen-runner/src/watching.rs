//! Which files of the project a check opened or loaded: what watches is told where to write, and read afterwards.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use redgreen_frameworks::reached::{self, FOLDER, FOLDER_VARIABLE, ROOT_VARIABLE};
use redgreen_model::reach::Reached;

use crate::RunnerError;
use crate::checks::read_at_most;

/// The most bytes that are read of what one process wrote.
const LEFT_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// The most processes whose files are read.
const PROCESSES_MAX: usize = 5_000;

/// The watching of one run of a check.
pub(crate) struct Watching {
    folder: PathBuf,
    root: PathBuf,
}

impl Watching {
    /// Makes the place that is written to.
    pub(crate) fn of(root: &Path, run_folder: &Path) -> Result<Self, RunnerError> {
        let folder = run_folder.join(FOLDER);
        fs::create_dir_all(&folder).map_err(RunnerError::file("make the folder", &folder))?;
        Ok(Self { folder, root: root.to_owned() })
    }

    /// What says to the processes of the check where that is.
    pub(crate) fn environment(&self) -> [(OsString, Option<OsString>); 2] {
        [
            (FOLDER_VARIABLE.into(), Some(self.folder.clone().into())),
            (ROOT_VARIABLE.into(), Some(self.root.clone().into())),
        ]
    }

    /// What was seen; none where nothing was. What lay there is gone afterwards.
    pub(crate) fn seen(&self) -> Option<Reached> {
        let mut names: Vec<PathBuf> = fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .take(PROCESSES_MAX)
            .collect();
        names.sort_unstable();
        let mut seen = Reached::default();
        for name in names {
            reached::read(&read_at_most(&name, LEFT_BYTES_MAX), &mut seen);
        }
        let _ = fs::remove_dir_all(&self.folder);
        (!seen.is_empty()).then_some(seen)
    }
}
