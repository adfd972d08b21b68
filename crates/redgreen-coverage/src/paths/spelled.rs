//! A path in its parts, whoever wrote it.

/// A path in its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spelled {
    /// The names from the outermost folder to the file, without `.` and `..`.
    pub parts: Vec<String>,
    /// Whether it says where it begins.
    pub absolute: bool,
}

impl Spelled {
    /// Reads `/a/b`, `C:\a\b`, `./a/../b`, `webpack://a/b`.
    pub fn read(path: &str) -> Self {
        let path = path.trim();
        let (path, schemed) = match path.split_once("://") {
            Some((_, rest)) => (rest, true),
            None => (path, false),
        };
        let bytes = path.as_bytes();
        let drive =
            bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(1) == Some(&b':');
        let absolute = schemed || drive || path.starts_with(['/', '\\']);
        let mut parts = Vec::new();
        for part in path.split(['/', '\\']) {
            match part {
                "" | "." => {}
                // What is above the first folder is not known.
                ".." => drop(parts.pop()),
                part => parts.push(part.to_owned()),
            }
        }
        Self { parts, absolute }
    }

    /// The name at its end.
    pub fn name(&self) -> String {
        self.parts.last().cloned().unwrap_or_default()
    }
}

/// The name at the end of a path of the tree.
pub(super) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
