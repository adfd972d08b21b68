//! In which files lines are counted while an attempt is judged, and what stands where the tests ran.

use std::path::PathBuf;

use redgreen_frameworks::sources_reached;
use redgreen_model::config::CoverageMode;
use redgreen_model::coverage::{FileCoverage, RanStatement};
use redgreen_model::execution::{Execution, Purpose};
use redgreen_model::text::{LINE_CHARS, bound_end};
use redgreen_model::tree::{FileChange, FileRole};
use redgreen_redact::redact;
use redgreen_syntax::{Statement, broken_line, language_of, statements};

use super::Session;
use crate::checks::source;
use crate::square::mix::TreeFiles;
use crate::{RunnerError, counting};

/// The most files beside the changed ones in which lines are counted.
const REACHED_MAX: usize = 40;
/// The most statements of a file that are described.
const STATEMENTS_MAX: usize = 400;

/// The files in which an execution counts lines.
#[derive(Default)]
pub(super) struct Measured {
    /// Their paths.
    pub(super) files: Vec<String>,
    changes: Vec<FileChange>,
    /// Those in which what ran is described, too: code, where what is red runs by itself.
    described: Vec<String>,
}

impl Session<'_> {
    /// The files whose lines are counted while an attempt is judged: those that it changed, and those that these reach,
    /// because what is wrong may have been wrong before.
    pub(super) fn measured(&self, purpose: Purpose) -> Result<Measured, RunnerError> {
        let judges = matches!(purpose, Purpose::Judge | Purpose::First | Purpose::Confirm);
        let base = match (&self.state.baseline, self.plan.config.coverage.mode) {
            (Some(baseline), CoverageMode::Auto) if judges => baseline.tree(),
            _ => return Ok(Measured::default()),
        };
        let now = match self.plan.elsewhere() {
            Some(tree) => tree.clone(),
            None => self.trees.last_seen()?.tree,
        };
        let changes = self.trees.changes(&base.tree, &now)?;
        let mut files = counting::worth_counting(&changes);
        let tree = TreeFiles::new(&self.trees.workspace, &now, &changes)?;
        let reached = sources_reached(&tree, &files);
        let reached = reached.into_iter().filter(|path| self.trees.role(path) == FileRole::Code);
        files.extend(reached.take(REACHED_MAX));
        let mut described = files.clone();
        described
            .retain(|path| purpose != Purpose::Judge && self.trees.role(path) == FileRole::Code);
        Ok(Measured { files, changes, described })
    }
}

impl Measured {
    /// Says of an execution what stands where it ran, and where it could not be read, for who has to find what is wrong.
    pub(super) fn describe(&self, execution: &mut Execution, place: &dyn Fn(&str) -> PathBuf) {
        let failed = execution.checks.iter_mut().filter(|run| !run.report.errors.is_empty());
        let of_failed = failed.filter_map(|run| run.coverage.as_mut());
        for (path, file) in of_failed.flat_map(|coverage| &mut coverage.files) {
            let is_changed = self.changes.iter().any(|change| change.path == *path);
            let language = language_of(path).filter(|_| is_changed);
            let text = language.and_then(|_| source(&place(path)));
            file.broken =
                language.zip(text).and_then(|(language, text)| broken_line(language, &text));
        }
        let coverages = execution.checks.iter_mut().filter_map(|run| run.coverage.as_mut());
        let files = coverages.flat_map(|coverage| &mut coverage.files);
        for (path, file) in files.filter(|(path, _)| self.described.contains(path)) {
            let change = self.changes.iter().find(|change| change.path == *path);
            file.changed = change.map(|change| change.hunks.clone()).unwrap_or_default();
            if let Some(text) = source(&place(path)) {
                file.statements = ran(path, &text, file);
            }
        }
    }
}

/// The statements of a file that ran.
fn ran(path: &str, text: &str, file: &FileCoverage) -> Vec<RanStatement> {
    let Some(language) = language_of(path) else { return Vec::new() };
    let found = statements(language, text);
    let ran = |it: &&Statement| file.ran_from((it.first, it.column), it.last) == Some(true);
    let ran = found.all.iter().filter(ran);
    let described = ran.map(|it| RanStatement {
        first: it.first,
        last: it.last,
        column: it.column,
        function: it
            .function
            .and_then(|index| found.functions.get(index))
            .map_or_else(String::new, |function| function.name.clone()),
        text: bound_end(&redact(&it.text), LINE_CHARS),
    });
    described.take(STATEMENTS_MAX).collect()
}
