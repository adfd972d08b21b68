//! What counts which lines of the changed files run: each language's own collector, and what it left.

use redgreen_coverage::{Coverage, FileCoverage};
use redgreen_model::framework::FrameworkId;

use crate::adapter::{Adapter, ReportFile};
use crate::{ADAPTERS, adapter};

/// What counts lines for the frameworks of a language.
pub struct Collector {
    /// What it is called in messages: `Python`.
    pub name: &'static str,
    /// How the names of the files end that it can count in.
    pub endings: &'static [&'static str],
    /// How the names of the files begin that it leaves in the folder for it.
    pub leaves: &'static str,
    /// Reads those. The paths of what it gives are among those that were asked for.
    pub read: fn(&CoverageMaterial<'_>) -> Coverage,
}

/// What a run left behind for what counts its lines.
pub struct CoverageMaterial<'run> {
    /// The files that were asked for, as absolute paths.
    pub asked: &'run [String],
    /// What lies in the folder: the names from there.
    pub left: &'run [ReportFile],
    /// The text of a file that was asked for.
    pub source: &'run dyn Fn(&str) -> Option<String>,
}

impl Collector {
    /// Whether it can count the lines of a file.
    pub fn counts_in(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.rsplit_once('.').is_some_and(|(stem, ending)| {
            !stem.is_empty() && self.endings.contains(&ending.to_ascii_lowercase().as_str())
        })
    }
}

/// The collectors that a framework's checks have; one that serves every framework has all of them.
pub fn collectors(framework: FrameworkId) -> Vec<&'static Collector> {
    let own = adapter(framework);
    let serves = |other: &&&dyn Adapter| {
        framework == FrameworkId::OTHER
            || other.id() == framework
            || (own.family().is_some() && own.family() == other.family())
    };
    let mut found: Vec<&'static Collector> = Vec::new();
    for collector in ADAPTERS.iter().filter(serves).filter_map(|adapter| adapter.collector()) {
        if !found.iter().any(|known| known.name == collector.name) {
            found.push(collector);
        }
    }
    found
}

/// Whether a problem is that of one file: `/path: why`. Any other is everybody's.
fn is_of(problem: &str, path: &str) -> bool {
    problem.strip_prefix(path).is_some_and(|rest| rest.starts_with(": "))
}

/// What ran of the files that were asked for. One that a collector was there for and that nothing loaded is among
/// them, without a line; one that nobody could count in is not.
pub fn measured(framework: FrameworkId, material: &CoverageMaterial<'_>) -> Coverage {
    let mut coverage = Coverage::default();
    for collector in collectors(framework) {
        let wanted: Vec<&String> =
            material.asked.iter().filter(|path| collector.counts_in(path)).collect();
        if wanted.is_empty() {
            continue;
        }
        let mut own = (collector.read)(material);
        own.files.retain(|path, _| wanted.contains(&path));
        let (of_one, of_all): (Vec<&String>, Vec<&String>) = own
            .problems
            .iter()
            .partition(|problem| material.asked.iter().any(|path| is_of(problem, path)));
        for path in wanted.into_iter().filter(|_| of_all.is_empty()) {
            if !of_one.iter().any(|problem| is_of(problem, path)) {
                own.files.entry(path.clone()).or_insert_with(FileCoverage::default);
            }
        }
        coverage.merge(own);
    }
    coverage
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::ReportFile;

    #[test]
    fn the_problem_of_one_file_hides_no_other() {
        let asked = ["/p/a.py".to_owned(), "/p/b.py".to_owned()];
        let notes = br#"{"file": "/p/a.py", "problem": "numba compiles its functions itself"}"#;
        let left = [ReportFile { path: "python-1-aa.jsonl".into(), bytes: notes.to_vec() }];
        let material = CoverageMaterial { asked: &asked, left: &left, source: &|_| None };
        let coverage = measured(FrameworkId::named("pytest"), &material);
        assert_eq!(coverage.files.keys().collect::<Vec<_>>(), ["/p/b.py"]);
        assert_eq!(coverage.problems, ["/p/a.py: numba compiles its functions itself"]);
    }

    #[test]
    fn a_problem_of_all_leaves_none_that_nothing_ran() {
        let asked = ["/p/a.js".to_owned()];
        let material = CoverageMaterial { asked: &asked, left: &[], source: &|_| None };
        let coverage = measured(FrameworkId::named("jest"), &material);
        assert!(coverage.files.is_empty() && coverage.problems.len() == 1);
    }
}
