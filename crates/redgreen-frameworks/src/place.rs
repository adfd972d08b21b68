//! Where things are: paths from the root of the work tree, and which code is the project's own.

use std::path::{Component, Path, PathBuf};

use redgreen_model::report::Location;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::tree::FileRole;

use crate::file_role;
use crate::identity::any_byte;
use crate::stream::Frame;

/// How many own frames of one failure are kept.
const FRAMES_MAX: usize = 12;

/// The work tree and the folder a check runs in.
#[derive(Clone, Copy, Debug)]
pub struct Places<'paths> {
    /// The root of the work tree: absolute, without symbolic links, as programs report it.
    pub root: &'paths Path,
    /// The folder of the check: absolute, or from the root.
    pub folder: &'paths Path,
}

/// The places of one failure.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Located {
    pub location: Option<Location>,
    pub test_location: Option<Location>,
    /// All own frames, innermost first.
    pub frames: Vec<Location>,
}

impl Places<'_> {
    /// The path from the root; none for a file outside of it and for what is no file.
    pub fn relative(&self, path: &str) -> Option<String> {
        if path.is_empty() || path.starts_with('<') || path.starts_with("node:") {
            return None;
        }
        // As most are; the words of a path that has nothing to resolve are its own.
        if self.folder.as_os_str().is_empty() && is_resolved(path) {
            return Some(clean_line(path, LINE_CHARS));
        }
        let absolute = normalised(&self.root.join(self.folder).join(path));
        let inside = absolute.strip_prefix(normalised(self.root)).ok()?;
        let text = inside.to_str()?;
        (!text.is_empty()).then(|| clean_line(text, LINE_CHARS))
    }

    /// The path from the root, if it is the project's own code.
    pub fn own(&self, path: &str) -> Option<String> {
        self.relative(path).filter(|path| is_own(path))
    }

    /// A path from the root, as an absolute one.
    pub(crate) fn absolute(&self, path: &str) -> String {
        self.root.join(path).to_string_lossy().into_owned()
    }

    /// A path from the root, as one from the folder of the check where it is inside: the same for
    /// a project that was moved as a whole.
    pub(crate) fn in_folder<'path>(&self, path: &'path str) -> &'path str {
        let folder = normalised(&self.root.join(self.folder));
        let inside = folder.strip_prefix(normalised(self.root)).ok().and_then(Path::to_str);
        inside
            .filter(|folder| !folder.is_empty())
            .and_then(|folder| path.strip_prefix(folder)?.strip_prefix('/'))
            .unwrap_or(path)
    }

    /// A path for an id: from the folder of the check, and never absolute, whoever wrote it.
    pub(crate) fn id_path(&self, file: &str) -> String {
        let folder = self.root.join(self.folder);
        let inside = Path::new(file).strip_prefix(&folder).ok().and_then(Path::to_str);
        match inside {
            Some(path) => path.to_owned(),
            None if !file.starts_with('/') => file.trim_start_matches("./").to_owned(),
            None => {
                // Of another machine: the end of it is what the others have, too.
                let mut last: Vec<&str> = file.rsplit('/').take(2).collect();
                last.reverse();
                last.join("/")
            }
        }
    }

    /// A location in the project's own code.
    pub fn location(&self, file: &str, line: Option<u32>) -> Option<Location> {
        self.own(file).map(|file| Location { file, line, function: None })
    }

    /// Where a failure is: the innermost own frame outside of the tests, else in a file that helps them, else in the
    /// test's own file.
    pub(crate) fn locate(&self, frames: &[Frame], test: Option<(&str, Option<u32>)>) -> Located {
        let test_file = test.and_then(|(file, _)| self.relative(file));
        let own: Vec<Location> =
            frames.iter().rev().filter_map(|frame| self.frame(frame)).collect();
        let in_test = |location: &&Location| Some(&location.file) == test_file.as_ref();
        let declared = || {
            let file = test_file.clone().filter(|file| is_own(file))?;
            Some(Location { file, line: test?.1, function: None })
        };
        let test_location = own.iter().find(in_test).cloned().or_else(declared);
        let outside = || own.iter().filter(|location| !in_test(location));
        let is_code = |location: &&Location| file_role(&location.file) != FileRole::Tests;
        let location = outside().find(is_code).or_else(|| outside().next()).cloned();
        let location = location.or_else(|| test_location.clone());
        let frames = own.into_iter().take(FRAMES_MAX).collect();
        Located { location, test_location, frames }
    }

    fn frame(&self, frame: &Frame) -> Option<Location> {
        let file = self.own(&frame.file)?;
        let function = frame.function.as_ref().map(|name| clean_line(name, LINE_CHARS));
        Some(Location { file, line: frame.line, function })
    }
}

/// Whether the files of a folder are not the project's own code, wherever it is: dependencies, and
/// what tools make.
fn is_foreign(folder: &str) -> bool {
    matches!(
        folder,
        "site-packages"
            | "dist-packages"
            | ".venv"
            | "venv"
            | ".tox"
            | ".nox"
            | "__pypackages__"
            | ".direnv"
            | ".eggs"
            | "node_modules"
            | "bower_components"
            | ".yarn"
            | ".pnpm"
            | ".pnpm-store"
            | "target"
            | ".cargo"
            | ".rustup"
            | ".m2"
            | ".gradle"
            | ".bundle"
            | ".nuget"
            | ".redgreen"
    )
}

fn is_own(path: &str) -> bool {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    let mut folders = folders.split('/').peekable();
    let mut is_first = true;
    while let Some(folder) = folders.next() {
        let next = folders.peek().copied().unwrap_or("");
        let is_foreign = match folder {
            // A folder of vendors may also be about vendors.
            "vendor" => is_first || next == "bundle" || next.contains('.'),
            "pkg" => next == "mod",
            "lib" => next.starts_with("python") && next.contains('.'),
            folder => is_foreign(folder),
        };
        if is_foreign {
            return false;
        }
        is_first = false;
    }
    !path.starts_with(".pnp.")
}

/// Whether a path goes down from where it begins, and says each folder once.
fn is_resolved(path: &str) -> bool {
    let parts = || path.as_bytes().split(|byte| *byte == b'/');
    !any_byte(path, |byte| matches!(byte, b'\\' | b':'))
        && parts().all(|part| !matches!(part, b"" | b"." | b".."))
}

/// The path without `.` and `..`, by its words alone.
fn normalised(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: fn() -> Places<'static> =
        || Places { root: Path::new("/home/me/project"), folder: Path::new("sub") };

    #[test]
    fn paths_are_from_the_root_and_own_code_is_distinguished() {
        let cases = [
            ("/home/me/project/src/a.py", Some("src/a.py"), true),
            ("src/a.py", Some("sub/src/a.py"), true),
            ("./src/../b.py", Some("sub/b.py"), true),
            ("../top.py", Some("top.py"), true),
            ("/home/me/project/.venv/lib/x.py", Some(".venv/lib/x.py"), false),
            (
                "/home/me/project/target/debug/build/out/gen.rs",
                Some("target/debug/build/out/gen.rs"),
                false,
            ),
            ("/home/me/project/target", Some("target"), true),
            ("/home/me/project/vendor/x/y.go", Some("vendor/x/y.go"), false),
            ("/home/me/project/.yarn/cache/a.js", Some(".yarn/cache/a.js"), false),
            ("/home/me/project/.pnp.cjs", Some(".pnp.cjs"), false),
            ("/home/me/project/go/pkg/mod/x@v1/a.go", Some("go/pkg/mod/x@v1/a.go"), false),
            ("/home/me/project/pkg/model/a.go", Some("pkg/model/a.go"), true),
            ("/home/me/project/shop/vendor/a.py", Some("shop/vendor/a.py"), true),
            ("/home/me/project/a/vendor/github.com/x.go", Some("a/vendor/github.com/x.go"), false),
            ("/home/me/project/pkg/cart/a.go", Some("pkg/cart/a.go"), true),
            ("/home/me/project/env/lib/python3.12/os.py", Some("env/lib/python3.12/os.py"), false),
            ("/home/me/project/lib/cart.py", Some("lib/cart.py"), true),
            ("/home/me/project/.m2/repository/a.java", Some(".m2/repository/a.java"), false),
            ("/home/me/go/pkg/mod/x@v1/a.go", None, false),
            ("/usr/local/go/src/testing/testing.go", None, false),
            ("/usr/lib/python3.12/json/decoder.py", None, false),
            ("node:internal/process/task_queues", None, false),
            ("/home/me/projectile/a.py", None, false),
            ("/rustc/abc/library/core/src/panicking.rs", None, false),
            ("../../outside.py", None, false),
            ("<string>", None, false),
            ("", None, false),
        ];
        for (path, relative, own) in cases {
            assert_eq!(PLACES().relative(path).as_deref(), relative, "{path}");
            assert_eq!(PLACES().own(path).is_some(), own, "{path}");
        }
    }

    #[test]
    fn the_innermost_own_frame_outside_of_the_test_is_the_location() {
        let frame =
            |file: &str, line| Frame { file: file.into(), line: Some(line), function: None };
        let test = frame("/home/me/project/sub/test_a.py", 3);
        let code = frame("/home/me/project/src/code.py", 9);
        let inner = frame("/home/me/project/src/inner.py", 11);
        let library = frame("/home/me/project/.venv/lib/json.py", 70);
        let helper = frame("/home/me/project/tests/helpers.py", 5);
        let cases: [(&[&Frame], Option<&str>, Option<&str>); 8] = [
            (&[&test, &code, &helper], Some("src/code.py:9"), Some("sub/test_a.py:3")),
            (&[&test, &helper], Some("tests/helpers.py:5"), Some("sub/test_a.py:3")),
            (&[&test, &code, &inner, &library], Some("src/inner.py:11"), Some("sub/test_a.py:3")),
            (&[&test, &code, &test], Some("src/code.py:9"), Some("sub/test_a.py:3")),
            (&[&test, &library], Some("sub/test_a.py:3"), Some("sub/test_a.py:3")),
            (&[&code], Some("src/code.py:9"), Some("sub/test_a.py:1")),
            (&[&library], Some("sub/test_a.py:1"), Some("sub/test_a.py:1")),
            (&[], Some("sub/test_a.py:1"), Some("sub/test_a.py:1")),
        ];
        for (frames, location, test_location) in cases {
            let frames: Vec<Frame> = frames.iter().map(|frame| (*frame).clone()).collect();
            let found = PLACES().locate(&frames, Some(("test_a.py", Some(1))));
            let text = |place: Option<Location>| place.map(|place| place.to_string());
            assert_eq!(text(found.location).as_deref(), location, "{frames:?}");
            assert_eq!(text(found.test_location).as_deref(), test_location, "{frames:?}");
        }
    }
}
