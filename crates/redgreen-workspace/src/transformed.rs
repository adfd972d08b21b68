//! Files that git keeps another text of than the one in the work tree.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::checkout::Checkout;
use crate::content::TreeEntry;
use crate::error::WorkspaceError;
use crate::git::{below, nul_terminated, records, shown};
use crate::read::Content;

/// The attributes that make git change a text on its way.
const ATTRIBUTES: [&str; 3] = ["filter", "ident", "working-tree-encoding"];
/// The file in a folder that gives attributes.
const NAME: &str = ".gitattributes";
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
    /// Whether a file of attributes has one of the words: git takes long to say it of every path.
    fn may_transform(&self, entries: &[TreeEntry]) -> Result<bool, WorkspaceError> {
        const NOT_SET: i32 = 1;
        let ask = ["config", "--type=path", "-z", "--get-all", "core.attributesFile"];
        let named = self.git.call("read its configuration", &ask).run_or(NOT_SET)?;
        let mut files: BTreeSet<PathBuf> = records(&named)
            .map(|path| below(self.root(), path))
            .chain([self.repository().join("info/attributes"), "/etc/gitattributes".into()])
            .collect();
        let variable = |name: &str| self.git.variable(name).map(PathBuf::from);
        let home = variable("HOME").unwrap_or_default();
        let personal = variable("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        files.insert(personal.join("git/attributes"));
        files.insert(self.root().join(NAME));
        let mut last: &[u8] = b"";
        for entry in entries {
            let end = entry.path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
            let folder = entry.path.get(..end).unwrap_or_default();
            if folder != last {
                let above = Path::new(OsStr::from_bytes(folder)).ancestors();
                files.extend(above.map(|folder| self.root().join(folder).join(NAME)));
                last = folder;
            }
        }
        let says = |text: &[u8], word: &[u8]| text.windows(word.len()).any(|part| part == word);
        let may = |file: &PathBuf| {
            let text = fs::read(file).unwrap_or_default();
            // A macro is an attribute under another name.
            ATTRIBUTES.iter().chain(&["[attr]"]).any(|word| says(&text, word.as_bytes()))
        };
        Ok(files.iter().any(may))
    }

    /// Which of these files are kept as another text than they have in the work tree.
    pub(crate) fn transformed(
        &self,
        entries: &[TreeEntry],
    ) -> Result<Vec<Transformed>, WorkspaceError> {
        if !self.may_transform(entries)? {
            return Ok(Vec::new());
        }
        let asked = nul_terminated(entries.iter().map(|entry| entry.path.as_slice()));
        let ask = [["check-attr", "-z", "--stdin"].as_slice(), &ATTRIBUTES].concat();
        let listed = self.git.call("look for attributes", &ask).stdin(asked).run()?;
        // A value may be empty.
        let fields: Vec<&[u8]> = listed.split(|byte| *byte == 0).collect();
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
