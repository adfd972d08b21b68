//! Many processes at once, and some of them killed at any moment: no record is lost, no file is torn, and
//! nobody hears of locks.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::common::{Trouble, day, index_of, memory, session, troubled};
use redgreen_memory::{BriefRequest, Memory, read_record};
use redgreen_model::document::{Syntax, validate};

const WRITERS: u64 = 8;
const READERS: u64 = 8;
/// What each of them does, over all of its lives.
const RECORDS_EACH: u64 = 20;
const QUESTIONS_EACH: u64 = 20;
/// A life lasts at most so many steps.
const LIFE_MAX: u64 = 7;

/// What a process of this test plays, and where; it is given in its environment.
const PART: &str = "REDGREEN_MEMORY_TEST_PART";
const FOLDER: &str = "REDGREEN_MEMORY_TEST_FOLDER";
/// In front of the lines that a process says it has done something with.
const DONE: &str = "done ";

#[test]
fn nothing_is_lost_or_torn_and_nobody_is_locked_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let written: BTreeSet<String> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|slot| scope.spawn(move || play(path, "writer", slot, RECORDS_EACH)))
            .collect();
        let readers: Vec<_> = (0..READERS)
            .map(|slot| scope.spawn(move || play(path, "reader", slot, QUESTIONS_EACH)))
            .collect();
        for reader in readers {
            reader.join().unwrap();
        }
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    assert_eq!(written.len() as u64, WRITERS * RECORDS_EACH);
    for id in &written {
        let text = fs::read_to_string(path.join(format!("sessions/session-{id}.json"))).unwrap();
        assert!(validate(&text, Some(Syntax::Json)).is_valid(), "{text}");
    }
    let mut memory = memory(path);
    let files = fs::read_dir(path.join("sessions")).unwrap().count();
    // A quick question is enough to know of all of them.
    memory.brief(&BriefRequest::default()).unwrap();
    let index = rusqlite::Connection::open(index_of(path)).unwrap();
    let known: usize = index
        .query_row("SELECT count(*) FROM records", [], |row| row.get::<_, u32>(0))
        .unwrap() as usize;
    assert_eq!(known, files);
    let stats = memory.stats().unwrap();
    assert_eq!((stats.records as usize, stats.unreadable.len()), (files, 0));
    let learned = memory.patterns().unwrap();
    memory.rebuild().unwrap();
    assert_eq!(memory.patterns().unwrap(), learned, "the index says what the records say");
    assert!(memory.take_notes().is_empty(), "the index was never damaged");
}

/// Lets one process after the other do the steps of a slot; each is killed after some of them. Returns
/// what they said they had done.
fn play(folder: &Path, part: &str, slot: u64, steps: u64) -> Vec<String> {
    let mut chance = slot * 7_919 + part.len() as u64;
    let mut done = Vec::new();
    while (done.len() as u64) < steps {
        chance =
            chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let life = 1 + (chance >> 33) % LIFE_MAX;
        let left = steps - done.len() as u64;
        let mut child = start(folder, &format!("{part} {slot} {} {left}", done.len()));
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let said = lines.filter_map(|line| line.strip_prefix(DONE).map(str::to_owned));
        let before = done.len();
        done.extend(said.take(usize::try_from(life.min(left)).unwrap()));
        let lived = (done.len() - before) as u64;
        assert!(lived == life.min(left), "a {part} ended by itself: {}", last_words(child));
        child.kill().unwrap();
        let _ = child.wait().unwrap();
    }
    done
}

fn last_words(mut child: Child) -> String {
    let status = child.wait().unwrap();
    let mut words = String::new();
    let _ = std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut words);
    format!("{status}: {words}")
}

fn start(folder: &Path, part: &str) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "concurrency::a_part_of_the_story", "--nocapture"])
        .env(PART, part)
        .env(FOLDER, folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What the processes of the test above do; by itself it does nothing.
#[test]
fn a_part_of_the_story() {
    let Ok(part) = env::var(PART) else { return };
    let folder = PathBuf::from(env::var_os(FOLDER).unwrap());
    let words: Vec<&str> = part.split(' ').collect();
    let [kind, slot, first, steps] = words[..] else { panic!("{part}") };
    let [slot, first, steps]: [u64; 3] = [slot, first, steps].map(|word| word.parse().unwrap());
    let mut memory = memory(&folder);
    for step in first..first + steps {
        let said = match kind {
            "writer" => write(&mut memory, slot, step),
            _ => ask(&mut memory, &folder, step),
        };
        let mut out = std::io::stdout();
        writeln!(out, "\n{DONE}{said}").unwrap();
        out.flush().unwrap();
    }
    // Who started this one ends it, or is gone itself.
    let _ = std::io::stdin().read_line(&mut String::new());
}

fn write(memory: &mut Memory, slot: u64, step: u64) -> String {
    let number = slot * 1_000 + step;
    let fingerprint = format!("v1:{:016x}", number % 5);
    let trouble = Trouble { fingerprint: &fingerprint, ..Trouble::default() };
    let on = day(i64::try_from(number).unwrap());
    let record = troubled(number, "shop/cart.py", on, &trouble, !number.is_multiple_of(3));
    memory.write(&record, on).unwrap();
    // The second time in the place of the first.
    memory.write(&record, on).unwrap();
    session(number)
}

fn ask(memory: &mut Memory, folder: &Path, step: u64) -> String {
    let request = BriefRequest { files: vec!["shop/cart.py".to_owned()], asking_session: None };
    let brief = memory.brief(&request).unwrap();
    assert!(brief.looked_at <= 10);
    if step.is_multiple_of(4) {
        memory.search("operand", 5).unwrap();
        for entry in fs::read_dir(folder.join("sessions")).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let bytes = fs::read(&path).unwrap();
            read_record(&bytes, &name).unwrap();
        }
    }
    assert!(memory.take_notes().is_empty(), "nobody damages the index");
    step.to_string()
}
