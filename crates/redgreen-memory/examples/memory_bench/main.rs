//! What asking memory costs in a process, what taking a history in costs, and the size of the index; against
//! a plain scan of the same folder. `cargo xtask bench memory` makes a table of it.
//!
//! - `memory_bench history FOLDER RECORDS` writes a history, as plain files;
//! - `memory_bench figures FOLDER RECORDS` prints what was measured on it, as one line of JSON;
//! - `memory_bench file NUMBER` prints the name of a file that the history is about;
//! - `memory_bench soak FOLDER PART SEED` writes or asks until it is killed, and says each step.
//!
//! Records are sealed with the key under `$XDG_STATE_HOME`, as a redgreen with the same environment does it.
#![allow(clippy::print_stdout, reason = "it is there to print")]

mod history;
mod notary;
mod soak;

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use history::{Chance, causes, failure, file};
use redgreen_memory::{BriefRequest, Memory, Recollection};
use redgreen_model::debug_memory::Record;
use redgreen_model::report::{Failure, FailureKind, Location};

/// How often memory is asked.
const QUESTIONS: u64 = 2_000;
/// How many records are written one by one.
const WRITES: u64 = 50;
/// How many loops end.
const LOOPS: u64 = 10;
/// A brief has at most so many tokens.
const TOKENS: usize = 400;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["history", folder, records] => {
            println!("{}", history::write(Path::new(folder), records.parse()?)?);
            Ok(())
        }
        ["figures", folder, records] => {
            println!("{}", figures(Path::new(folder), records.parse()?)?);
            Ok(())
        }
        ["file", number] => {
            println!("{}", file(number.parse()?));
            Ok(())
        }
        ["soak", folder, part, seed] => soak::play(Path::new(folder), part, seed.parse()?),
        _ => Err("usage: memory_bench history|figures FOLDER RECORDS | file NUMBER | soak FOLDER PART SEED".into()),
    }
}

fn figures(folder: &Path, records: u64) -> Outcome<serde_json::Value> {
    let mut memory = notary::memory(folder)?;
    let begin = Instant::now();
    let stats = memory.rebuild()?;
    let rebuild = begin.elapsed();
    if stats.seen != stats.records {
        return Err(format!("only {} of {} records are seen", stats.seen, stats.records).into());
    }
    // What was written a moment ago is looked at once more: the next one finds it settled.
    wait_for_the_next_tick(folder)?;
    brief(&mut memory, &file(1))?;
    let (briefs, recalls) = questions(&mut memory, records)?;
    let scanned = scan(folder)?;
    let (written, plain) = writes(&mut memory, folder, records)?;
    let (patterns, updates) = patterns(&mut memory, records)?;
    Ok(serde_json::json!({
        "records": stats.records,
        "rebuild_us": micros(rebuild),
        "index_bytes": stats.index_bytes,
        "brief_p50_us": micros(percentile(&briefs, 50)),
        "brief_p99_us": micros(percentile(&briefs, 99)),
        "recall_p50_us": micros(percentile(&recalls, 50)),
        "recall_p99_us": micros(percentile(&recalls, 99)),
        "write_p50_us": micros(percentile(&written, 50)),
        "plain_write_p50_us": micros(percentile(&plain, 50)),
        "scan_us": micros(scanned),
        "patterns_us": micros(patterns),
        "patterns_update_p50_us": micros(percentile(&updates, 50)),
        "patterns_update_max_us": micros(percentile(&updates, 100)),
    }))
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn brief(memory: &mut Memory, file: &str) -> Outcome<String> {
    let request = BriefRequest { files: vec![file.to_owned()], asking_session: None };
    Ok(memory.brief(&request)?.text(TOKENS))
}

/// Stamps are believed once the clock of the file system has moved on.
fn wait_for_the_next_tick(folder: &Path) -> Outcome<()> {
    let written =
        fs::metadata(folder)?.modified()?.max(fs::metadata(folder.join("sessions"))?.modified()?);
    while written.elapsed()? < Duration::from_millis(200) {
        std::thread::yield_now();
    }
    Ok(())
}

/// The times of briefs and of recalls, in order.
fn questions(memory: &mut Memory, records: u64) -> Outcome<(Vec<Duration>, Vec<Duration>)> {
    let mut chance = Chance::new(42);
    let (mut briefs, mut recalls) = (Vec::new(), Vec::new());
    for number in 0..QUESTIONS {
        let cause = chance.below(causes(records));
        let begin = Instant::now();
        black_box(brief(memory, &file(cause))?);
        briefs.push(begin.elapsed());
        let failure = seen_now(number, cause);
        let begin = Instant::now();
        let known = memory.at_failure(&[failure], None)?;
        black_box(Recollection::text(&known, TOKENS));
        recalls.push(begin.elapsed());
    }
    briefs.sort_unstable();
    recalls.sort_unstable();
    Ok((briefs, recalls))
}

/// By turns a failure that is known by its cause, by its test, by its function, by its words, or not.
fn seen_now(number: u64, cause: u64) -> Failure {
    let past = failure(cause, number);
    let keep = number % 5;
    let other = |is_kept: bool, text: String| if is_kept { text } else { format!("new {text}") };
    let function = past.source_location.and_then(|place| place.function).unwrap_or_default();
    let mut now = Failure::new(
        FailureKind::TestFailure,
        past.error_name.unwrap_or_default(),
        other(keep < 4, past.error_message),
    );
    now.fingerprint = other(keep == 0, past.fingerprint.unwrap_or_default());
    now.test = Some(other(keep <= 1, past.test_name));
    now.location = Some(Location {
        file: file(cause),
        line: Some(1),
        function: Some(other(keep <= 2, function)),
    });
    now
}

/// The times of records written whole, synced and into the index; and of the same files only written whole
/// and synced.
fn writes(
    memory: &mut Memory,
    folder: &Path,
    records: u64,
) -> Outcome<(Vec<Duration>, Vec<Duration>)> {
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    let beside = folder.join("plain");
    fs::create_dir_all(&beside)?;
    for number in 0..WRITES {
        let record = history::record(records + number, records);
        let text = serde_json::to_string_pretty(&record)?;
        let begin = Instant::now();
        memory.write(&record, jiff::Timestamp::now())?;
        ours.push(begin.elapsed());
        let begin = Instant::now();
        let draft = beside.join("draft");
        let mut file = fs::File::create(&draft)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, beside.join(format!("{number}.json")))?;
        fs::File::open(&beside)?.sync_all()?;
        plain.push(begin.elapsed());
    }
    fs::remove_dir_all(&beside)?;
    ours.sort_unstable();
    plain.sort_unstable();
    Ok((ours, plain))
}

/// The time of writing all patterns; and those of writing what one more record changes in them, as at the end of a
/// loop.
fn patterns(memory: &mut Memory, records: u64) -> Outcome<(Duration, Vec<Duration>)> {
    let begin = Instant::now();
    memory.write_patterns()?;
    let whole = begin.elapsed();
    let mut updates = Vec::new();
    for number in 0..LOOPS {
        memory
            .write(&history::record(records + WRITES + number, records), jiff::Timestamp::now())?;
        let begin = Instant::now();
        memory.update_patterns()?;
        updates.push(begin.elapsed());
    }
    updates.sort_unstable();
    Ok((whole, updates))
}

/// What there would be without an index: every record is read for every question.
fn scan(folder: &Path) -> Outcome<Duration> {
    let wanted = file(1);
    let begin = Instant::now();
    let mut found = 0;
    for entry in fs::read_dir(folder.join("sessions"))? {
        let path = entry?.path();
        let record: Record = serde_json::from_slice(&fs::read(&path)?)?;
        found += usize::from(record.file_path == wanted);
    }
    black_box(found);
    Ok(begin.elapsed())
}

fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    let index = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(index).copied().unwrap_or_default()
}
