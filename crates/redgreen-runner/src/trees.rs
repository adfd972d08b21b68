//! The work tree as the engine sees it: exact content, and the identity of its code.

use globset::GlobSet;
use redgreen_model::config::{Config, compile_globs};
use redgreen_model::tree::{CodeHash, FileChange, FileRole, TreeHash, TreeState};
use redgreen_workspace::Workspace;

use crate::RunnerError;

/// A work tree and what counts as code in it.
pub(crate) struct Trees {
    pub(crate) workspace: Workspace,
    generated: GlobSet,
}

impl Trees {
    pub(crate) fn new(workspace: Workspace, config: &Config) -> Result<Self, RunnerError> {
        Ok(Self { workspace, generated: globs(&config.loop_settings.generated)? })
    }

    /// What a file is to the verdict.
    pub(crate) fn role(&self, path: &str) -> FileRole {
        if self.generated.is_match(path) {
            FileRole::Inert
        } else {
            redgreen_frameworks::file_role(path)
        }
    }

    /// The work tree now.
    pub(crate) fn now(&self) -> Result<TreeState, RunnerError> {
        let tree = self.workspace.tree()?;
        let code =
            self.workspace.content_hash(&tree, &|path| self.role(path) != FileRole::Inert)?;
        Ok(TreeState { tree, code: CodeHash(code) })
    }

    /// What changed between two trees.
    pub(crate) fn changes(
        &self,
        from: &TreeHash,
        to: &TreeHash,
    ) -> Result<Vec<FileChange>, RunnerError> {
        Ok(self.workspace.changes(from, to, &|path| self.role(path))?)
    }

    /// Identifies what a check watches in a tree; nothing for a check that watches everything.
    pub(crate) fn watched(
        &self,
        tree: &TreeHash,
        watch: &[String],
    ) -> Result<Option<String>, RunnerError> {
        if watch.is_empty() {
            return Ok(None);
        }
        let set = globs(watch)?;
        Ok(Some(self.workspace.content_hash(tree, &|path| set.is_match(path))?))
    }
}

fn globs(patterns: &[String]) -> Result<GlobSet, RunnerError> {
    compile_globs(patterns).map_err(|error| RunnerError::Configuration(error.to_string()))
}
