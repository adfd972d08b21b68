//! A check's log, a part at a time: it may have many megabytes.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;

use minijinja::Value;
use redgreen_engine::state::State;
use redgreen_files::open_regular;
use redgreen_model::execution::CheckRun;
use redgreen_model::text::clean_block;
use serde::Serialize;

use super::session::Read;
use crate::render::part;

/// How much of a log one page shows.
const PART_BYTES: u64 = 128 * 1024;

#[derive(Serialize)]
struct View {
    session: String,
    check: String,
    command: String,
    file: String,
    from: u64,
    to: u64,
    length: u64,
    before: Option<u64>,
    after: Option<u64>,
    text: String,
}

/// The log of a check of an execution: from a place on, or its end.
pub(crate) fn body(read: &Read, execution: u64, check: usize, from: Option<u64>) -> Option<Value> {
    let run = run_of(&read.record.state, execution, check)?;
    let path = inside(read, &run.log)?;
    let opened = open_regular(&path).ok().flatten()?;
    let length = opened.metadata.len();
    let from = from.unwrap_or_else(|| length.saturating_sub(PART_BYTES)).min(length);
    let mut file = opened.file;
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.take(PART_BYTES).read_to_end(&mut bytes).ok()?;
    let to = from + bytes.len() as u64;
    let view = View {
        session: read.record.plan.session.clone(),
        check: run.check.clone(),
        command: run.command.clone(),
        file: run.log.clone(),
        before: (from > 0).then(|| from.saturating_sub(PART_BYTES)),
        after: (to < length).then_some(to),
        from,
        to,
        length,
        // Four bytes make a character at most.
        text: clean_block(&bytes, usize::try_from(PART_BYTES).unwrap_or(usize::MAX)),
    };
    Some(part("log.html", &view))
}

/// A run of a check.
pub(crate) fn run_of(state: &State, execution: u64, check: usize) -> Option<&CheckRun> {
    state.executions().find(|it| it.number == execution)?.checks.get(check)
}

/// A log's path, if it leads into redgreen's own folder: who works in the tree can write a journal, and name any file in it.
fn inside(read: &Read, log: &str) -> Option<PathBuf> {
    let path = read.root.join(log).canonicalize().ok()?;
    let own = read.folder.canonicalize().ok()?;
    path.starts_with(own).then_some(path)
}
