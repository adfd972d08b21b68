//! Finds the files that globs name, without looking into every folder of the work tree.
//!
//! A glob is followed part by part: a folder is opened only if a file below it could still match.
//! `**` is kept out of folders that hold what was installed or fetched, and that of a framework out
//! of what was built, too: those are entered only where the glob names them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use globset::{GlobMatcher, GlobSet};
use redgreen_model::config::compile_globs;

use crate::RunnerError;

/// Folders that `**` does not enter.
const CLOSED: &[&str] = &[
    ".git",
    ".hg",
    ".redgreen",
    ".venv",
    "venv",
    ".tox",
    ".nox",
    ".gradle",
    ".mvn",
    ".idea",
    ".cache",
    "__pycache__",
    "node_modules",
    "site-packages",
];
/// Folders of build results, which the `**` of a framework's own glob does not enter either.
const BUILT: &[&str] = &["target", "build", "dist", "out", "bin", "obj", "vendor"];
/// What makes a part of a glob more than a name.
const WILD: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];
/// The deepest folder that is opened: nobody's reports are below, and a loop of mounts ends here.
const DEPTH_MAX: usize = 40;

/// Globs, ready to be followed.
pub(super) struct Globs {
    globs: Vec<Glob>,
    /// The same, to decide: alternatives with slashes in them cannot be followed part by part.
    whole: GlobSet,
}

struct Glob {
    parts: Vec<Part>,
    /// Whether `**` may enter folders of build results.
    enters_built: bool,
}

enum Part {
    /// One name.
    Name {
        /// What every such name ends with: most files end otherwise, and a glob takes long to say no.
        end: String,
        matcher: Box<GlobMatcher>,
    },
    /// One name, without wildcards: what it names may be a symbolic link to a folder.
    Literal(String),
    /// Any number of folders.
    Folders,
}

impl Globs {
    /// The globs that a framework looks at by itself, and those that a check names.
    pub(super) fn new(of_framework: &[&str], of_check: &[String]) -> Result<Self, RunnerError> {
        let broken = |error: globset::Error| RunnerError::Configuration(error.to_string());
        let own = of_framework.iter().map(|glob| (without_dots(glob), false));
        let named = of_check.iter().map(|glob| (without_dots(glob), true));
        let (mut globs, mut texts) = (Vec::new(), Vec::new());
        for (text, enters_built) in own.chain(named) {
            globs.push(Glob::new(&text, enters_built).map_err(broken)?);
            texts.push(text);
        }
        Ok(Self { globs, whole: compile_globs(&texts).map_err(broken)? })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.globs.is_empty()
    }

    /// The files below the folder that match, at most `max` and in the order of their paths, and
    /// whether there are more.
    pub(super) fn files(&self, root: &Path, max: usize) -> (BTreeSet<PathBuf>, bool) {
        let mut found = BTreeSet::new();
        let start: Vec<Position> = (0..self.globs.len()).map(|glob| (glob, 0)).collect();
        let mut open = vec![(root.to_owned(), self.opened(&start), 0)];
        while let Some((folder, positions, depth)) = open.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let (name, Ok(kind)) = (entry.file_name(), entry.file_type()) else { continue };
                if kind.is_file() || (kind.is_symlink() && entry.path().is_file()) {
                    let path = || folder.join(&name);
                    if self.ends_here(&positions, &name) && self.matches(root, &path()) {
                        if found.len() >= max {
                            return (found, true);
                        }
                        found.insert(path());
                    }
                } else if depth < DEPTH_MAX {
                    let below = self.below(&positions, &name, kind);
                    if !below.is_empty() {
                        open.push((entry.path(), below, depth + 1));
                    }
                }
            }
        }
        (found, false)
    }

    fn matches(&self, root: &Path, path: &Path) -> bool {
        path.strip_prefix(root).is_ok_and(|path| self.whole.is_match(path))
    }

    /// The positions with those behind a `**`, which may stand for no folder at all.
    fn opened(&self, positions: &[Position]) -> Vec<Position> {
        let mut all: BTreeSet<Position> = BTreeSet::new();
        for (glob, mut part) in positions.iter().copied() {
            while all.insert((glob, part)) && matches!(self.part(glob, part), Some(Part::Folders)) {
                part += 1;
            }
        }
        all.into_iter().collect()
    }

    fn part(&self, glob: usize, part: usize) -> Option<&Part> {
        self.globs.get(glob)?.parts.get(part)
    }

    fn ends_here(&self, positions: &[Position], name: &OsStr) -> bool {
        positions.iter().any(|(glob, part)| {
            let last = self.part(*glob, part + 1).is_none();
            last && self.part(*glob, *part).is_some_and(|part| part.takes_file(name))
        })
    }

    /// Where the globs are in a folder of this name.
    fn below(&self, positions: &[Position], name: &OsStr, kind: FileType) -> Vec<Position> {
        let mut next = Vec::new();
        for (glob, part) in positions.iter().copied() {
            let enters_built = self.globs.get(glob).is_some_and(|glob| glob.enters_built);
            match self.part(glob, part) {
                Some(Part::Folders) if kind.is_dir() && is_open(name, enters_built) => {
                    next.push((glob, part));
                }
                Some(Part::Name { matcher, .. }) if kind.is_dir() && matcher.is_match(name) => {
                    next.push((glob, part + 1));
                }
                Some(Part::Literal(literal)) if name == literal.as_str() => {
                    next.push((glob, part + 1));
                }
                _ => {}
            }
        }
        self.opened(&next)
    }
}

/// A glob and the part of it that comes next.
type Position = (usize, usize);

impl Glob {
    fn new(glob: &str, enters_built: bool) -> Result<Self, globset::Error> {
        let mut parts = Vec::new();
        for part in outer_parts(glob) {
            let wild = part.contains(WILD);
            parts.push(match part {
                "**" => Part::Folders,
                _ if part.contains('/') => Part::Folders,
                _ if !wild => Part::Literal(part.to_owned()),
                _ => Part::Name {
                    end: part.rsplit(WILD).next().unwrap_or_default().to_owned(),
                    matcher: Box::new(globset::Glob::new(part)?.compile_matcher()),
                },
            });
        }
        Ok(Self { parts, enters_built })
    }
}

impl Part {
    fn takes_file(&self, name: &OsStr) -> bool {
        match self {
            Self::Name { end, matcher } => {
                name.as_bytes().ends_with(end.as_bytes()) && matcher.is_match(name)
            }
            Self::Literal(literal) => name == literal.as_str(),
            Self::Folders => true,
        }
    }
}

fn is_open(name: &OsStr, enters_built: bool) -> bool {
    let name = name.to_string_lossy();
    !CLOSED.contains(&name.as_ref()) && (enters_built || !BUILT.contains(&name.as_ref()))
}

/// The glob without parts that say nothing, as in `./out//*.xml`.
fn without_dots(glob: &str) -> String {
    let mut parts = outer_parts(glob);
    parts.retain(|part| !matches!(*part, "" | "."));
    parts.join("/")
}

/// The parts between slashes; a slash in braces does not part.
fn outer_parts(glob: &str) -> Vec<&str> {
    let (mut parts, mut start, mut braces) = (Vec::new(), 0, 0_usize);
    for (at, letter) in glob.char_indices() {
        match letter {
            '{' => braces += 1,
            '}' => braces = braces.saturating_sub(1),
            '/' if braces == 0 => {
                parts.extend(glob.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.extend(glob.get(start..));
    parts
}
