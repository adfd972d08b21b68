//! What in the work tree git does not keep, and what of it appeared or changed since a moment.
//!
//! By its ctime, which nobody can set. Caches that tools make again are left out, and so are installed packages.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use redgreen_frameworks::{is_cache, output_marks};
use redgreen_workspace::Ignored;

/// The most files and folders that are looked at.
const LOOKED_AT: usize = 200_000;
/// The most changed files that are kept by name; beyond, whole folders still are.
const NAMED: usize = 5_000;

/// How long before an installation of the project is noted its own build may have written files.
const BUILDING: Duration = Duration::from_secs(120);

/// What package managers call the folders that they fill.
const INSTALLED: [&str; 4] = ["node_modules", "bower_components", "__pypackages__", "Pods"];

/// A file that appeared or changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Changed {
    /// Its path from the root.
    pub(super) path: String,
    /// When.
    pub(super) at: SystemTime,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The files.
    pub(super) changed: Vec<Changed>,
    /// What a view hides instead of each of them: files, and folders that are new as a whole.
    pub(super) hidden: Vec<String>,
    /// Whether any of it was there before the tests ran. What they made themselves they make again.
    pub(super) was_there: bool,
    /// Folders of installed packages, which are looked at by other rules.
    pub(super) installed: Vec<String>,
    /// How many files changed.
    pub(super) count: u64,
    looked_at: usize,
}

/// Where is looked, and for what.
pub(super) struct Look<'look> {
    /// The root of the work tree.
    pub(super) root: &'look Path,
    /// What changed after this.
    pub(super) since: SystemTime,
    /// When the tests began to run.
    pub(super) ran: SystemTime,
    /// When the project itself was installed in the work tree: what that wrote (`_version.py`, compiled messages and
    /// extensions), it writes in a fresh checkout, too.
    pub(super) installs: &'look [SystemTime],
    /// Which paths are passed over.
    pub(super) is_passed_over: &'look dyn Fn(&str) -> bool,
}

impl Found {
    /// Looks at everything that git ignores, but for what is passed over.
    pub(super) fn look(ignored: &[Ignored], look: &Look<'_>) -> Self {
        let mut found = Self::default();
        for entry in ignored {
            let path = entry.path.trim_end_matches('/');
            if !path.split('/').any(is_cache) && found.is_whole(path, look) {
                found.hidden.push(path.to_owned());
            }
        }
        found
    }

    /// Whether there were more files than anybody looks at.
    pub(super) fn is_cut(&self) -> bool {
        self.looked_at >= LOOKED_AT
    }

    /// Looks at a file or a folder; whether it changed as a whole. Of a folder that did not, what changed in it is noted.
    fn is_whole(&mut self, path: &str, look: &Look<'_>) -> bool {
        let place = look.root.join(path);
        self.looked_at += 1;
        if (look.is_passed_over)(path) {
            return false;
        }
        let Ok(metadata) = fs::symlink_metadata(&place) else { return false };
        if output_marks().any(|mark| place.join(mark).exists()) {
            return false;
        }
        if is_installed(&place) {
            self.installed.push(path.to_owned());
            return false;
        }
        if !metadata.is_dir() {
            return self.is_changed(path, &metadata, look);
        }
        let (mut whole, mut parts) = (changed_at(&metadata) > look.since, Vec::new());
        for entry in fs::read_dir(&place).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if self.is_cut() {
                return false;
            }
            let inner = format!("{path}/{name}");
            match is_cache(&name) {
                true => {}
                false if self.is_whole(&inner, look) => parts.push(inner),
                false => whole = false,
            }
        }
        if !whole || parts.is_empty() {
            self.hidden.append(&mut parts);
            return false;
        }
        true
    }

    fn is_changed(&mut self, path: &str, metadata: &Metadata, look: &Look<'_>) -> bool {
        let at = changed_at(metadata);
        let by_install = |noted: &SystemTime| at <= *noted && at + BUILDING >= *noted;
        if at <= look.since || look.installs.iter().any(by_install) {
            return false;
        }
        self.was_there |= metadata.created().map_or(true, |created| created < look.ran);
        self.count += 1;
        if self.changed.len() < NAMED {
            self.changed.push(Changed { path: path.to_owned(), at });
        }
        true
    }
}

/// When a file last changed in any way.
pub(super) fn changed_at(metadata: &Metadata) -> SystemTime {
    let seconds = u64::try_from(metadata.ctime()).unwrap_or_default();
    let nanos = u32::try_from(metadata.ctime_nsec()).unwrap_or_default();
    SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos)
}

/// Whether a folder is one that a package manager fills.
fn is_installed(folder: &Path) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| folder.join(name).exists());
    INSTALLED.iter().any(|name| folder.ends_with(name))
        || has(&["pyvenv.cfg", "conda-meta"])
        || (folder.ends_with("vendor") && has(&["composer", "bundle", "ruby", "modules.txt"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignored(paths: &[&str]) -> Vec<Ignored> {
        let one = |path: &&str| Ignored {
            path: (*path).to_owned(),
            source: ".gitignore".to_owned(),
            pattern: "x".to_owned(),
        };
        paths.iter().map(one).collect()
    }

    fn found(root: &Path, paths: &[&str], since: SystemTime, ran: SystemTime) -> Found {
        let is_passed_over = &|path: &str| path == "data/kept.txt";
        Found::look(&ignored(paths), &Look { root, since, ran, installs: &[], is_passed_over })
    }

    #[test]
    fn what_the_installation_of_the_project_wrote_is_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("_version.py"), "text").expect("a file");
        let written = folder.path().join("_version.py").symlink_metadata().expect("a file");
        let written = changed_at(&written);
        let (past, future) = (SystemTime::UNIX_EPOCH, written + BUILDING * 4);
        for (install, count) in [(written, 0), (written + BUILDING * 2, 1), (past, 1)] {
            let look = Look {
                root: folder.path(),
                since: past,
                ran: future,
                installs: &[install],
                is_passed_over: &|_| false,
            };
            assert_eq!(Found::look(&ignored(&["_version.py"]), &look).count, count);
        }
    }

    #[test]
    fn what_is_young_is_found_and_caches_and_packages_are_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        for path in [
            ".env",
            "dist/slug.js",
            "dist/deep/a.js",
            "__pycache__/calc.pyc",
            "calc.egg-info/PKG-INFO",
            "node_modules/a/index.js",
            "web/node_modules/a/index.js",
            "data/__pycache__/b.pyc",
            "data/rows.db",
            "data/kept.txt",
        ] {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, "text").expect("a file");
        }
        let listed =
            [".env", "dist/", "__pycache__/", "calc.egg-info/", "node_modules/", "web/", "data/"];
        let (past, future) = (SystemTime::UNIX_EPOCH, SystemTime::now() + Duration::from_secs(60));
        let mut seen = found(root, &listed, past, future);
        let mut names: Vec<&str> = seen.changed.iter().map(|it| it.path.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, [".env", "data/rows.db", "dist/deep/a.js", "dist/slug.js"]);
        seen.hidden.sort();
        assert_eq!(seen.hidden, [".env", "data/rows.db", "dist"]);
        assert_eq!(seen.installed, ["node_modules", "web/node_modules"]);
        assert!(seen.was_there && seen.count == 4);
        assert_eq!(found(root, &listed, future, future).count, 0);
        // What the tests made themselves, they make again.
        assert!(!found(root, &listed, past, past).was_there);
    }
}
