//! The report stream: what happens in a test run, as it happens, one JSON object a line.
//!
//! redgreen reads results from a file of its own, never from what a program prints. Each framework's
//! adapter makes its runner write this stream; a runner that redgreen does not know (framework
//! `other`) may write it itself, from any language.
//!
//! # How to write it
//!
//! The environment variable `REDGREEN_STREAM` names the file. Open it for appending and write each
//! line with one write, so that several processes can share it. Without the variable, write nothing.
//! A POSIX shell script can:
//!
//! ```sh
//! emit() { [ -z "$REDGREEN_STREAM" ] || printf '%s\n' "$1" >> "$REDGREEN_STREAM"; }
//! emit '{"event":"hello","run":"mine","runner":"my-script"}'
//! emit '{"event":"collected","run":"mine","test":"adds"}'
//! emit '{"event":"start","run":"mine","test":"adds"}'
//! if ./adds; then outcome=passed; else outcome=failed; fi
//! emit '{"event":"end","run":"mine","test":"adds","outcome":"'$outcome'"}'
//! emit '{"event":"bye","run":"mine","exit":0}'
//! ```
//!
//! # Events
//!
//! Every event has `event` and `run`, an id of the process that runs tests (`pytest-1234`).
//!
//! | event | fields | says |
//! |---|---|---|
//! | `hello` | `runner`, `version?` | a runner is there |
//! | `collected` | `test` | this test is going to run |
//! | `start` | `test`, `file?`, `line?` | it has begun |
//! | `paused` | `test`, `parts?` | it has begun and does not run for now: it waits, or (`parts`) tests that are its parts run |
//! | `end` | `test`, `outcome`, `ms?`, `failure?`, `file?`, `line?` | it has ended |
//! | `failure` | `test`, `failure`, `file?`, `line?` | why a test that ended red is red, where it is known only later |
//! | `error` | `kind`, `type`, `message`, `file?`, `line?`, `stack?`, `frames?`, `test?` | something failed outside of a test |
//! | `note` | `message` | something to know when reading the result |
//! | `bye` | `exit?` | this runner came to its end |
//!
//! `test` is an id: unique in the check, the same in every run. `outcome` is `passed`, `failed`,
//! `errored`, `skipped`, `expected_failure` or `unexpected_pass`. `kind` is `compile_error`,
//! `lint_failure`, `runtime_error`, `timeout`, `tooling_error`, `test_failure` or `unknown`.
//! `failure` is an object with `type` and `message`, and where known `expected`, `actual`, `stack`,
//! `frames`, `phase` (`timeout` makes the failure a `timeout`). `frames` is a list of `{file, line?, function?}`, **outermost first**; paths
//! are absolute or from the folder of the check. Unknown fields are ignored.
//!
//! # How it is read
//!
//! Reading never fails: what cannot be understood becomes a diagnostic.
//!
//! - A test that started and has no end is *unfinished*; one that was collected and has neither is
//!   *not run*.
//! - A test that paused and never went on is *not run*; one with `parts` is no test, unless it ends red.
//! - An `end` without a `start` counts if its run has said hello and not yet bye: a simple producer
//!   need not write starts. Outside of that, only a red end counts; a pass from nobody is not
//!   believed, and said.
//! - Two ends of one test are a diagnostic, and the worse outcome wins.
//! - The stream is complete if there was a hello and every hello has its bye.
//! - A failure's location is the innermost frame in the project's own code that is not in the test's
//!   file, else the one in the test's file.

mod event;
mod fold;
mod reader;

pub use event::{FailureRecord, Frame, Outside, StreamEvent};
pub(crate) use fold::{NO_MESSAGE, read_events, red_failure};
pub use fold::{StreamContext, read_stream};
pub use reader::StreamReader;
