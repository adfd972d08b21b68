//! `cargo test -- --format json`, one event a line, with cargo's own lines between.

use std::path::Path;

use redgreen_model::report::{Report, TestOutcome};
use serde_json::Value;

use crate::cargo::panics::{Roots, doctest_place, explain_failure};
use crate::place::Places;
use crate::stream::{StreamEvent, read_stream};

const RUN: &str = "libtest";

/// Reads the events, through the stream that all frameworks report in.
pub(super) fn read(bytes: &[u8], places: Places<'_>) -> Report {
    let root = places.root.join(places.folder);
    let mut stream =
        StreamEvent::Hello { run: RUN.to_owned(), runner: "libtest".to_owned(), version: None }
            .to_line();
    let (mut begun, mut ended) = (0, 0);
    for line in bytes.split(|byte| *byte == b'\n') {
        if line.trim_ascii_start().first() != Some(&b'{') {
            continue;
        }
        let Ok(event) = serde_json::from_slice::<Value>(line) else { continue };
        match (event["type"].as_str(), event["event"].as_str()) {
            (Some("suite"), Some("started")) => begun += 1,
            (Some("suite"), Some("ok" | "failed")) => ended += 1,
            (Some("test"), Some(word)) => {
                stream.extend(test(&event, word, &root).map(|event| event.to_line()));
            }
            _ => {}
        }
    }
    if begun > 0 && begun == ended {
        stream.push_str(&StreamEvent::Bye { run: RUN.to_owned(), exit: None }.to_line());
    }
    read_stream(stream.as_bytes(), places)
}

fn test(event: &Value, word: &str, root: &Path) -> Option<StreamEvent> {
    let name = event["name"].as_str()?;
    let (run, test) = (RUN.to_owned(), name.to_owned());
    let (file, line) = doctest_place(name)
        .map_or((None, None), |(file, line)| (Some(file.to_owned()), Some(line)));
    let outcome = match word {
        "started" => return Some(StreamEvent::Start { run, test, file, line }),
        "ok" => TestOutcome::Passed,
        "failed" | "timeout" => TestOutcome::Failed,
        "ignored" => TestOutcome::Skipped,
        _ => return None,
    };
    let failure = outcome.is_red().then(|| {
        let stdout = format!("---- {name} stdout ----\n{}", event["stdout"].as_str().unwrap_or(""));
        let roots = Roots { workspace: root, package: root };
        explain_failure(name, &stdout, "", event["message"].as_str(), roots)
    });
    let ms = event["exec_time"].as_f64().map(milliseconds);
    Some(StreamEvent::End { run, test, outcome, ms, failure, file, line })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1_000.0).max(0.0).round() as u64
}
