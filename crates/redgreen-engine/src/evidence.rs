//! A verdict as evidence: the same facts for somebody who was not there. Signing is not done here.

use std::collections::{BTreeMap, BTreeSet};

use redgreen_model::evidence::{
    Acceptance, Configuration, ConfiguredCheck, CoverageEvidence, DeclaredExpectation,
    DeclaredUntested, EVIDENCE_VERSION, Environment, Evidence, ExecutionEvidence, JudgedBy,
    OutsideEvidence, Rules, RulesSha256, TestOrigins, TestResult, TestsResult, WaivedFinding,
};
use redgreen_model::execution::{Execution, TestId};
use redgreen_model::known::KnownTest;
use redgreen_model::outside::Outside;
use redgreen_model::square::{CornerSeen, Square, SquareFacts};
use redgreen_model::verdict::Verdict;
use redgreen_model::workflow::CodeType;

use crate::classes::Judged;

/// What the rules are called in a test result.
const RULES: &str = "redgreen rules";

/// A tree that passed, or that a person accepted, and what was seen of it.
pub struct PassedTree<'seen> {
    /// The run, as it was judged.
    pub run: &'seen Judged,
    /// What it was compared with; none where nothing was.
    pub compared: Option<Compared<'seen>>,
    /// What lies outside of the tree, where somebody looked.
    pub outside: Option<&'seen Outside>,
    /// The kind of change, where it was named.
    pub code_type: Option<CodeType>,
    /// The tests that a person knows to be red.
    pub known: &'seen [KnownTest],
    /// The loop and how often its agent was asked, where there was one.
    pub session: Option<(&'seen str, u32)>,
    /// A person's word, where it did not pass.
    pub accepted: Option<Acceptance>,
}

/// What a tree was compared with.
pub struct Compared<'seen> {
    /// Old code, old tests.
    pub baseline: &'seen Judged,
    /// What was seen of the other corners.
    pub facts: &'seen SquareFacts,
    /// What they show.
    pub square: &'seen Square,
}

/// Who judged, where, when and by what.
pub struct Circumstances {
    /// By what.
    pub by: JudgedBy,
    /// When the verdict was reached, RFC 3339.
    pub at: String,
    /// The operating system.
    pub os: &'static str,
    /// The processor's architecture.
    pub architecture: &'static str,
    /// The variables that steer what a command runs.
    pub steering: BTreeMap<String, String>,
}

/// The statements on a tree that passed: in the words of in-toto, and in ours.
pub fn statements(passed: &PassedTree<'_>, judged: Circumstances) -> (TestResult, Evidence) {
    let square = passed.compared.as_ref().map(|compared| compared.square);
    let declared = square.map(declared).unwrap_or_default();
    let waived = square.map(waived).unwrap_or_default();
    let warnings = square.map(|square| square.warnings.clone()).unwrap_or_default();
    let untested = square.map(untested).unwrap_or_default();
    let remarks = square.is_some_and(|square| !square.remarks.is_empty());
    let is_plain = !remarks
        && declared.is_empty()
        && untested.is_empty()
        && waived.is_empty()
        && warnings.is_empty();
    let result = match passed.run.verdict {
        Verdict::Passed if is_plain => TestsResult::Passed,
        Verdict::Passed => TestsResult::Warned,
        _ => TestsResult::Failed,
    };
    let test_result = TestResult {
        result,
        configuration: vec![configuration(&passed.run.execution, &judged.by.rules)],
        warned_tests: declared.iter().map(|it| full_name(&it.test)).collect(),
        passed_tests: {
            let known: BTreeSet<&TestId> = declared.iter().map(|it| &it.test).collect();
            passed.run.green.iter().filter(|test| !known.contains(test)).map(full_name).collect()
        },
        failed_tests: passed.run.red.iter().map(full_name).collect(),
    };
    let evidence = Evidence {
        version: EVIDENCE_VERSION,
        redgreen: judged.by.redgreen,
        rules: judged.by.rules,
        result,
        at: judged.at,
        base: passed.compared.as_ref().map(|compared| compared.facts.base.clone()),
        code_type: passed.code_type,
        session: passed.session.map(|(session, _)| session.to_owned()),
        attempts: passed.session.map(|(_, attempts)| attempts),
        counts: passed.run.counts(),
        executions: executions(passed),
        origins: passed.compared.as_ref().map(|compared| origins(passed.run, compared)),
        declared,
        waived,
        accepted: passed.accepted.clone(),
        warnings,
        red_before: match passed.run.verdict {
            Verdict::PassedBut => passed.run.other_red().cloned().collect(),
            _ => Vec::new(),
        },
        known: {
            let seen = &passed.run.classes.known;
            passed.known.iter().filter(|known| seen.contains(&known.id())).cloned().collect()
        },
        coverage: square.and_then(|square| {
            let figures = square.coverage.as_ref()?;
            let (lines, covered) = (figures.measured, figures.covered);
            Some(CoverageEvidence { lines, covered, mutants: figures.mutants })
        }),
        untested,
        outside: passed.outside.map(outside),
        environment: Environment {
            os: judged.os.to_owned(),
            architecture: judged.architecture.to_owned(),
            variables: judged.by.variables,
            steering: judged.steering,
        },
    };
    (test_result, evidence)
}

/// A test's name where several checks are named together.
fn full_name(test: &TestId) -> String {
    format!("{}: {}", test.check, test.test)
}

fn configuration(execution: &Execution, rules: &Rules) -> Configuration {
    let check = |run: &redgreen_model::execution::CheckRun| ConfiguredCheck {
        command: run.command.clone(),
        framework: run.framework,
        judge_by: run.judge_by,
        required: run.required,
    };
    let checks = execution.checks.iter().map(|run| (run.check.clone(), check(run)));
    Configuration {
        name: RULES.to_owned(),
        digest: RulesSha256 { sha256: rules.clone() },
        annotations: checks.collect::<BTreeMap<_, _>>(),
    }
}

fn declared(square: &Square) -> Vec<DeclaredExpectation> {
    let expectations = square.expectations.iter();
    let owned = expectations.filter_map(|it| it.declared.as_ref().map(|by| (it, by)));
    owned
        .map(|(expectation, declaration)| DeclaredExpectation {
            test: expectation.test.clone(),
            kind: expectation.kind,
            reason: declaration.reason.clone(),
            by: declaration.by.clone(),
            at: declaration.at.clone(),
        })
        .collect()
}

fn untested(square: &Square) -> Vec<DeclaredUntested> {
    let owned = square.untested.iter().filter_map(|change| {
        let declaration = change.declared.as_ref()?;
        Some(DeclaredUntested {
            place: change.place.clone(),
            reason: declaration.reason.clone(),
            by: declaration.by.clone(),
            at: declaration.at.clone(),
        })
    });
    owned.collect()
}

fn outside(outside: &Outside) -> OutsideEvidence {
    OutsideEvidence {
        seen: outside.seen(),
        since: outside.since.clone(),
        count: outside.count,
        changed: outside.changed.iter().map(|it| it.name.clone()).collect(),
    }
}

fn waived(square: &Square) -> Vec<WaivedFinding> {
    let findings = square.findings.iter();
    let accepted = findings.filter_map(|finding| finding.waived.as_ref().map(|by| (finding, by)));
    accepted
        .map(|(finding, waiver)| WaivedFinding {
            finding: finding.id.clone(),
            kind: finding.kind,
            message: finding.message.clone(),
            reason: waiver.reason.clone(),
            by: waiver.by.clone(),
            at: waiver.at.clone(),
        })
        .collect()
}

/// What was executed: the tree itself first, then the other corners; each with what was run again.
fn executions(passed: &PassedTree<'_>) -> Vec<ExecutionEvidence> {
    let mut all = Vec::new();
    let mut add = |execution: &Execution, confirm: Option<&Execution>| {
        all.push(ExecutionEvidence::from(execution));
        all.extend(confirm.map(|confirm| {
            let only = confirm.counts().total;
            ExecutionEvidence { only, ..ExecutionEvidence::from(confirm) }
        }));
    };
    add(&passed.run.execution, passed.run.confirm.as_ref());
    if let Some(Compared { baseline, facts, .. }) = &passed.compared {
        if baseline.execution != passed.run.execution {
            add(&baseline.execution, baseline.confirm.as_ref());
        }
        for corner in [&facts.referee, &facts.proof] {
            if let CornerSeen::Ran { execution, confirm } = corner {
                add(execution, confirm.as_deref());
            }
        }
    }
    if let Some(CornerSeen::Ran { execution, .. }) = passed.outside.map(|outside| &outside.clean) {
        add(execution, None);
    }
    all
}

/// Which of the tests were there before: under the same name, or under the one they are known by now.
fn origins(run: &Judged, compared: &Compared<'_>) -> TestOrigins {
    let mut known = tests_of(&compared.baseline.execution);
    known.extend(compared.square.matches.iter().flat_map(|it| it.new.iter().cloned()));
    let (before, new) = tests_of(&run.execution).into_iter().partition(|test| known.contains(test));
    TestOrigins { before, new }
}

fn tests_of(execution: &Execution) -> BTreeSet<TestId> {
    let of_check = |run: &redgreen_model::execution::CheckRun| {
        let check = run.check.clone();
        let test = move |id: &String| TestId { check: check.clone(), test: id.clone() };
        run.report.tests.iter().map(|case| test(&case.id)).collect::<Vec<_>>()
    };
    execution.checks.iter().flat_map(of_check).collect()
}
