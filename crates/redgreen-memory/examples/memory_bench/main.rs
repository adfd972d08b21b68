//! What asking memory costs: a cold process from start to end, recall in a process, taking a history
//! in, and the size of the index; against a plain scan of the same folder.
//!
//! `cargo run --release -p redgreen-memory --example memory_bench [RECORDS…]`
#![allow(clippy::print_stdout, reason = "it is there to print")]

mod history;

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use history::{Chance, EXECUTIONS, causes, failure, file};
use redgreen_memory::{BriefRequest, Memory, Recollection, Settings, read_record};
use redgreen_model::report::{Failure, FailureKind, Location};

const SIZES: [u64; 3] = [1_000, 10_000, 100_000];
/// How often a cold process is started, and how often memory is asked in one.
const PROCESSES: usize = 41;
const QUESTIONS: u64 = 2_000;
/// A brief has at most so many tokens.
const TOKENS: usize = 400;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["nothing"] => Ok(()),
        ["history", folder, records] => {
            history::write(Path::new(folder), records.parse()?)?;
            Ok(())
        }
        ["ask", folder, records] => {
            let mut memory = Memory::new(Path::new(folder), Settings::default());
            in_process(&mut memory, records.parse()?)
        }
        ["rebuild", folder] => {
            Memory::new(Path::new(folder), Settings::default()).rebuild()?;
            Ok(())
        }
        ["brief", folder, file] => {
            let mut memory = Memory::new(Path::new(folder), Settings::default());
            print!("{}", brief(&mut memory, file)?);
            Ok(())
        }
        ref sizes => {
            let sizes: Vec<u64> =
                sizes.iter().map(|size| size.parse()).collect::<Result<_, _>>()?;
            let sizes = if sizes.is_empty() { SIZES.to_vec() } else { sizes };
            sizes.into_iter().try_for_each(measure)
        }
    }
}

fn brief(memory: &mut Memory, file: &str) -> Result<String, Box<dyn Error>> {
    let request = BriefRequest { files: vec![file.to_owned()], asking_session: None };
    Ok(memory.brief(&request)?.text(TOKENS))
}

fn measure(records: u64) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let bytes = history::write(folder, records)?;
    println!(
        "{records} records, {} executions, {} MB",
        records * u64::from(EXECUTIONS),
        bytes >> 20
    );
    let mut memory = Memory::new(folder, Settings::default());
    let begin = Instant::now();
    let stats = memory.rebuild()?;
    let took = begin.elapsed();
    #[expect(clippy::cast_precision_loss, reason = "for people")]
    let rate = records as f64 / took.as_secs_f64();
    row("rebuild", took, &format!("{rate:.0} records a second"));
    println!("  {:<34} {:>10} MB", "index", stats.index_bytes >> 20);
    // What was written a moment ago is looked at once more: the next one finds it settled.
    wait_for_the_next_tick(folder)?;
    brief(&mut memory, &file(1))?;
    in_process(&mut memory, records)?;
    writes(&mut memory, records)?;
    drop(memory);
    cold(folder)?;
    scan(folder)?;
    Ok(())
}

/// Stamps are believed once the clock of the file system has moved on.
fn wait_for_the_next_tick(folder: &Path) -> Result<(), Box<dyn Error>> {
    let written =
        fs::metadata(folder)?.modified()?.max(fs::metadata(folder.join("sessions"))?.modified()?);
    while written.elapsed()? < Duration::from_millis(200) {
        std::thread::yield_now();
    }
    Ok(())
}

fn in_process(memory: &mut Memory, records: u64) -> Result<(), Box<dyn Error>> {
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
    for (what, times) in
        [("brief, in a process", &mut briefs), ("recall at a failure", &mut recalls)]
    {
        times.sort_unstable();
        row(&format!("{what}, median"), percentile(times, 50), "");
        row(&format!("{what}, p99"), percentile(times, 99), "");
    }
    Ok(())
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

fn writes(memory: &mut Memory, records: u64) -> Result<(), Box<dyn Error>> {
    let mut times = Vec::new();
    for number in 0..50 {
        let record = history::record(records + number, records);
        let begin = Instant::now();
        memory.write(&record, jiff::Timestamp::now())?;
        times.push(begin.elapsed());
    }
    times.sort_unstable();
    row("a record written, median", percentile(&times, 50), "whole, synced, in the index");
    Ok(())
}

fn cold(folder: &Path) -> Result<(), Box<dyn Error>> {
    let folder = folder.to_string_lossy().into_owned();
    let (mut briefs, mut nothings) = (Vec::new(), Vec::new());
    for number in 0..PROCESSES {
        nothings.push(process(&["nothing"])?);
        briefs.push(process(&["brief", &folder, &file(number as u64 * 7)])?);
    }
    briefs.sort_unstable();
    nothings.sort_unstable();
    let (brief, nothing) = (percentile(&briefs, 50), percentile(&nothings, 50));
    row("a process that does nothing", nothing, "");
    let times = brief.as_secs_f64() / nothing.as_secs_f64();
    row("a cold brief, start to end", brief, &format!("{times:.2} times that"));
    Ok(())
}

fn process(args: &[&str]) -> Result<Duration, Box<dyn Error>> {
    let begin = Instant::now();
    let status =
        Command::new(std::env::current_exe()?).args(args).stdout(Stdio::null()).status()?;
    let took = begin.elapsed();
    if status.success() { Ok(took) } else { Err(format!("{args:?}: {status}").into()) }
}

/// What there would be without an index.
fn scan(folder: &Path) -> Result<(), Box<dyn Error>> {
    let wanted = file(1);
    let begin = Instant::now();
    let mut found = 0;
    for entry in fs::read_dir(folder.join("sessions"))? {
        let path = entry?.path();
        let record = read_record(&fs::read(&path)?, &path.to_string_lossy())?;
        found += usize::from(record.file_path == wanted);
    }
    row("a plain scan of the folder", begin.elapsed(), &format!("{found} records found"));
    Ok(())
}

fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    let index = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(index).copied().unwrap_or_default()
}

fn row(what: &str, took: Duration, note: &str) {
    println!("  {what:<34} {:>10.3} ms  {note}", took.as_secs_f64() * 1_000.0);
}
