//! The events of the stream, as they are on the wire.

use redgreen_model::report::{FailureKind, TestOutcome};
use serde::{Deserialize, Deserializer, Serialize};

/// One line of the stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum StreamEvent {
    /// A runner is there.
    Hello {
        /// The process that runs tests.
        run: String,
        /// Its name.
        #[serde(default)]
        runner: String,
        /// Its version.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<String>,
    },
    /// A test is going to run.
    Collected {
        /// The process that runs tests.
        run: String,
        /// The test's id.
        test: String,
    },
    /// A test has begun.
    Start {
        /// The process that runs tests.
        run: String,
        /// The test's id.
        test: String,
        /// The file it is in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// The line it is at.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    },
    /// A test that has begun does not run: it waits for others to end, or its parts run in its place.
    Paused {
        /// The process that runs tests.
        run: String,
        /// The test's id.
        test: String,
        /// Its parts are tests of their own, and it is none, unless it ends red by itself.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        parts: bool,
    },
    /// A test has ended.
    End {
        /// The process that runs tests.
        run: String,
        /// The test's id.
        test: String,
        /// How it ended.
        outcome: TestOutcome,
        /// How long it took, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ms: Option<u64>,
        /// Why, if it is red.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<FailureRecord>,
        /// The file it is in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// The line it is at.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    },
    /// Why a test that has ended is red, for runners that know it later.
    Failure {
        /// The process that runs tests.
        run: String,
        /// The test's id.
        test: String,
        /// Why.
        failure: FailureRecord,
        /// The file it is in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// The line it is at.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    },
    /// Something failed outside of a test.
    Error(Box<Outside>),
    /// Something that people should know when they read the result.
    Note {
        /// The process that runs tests.
        run: String,
        /// What.
        message: String,
    },
    /// A runner came to its end.
    Bye {
        /// The process that runs tests.
        run: String,
        /// Its exit code.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit: Option<i32>,
    },
}

/// Why a test is red.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureRecord {
    /// The language's own name of the error.
    #[serde(default, rename = "type")]
    pub error_type: String,
    /// What was said.
    #[serde(default)]
    pub message: String,
    /// What the test wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What it got.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// The stack trace as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// The frames, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<Frame>,
    /// `setup`, `call`, `teardown`, `crash`, `timeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
}

/// A failure outside of any test: build, collection, a crash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outside {
    /// The process that runs tests.
    pub run: String,
    /// What sort of thing it is; a word that is not known is `unknown`, so that no error is lost.
    #[serde(default = "unknown", deserialize_with = "lenient_kind")]
    pub kind: FailureKind,
    /// The language's own name of the error.
    #[serde(default, rename = "type")]
    pub error_type: String,
    /// What was said.
    #[serde(default)]
    pub message: String,
    /// The file it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line it is at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The lines around it, or the stack trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// The frames, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<Frame>,
    /// The test it happened around, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
}

/// One frame of a stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

impl StreamEvent {
    /// The process that wrote it.
    pub fn run(&self) -> &str {
        match self {
            Self::Hello { run, .. }
            | Self::Collected { run, .. }
            | Self::Start { run, .. }
            | Self::Paused { run, .. }
            | Self::End { run, .. }
            | Self::Failure { run, .. }
            | Self::Note { run, .. }
            | Self::Bye { run, .. } => run,
            Self::Error(outside) => &outside.run,
        }
    }

    /// The event as a line of the stream, with its line break.
    pub fn to_line(&self) -> String {
        // Strings and numbers alone: serialising them cannot fail.
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }
}

fn unknown() -> FailureKind {
    FailureKind::Unknown
}

fn lenient_kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<FailureKind, D::Error> {
    let word = serde_json::Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(word).unwrap_or(FailureKind::Unknown))
}
