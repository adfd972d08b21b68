//! Events: the only interface between work and display. The terminal, `--json` and the session's
//! record all read the same stream.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::analysis::Analysis;
use crate::execution::{Ended, LeakedProcess, Purpose};
use crate::report::{Counts, TestOutcome};
use crate::square::Square;
use crate::tree::TreeHash;
use crate::verdict::{StopReason, TestClasses, Verdict};
use crate::workflow::{LoopStatus, Phase};

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A loop began.
    SessionStarted {
        /// The session's id.
        session: String,
        /// The task, as it was given.
        task: String,
        /// The bound on attempts.
        max_attempts: u32,
        /// The commands that judge.
        checks: Vec<String>,
        /// The tree that the loop starts from.
        tree: TreeHash,
    },
    /// A loop goes on after an interruption.
    SessionResumed {
        /// The session's id.
        session: String,
        /// Where it goes on.
        phase: Phase,
        /// The attempt it is in.
        attempt: u32,
        /// How many executions are on record.
        executions: u64,
    },
    /// The checks begin to run.
    ExecutionStarted {
        /// Its number in the session.
        number: u64,
        /// Why it runs.
        purpose: Purpose,
        /// The attempt that it judges; 0 at the baseline.
        attempt: u32,
        /// How many tests it is confined to; 0 for all.
        only: u64,
    },
    /// One check begins to run.
    CheckStarted {
        /// The check's name.
        check: String,
        /// Its command.
        command: String,
        /// How many tests it is going to run, as far as the last time tells.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tests: Option<u64>,
        /// How long all of it took the last time.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        took_ms: Option<u64>,
    },
    /// A test runs, and has not ended right away.
    TestRunning {
        /// The check's name.
        check: String,
        /// The test's id.
        test: String,
    },
    /// A test ended.
    TestEnded {
        /// The check's name.
        check: String,
        /// The test's id.
        test: String,
        /// How it ended.
        outcome: TestOutcome,
        /// How long it took, where its framework says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ms: Option<u64>,
        /// Why, in one line, if it is red.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
    },
    /// One check has run.
    CheckEnded {
        /// The check's name.
        check: String,
        /// How its command ended.
        ended: Ended,
        /// Its tests.
        counts: Counts,
        /// How long it took.
        duration_ms: u64,
        /// What it left running.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        leaks: Vec<LeakedProcess>,
        /// Its log, from the root of the work tree.
        log: String,
        /// Whether an earlier result was taken over.
        reused: bool,
    },
    /// Small edits of the change were tried, to see whether tests notice.
    MutantsTried {
        /// How many have been tried.
        tried: u64,
        /// How many there are to try.
        of: u64,
        /// How many no test noticed.
        unnoticed: u64,
    },
    /// An execution was judged.
    Judged {
        /// Its number in the session.
        number: u64,
        /// Why it ran.
        purpose: Purpose,
        /// The attempt that it judges; 0 at the baseline.
        attempt: u32,
        /// The verdict.
        verdict: Verdict,
        /// Why, where it is not `passed`.
        reasons: Vec<String>,
        /// Its tests.
        counts: Counts,
        /// Its tests against those before.
        classes: TestClasses,
    },
    /// The change was judged with the tests as they were, too.
    Squared {
        /// The attempt that it judges; 0 outside of a loop.
        attempt: u32,
        /// The verdict on the change.
        verdict: Verdict,
        /// What the corners show.
        square: Box<Square>,
    },
    /// The agent begins to work.
    AgentStarted {
        /// The attempt.
        attempt: u32,
        /// Its number in its round, which the bound counts.
        #[serde(default)]
        attempt_in_round: u32,
        /// The bound on attempts.
        max_attempts: u32,
        /// What it is asked for.
        phase: Phase,
        /// Its name.
        agent: String,
    },
    /// The agent has ended.
    AgentEnded {
        /// The attempt.
        attempt: u32,
        /// How, in words.
        how: String,
        /// The last line that it printed.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        said: String,
        /// The change in one line.
        diff_summary: String,
        /// The files it changed.
        files: Vec<String>,
    },
    /// An analysis was accepted.
    AnalysisAccepted {
        /// The attempt whose failures it explains.
        attempt: u32,
        /// The analysis.
        analysis: Analysis,
    },
    /// The agent's analysis was refused.
    AnalysisRefused {
        /// The attempt whose failures it was to explain.
        attempt: u32,
        /// Why.
        reason: String,
    },
    /// The loop waits before the next attempt.
    Waiting {
        /// For how long.
        seconds: u64,
    },
    /// An earlier tree was put back.
    Restored {
        /// The tree.
        tree: TreeHash,
        /// The ref under which what was there is kept.
        saved: String,
        /// Why.
        reason: String,
    },
    /// An outer loop begins with an item, or tries it again.
    IterationStarted {
        /// The outer loop's id.
        outer_loop: String,
        /// The number of the iteration.
        iteration: u32,
        /// The item, from 1.
        item: u64,
        /// How many items there are.
        items: u64,
        /// The task, in a line.
        task: String,
    },
    /// What an iteration led to.
    IterationEnded {
        /// The outer loop's id.
        outer_loop: String,
        /// The number of the iteration.
        iteration: u32,
        /// The item, from 1.
        item: u64,
        /// How the item stands now: `open`, `done` or `escalated`.
        standing: String,
        /// More of it, in words.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        detail: String,
        /// The commit of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
        /// How many items are done.
        done: u64,
        /// How many items there are.
        items: u64,
        /// How far the outer loop is, from 0 to 1.
        progress: f64,
    },
    /// An outer loop has ended.
    OuterLoopEnded {
        /// The outer loop's id.
        outer_loop: String,
        /// Why.
        reason: String,
        /// How many items are done.
        done: u64,
        /// How many items there are.
        items: u64,
    },
    /// Something that a person should know.
    Notice {
        /// What.
        text: String,
    },
    /// The loop has ended.
    Finished {
        /// The session's id.
        session: String,
        /// How.
        status: LoopStatus,
        /// Why, where it is not green.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<StopReason>,
        /// More of it, in words.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        detail: String,
        /// The attempts used.
        attempts: u32,
        /// The tree that was judged last.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<TreeHash>,
        /// The report, from the root of the work tree.
        report: String,
    },
}
