//! One execution of the checks on one tree: the facts from which a verdict is made.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::JudgeBy;
use crate::coverage::Coverage;
use crate::framework::FrameworkId;
use crate::reach::Reached;
use crate::report::{Counts, Report};
use crate::tree::{FileChange, LineRange, TreeState};

/// The exit codes of a shell for a command that cannot be executed or found.
pub const SHELL_CANNOT_RUN: [i32; 2] = [126, 127];

/// A test of a check.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct TestId {
    /// The check's name.
    pub check: String,
    /// The test's id in its framework.
    pub test: String,
}

impl TestId {
    /// A test of a check.
    pub fn new(check: &str, test: &str) -> Self {
        Self { check: check.to_owned(), test: test.to_owned() }
    }
}

impl fmt::Display for TestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.test)
    }
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Ended {
    /// It exited by itself.
    Exited {
        /// Its exit code.
        code: i32,
    },
    /// A signal killed it.
    Signalled {
        /// The signal's number.
        signal: i32,
    },
    /// It was ended at its time limit.
    TimedOut {
        /// The limit.
        limit_seconds: u64,
    },
    /// It and what it started used more memory than they may, and were ended.
    OutOfMemory {
        /// How much they may use, in MiB.
        limit_mib: u64,
    },
    /// It was ended because redgreen was asked to stop.
    Stopped,
    /// It could not be started.
    NotStarted {
        /// Why, in words.
        reason: String,
    },
    /// Its supervisor was killed, so how it ended is not known.
    Lost,
}

impl Ended {
    /// The limit that it was ended at, if it was, and the setting that says how much that is.
    pub fn limit(&self) -> Option<String> {
        match self {
            Self::TimedOut { limit_seconds } => {
                Some(format!("limit of {limit_seconds} s (`timeout_seconds` in redgreen.toml)"))
            }
            Self::OutOfMemory { limit_mib } => Some(format!(
                "limit of {limit_mib} MiB of memory (`memory_mib` under [limits] in redgreen.toml)"
            )),
            _ => None,
        }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited { code } => write!(formatter, "exit code {code}"),
            Self::Signalled { signal } => write!(formatter, "killed by signal {signal}"),
            Self::TimedOut { limit_seconds } => {
                write!(formatter, "ended at its limit of {limit_seconds} s (timeout_seconds)")
            }
            Self::OutOfMemory { limit_mib } => {
                write!(formatter, "ended at its limit of {limit_mib} MiB of memory (memory_mib)")
            }
            Self::Stopped => formatter.write_str("stopped"),
            Self::NotStarted { reason } => write!(formatter, "not started: {reason}"),
            Self::Lost => formatter.write_str("its end is not known: its supervisor was killed"),
        }
    }
}

/// A process that the command left behind, and that was ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeakedProcess {
    /// Its process id.
    pub pid: i32,
    /// Its command line.
    pub command: String,
}

/// One check's run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckRun {
    /// The check's name.
    pub check: String,
    /// The command, as the user wrote it.
    pub command: String,
    /// The framework that was expected to report.
    pub framework: FrameworkId,
    /// What makes the check green.
    pub judge_by: JudgeBy,
    /// Whether green needs this check.
    pub required: bool,
    /// How the command ended.
    pub ended: Ended,
    /// How long it took.
    pub duration_ms: u64,
    /// What the framework reported through our own channel.
    pub report: Report,
    /// The end of the output, clean and bounded.
    pub output_tail: String,
    /// The full log, from the root of the work tree.
    pub log: String,
    /// What it left running.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaks: Vec<LeakedProcess>,
    /// Which lines of the changed files it ran, where that was counted; the paths are from the root of the work tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// Which files of the project it opened or loaded, and by which of its files, where that was watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<Reached>,
    /// Identifies what the check watches; equal means that its result holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watched: Option<String>,
    /// The execution whose result was taken over because nothing it watches changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reused_from: Option<u64>,
}

/// Why the checks are executed.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To know what was green and red before the agent came.
    Baseline,
    /// To judge an attempt.
    Judge,
    /// To see early that an attempt is red: the tests that failed last and those next to the change,
    /// before all of them run. It never shows that something passes.
    First,
    /// To tell flaky from red, and luck from green: some tests once more.
    Confirm,
    /// To see the tests as they were on the new code.
    Referee,
    /// To see the new tests on the code as it was.
    Proof,
    /// To see whether tests notice a small edit of what changed.
    #[serde(alias = "hollow")]
    Mutant,
    /// To see the tree without what a fresh checkout does not have.
    Clean,
}

/// One execution: redgreen ran these commands on this tree and saw this.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Execution {
    /// Its number in the session, from 1.
    pub number: u64,
    /// Why it ran.
    pub purpose: Purpose,
    /// The tree before the first command started.
    pub before: TreeState,
    /// The tree after the last process of the last command was gone.
    pub after: TreeState,
    /// Code and tests that changed in between.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_while_running: Vec<FileChange>,
    /// Code and tests that somebody wrote in between and that are as they were: what ran may have been
    /// something else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rewritten_while_running: Vec<String>,
    /// Other files of the tree that are not as they were before, but for those that the rules call
    /// generated; the first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrote: Vec<String>,
    /// The checks, in the order of the configuration.
    pub checks: Vec<CheckRun>,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// How long it took.
    pub duration_ms: u64,
    /// The code around the places where it failed, outside of the tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excerpts: Vec<Excerpt>,
    /// The part of the change that turns tests red, where the parts were tried one by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turning: Option<Turning>,
}

/// The smallest part of a change that turns tests red, as it was found by running them on parts of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Turning {
    /// The tests.
    pub tests: Vec<TestId>,
    /// What turns them, in the tree that was judged.
    pub parts: Vec<ChangePart>,
    /// How many parts the change has.
    pub of: u32,
}

impl Turning {
    /// Whether some lines of a file belong to it.
    pub fn holds(&self, file: &str, (first, last): (u32, u32)) -> bool {
        self.parts.iter().any(|part| part.file == file && part.lines.touches(first, last))
    }
}

/// Lines of a change that stand together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangePart {
    /// The path from the root of the work tree.
    pub file: String,
    /// The lines; none where something was only taken away.
    pub lines: LineRange,
}

/// Some lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Excerpt {
    /// The path from the root of the work tree.
    pub file: String,
    /// The number of the first line.
    pub first: u32,
    /// The number of the line that is meant.
    pub line: u32,
    /// The lines, clean and bounded.
    pub text: String,
}

impl Excerpt {
    /// The lines with their numbers, the one that is meant marked.
    pub fn shown(&self) -> String {
        let lines = self.text.lines().zip(self.first..).map(|(text, number)| {
            let mark = if number == self.line { '>' } else { ' ' };
            format!("{mark} {number:>4} {text}\n")
        });
        format!("{}:\n{}", self.file, lines.collect::<String>())
    }
}

impl Execution {
    /// The tree that it shows something of: the one that it ran on. Where it wrote nothing but what the
    /// rules call generated, that is the one that it left.
    pub fn ran_on(&self) -> &TreeState {
        if self.wrote.is_empty() { &self.after } else { &self.before }
    }

    /// Whether code or tests were not the same all the time.
    pub fn is_disturbed(&self) -> bool {
        // Somewhere else than in the work tree nobody looks at the tree again.
        let judges = matches!(self.purpose, Purpose::Judge | Purpose::First);
        let aside = judges && !self.changed_while_running.is_empty();
        aside || self.before.code != self.after.code || !self.rewritten_while_running.is_empty()
    }

    /// Every test that came out of it, one without an end included.
    pub fn tests(&self) -> impl Iterator<Item = TestId> {
        let ended = self
            .checks
            .iter()
            .flat_map(|run| run.report.tests.iter().map(|test| TestId::new(&run.check, &test.id)));
        ended.chain(self.unfinished())
    }

    /// The tests that started and never ended.
    pub fn unfinished(&self) -> impl Iterator<Item = TestId> {
        let of = |run: &'_ CheckRun| {
            let ids = run.report.unfinished.iter();
            ids.map(|test| TestId::new(&run.check, test)).collect::<Vec<_>>()
        };
        self.checks.iter().flat_map(of)
    }

    /// What its checks reached; nothing where nobody watched.
    pub fn reached(&self) -> Reached {
        let mut reached = Reached::default();
        self.checks.iter().filter_map(|run| run.reached.as_ref()).for_each(|it| reached.merge(it));
        reached
    }

    /// The counts over all checks.
    pub fn counts(&self) -> Counts {
        self.checks.iter().map(|run| run.report.counts()).fold(Counts::default(), Counts::plus)
    }
}
