//! What the engine is given. Inputs are what the journal records; the state is their fold.

use std::collections::BTreeMap;

use redgreen_model::analysis::ProposedAnalysis;
use redgreen_model::config::{
    AskBefore, Blocks, CoverageSettings, FailedFirst, HalfEdit, NoAnswer,
};
use redgreen_model::debug_memory::{Recalled, SimilarIssue};
use redgreen_model::execution::{Execution, TestId};
use redgreen_model::known::KnownTest;
use redgreen_model::square::{Declaration, SquareFacts, Waiver};
use redgreen_model::tree::{FileChange, TreeState};
use redgreen_model::workflow::{CodeType, EscalationPolicy, RetryPolicy};
use serde::{Deserialize, Serialize};

/// The rules of one loop, fixed at its start: an edit of `redgreen.toml` changes the next one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The session's id.
    pub session: String,
    /// The task, as it was given.
    pub task: String,
    /// The kind of change, where it was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_type: Option<CodeType>,
    /// Whether it was an agent that named it: then what the change itself says counts, where that is stricter.
    #[serde(default)]
    pub kind_by_agent: bool,
    /// The bound on attempts and what to do about regressions.
    pub retry: RetryPolicy,
    /// Whether a fix that breaks what was green is put away and another one asked for, instead of an end.
    #[serde(default)]
    pub retry_regression: bool,
    /// The unit of the backoff.
    pub backoff_base_seconds: u64,
    /// What to do in which case; the first trigger that matches counts.
    pub escalation: EscalationPolicy,
    /// Whether there is a second agent for the action `senior_agent`.
    pub senior: bool,
    /// What to do with the tree when the agent dies half-way.
    pub half_edit: HalfEdit,
    /// Whether some tests run before all the others. A loop that was begun before there was such a
    /// thing goes on without it.
    #[serde(default = "never")]
    pub failed_first: FailedFirst,
    /// Whether the agent lives outside and is met each time it wants to end: the gate. It is judged
    /// even if it edited nothing, and nothing is ever put back under its hands.
    #[serde(default)]
    pub hosted: bool,
    /// Whether a change that is there already is judged once, and nobody is asked for another.
    #[serde(default)]
    pub single: bool,
    /// Whether the project says that it has no tests yet: then nobody is informed of it.
    #[serde(default)]
    pub no_tests_yet: bool,
    /// How much of a change tests have to run.
    #[serde(default)]
    pub coverage: CoverageSettings,
    /// Whether it is compared with nothing: what was there before is not run.
    #[serde(default)]
    pub alone: bool,
    /// The tests that a person knows to be red.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<KnownTest>,
    /// Checks that say whether the task is done: that they do not run before it is no fault of the tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepting: Vec<String>,
    /// The checks that look for what is not secure, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub security_checks: Vec<String>,
    /// Whether somebody else says how the task is to be done.
    #[serde(default)]
    pub planner: bool,
    /// Whether somebody else writes the tests.
    #[serde(default)]
    pub test_engineer: bool,
    /// The steps that a person is asked about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ask_before: Vec<AskBefore>,
    /// What happens where nobody answers.
    #[serde(default)]
    pub on_no_answer: NoAnswer,
    /// From which severity on the findings of a reviewer block, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<Blocks>,
    /// The most tokens of what an agent is told of a red run.
    #[serde(default = "feedback_tokens")]
    pub feedback_tokens: u32,
    /// A template of the user's own for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback_template: Option<String>,
    /// What mends by itself what a check finds, by the check's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mends: BTreeMap<String, String>,
    /// Whether the agent is to say why it is red before it mends it.
    #[serde(default)]
    pub asks_for_analysis: bool,
    /// After how many edits in a row that turned no test green it begins anew; 0 for never.
    #[serde(default)]
    pub fresh_start_after: u32,
}

fn feedback_tokens() -> u32 {
    crate::feedback::TOKENS_MAX
}

fn never() -> FailedFirst {
    FailedFirst::Never
}

impl Settings {
    /// The same rules for an agent that lives outside.
    #[must_use]
    pub fn hosted(mut self) -> Self {
        self.hosted = true;
        self.retry.abort_on_regression = false;
        self.backoff_base_seconds = 0;
        self.half_edit = HalfEdit::Keep;
        self.senior = false;
        self.ask_before.clear();
        self
    }

    /// The same rules for a change that is there already, `alone` for one that is compared with nothing.
    #[must_use]
    pub fn single(self, alone: bool) -> Self {
        let failed_first = FailedFirst::Never;
        Self { single: true, alone, failed_first, ..self.hosted() }
    }
}

/// How the agent's command ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum AgentOutcome {
    /// It ended well.
    Finished,
    /// It ended badly.
    Failed {
        /// How, in words.
        how: String,
    },
    /// It was ended at its limit.
    TimedOut {
        /// The limit.
        limit_seconds: u64,
    },
    /// It said that it is stuck.
    GaveUp {
        /// Its reason.
        reason: String,
    },
}

/// What a change can do to an outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// Nothing, and nobody made it on purpose: by-products of tools, or no change at all.
    Nothing,
    /// Nothing: it is for people to read.
    Documents,
    /// It runs, or is read by what runs, as far as one can tell.
    #[default]
    Runs,
}

/// What came of asking the agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentResult {
    /// How it ended.
    #[serde(flatten)]
    pub outcome: AgentOutcome,
    /// The tree that it left.
    pub tree: TreeState,
    /// What it changed.
    pub changes: Vec<FileChange>,
    /// What it can do to an outcome.
    #[serde(default)]
    pub weight: Weight,
    /// The same as a diff, bounded.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub diff: String,
    /// Known tests next to what it changed; only looked for where [`crate::first`] has a use for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<TestId>,
    /// The last line that it printed: what it claims. Shown, never believed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said: String,
    /// What it answered, where it was asked for words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// The analysis that it wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analysis: Option<ProposedAnalysis>,
    /// What is declared now: expectations that somebody owns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declared: Vec<Declaration>,
    /// What a person has waived by now, where that counts: at the gate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waived: Vec<Waiver>,
    /// The tests that a person knows to be red by now, where that counts: at the gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Vec<KnownTest>>,
    /// Where all of the change adds what looks like a secret: `config.py:3`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
    /// Its output, from the root of the work tree.
    pub log: String,
    /// How long it took.
    pub duration_ms: u64,
    /// What it says that it cost, in millionths of a dollar.
    #[serde(default)]
    pub cost_micros: u64,
}

/// What the debug memory has to say. It changes what the agent is given, and nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    /// What to know before the work begins, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub brief: String,
    /// What is known of the failures that were seen last, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub past: String,
    /// What is known to help against them, each in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<String>,
    /// What these are from, and what they warn of.
    #[serde(default)]
    pub recalled: Recalled,
    /// What the failures of attempts are like; for the record alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub similar: Vec<Similar>,
}

/// The sessions of the past that the failures of an attempt are like.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Similar {
    /// The attempt.
    pub attempt: u32,
    /// The sessions, and what came of them.
    pub issues: Vec<SimilarIssue>,
}

impl Remembered {
    /// Takes what is said later: it is about other failures, and adds to what was shown.
    pub(crate) fn add(&mut self, later: &Self) {
        if !later.brief.is_empty() {
            self.brief.clone_from(&later.brief);
        }
        self.past.clone_from(&later.past);
        self.patterns.clone_from(&later.patterns);
        self.recalled.add(&later.recalled);
        // An attempt may have two executions: the later one is the whole.
        self.similar.retain(|known| later.similar.iter().all(|it| it.attempt != known.attempt));
        self.similar.extend(later.similar.iter().cloned());
    }
}

/// What a person says to a loop that ended without green.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonsAnswer {
    /// Who.
    pub by: String,
    /// When, RFC 3339; the recorded time counts.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub at: String,
    /// What the agent is to know; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hint: String,
    /// How many attempts there may be from here on, where that is not what the rules say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
}

/// What a person says to a step that they are asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "word", rename_all = "snake_case")]
pub enum PersonsWord {
    /// Take it.
    GoOn {
        /// Who.
        by: String,
    },
    /// Take it with this in mind; for a change that passed: not yet.
    Hint {
        /// Who.
        by: String,
        /// What the agent is to know.
        text: String,
    },
    /// Do not.
    Stop {
        /// Who.
        by: String,
        /// Why.
        reason: String,
    },
    /// Nobody said anything.
    Nobody {
        /// For how long.
        seconds: u64,
    },
}

/// Something that happened. The answer to an action carries the action's id: an answer that
/// nobody waits for (late, twice, made up) changes nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "input", rename_all = "snake_case")]
pub enum Input {
    /// The loop begins on this tree.
    Started {
        /// Its rules.
        settings: Box<Settings>,
        /// The tree that it starts from.
        tree: TreeState,
    },
    /// The checks were executed.
    Executed {
        /// The action's id.
        id: u64,
        /// What was seen.
        execution: Box<Execution>,
    },
    /// The agent was asked.
    AgentEnded {
        /// The action's id.
        id: u64,
        /// What came of it.
        result: Box<AgentResult>,
    },
    /// The wait is over.
    Waited {
        /// The action's id.
        id: u64,
    },
    /// A tree was put back.
    Restored {
        /// The action's id.
        id: u64,
        /// The tree as it is now.
        tree: TreeState,
        /// The ref under which what was there is kept.
        saved: String,
    },
    /// The other corners of the square were run.
    Squared {
        /// The action's id.
        id: u64,
        /// What was seen.
        facts: Box<SquareFacts>,
    },
    /// The tree was looked at once more, after a pass.
    Sealed {
        /// The action's id.
        id: u64,
        /// The tree as it is now.
        tree: TreeState,
    },
    /// A person was asked before a step.
    PersonSaid {
        /// The action's id.
        id: u64,
        /// What came of it.
        word: PersonsWord,
    },
    /// The action could not be performed, through no fault of the agent's.
    Failed {
        /// The action's id.
        id: u64,
        /// Why, in words.
        problem: String,
    },
    /// The debug memory was asked. No action waits for it, and none is ended by it.
    Remembered {
        /// What it had to say.
        memory: Box<Remembered>,
    },
    /// A person lets a loop go on that has ended without green.
    Answered {
        /// What they say.
        answer: Box<PersonsAnswer>,
        /// The tree as it is now.
        tree: TreeState,
    },
    /// The session's time limit was reached.
    DeadlinePassed {
        /// The limit.
        limit_seconds: u64,
    },
}

/// An input and when it was recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stamped {
    /// RFC 3339.
    pub at: String,
    /// What happened.
    #[serde(flatten)]
    pub input: Input,
}
