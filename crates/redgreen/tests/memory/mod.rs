//! `redgreen memory` and `redgreen metrics`, with the real binary and records that lie there.

mod asking;
mod causing_edits;
mod exchange;
mod loops;
mod merge;
mod metrics;
mod pays;
mod places;
mod records;
mod seals;

use crate::common::{Ended, Project};
use serde_json::Value;

/// redgreen with these words, which ends with this code.
#[track_caller]
fn ends(project: &Project, words: &[&str], code: i32) -> Ended {
    let ended = project.redgreen(words);
    assert_eq!(ended.code, Some(code), "{words:?}\n{}\n{}", ended.stdout, ended.stderr);
    ended
}

/// The one document that these words print.
#[track_caller]
fn document(project: &Project, words: &[&str], code: i32) -> Value {
    let ended = ends(project, words, code);
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {}", ended.stdout))
}
