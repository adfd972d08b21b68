//! What lies around a tree and is no part of it: what tools leave for themselves, and settings of theirs that decide tests.

use crate::ADAPTERS;
use crate::adapter::Variables;
use crate::roles::is_lock_file;

/// What lies around a project of a framework.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings {
    /// Names of folders and files that its tools make again whenever they are missing; a `*` at one end is any rest.
    pub caches: &'static [&'static str],
    /// Folders of build output that its command brings up to date itself, by the file that they lie beside.
    pub outputs: &'static [(&'static str, &'static str)],
    /// Files that such a folder is known by, in it.
    pub marks: &'static [&'static str],
    /// Files of settings in the home folder, from there.
    pub home: &'static [&'static str],
    /// Files of settings that its tools look for in the folders above the project, too.
    pub above: &'static [&'static str],
}

/// What no framework owns: leavings of editors, systems and tools of other languages.
const GENERAL: Surroundings = Surroundings {
    caches: &[
        ".git",
        ".redgreen",
        ".aiwg",
        ".idea",
        ".vscode",
        ".DS_Store",
        "Thumbs.db",
        ".direnv",
        ".cache",
        "*.log",
        "*.swp",
        "*.swo",
        "*~",
        "_build",
        ".build",
        ".stack-work",
        "dist-newstyle",
        ".dart_tool",
        ".zig-cache",
    ],
    outputs: &[],
    marks: &[],
    home: &[],
    above: &[],
};

fn all() -> impl Iterator<Item = Surroundings> {
    ADAPTERS.iter().map(|adapter| adapter.surroundings()).chain([GENERAL])
}

/// Whether a file or folder of this name is one that tools make again whenever it is missing.
pub fn is_cache(name: &str) -> bool {
    let ends = |known: &&str| known.strip_prefix('*').is_some_and(|end| name.ends_with(end));
    is_lock_file(name)
        || all().any(|it| Variables::have(it.caches, name) || it.caches.iter().any(ends))
}

/// The folders of build output of a project that its commands bring up to date themselves.
pub fn outputs(paths: &[String]) -> Vec<String> {
    let pairs = all().flat_map(|it| it.outputs);
    let beside = |(beside, folder): &(&str, &str)| {
        let roots = paths.iter().filter_map(|path| path.strip_suffix(*beside));
        let roots = roots.filter(|root| root.is_empty() || root.ends_with('/'));
        roots.map(|root| format!("{root}{folder}")).collect::<Vec<_>>()
    };
    pairs.flat_map(beside).collect()
}

/// Files that a folder of build output is known by.
pub fn output_marks() -> impl Iterator<Item = &'static str> {
    all().flat_map(|it| it.marks.iter().copied())
}

/// Files of settings in the home folder that decide tests.
pub fn settings_at_home() -> impl Iterator<Item = &'static str> {
    all().flat_map(|it| it.home.iter().copied())
}

/// Files of settings in the folders above a project that decide its tests.
pub fn settings_above() -> impl Iterator<Item = &'static str> {
    all().flat_map(|it| it.above.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leavings_are_known_by_name_and_what_tests_load_is_not_among_them() {
        for name in [
            "__pycache__",
            ".pytest_cache",
            ".coverage",
            ".coverage.host.12",
            "calc.egg-info",
            ".gradle",
            ".nyc_output",
            ".eslintcache",
            "a.tsbuildinfo",
            "debug.log",
            "Cargo.lock",
        ] {
            assert!(is_cache(name), "{name}");
        }
        for name in [
            "dist",
            "build",
            ".env",
            "calc.pyc",
            "slug.so",
            "slug.js",
            "lib",
            "local_settings.py",
            "data",
        ] {
            assert!(!is_cache(name), "{name}");
        }
    }
}
