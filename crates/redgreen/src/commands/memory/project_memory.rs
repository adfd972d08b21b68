//! Where the debug memory of this work tree is.

use std::path::{Component, Path, PathBuf};

use redgreen_memory::Memory;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_runner::memory::opened;

use crate::context;
use crate::display;
use crate::failure::Failure;

/// A work tree and its debug memory.
pub struct ProjectMemory {
    /// The top of the work tree.
    root: PathBuf,
    /// Where redgreen was started.
    here: PathBuf,
    /// The memory.
    pub memory: Memory,
}

impl ProjectMemory {
    /// The memory of the work tree that redgreen was started in. Nothing is made: asking leaves no
    /// traces in a project that has none.
    pub fn find() -> Result<Self, Failure> {
        let here = context::folder()?;
        let root = context::root_above(&here)?;
        let settings = context::configuration(&root)?.unwrap_or_default().memory;
        let memory = opened(&root, &settings)?;
        Ok(Self { root, here, memory })
    }

    /// Says what happened to the memory on the way.
    pub fn tell_notes(&mut self) {
        for note in self.memory.take_notes() {
            display::note(&clean_line(&note, LINE_CHARS));
        }
    }

    /// A path for people: from the top of the work tree where it lies in it.
    pub fn shown(&self, path: &Path) -> String {
        let short = path.strip_prefix(&self.root).unwrap_or(path);
        clean_line(&short.to_string_lossy(), LINE_CHARS)
    }

    /// A file as records name it: from the top of the work tree. It need not be there.
    pub fn file(&self, name: &str) -> Result<String, Failure> {
        let mut path = PathBuf::new();
        for part in self.here.join(name).components() {
            match part {
                Component::ParentDir => {
                    path.pop();
                }
                Component::CurDir => {}
                part => path.push(part),
            }
        }
        // The project may be named by a link that leads to it.
        let real = || path.canonicalize().ok().filter(|path| path.starts_with(&self.root));
        let path = if path.starts_with(&self.root) { Some(path) } else { real() };
        let path = path.ok_or_else(|| {
            let what = format!("{} is not in this work tree", clean_line(name, LINE_CHARS));
            Failure::usage(what).hint(format!("the work tree is {}", self.root.display()))
        })?;
        let inside = path.strip_prefix(&self.root).unwrap_or(&path);
        Ok(inside.to_string_lossy().into_owned())
    }
}
