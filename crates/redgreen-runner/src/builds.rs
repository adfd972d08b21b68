//! Outputs of builds that a build takes for up to date, because a source that changed later is dated earlier: a copy that
//! was put back.
//!
//! Giving the source a new time would help, and would disturb whoever works on it: agents refuse to edit a file that was
//! touched since they read it. So the outputs are dated back that were made before the source was put there, and the build
//! looks again. They are what a build writes, never a file of the tree. Nobody can set the time at which a file's entry
//! changed: that is how such a source is recognised.
//!
//! | tool | what it goes by | what is done |
//! |---|---|---|
//! | cargo, Maven | whether a source is newer than an output | here |
//! | Python | size and whole seconds | a project's bytecode is neither read nor written (`python/sitecustomize.py`) |
//! | go, jest, vitest, Gradle | content, or size and the exact time | nothing |

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use globset::GlobSet;
use redgreen_frameworks::ADAPTERS;
use redgreen_model::tree::TreeHash;
use redgreen_workspace::{DatedBack, Workspace};

use crate::RunnerError;
use crate::plan::PlannedCheck;
use crate::square::CARGO_TARGET;
use crate::trees::globs;

/// Older than any source.
const LONG_AGO: Duration = Duration::from_secs(1);

/// Dates back what was built before sources were put back that are dated earlier.
pub(crate) fn look_again(
    workspace: &Workspace,
    checks: &[PlannedCheck],
    tree: &TreeHash,
) -> Result<(), RunnerError> {
    let folders = folders(workspace, checks, tree)?;
    if folders.is_empty() {
        return Ok(());
    }
    let sources = workspace.dated_back(tree)?;
    if sources.is_empty() {
        return Ok(());
    }
    let tracked = workspace.paths(tree)?;
    for (folder, stamps) in folders {
        if tracked.iter().any(|path| workspace.root().join(path).starts_with(&folder)) {
            continue; // What git keeps is the user's.
        }
        date_back_in(&folder, &folder, &stamps, &sources);
    }
    Ok(())
}

/// Where outputs are, and which of them are compared.
fn folders(
    workspace: &Workspace,
    checks: &[PlannedCheck],
    tree: &TreeHash,
) -> Result<Vec<(PathBuf, GlobSet)>, RunnerError> {
    let paths = workspace.paths(tree)?;
    let root = workspace.root();
    let mut found = Vec::new();
    for stamps in ADAPTERS.iter().filter_map(|adapter| adapter.build_stamps()) {
        let beside = paths.iter().filter_map(|path| path.strip_suffix(stamps.beside));
        let beside = beside.filter(|above| above.is_empty() || above.ends_with('/'));
        let mut folders: Vec<PathBuf> =
            beside.map(|above| root.join(above).join(stamps.folder)).collect();
        if folders.is_empty() {
            continue;
        }
        for check in checks {
            let of_check = check.settings.environment.get(CARGO_TARGET).map(PathBuf::from);
            let chosen = of_check.or_else(|| std::env::var_os(CARGO_TARGET).map(PathBuf::from));
            folders.extend(chosen.map(|folder| root.join(&check.settings.folder).join(folder)));
        }
        folders.sort_unstable();
        folders.dedup();
        let files: Vec<String> = stamps.files.iter().map(|&glob| glob.to_owned()).collect();
        let files = globs(&files)?;
        let real = folders.into_iter().filter(|folder| folder.is_dir());
        found.extend(real.map(|folder| (folder, files.clone())));
    }
    Ok(found)
}

/// What cannot be looked at or dated is as it was.
fn date_back_in(top: &Path, folder: &Path, stamps: &GlobSet, sources: &[DatedBack]) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(found) = entry.metadata() else { continue };
        if found.is_dir() {
            date_back_in(top, &path, stamps, sources);
        } else if found.is_file()
            && path.strip_prefix(top).is_ok_and(|path| stamps.is_match(path))
            && found.modified().is_ok_and(|made| sources.iter().any(|it| it.is_hidden_from(made)))
        {
            let old = SystemTime::UNIX_EPOCH + LONG_AGO;
            let _ = File::open(&path).and_then(|file| file.set_modified(old));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::planned_checks;
    use redgreen_model::config::Config;

    const SOURCES: [&str; 4] = ["Cargo.toml", "src/lib.rs", "java/pom.xml", "kept/Cargo.toml"];
    const STAMPS: [&str; 4] = [
        "target/debug/.fingerprint/calc-1/dep-lib-calc",
        "java/target/classes/calc/Calc.class",
        "target/debug/calc",
        "kept/target/debug/.fingerprint/kept-1/dep-lib-kept",
    ];

    fn date(path: &Path, time: SystemTime) {
        File::open(path).and_then(|file| file.set_modified(time)).expect("dated");
    }

    #[test]
    fn outputs_are_dated_back_and_only_where_a_source_was_put_back_after_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a folder");
        for path in SOURCES.iter().chain(&STAMPS).chain(&[".gitignore"]) {
            fs::create_dir_all(root.join(path).parent().expect("a parent")).expect("a folder");
            fs::write(root.join(path), "").expect("a file");
        }
        fs::write(root.join(".gitignore"), "/target\n/java/target\n").expect("a file");
        let workspace = Workspace::init(&root).expect("a repository");
        let checks = Config::parse("[[checks]]\ncommand = \"true\"\n").expect("a configuration");
        let checks = planned_checks(&checks).expect("checks");
        let tree = workspace.tree().expect("a tree");
        let dates = || {
            STAMPS.map(|path| {
                let found = fs::metadata(root.join(path)).and_then(|found| found.modified());
                found.expect("a date")
            })
        };
        let built = SystemTime::now() - Duration::from_secs(60);
        let before_that = built - Duration::from_secs(60);
        // A second ahead of all sources.
        let fresh = SystemTime::now() + Duration::from_secs(60);
        for path in STAMPS {
            date(&root.join(path), fresh);
        }
        date(&root.join("src/lib.rs"), before_that);
        look_again(&workspace, &checks, &tree).expect("looked");
        assert_eq!(dates(), [fresh; 4], "built after the source was put there");
        for path in STAMPS {
            date(&root.join(path), built);
        }
        look_again(&workspace, &checks, &tree).expect("looked");
        let old = SystemTime::UNIX_EPOCH + LONG_AGO;
        assert_eq!(dates(), [old, old, built, built], "no stamp, and a file that git keeps");
    }
}
