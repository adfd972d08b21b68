//! Coverage that other tools count: reports that the checks write beside their results, or that a command of the project
//! writes once they have passed.

use std::path::Path;
use std::time::Duration;

use redgreen_coverage::Coverage;
use redgreen_model::config::{CheckSettings, JudgeBy};
use redgreen_model::execution::{CheckRun, Ended, Purpose};
use redgreen_model::framework::FrameworkId;
use redgreen_model::tree::TreeState;

use crate::RunnerError;
use crate::checks::{CheckRunner, Order, source};
use crate::counting::{CoverageReport, placed};
use crate::plan::PlannedCheck;
use crate::reports::Reports;

/// What the command is called beside the checks; no check has a name with a space.
const NAME: &str = "coverage command";

fn ended_well(run: &CheckRun) -> bool {
    run.ended == Ended::Exited { code: 0 }
}

impl CheckRunner<'_> {
    /// Runs the command that writes coverage reports, if there is one and the checks have passed. What it counts belongs
    /// to the last of them; how it ends decides nothing.
    pub(crate) fn run_coverage_command(
        &self,
        order: &Order<'_>,
        checks: &mut [CheckRun],
        tree: &TreeState,
        time_left: Option<Duration>,
    ) -> Result<(), RunnerError> {
        let wanted = order.purpose == Purpose::Judge && !order.measure.is_empty();
        let (Some(command), Some(planned)) = (&self.coverage.command, order.checks.first()) else {
            return Ok(());
        };
        if !wanted || !checks.iter().all(|run| !run.required || ended_well(run)) {
            return Ok(());
        }
        let settings = CheckSettings {
            name: None,
            command: command.clone(),
            framework: None,
            folder: ".".to_owned(),
            timeout_seconds: planned.settings.timeout_seconds,
            judge_by: JudgeBy::ExitCode,
            required: false,
            kind: None,
            mend: None,
            watch: Vec::new(),
            reports: Vec::new(),
            environment: planned.settings.environment.clone(),
        };
        let check = PlannedCheck { name: NAME.to_owned(), framework: FrameworkId::OTHER, settings };
        let run = self.check(&check, order, &[], tree, time_left)?;
        let said = format!("`{command}` under [coverage] {}", run.ended);
        let failed = (!ended_well(&run)).then_some(said);
        let mut coverage = run.coverage.unwrap_or_default();
        coverage.problems.splice(0..0, failed);
        if let Some(last) = checks.last_mut() {
            last.coverage.get_or_insert_default().merge(coverage);
        }
        Ok(())
    }

    /// Notes the coverage reports that are there before a command starts; nothing where it is not to write any.
    pub(crate) fn coverage_reports(
        &self,
        check: &PlannedCheck,
        order: &Order<'_>,
        folder: &Path,
    ) -> Result<Option<Reports>, RunnerError> {
        let writes = self.coverage.command.is_none() || check.name == NAME;
        if order.purpose != Purpose::Judge
            || order.measure.is_empty()
            || self.coverage.reports.is_empty()
            || !writes
        {
            return Ok(None);
        }
        let root = order.ground.written(self.trees).to_owned();
        Reports::before(root, &[], &self.coverage.reports, &folder.join("coverage-mark")).map(Some)
    }

    /// What the reports that a command wrote say of the changed files.
    pub(crate) fn reported_coverage(
        &self,
        reports: &Reports,
        order: &Order<'_>,
        tree: &TreeState,
    ) -> Result<Coverage, RunnerError> {
        let written = reports.written(order.ground.written(self.trees));
        let of_file = |file: redgreen_frameworks::ReportFile| CoverageReport {
            name: file.path.clone(),
            inside: Some(file.path),
            bytes: file.bytes,
        };
        let nothing_new = written.files.is_empty();
        let files: Vec<CoverageReport> = written.files.into_iter().map(of_file).collect();
        let paths = self.trees.workspace.paths(&tree.tree)?;
        let text = |path: &str| source(&order.ground.file(self.trees, path));
        let wanted = order.measure.iter().map(String::as_str);
        let mut coverage = placed(order.ground.root(self.trees), (&paths, &text), wanted, &files);
        coverage.files.retain(|path, _| order.measure.contains(path));
        coverage.problems.extend(written.left_out);
        if nothing_new {
            let globs = self.coverage.reports.join(", ");
            coverage.problems.push(format!("the run wrote no coverage report that {globs} names"));
            coverage.problems.extend(written.remarks);
        }
        Ok(coverage)
    }
}
