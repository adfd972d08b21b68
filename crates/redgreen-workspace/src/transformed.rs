//! Files that git keeps another text of than the one in the work tree.

use std::fs;

use crate::checkout::Checkout;
use crate::content::TreeEntry;
use crate::error::WorkspaceError;
use crate::git::{below, nul_terminated, shown};
use crate::read::Content;

/// The attributes that make git change a text on its way.
const ATTRIBUTES: [&str; 3] = ["filter", "ident", "working-tree-encoding"];
/// What an attribute is that does nothing.
const NOTHING: [&[u8]; 2] = [b"unspecified", b"unset"];
/// The most bytes of a file that is compared.
const COMPARED_BYTES: u64 = 16 * 1024 * 1024;

/// A file that is not in the tree as it is in the work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transformed {
    /// Its path from the root of the work tree.
    pub path: String,
    /// The attribute and its value, as they are written: `filter=lfs`, `ident`.
    pub attribute: String,
}

impl Checkout {
    /// Which of these files are kept as another text than they have in the work tree.
    pub(crate) fn transformed(
        &self,
        entries: &[TreeEntry],
    ) -> Result<Vec<Transformed>, WorkspaceError> {
        let asked = nul_terminated(entries.iter().map(|entry| entry.path.as_slice()));
        let ask = [["check-attr", "-z", "--stdin"].as_slice(), &ATTRIBUTES].concat();
        let told = self.git.call("look for attributes", &ask).stdin(asked).run()?;
        // A value may be empty.
        let fields: Vec<&[u8]> = told.split(|byte| *byte == 0).collect();
        let said = fields.chunks_exact(3).filter(|said| !NOTHING.contains(&said[2]));
        let found: Vec<Transformed> = said
            .map(|said| {
                let (name, value) = (shown(said[1]), shown(said[2]));
                let attribute = if value == "set" { name } else { format!("{name}={value}") };
                Transformed { path: shown(said[0]), attribute }
            })
            .collect();
        let paths: Vec<&str> = found.iter().map(|file| file.path.as_str()).collect();
        let kept = self.read(entries, &paths, COMPARED_BYTES)?;
        let same = |path: &str, kept: &Content| {
            let there = fs::read(below(self.root(), path.as_bytes())).ok();
            matches!(kept, Content::Bytes(bytes) if there.as_ref() == Some(bytes))
        };
        let pairs = found.into_iter().zip(&kept);
        Ok(pairs.filter(|(file, kept)| !same(&file.path, kept)).map(|(file, _)| file).collect())
    }
}
