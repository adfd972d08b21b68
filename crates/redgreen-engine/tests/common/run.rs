//! What an execution saw, in one line: `run([("t1", Passed), ("t2", Failed)]).exit(1)`.

use redgreen_model::config::JudgeBy;
use redgreen_model::execution::{CheckRun, Ended, Execution, Purpose};
use redgreen_model::framework::FrameworkId;
use redgreen_model::report::{Failure, FailureKind, Report, TestCase, TestOutcome};
use redgreen_model::tree::{FileRole, TreeState};

/// An execution in the making: its checks, and whether the tree held still.
#[derive(Clone)]
pub struct Run {
    pub checks: Vec<CheckRun>,
    pub becomes: Option<TreeState>,
    pub on: Option<TreeState>,
    pub rewritten: Vec<String>,
}

/// A check named `unit` whose tests ended like this; its exit code agrees with them.
pub fn run<'id>(tests: impl IntoIterator<Item = (&'id str, TestOutcome)>) -> Run {
    let tests: Vec<TestCase> = tests.into_iter().map(|(id, outcome)| case(id, outcome)).collect();
    let code = i32::from(tests.iter().any(|test| test.outcome.is_red()));
    let report = Report { began: true, complete: true, tests, ..Report::default() };
    Run {
        checks: vec![check(report, Ended::Exited { code })],
        becomes: None,
        on: None,
        rewritten: Vec::new(),
    }
}

/// A check whose framework was never heard of.
pub fn silent(code: i32) -> Run {
    Run { checks: vec![check(Report::default(), Ended::Exited { code })], ..run([]) }
}

fn check(report: Report, ended: Ended) -> CheckRun {
    CheckRun {
        check: super::CHECK.to_owned(),
        command: "pytest -q".to_owned(),
        framework: FrameworkId::named("pytest"),
        judge_by: JudgeBy::Tests,
        required: true,
        ended,
        duration_ms: 7,
        report,
        output_tail: "the last line\n".to_owned(),
        log: ".redgreen/unit.log".to_owned(),
        leaks: Vec::new(),
        coverage: None,
        reached: None,
        watched: None,
        reused_from: None,
    }
}

pub fn case(id: &str, outcome: TestOutcome) -> TestCase {
    let failure =
        outcome.is_red().then(|| Failure::new(FailureKind::TestFailure, "AssertionError", "wrong"));
    TestCase { id: id.to_owned(), outcome, duration_ms: 1, failure: failure.map(Box::new) }
}

impl Run {
    fn last(&mut self) -> &mut CheckRun {
        self.checks.last_mut().unwrap()
    }

    pub fn exit(self, code: i32) -> Self {
        self.ended(Ended::Exited { code })
    }

    pub fn ended(mut self, ended: Ended) -> Self {
        self.last().ended = ended;
        self
    }

    pub fn named(mut self, check: &str) -> Self {
        self.last().check = check.to_owned();
        self
    }

    pub fn optional(mut self) -> Self {
        self.last().required = false;
        self
    }

    pub fn by_exit_code(mut self) -> Self {
        self.last().judge_by = JudgeBy::ExitCode;
        self
    }

    pub fn unfinished(mut self, tests: &[&str]) -> Self {
        self.last().report.unfinished = tests.iter().map(ToString::to_string).collect();
        self.incomplete()
    }

    pub fn not_run(mut self, tests: &[&str]) -> Self {
        self.last().report.not_run = tests.iter().map(ToString::to_string).collect();
        self
    }

    pub fn incomplete(mut self) -> Self {
        self.last().report.complete = false;
        self
    }

    pub fn error(mut self, failure: Failure) -> Self {
        self.last().report.errors.push(failure);
        self
    }

    /// What the red tests say.
    pub fn saying(mut self, message: &str) -> Self {
        for test in &mut self.last().report.tests {
            if let Some(failure) = &mut test.failure {
                failure.message = message.to_owned();
            }
        }
        self
    }

    pub fn failing_with(mut self, change: impl Fn(&mut Failure)) -> Self {
        self.last()
            .report
            .tests
            .iter_mut()
            .filter_map(|test| test.failure.as_deref_mut())
            .for_each(change);
        self
    }

    pub fn printing(mut self, tail: &str) -> Self {
        self.last().output_tail = tail.to_owned();
        self
    }

    /// More tests of the same check.
    pub fn and_tests(mut self, other: Self) -> Self {
        let more = other.checks.into_iter().flat_map(|check| check.report.tests);
        self.last().report.tests.extend(more);
        self
    }

    /// Another check of the same execution.
    pub fn and(mut self, other: Self) -> Self {
        self.checks.extend(other.checks);
        self
    }

    /// Code changed while it ran.
    pub fn leaving(mut self, tree: &str) -> Self {
        self.becomes = Some(super::tree(tree));
        self
    }

    /// It ran on another tree than the one that was left.
    pub fn on(mut self, tree: &str) -> Self {
        self.on = Some(super::tree(tree));
        self
    }

    pub fn execution(self, number: u64, purpose: Purpose, here: &TreeState) -> Execution {
        let before = self.on.unwrap_or_else(|| here.clone());
        let after = self.becomes.unwrap_or_else(|| before.clone());
        let changed_while_running = if before.code == after.code {
            Vec::new()
        } else {
            vec![super::change("src/rewritten.py", FileRole::Code)]
        };
        let kept_its_code = before.code == after.code && before.tree != after.tree;
        Execution {
            number,
            purpose,
            before,
            after,
            changed_while_running,
            rewritten_while_running: self.rewritten,
            wrote: kept_its_code.then(|| "run.log".to_owned()).into_iter().collect(),
            checks: self.checks,
            started_at: "2026-11-15T10:00:00Z".to_owned(),
            duration_ms: 9,
            excerpts: Vec::new(),
            turning: None,
        }
    }
}
