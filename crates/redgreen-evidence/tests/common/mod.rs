//! A key, a store and evidence to put into it.

#![allow(dead_code, reason = "every test file uses another part of it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use redgreen_evidence::{Asked, Key, PublicKey, Store};
use redgreen_model::config::JudgeBy;
use redgreen_model::evidence::{
    Configuration, ConfiguredCheck, EVIDENCE_VERSION, Environment, Evidence, ExecutionEvidence,
    JudgedBy, Rules, RulesSha256, SeenExecution, TestResult, TestsResult,
};
use redgreen_model::execution::{CheckRun, Ended, Execution, Purpose, TestId};
use redgreen_model::framework::FrameworkId;
use redgreen_model::report::{Report, TestCase, TestOutcome};
use redgreen_model::tree::{CodeHash, TreeHash, TreeState};
use redgreen_model::verdict::Verdict;
use tempfile::TempDir;

pub const REDGREEN: &str = "0.1.0";

pub struct StoreFolder {
    pub folder: TempDir,
    pub key: Key,
    pub store: Store,
}

impl StoreFolder {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let key = Key::open_or_make(&folder.path().join("home")).expect("a key");
        let state = folder.path().join(".redgreen");
        fs::create_dir(&state).expect("a folder");
        Self { store: Store::new(&state), folder, key }
    }

    pub fn public(&self) -> PublicKey {
        self.key.public()
    }

    /// The files of the store that have this in their path.
    pub fn files(&self, part: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        walk(&self.folder.path().join(".redgreen/evidence"), &mut found);
        found.retain(|path| path.to_string_lossy().contains(part));
        found.sort();
        found
    }

    pub fn keep(&self, tree: &TreeState, base: Option<TreeState>) {
        let evidence = evidence(tree, base);
        let result = test_result(&evidence);
        self.store.keep(&self.key, tree, result, evidence).expect("kept");
    }
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&entry.path(), found),
            _ => found.push(entry.path()),
        }
    }
}

pub fn rules() -> Rules {
    Rules("5".repeat(64))
}

pub fn by() -> JudgedBy {
    JudgedBy { redgreen: REDGREEN.to_owned(), rules: rules(), variables: "7".repeat(64) }
}

pub fn asked<'asked>(by: &'asked JudgedBy, base: Option<&'asked TreeHash>) -> Asked<'asked> {
    Asked { by, base }
}

/// A tree by a digit, with code of its own.
pub fn tree(digit: char) -> TreeState {
    let text = |length: usize| digit.to_string().repeat(length);
    TreeState { tree: TreeHash(text(40)), code: CodeHash(text(64)) }
}

pub fn test(name: &str) -> TestId {
    TestId { check: "unit".to_owned(), test: name.to_owned() }
}

pub fn execution(tree: &TreeState) -> Execution {
    let case =
        |id: &str, outcome| TestCase { id: id.to_owned(), outcome, duration_ms: 3, failure: None };
    let tests = vec![case("a", TestOutcome::Passed), case("b", TestOutcome::Skipped)];
    let run = CheckRun {
        check: "unit".to_owned(),
        command: "sh tests/run.sh".to_owned(),
        framework: FrameworkId::OTHER,
        judge_by: JudgeBy::Tests,
        required: true,
        ended: Ended::Exited { code: 0 },
        duration_ms: 12,
        report: Report { began: true, complete: true, tests, ..Report::default() },
        output_tail: String::new(),
        log: ".redgreen/runs/1/output.log".to_owned(),
        leaks: Vec::new(),
        coverage: None,
        reached: None,
        watched: None,
        reused_from: None,
    };
    Execution {
        number: 1,
        purpose: Purpose::Judge,
        before: tree.clone(),
        after: tree.clone(),
        changed_while_running: Vec::new(),
        rewritten_while_running: Vec::new(),
        wrote: Vec::new(),
        checks: vec![run],
        started_at: "2026-11-15T20:00:00Z".to_owned(),
        duration_ms: 14,
        excerpts: Vec::new(),
        turning: None,
    }
}

pub fn seen(tree: &TreeState, only: &[TestId], verdict: Verdict) -> SeenExecution {
    SeenExecution {
        version: EVIDENCE_VERSION,
        by: by(),
        only: only.to_vec(),
        verdict,
        at: "2026-11-15T20:00:01Z".to_owned(),
        execution: execution(tree),
    }
}

pub fn evidence(tree: &TreeState, base: Option<TreeState>) -> Evidence {
    let execution = execution(tree);
    Evidence {
        version: EVIDENCE_VERSION,
        redgreen: REDGREEN.to_owned(),
        rules: rules(),
        result: TestsResult::Passed,
        at: "2026-11-15T20:00:02Z".to_owned(),
        base,
        code_type: None,
        session: None,
        attempts: None,
        counts: execution.counts(),
        executions: vec![ExecutionEvidence::from(&execution)],
        origins: None,
        declared: Vec::new(),
        waived: Vec::new(),
        accepted: None,
        warnings: Vec::new(),
        red_before: Vec::new(),
        known: Vec::new(),
        coverage: None,
        untested: Vec::new(),
        outside: None,
        environment: Environment {
            os: "linux".to_owned(),
            architecture: "x86_64".to_owned(),
            variables: by().variables,
            steering: BTreeMap::new(),
        },
    }
}

pub fn test_result(evidence: &Evidence) -> TestResult {
    let check = ConfiguredCheck {
        command: "sh tests/run.sh".to_owned(),
        framework: FrameworkId::OTHER,
        judge_by: JudgeBy::Tests,
        required: true,
    };
    TestResult {
        result: evidence.result,
        configuration: vec![Configuration {
            name: "redgreen rules".to_owned(),
            digest: RulesSha256 { sha256: evidence.rules.clone() },
            annotations: BTreeMap::from([("unit".to_owned(), check)]),
        }],
        passed_tests: vec!["unit: a".to_owned()],
        warned_tests: Vec::new(),
        failed_tests: Vec::new(),
    }
}
