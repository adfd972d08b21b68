//! The state's published form: the workflow document.

use redgreen_model::report::Counts;
use redgreen_model::text::bound_middle;
use redgreen_model::tree::{FileRole, diff_summary};
use redgreen_model::workflow::{
    Agent, AgentType, Analysis, CodeArtifact, CodeType, ExecutionAttempt, ExecutionConfig, Failure,
    FixApplied, Language, LoopState, Phase, RalphIntegration, TestResults, Timestamps, Workflow,
};

use crate::classes::Judged;
use crate::effect::{Action, Ask};
use crate::escalation::history;
use crate::judge::CheckFailure;
use crate::state::{Attempt, State};

/// The most failures of one attempt in the document, and the most characters of each: a document
/// that nobody can read is of no use. The counts are of all.
const FAILURES_MAX: usize = 100;
const MESSAGE_CHARS_MAX: usize = 1_000;
const STACK_CHARS_MAX: usize = 2_000;

/// What the document says and the engine has no use for.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentFacts {
    /// The agent's name.
    pub agent: String,
    /// How the first required check is executed.
    pub execution: ExecutionConfig,
    /// The language of its tests: that of code whose file does not tell.
    pub language: Language,
    /// The record of the debug memory, where it is at its usual place.
    pub debug_memory_ref: Option<String>,
    /// The outer loop that it belongs to.
    pub ralph_integration: Option<RalphIntegration>,
}

/// The workflow document of a loop.
pub fn workflow(state: &State, facts: &DocumentFacts) -> Workflow {
    let settings = state.settings.as_ref();
    let attempts: Vec<ExecutionAttempt> =
        state.attempts.iter().filter_map(|attempt| execution_attempt(state, attempt)).collect();
    Workflow {
        workflow_id: settings.map(|settings| settings.session.clone()).unwrap_or_default(),
        agent: Agent { name: facts.agent.clone(), kind: agent_type(state), version: None },
        code_artifact: artifact(state, facts),
        execution_config: facts.execution.clone(),
        retry_policy: settings.map(|settings| settings.retry.clone()),
        coverage_requirements: None,
        escalation_policy: settings.map(|settings| settings.escalation.clone()),
        debug_memory_ref: facts.debug_memory_ref.clone(),
        ralph_integration: facts.ralph_integration.clone(),
        timestamps: Some(Timestamps {
            started_at: Some(state.started_at.clone()).filter(|at| !at.is_empty()),
            completed_at: state.ended().then(|| state.updated_at.clone()),
            last_attempt_at: attempts.last().map(|attempt| attempt.timestamp.clone()),
        }),
        loop_state: LoopState {
            phase: state.phase,
            attempt_number: state.attempt_number().max(1),
            status: state.status,
            test_results: state.last_judged().map(results),
            attempts,
            failure_history: history(state),
        },
    }
}

/// Who did what was done last.
fn agent_type(state: &State) -> AgentType {
    let settings = state.settings.as_ref();
    let asked = match state.pending.as_ref().map(|pending| &pending.action) {
        Some(Action::AskAgent(request)) => Some(&request.ask),
        _ => None,
    };
    match (asked, settings.and_then(|settings| settings.code_type)) {
        (Some(Ask::Review), _) => AgentType::CodeReviewer,
        (Some(Ask::Tests), _) if settings.is_some_and(|it| it.test_engineer) => {
            AgentType::TestEngineer
        }
        (_, Some(CodeType::BugFix)) => AgentType::Debugger,
        _ => AgentType::SoftwareImplementer,
    }
}

/// The code file that was changed most; the work tree itself, if none was.
pub(crate) fn most_changed(state: &State) -> String {
    let changes = state.attempts.iter().flat_map(|attempt| &attempt.changes);
    changes
        .filter(|change| change.role == FileRole::Code)
        .max_by_key(|change| change.added + change.removed)
        .map_or_else(|| ".".to_owned(), |change| change.path.clone())
}

/// The file that was changed most, and the tests that were changed with it.
fn artifact(state: &State, facts: &DocumentFacts) -> CodeArtifact {
    let changes = || state.attempts.iter().flat_map(|attempt| &attempt.changes);
    let path = most_changed(state);
    let mut test_files: Vec<String> = changes()
        .filter(|change| change.role == FileRole::Tests)
        .map(|change| change.path.clone())
        .collect();
    test_files.sort();
    test_files.dedup();
    CodeArtifact {
        language: language(&path).unwrap_or(facts.language),
        path,
        code_type: state.settings.as_ref().and_then(|settings| settings.code_type),
        content_hash: state.last_judged().map(|judged| judged.tree().code.0.clone()),
        test_files,
        requirements_ref: Vec::new(),
    }
}

fn language(path: &str) -> Option<Language> {
    Some(match path.rsplit_once('.')?.1 {
        "py" => Language::Python,
        "rs" => Language::Rust,
        "go" => Language::Go,
        "java" => Language::Java,
        "ts" | "tsx" | "mts" | "cts" => Language::TypeScript,
        "js" | "jsx" | "mjs" | "cjs" => Language::JavaScript,
        _ => return None,
    })
}

fn execution_attempt(state: &State, attempt: &Attempt) -> Option<ExecutionAttempt> {
    let judged = attempt.judged.as_ref()?;
    let phase = if attempt.number > 1 { Phase::VerifyFix } else { Phase::ExecuteTests };
    let next = state.attempts.iter().find(|next| next.number == attempt.number + 1);
    Some(ExecutionAttempt {
        attempt_number: attempt.number,
        timestamp: judged.execution.started_at.clone(),
        phase: phase.to_string(),
        code_hash: Some(judged.tree().code.0.clone()),
        test_results: TestResults {
            coverage_percent: attempt.coverage_percent(),
            ..results(judged)
        },
        failures: judged.failures.iter().take(FAILURES_MAX).map(failure).collect(),
        analysis: attempt.analysis.as_ref().map(|analysis| Analysis {
            root_cause: Some(analysis.root_cause.clone()),
            fix_strategy: Some(analysis.fix_strategy.clone()),
            confidence: Some(analysis.confidence),
            patterns_matched: attempt.patterns.clone(),
        }),
        fix_applied: next.filter(|next| next.agent.is_some()).map(fix_applied),
    })
}

/// What the next attempt did about the failures of this one.
fn fix_applied(next: &Attempt) -> FixApplied {
    FixApplied {
        description: Some(format!("edit of attempt {}", next.number)),
        diff_summary: Some(diff_summary(&next.changes)),
        files_modified: next.changes.iter().map(|change| change.path.clone()).collect(),
    }
}

fn results(judged: &Judged) -> TestResults {
    let Counts { total, passed, failed, errors, skipped } = judged.counts();
    TestResults {
        total: Some(total),
        passed: Some(passed),
        failed: Some(failed),
        errors: Some(errors),
        skipped: Some(skipped),
        #[expect(clippy::cast_precision_loss, reason = "a run of 2^53 ms does not happen")]
        duration_ms: Some(judged.execution.duration_ms as f64),
        coverage_percent: None,
    }
}

fn failure(failure: &CheckFailure) -> Failure {
    let place = failure.failure.test_location.as_ref().or(failure.failure.location.as_ref());
    Failure {
        test_name: failure.name().to_owned(),
        test_file: place.map(|place| place.file.clone()),
        error_type: failure.failure.error_type.clone(),
        error_message: bound_middle(&failure.failure.message, MESSAGE_CHARS_MAX),
        stack_trace: Some(bound_middle(&failure.failure.stack, STACK_CHARS_MAX))
            .filter(|stack| !stack.is_empty()),
        line_number: place.and_then(|place| place.line).map(i64::from),
    }
}
