//! One of many processes that use a memory at once, for `cargo xtask bench debug-memory-soak`. Every step that is
//! done is said on a line of its own; then the process may be killed at any moment.

use std::io::Write as _;
use std::path::Path;

use jiff::Timestamp;
use redgreen_memory::{BriefRequest, Memory, Recollection};

use crate::history::{Chance, failure, file, record};
use crate::{Outcome, TOKENS, notary, seen_now};

/// The records are of a history of that size, so that causes come again.
const HISTORY: u64 = 2_000;
/// Of so many records every writer has its own numbers.
const EACH: u64 = 10_000;

/// Writes or asks without end. `seed` is this process's own number; nobody else has it.
pub fn play(folder: &Path, part: &str, seed: u64) -> Outcome<()> {
    let mut memory = notary::memory(folder)?;
    let mut chance = Chance::new(seed);
    for step in 0.. {
        let done = match part {
            "writer" => write(&mut memory, seed * EACH + step)?,
            _ => ask(&mut memory, step, chance.below(HISTORY / 10))?,
        };
        let notes = memory.take_notes();
        if !notes.is_empty() {
            return Err(format!("a user got a notice: {}", notes.join("; ")).into());
        }
        let mut out = std::io::stdout();
        writeln!(out, "{done}")?;
        out.flush()?;
    }
    Ok(())
}

fn write(memory: &mut Memory, number: u64) -> Outcome<String> {
    let record = record(number, HISTORY);
    let _held = memory.hold(&record.session_id)?;
    memory.write(&record, Timestamp::now())?;
    Ok(record.session_id)
}

fn ask(memory: &mut Memory, step: u64, cause: u64) -> Outcome<String> {
    match step % 4 {
        0 => {
            let known = memory.at_failure(&[seen_now(step, cause)], None)?;
            Ok(format!("recalled {}", Recollection::text(&known, TOKENS).len()))
        }
        1 => {
            let hits = memory.search(&failure(cause, step).error_message, 5)?;
            Ok(format!("found {}", hits.len()))
        }
        _ => {
            let files = vec![file(cause)];
            let brief = memory.brief(&BriefRequest { files, asking_session: None })?;
            Ok(format!("looked at {}", brief.looked_at))
        }
    }
}
