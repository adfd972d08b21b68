//! Builders for what the engine is given, and a loop that is given one thing after another.

#![allow(dead_code, reason = "each test binary uses a part")]

pub mod run;
pub mod story;

use redgreen_engine::input::Settings;
use redgreen_model::config::{CoverageSettings, FailedFirst, HalfEdit};
use redgreen_model::execution::{Purpose, TestId};
use redgreen_model::known::KnownTest;
use redgreen_model::report::{Failure, FailureKind};
use redgreen_model::square::{CornerSeen, SettingsChange, SquareFacts};
use redgreen_model::tree::{ChangeKind, CodeHash, FileChange, FileRole, TreeHash, TreeState};
use redgreen_model::workflow::{
    EscalationAction, EscalationCondition, EscalationPolicy, EscalationTrigger, RetryPolicy,
};

pub const SESSION: &str = "01932b5c-9d8e-7abc-8def-0123456789ab";
pub const CHECK: &str = "unit";

/// The tree of that name. Only the first word names the code: `a` and `a with a report` differ in
/// by-products.
pub fn tree(name: &str) -> TreeState {
    let code = name.split_whitespace().next().unwrap_or_default();
    let hex: String = code.bytes().map(|byte| format!("{byte:02x}")).collect();
    TreeState { tree: TreeHash(name.to_owned()), code: CodeHash(format!("{hex:0>64}")) }
}

pub fn id(test: &str) -> TestId {
    id_in(CHECK, test)
}

pub fn id_in(check: &str, test: &str) -> TestId {
    TestId { check: check.to_owned(), test: test.to_owned() }
}

pub fn change(path: &str, role: FileRole) -> FileChange {
    FileChange {
        path: path.to_owned(),
        kind: ChangeKind::Modified,
        role,
        added: 3,
        removed: 1,
        hunks: vec![redgreen_model::tree::LineRange { start: 10, count: 3 }],
    }
}

/// A test that is known to fail as [`run::case`] does.
pub fn known(test: &str) -> KnownTest {
    KnownTest {
        check: CHECK.to_owned(),
        test: test.to_owned(),
        reason: "needs a server".to_owned(),
        by: "Ada".to_owned(),
        since: "2026-11-15".to_owned(),
        message: String::new(),
        causes: vec![Failure::new(FailureKind::TestFailure, "AssertionError", "wrong").summary()],
    }
}

/// A change that leaves the tests' side alone: the other corners are those that were run.
pub fn corners(base: &TreeState, tree: &TreeState) -> SquareFacts {
    SquareFacts {
        base: base.clone(),
        tree: tree.clone(),
        changed: Vec::new(),
        referee: CornerSeen::Same,
        proof: CornerSeen::Same,
        edits: Vec::new(),
        intact: Vec::new(),
        helpers: Vec::new(),
        shared: Vec::new(),
        with_old_shared: None,
        heirs: Vec::new(),
        change: String::new(),
        settings: Vec::new(),
        meaningful: true,
        removes_code: false,
        standing: Vec::new(),
        never_run: Vec::new(),
        beyond: Vec::new(),
        unsure_before: None,
        silenced: Vec::new(),
        warnings: Vec::new(),
        coverage: None,
        outside: None,
        declared: Vec::new(),
        waived: Vec::new(),
    }
}

/// A corner in which this was seen.
pub fn ran(run: run::Run, tree: &TreeState) -> CornerSeen {
    let execution = Box::new(run.execution(1, Purpose::Judge, tree));
    CornerSeen::Ran { execution, confirm: None }
}

/// The same, but for something that only a person can accept.
pub fn tampered(base: &TreeState, tree: &TreeState) -> SquareFacts {
    SquareFacts {
        settings: vec![settings("max_attempts = 3", "max_attempts = 99")],
        ..corners(base, tree)
    }
}

/// A change of the configuration.
pub fn settings(before: &str, after: &str) -> SettingsChange {
    let file = "redgreen.toml".to_owned();
    SettingsChange { file, before: before.to_owned(), after: after.to_owned(), problem: None }
}

/// The same, but the referee's run could not be made.
pub fn unseen(base: &TreeState, tree: &TreeState) -> SquareFacts {
    let referee = CornerSeen::Unseen { reason: "no room".to_owned() };
    SquareFacts { referee, ..corners(base, tree) }
}

/// A place that is in the tree.
pub fn place() -> redgreen_model::report::Location {
    let file = "src/a.py".to_owned();
    redgreen_model::report::Location { file, line: Some(12), function: None }
}

pub fn rules() -> Settings {
    Settings {
        session: SESSION.to_owned(),
        task: "add a parser for dates".to_owned(),
        code_type: None,
        retry: RetryPolicy::default(),
        backoff_base_seconds: 0,
        escalation: EscalationPolicy::default(),
        senior: false,
        half_edit: HalfEdit::Restore,
        failed_first: FailedFirst::Auto,
        retry_regression: false,
        hosted: false,
        single: false,
        alone: false,
        known: Vec::new(),
        accepting: Vec::new(),
        security_checks: Vec::new(),
        ask_before: Vec::new(),
        on_no_answer: Default::default(),
        planner: false,
        test_engineer: false,
        reviewer: None,
        kind_by_agent: false,
        coverage: CoverageSettings::default(),
        no_tests_yet: false,
        feedback_tokens: 1_500,
        feedback_template: None,
        mends: std::collections::BTreeMap::new(),
        asks_for_analysis: false,
        fresh_start_after: 0,
    }
}

pub fn at_most(max_attempts: u32) -> Settings {
    let mut settings = rules();
    settings.retry.max_attempts = max_attempts;
    settings
}

pub fn on(condition: EscalationCondition, action: EscalationAction) -> Settings {
    let mut settings = rules();
    settings.escalation.triggers.push(EscalationTrigger {
        condition,
        action,
        include_in_report: Vec::new(),
    });
    settings
}
