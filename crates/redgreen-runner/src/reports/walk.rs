//! Finds the files that globs name, without looking into every folder of the work tree.
//!
//! A glob is followed part by part: a folder is opened only if a file below it could still match.
//! `**` is kept out of folders that hold what was installed or fetched, and that of a framework out
//! of what was built, too: those are entered only where the glob names them.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use globset::{GlobMatcher, GlobSet};
use redgreen_model::config::compile_globs;

use super::{Mark, Time};
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
/// How many folders are worth a thread.
const PART_MIN: usize = 64;

/// What a walk has found.
#[derive(Default)]
pub(super) struct Walk {
    /// The files that match, by path.
    pub(super) files: BTreeSet<PathBuf>,
    /// Whether there are more.
    pub(super) is_cut: bool,
    folders: HashMap<PathBuf, Seen>,
}

impl Walk {
    /// What was seen in a folder that is as it was, and was so already before the mark.
    fn unchanged(&self, folder: &Path, now: Stamp, mark: Mark) -> Option<&Seen> {
        let seen = self.folders.get(folder).filter(|seen| seen.is_steady)?;
        // Another file system may go by another clock.
        let is_before = now.device == mark.device && now.changed < mark.time;
        (is_before && seen.stamp == Some(now)).then_some(seen)
    }
}

/// A folder, where the globs are in it, and how deep it lies.
type Open = (PathBuf, Vec<Position>, usize);

/// What is in a folder: files that match, and folders to look into.
#[derive(Clone, Default)]
struct Seen {
    stamp: Option<Stamp>,
    is_steady: bool,
    files: Vec<PathBuf>,
    inside: Vec<Open>,
}

/// What tells a folder from the same one with other files in it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    changed: Time,
    modified: Time,
}

impl Stamp {
    fn of(folder: &Path) -> Option<Self> {
        let found = fs::metadata(folder).ok()?;
        Some(Self {
            device: found.dev(),
            inode: found.ino(),
            changed: (found.ctime(), found.ctime_nsec()),
            modified: (found.mtime(), found.mtime_nsec()),
        })
    }
}

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

    /// Looks for files below the folder that match. `before` is an earlier walk of the same folder: what it found in folders
    /// that have not changed since its mark is there again.
    pub(super) fn walk(&self, root: &Path, max: usize, before: Option<(&Walk, Mark)>) -> Walk {
        let mut walk = Walk::default();
        let start: Vec<Position> = (0..self.globs.len()).map(|glob| (glob, 0)).collect();
        let mut level = vec![(root.to_owned(), self.opened(&start), 0)];
        while !level.is_empty() {
            let look = |(folder, positions, depth): &Open| {
                let stamp = Stamp::of(folder);
                let known =
                    before.and_then(|(before, mark)| before.unchanged(folder, stamp?, mark));
                known.cloned().unwrap_or_else(|| Seen {
                    stamp,
                    ..self.look_into(root, folder, positions, *depth)
                })
            };
            let seen = in_parts(&level, look);
            let mut next = Vec::new();
            for ((folder, ..), seen) in level.into_iter().zip(seen) {
                for path in &seen.files {
                    if walk.files.len() >= max {
                        walk.is_cut = true;
                        return walk;
                    }
                    walk.files.insert(path.clone());
                }
                next.extend(seen.inside.iter().cloned());
                walk.folders.insert(folder, seen);
            }
            level = next;
        }
        walk
    }

    /// What is in one folder.
    fn look_into(&self, root: &Path, folder: &Path, positions: &[Position], depth: usize) -> Seen {
        let mut seen = Seen { is_steady: true, ..Seen::default() };
        let ends = self.ends(positions);
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let (name, Ok(kind)) = (entry.file_name(), entry.file_type()) else { continue };
            // Where a link leads may change without a trace in this folder.
            seen.is_steady &= !kind.is_symlink();
            if kind.is_file() || (kind.is_symlink() && entry.path().is_file()) {
                let path = || folder.join(&name);
                let ends_here = ends.iter().any(|part| part.takes_file(&name));
                if ends_here && self.matches(root, &path()) {
                    seen.files.push(path());
                }
            } else if depth < DEPTH_MAX {
                let below = self.below(positions, &name, kind);
                if !below.is_empty() {
                    seen.inside.push((entry.path(), below, depth + 1));
                }
            }
        }
        seen
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

    /// What files in a folder have to be called: most folders have many, and most files are called otherwise.
    fn ends(&self, positions: &[Position]) -> Vec<&Part> {
        let is_last = |(glob, part): &&Position| self.part(*glob, part + 1).is_none();
        let last = positions.iter().filter(is_last);
        last.filter_map(|(glob, part)| self.part(*glob, *part)).collect()
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

/// Looks at folders, many of them at once.
fn in_parts(folders: &[Open], look: impl Fn(&Open) -> Seen + Sync) -> Vec<Seen> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let part = folders.len().div_ceil(threads).max(PART_MIN);
    if folders.len() <= part {
        return folders.iter().map(look).collect();
    }
    let look = &look;
    thread::scope(|scope| {
        let some = |part| scope.spawn(move || Vec::from_iter(<[Open]>::iter(part).map(look)));
        let parts: Vec<_> = folders.chunks(part).map(some).collect();
        let joined = parts.into_iter().map(|it| it.join().unwrap_or_else(|it| resume_unwind(it)));
        joined.flatten().collect()
    })
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
