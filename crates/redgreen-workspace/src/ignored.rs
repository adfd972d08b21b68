//! Files of the work tree that git does not see, and the rules by which it does not.

use crate::checkout::Checkout;
use crate::error::WorkspaceError;
use crate::git::{records, shown};

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
    /// What is ignored; see [`crate::Workspace::ignored`].
    pub(crate) fn all_ignored(&self) -> Result<Vec<Ignored>, WorkspaceError> {
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
