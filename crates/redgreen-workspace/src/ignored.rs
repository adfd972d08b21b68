//! Files of the work tree that git does not see, and the rules by which it does not.

use std::fs;

use redgreen_files::write_cache;
use redgreen_model::digest::sha256;

use crate::checkout::Checkout;
use crate::error::WorkspaceError;
use crate::git::{nul_terminated, records, shown};
use crate::seen::Stamp;

/// The file's name, beside the index.
const FILE: &str = "ignored";
/// Bytes of the digest of what the answer hangs on.
const DIGEST_BYTES: usize = 32;

/// The exit code of `check-ignore` when no path is ignored.
const NONE_IGNORED: i32 = 1;

/// A file or a folder that git ignores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// The path from the root of the work tree; a folder ends with `/`.
    pub path: String,
    /// The file with the rule: `.gitignore` from the root, or one outside of the work tree.
    pub source: String,
    /// The rule as it is written.
    pub pattern: String,
}

impl Checkout {
    /// What is ignored; see [`crate::Workspace::ignored`]. git looks into all folders for that, so what it said is kept for
    /// as long as they, its rules and what is tracked are as they were.
    pub(crate) fn all_ignored(&self) -> Result<Vec<Ignored>, WorkspaceError> {
        let path = self.outside.as_ref().map(|folder| folder.join(FILE));
        let (Some(path), Some(state)) = (path, self.state_of_folders()) else {
            return self.ask_for_ignored();
        };
        let text = fs::read_to_string(&path).unwrap_or_default();
        if let Some(kept) = text.strip_prefix(&state) {
            let fields: Vec<&str> = kept.split_terminator('\0').collect();
            let ignored = |[path, source, pattern]: &[&str; 3]| Ignored {
                path: (*path).to_owned(),
                source: (*source).to_owned(),
                pattern: (*pattern).to_owned(),
            };
            return Ok(fields.as_chunks().0.iter().map(ignored).collect());
        }
        let found = self.ask_for_ignored()?;
        if self.state_of_folders().as_ref() == Some(&state) {
            let fields = found.iter().flat_map(|it| [&it.path, &it.source, &it.pattern]);
            let fields = nul_terminated(fields.map(|field| field.as_bytes()));
            // Where it cannot be kept, git is asked again.
            let _ = write_cache(&path, &[state.as_bytes(), &fields].concat());
        }
        Ok(found)
    }

    /// What says which files are ignored: the folders that are not, git's rules and its index.
    fn state_of_folders(&self) -> Option<String> {
        let folders = self.folders_as_kept()?;
        let index = format!("{:?}", Stamp::of(&self.users_index_path()));
        Some(sha256(&[&folders, index.as_bytes()].concat(), DIGEST_BYTES))
    }

    fn ask_for_ignored(&self) -> Result<Vec<Ignored>, WorkspaceError> {
        let git = &self.git;
        let list = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
        let mut asked = Vec::new();
        for path in records(&git.call("look for ignored files", &list).run()?) {
            // With a folder in front, a path that starts with a colon is no pathspec magic.
            asked.extend_from_slice(b"./");
            asked.extend_from_slice(path);
            asked.push(0);
        }
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let ask = ["check-ignore", "--no-index", "--verbose", "-z", "--stdin"];
        let listed = git.call("look for rules", &ask).stdin(asked).run_or(NONE_IGNORED)?;
        let fields: Vec<&[u8]> = records(&listed).collect();
        let rules = fields.chunks_exact(4).map(|rule| Ignored {
            path: shown(rule[3].strip_prefix(b"./").unwrap_or(rule[3])),
            source: shown(rule[0]),
            pattern: shown(rule[2]),
        });
        Ok(rules.collect())
    }
}
