//! Which files of a report are asked for.

use std::collections::HashSet;

/// The files that somebody asks for. A report has other paths than the tree, and what they share for
/// certain is the name at their end: that is what is looked at while a report is read.
#[derive(Clone, Debug)]
pub struct Wanted<'paths>(Option<HashSet<&'paths str>>);

impl<'paths> Wanted<'paths> {
    /// Everything.
    #[must_use]
    pub const fn all() -> Self {
        Self(None)
    }

    /// What may be one of these paths of the tree.
    pub fn these(paths: impl IntoIterator<Item = &'paths str>) -> Self {
        Self(Some(paths.into_iter().map(name).collect()))
    }

    /// Whether a path of a report may be one of them.
    #[must_use]
    pub fn wants(&self, path: &str) -> bool {
        self.0.as_ref().is_none_or(|names| names.contains(name(path)))
    }
}

/// What is behind the last separator, of Windows' too.
fn name(path: &str) -> &str {
    path.rfind(['/', '\\']).map_or(path, |at| path.get(at + 1..).unwrap_or_default())
}
