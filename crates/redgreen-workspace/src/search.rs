//! Words in the text of a tree.

use std::collections::BTreeSet;

use redgreen_model::tree::TreeHash;

use crate::error::WorkspaceError;
use crate::git::{records, shown};
use crate::workspace::Workspace;

impl Workspace {
    /// The files of a tree that have one of these words in their text; bytes that are not UTF-8 in paths
    /// are replaced.
    pub fn mentioning(
        &self,
        tree: &TreeHash,
        words: &[String],
    ) -> Result<Vec<String>, WorkspaceError> {
        const NONE_FOUND: i32 = 1;
        let words = words.iter().flat_map(|word| ["-e", word]);
        let ask = ["grep", "--files-with-matches", "-z", "-I", "--fixed-strings"];
        let call = self.checkout().git.call("search the files of a tree", &ask);
        let call = call.args(&words.collect::<Vec<_>>()).args(&["--full-name", &tree.0]);
        let listed = call.run_or(NONE_FOUND)?;
        let path = |record: &[u8]| {
            let colon = record.iter().position(|byte| *byte == b':').map_or(0, |at| at + 1);
            shown(record.get(colon..).unwrap_or_default())
        };
        Ok(records(&listed).map(path).collect())
    }

    /// Which of these words are in the text of a tree, or of these files of it, as whole words.
    pub fn named_in(
        &self,
        tree: &TreeHash,
        words: &BTreeSet<String>,
        paths: Option<&[String]>,
    ) -> Result<BTreeSet<String>, WorkspaceError> {
        const NONE_FOUND: i32 = 1;
        if words.is_empty() || paths.is_some_and(<[String]>::is_empty) {
            return Ok(BTreeSet::new());
        }
        let words = words.iter().flat_map(|word| ["-e", word]);
        let ask = ["grep", "-h", "-o", "-I", "--word-regexp", "--fixed-strings", "--no-color"];
        let call = self.checkout().git.call("search the files of a tree", &ask);
        let call = call.env("GIT_LITERAL_PATHSPECS", "1").args(&words.collect::<Vec<_>>());
        let call = call.args(&["--full-name", &tree.0, "--"]).args(paths.unwrap_or_default());
        let listed = call.run_or(NONE_FOUND)?;
        Ok(listed.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(shown).collect())
    }
}
