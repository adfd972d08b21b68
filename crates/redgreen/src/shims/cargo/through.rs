//! The configuration that makes cargo run test binaries and doctests through this program.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process;

use redgreen_frameworks::SHIM_FOLDER;
use redgreen_frameworks::cargo::runner::UserRunner;
use redgreen_frameworks::cargo::{
    RUSTDOC_SHIM, Runner, TEST_BINARY_SHIM, cargo_configuration, script,
};

use crate::shims::stand_in::variable;

/// For whom scripts and their folders are: their owner.
const PRIVATE: u32 = 0o700;

/// What the stand-ins below cargo have to know.
pub struct Through<'run> {
    /// The platform that tests are built for.
    pub host: &'run str,
    /// The folder of the run.
    pub run_folder: &'run Path,
    /// The root of the cargo workspace.
    pub workspace: &'run Path,
    /// What runs test binaries by the user's configuration.
    pub user_runner: UserRunner,
}

impl Through<'_> {
    /// The arguments for cargo.
    pub fn configuration(&self, doctests: bool) -> Result<Vec<String>, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let [program, folder, workspace] = [&program, self.run_folder, self.workspace]
            .map(|path| path.to_string_lossy().into_owned());
        let count = self.user_runner.words.len().to_string();
        let mut runner =
            vec![program.as_str(), TEST_BINARY_SHIM, folder.as_str(), workspace.as_str(), &count];
        runner.extend(self.user_runner.words.iter().map(String::as_str));
        let rustdoc = variable("RUSTDOC").unwrap_or_else(|| "rustdoc".to_owned());
        let rustdoc = [program.as_str(), RUSTDOC_SHIM, &folder, &workspace, &rustdoc];
        let file = self.run_folder.join(SHIM_FOLDER).join(format!("rustdoc-{}", process::id()));
        let rustdoc = doctests.then(|| write(&file, &script(&rustdoc))).transpose()?;
        let rustdoc = rustdoc.as_deref();
        if self.user_runner.is_text {
            let runner = write(&self.place_without_spaces()?.join("runner"), &script(&runner))?;
            return Ok(cargo_configuration(self.host, Runner::Text(&runner), rustdoc));
        }
        Ok(cargo_configuration(self.host, Runner::Words(&runner), rustdoc))
    }

    /// A folder for a runner that is a text: cargo splits it at spaces.
    fn place_without_spaces(&self) -> Result<PathBuf, String> {
        let spaces = self.run_folder.to_string_lossy().contains(char::is_whitespace);
        let folder = if spaces { spare_folder() } else { own_folder(self.run_folder) };
        let problem = |error| format!("cannot make {}: {error}", folder.display());
        DirBuilder::new().mode(PRIVATE).create(&folder).map_err(problem)?;
        Ok(folder)
    }
}

impl Drop for Through<'_> {
    fn drop(&mut self) {
        if self.user_runner.is_text {
            let _ = fs::remove_dir_all(spare_folder());
        }
    }
}

fn own_folder(run_folder: &Path) -> PathBuf {
    run_folder.join(format!("runner-{}", process::id()))
}

fn spare_folder() -> PathBuf {
    std::env::temp_dir().join(format!("redgreen-runner-{}", process::id()))
}

/// Writes a script.
pub fn write(path: &Path, text: &str) -> Result<String, String> {
    let problem = |error: std::io::Error| format!("cannot write {}: {error}", path.display());
    fs::write(path, text).map_err(problem)?;
    fs::set_permissions(path, fs::Permissions::from_mode(PRIVATE)).map_err(problem)?;
    Ok(path.to_string_lossy().into_owned())
}
