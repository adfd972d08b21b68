//! What a session says of itself.

use std::fs;
use std::path::PathBuf;

use redgreen_engine::effect::{Action, Ask};
use redgreen_engine::state::State;
use redgreen_model::execution::Purpose;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::verdict::{StopReason, Verdict};
use redgreen_model::workflow::{LoopStatus, Phase};
use redgreen_redact::redact;
use redgreen_workspace::state_path;
use serde::{Deserialize, Serialize};

use crate::layout::SessionFolder;
use crate::plan::Plan;

/// The version of the card.
const VERSION: u32 = 1;
/// How long an agent that is held may take until it wants to end again.
const AGENT_EXPECTED_SECONDS: u64 = 12 * 60 * 60;

/// One session in a few words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    version: u32,
    /// The session's id.
    pub session: String,
    /// The work tree.
    pub project: PathBuf,
    /// The task, in a line.
    pub task: String,
    /// Who edits.
    pub agent: String,
    /// Whether the agent lives outside and is met when it wants to end: the gate.
    pub gated: bool,
    /// The outer loop that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outer: Option<String>,
    /// Where the loop is.
    pub phase: Phase,
    /// How it stands.
    pub status: LoopStatus,
    /// The attempt in its round; 0 before the first.
    pub attempt: u32,
    /// How many there may be.
    pub max_attempts: u32,
    /// What goes on.
    pub doing: Doing,
    /// Since when, RFC 3339.
    pub doing_since: String,
    /// The last verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Why it ended without green.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<StopReason>,
    /// More of it, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The tests that run, or ran last.
    pub tests: Tests,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// When the card was written, RFC 3339.
    pub updated_at: String,
    /// Who works on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maker: Option<Maker>,
}

/// The tests of a run, so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tests {
    /// Whether they run now.
    pub running: bool,
    /// How many have ended.
    pub done: u64,
    /// How many there will be, as far as the last run tells; 0 if nothing does.
    pub expected: u64,
    /// How many of those that ended passed.
    pub passed: u64,
    /// How many are red.
    pub red: u64,
    /// How many were skipped.
    pub skipped: u64,
    /// The same as letters, in their order: `g`, `r`, `s`; one letter may stand for many.
    pub strip: String,
    /// The test that ended last.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub last: String,
    /// The check that runs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub check: String,
}

/// What goes on in a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Doing {
    /// The tests run as they were before the change.
    Baseline,
    /// The tests judge an attempt.
    Tests,
    /// Suspects run once more.
    Confirmation,
    /// The change is judged with the tests as they were.
    Square,
    /// The agent works.
    Agent {
        /// On what: `code`, `fix`, `tests`, `plan`, `review`.
        on: String,
    },
    /// A person is asked before a step.
    Person {
        /// What they are asked.
        question: String,
    },
    /// It waits before the next attempt.
    Pause {
        /// For how long.
        seconds: u64,
    },
    /// A tree is put back, or looked at once more.
    Tree,
    /// Nothing more.
    Nothing,
}

/// A process of this machine: its id alone would mean another one some day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Maker {
    /// Its id.
    pub pid: u32,
    /// When it began, as the system counts.
    pub began: u64,
}

/// How a session stands, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// A person has to say something.
    Waits,
    /// It is at work.
    Works,
    /// It is red, and its agent, which lives outside, goes on.
    Held,
    /// Nobody works on it any more, and it has not ended.
    Interrupted,
    /// It ended green.
    Passed,
    /// It ended without green.
    Ended,
}

impl Standing {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waits => "waits for you",
            Self::Works => "at work",
            Self::Held => "held",
            Self::Interrupted => "interrupted",
            Self::Passed => "passed",
            Self::Ended => "not green",
        }
    }
}

impl Card {
    /// The card of a session that begins or goes on.
    pub(super) fn new(project: PathBuf, plan: &Plan) -> Self {
        Self {
            version: VERSION,
            session: plan.session.clone(),
            project,
            task: clean_line(&redact(&plan.task), LINE_CHARS),
            agent: clean_line(&plan.agent.name, LINE_CHARS),
            gated: plan.hosted,
            outer: plan.outer.as_ref().map(|outer| outer.id.clone()),
            phase: Phase::GenerateCode,
            status: LoopStatus::InProgress,
            attempt: 0,
            max_attempts: plan.config.loop_settings.max_attempts,
            doing: Doing::Tree,
            doing_since: crate::now(),
            verdict: None,
            reason: None,
            detail: String::new(),
            tests: Tests::default(),
            started_at: crate::now(),
            updated_at: crate::now(),
            maker: Maker::this_process(),
        }
    }

    #[cfg(test)]
    pub(super) fn for_tests(project: &std::path::Path, session: &str) -> Self {
        let config = "[[checks]]\ncommand = \"true\"\n";
        let config = redgreen_model::config::Config::parse_knowing(config, &[]).expect("rules");
        let plan = Plan::hosted("agent", config, None).expect("a plan");
        let plan = Plan { session: session.to_owned(), ..plan };
        Self::new(project.to_owned(), &plan)
    }

    /// Takes over how the loop stands.
    pub(super) fn follow(&mut self, state: &State) {
        let line = |text: &str| clean_line(&redact(text), LINE_CHARS);
        let doing = state.pending.as_ref().map_or(Doing::Nothing, |it| doing(&it.action));
        if doing != self.doing {
            (self.doing, self.doing_since) = (doing, crate::now());
        }
        (self.phase, self.status) = (state.phase, state.status);
        self.attempt = state.attempts.last().map_or(0, |attempt| attempt.in_round);
        self.max_attempts = state.max_attempts();
        self.verdict = state.verdict();
        self.reason = state.stop.as_ref().map(|stop| stop.reason);
        self.detail = state.stop.as_ref().map(|stop| line(&stop.detail)).unwrap_or_default();
        if !state.started_at.is_empty() {
            self.started_at.clone_from(&state.started_at);
        }
    }

    /// Whether this redgreen can read it.
    pub(super) fn is_known(&self) -> bool {
        self.version == VERSION
    }

    /// The session's folder.
    pub fn folder(&self) -> SessionFolder {
        SessionFolder::new(&self.project, &state_path(&self.project), &self.session)
    }

    /// Whether it has not ended, as far as it said.
    pub fn is_open(&self) -> bool {
        self.status == LoopStatus::InProgress
    }

    /// Whether somebody works on it now.
    pub fn is_at_work(&self) -> bool {
        self.is_open() && self.maker.as_ref().is_some_and(Maker::is_there)
    }

    /// Whether nothing was heard of it for so long that its agent is not expected any more.
    fn is_old(&self) -> bool {
        crate::clock::seconds_since(&self.updated_at) > AGENT_EXPECTED_SECONDS
    }

    /// How it stands.
    pub fn standing(&self, waits_for_a_person: bool) -> Standing {
        match self.status {
            LoopStatus::Passed => Standing::Passed,
            _ if waits_for_a_person => Standing::Waits,
            LoopStatus::InProgress if self.is_at_work() => Standing::Works,
            LoopStatus::InProgress if self.gated && !self.is_old() => Standing::Held,
            LoopStatus::InProgress => Standing::Interrupted,
            _ => Standing::Ended,
        }
    }
}

fn doing(action: &Action) -> Doing {
    match action {
        Action::Execute { purpose: Purpose::Baseline, .. } => Doing::Baseline,
        Action::Execute { only, .. } if !only.is_empty() => Doing::Confirmation,
        Action::Execute { .. } => Doing::Tests,
        Action::AskAgent(request) => Doing::Agent { on: on(&request.ask).to_owned() },
        Action::Wait { seconds } => Doing::Pause { seconds: *seconds },
        Action::Square { .. } => Doing::Square,
        Action::AskPerson { question, .. } => {
            Doing::Person { question: clean_line(&redact(question), LINE_CHARS) }
        }
        Action::Restore { .. } | Action::Seal { .. } => Doing::Tree,
    }
}

fn on(ask: &Ask) -> &'static str {
    match ask {
        Ask::Plan => "plan",
        Ask::Review => "review",
        Ask::Tests => "tests",
        Ask::Code => "code",
        Ask::Fix(_) => "fix",
    }
}

impl Maker {
    /// This process.
    fn this_process() -> Option<Self> {
        let pid = std::process::id();
        Some(Self { pid, began: began(pid)? })
    }

    /// Whether it is still there.
    pub fn is_there(&self) -> bool {
        began(self.pid) == Some(self.began)
    }
}

/// When a process began: the twenty-second field of its line, counted behind its name, which may hold anything.
fn began(pid: u32) -> Option<u64> {
    const FIELDS_BEHIND_THE_NAME: usize = 19;
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = line.rsplit_once(')')?;
    fields.split_whitespace().nth(FIELDS_BEHIND_THE_NAME)?.parse().ok()
}
