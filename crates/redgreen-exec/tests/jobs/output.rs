//! What is kept of the output.

use std::path::{Path, PathBuf};

use redgreen_exec::{Ended, JobCommand, capture};

use crate::common::{FIXTURE, Scene, text};

/// The first `count` bytes of what the fixture floods.
fn flood(count: usize) -> Vec<u8> {
    (0..=255).cycle().take(count).collect()
}

fn flood_command(count: usize) -> JobCommand {
    JobCommand::Argv(vec![FIXTURE.into(), "flood".into(), count.to_string().into()])
}

#[test]
fn standard_output_and_error_keep_their_order() {
    let scene = Scene::new();
    let line = "i=0; while [ $i -lt 300 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done";
    let mut job = scene.shell(line);
    job.keep_head_bytes = 1 << 20;
    let expected: String = (0..300).map(|i| format!("out {i}\nerr {i}\n")).collect();
    assert_eq!(text(&scene.run(&job)), expected);
    assert_eq!(std::fs::read_to_string(scene.path("log")).expect("a log"), expected);
}

#[test]
fn head_and_tail_are_kept_and_the_rest_is_counted() {
    let scene = Scene::new();
    for (total, head, tail) in [
        (100, 60, 60),
        (1000, 300, 200),
        (3_000_000, 4096, 4096),
        (500, 0, 10),
        (500, 10, 0),
        (0, 5, 5),
    ] {
        let mut job = scene.job(flood_command(total));
        (job.keep_head_bytes, job.keep_tail_bytes) = (head, tail);
        let output = scene.run(&job).output;
        let all = flood(total);
        let head = head.min(total);
        let tail = tail.min(total - head);
        assert_eq!(output.head, all[..head]);
        assert_eq!(output.tail, all[total - tail..]);
        assert_eq!(output.total_bytes, total as u64);
        assert_eq!(output.dropped_bytes, (total - head - tail) as u64);
    }
}

#[test]
fn past_its_cap_the_log_has_its_first_part_a_note_and_the_tail() {
    let scene = Scene::new();
    let (total, cap, tail) = (2_000_000, 1_000_000, 500);
    let mut job = scene.job(flood_command(total));
    (job.log_cap_bytes, job.keep_tail_bytes) = (cap as u64, tail);
    let outcome = scene.run(&job);
    let dropped = total - cap - tail;
    assert_eq!(outcome.log_dropped_bytes, dropped as u64);
    assert_eq!(outcome.log_error, None);
    let all = flood(total);
    let log = std::fs::read(&job.log).expect("a log");
    assert_eq!(log[..cap], all[..cap]);
    assert_eq!(log[log.len() - tail..], all[total - tail..]);
    let note = String::from_utf8_lossy(&log[cap..log.len() - tail]).into_owned();
    assert!(note.contains(&format!("redgreen: {dropped} bytes of output dropped")), "{note}");
    assert!(note.starts_with('\n') && note.ends_with('\n') && note.lines().count() == 2, "{note}");
}

/// Writes down what it is given, piece by piece.
struct Pieces;

impl redgreen_exec::LogFilter for Pieces {
    fn take(&mut self, piece: &[u8], write: &mut dyn FnMut(&[u8])) {
        write(&[b"<", piece, b">"].concat());
    }

    fn end(&mut self, write: &mut dyn FnMut(&[u8])) {
        write(b"end");
    }
}

/// What looks for something in a log must not take the two sides of a gap for one text.
#[test]
fn the_filter_of_a_log_is_informed_where_something_is_missing() {
    let scene = Scene::new();
    let mut job = scene.shell("printf abcdefghi");
    (job.log_cap_bytes, job.keep_tail_bytes, job.keep_head_bytes) = (3, 2, 0);
    job.log_filter = || Box::new(Pieces);
    scene.run(&job);
    let log = std::fs::read_to_string(&job.log).expect("a log");
    let (first, rest) = log.split_once("><").expect("pieces");
    assert_eq!(first, "<abc");
    assert!(rest.starts_with("\n[redgreen: 4 bytes of output dropped here"), "{log}");
    assert!(rest.ends_with(" bytes]\n><hi>end"), "{log}");
}

#[test]
fn a_log_that_misses_nothing_has_no_note() {
    let scene = Scene::new();
    // At the cap; and past it, but within what the tail makes up for.
    for total in [10_000, 10_500] {
        let mut job = scene.job(flood_command(total));
        (job.log_cap_bytes, job.keep_tail_bytes) = (10_000, 500);
        let outcome = scene.run(&job);
        assert_eq!(outcome.log_dropped_bytes, 0);
        assert_eq!(std::fs::read(&job.log).expect("a log"), flood(total));
    }
}

#[test]
fn a_log_that_cannot_be_written_does_not_lose_the_run() {
    let scene = Scene::new();
    for (log, complaint) in
        [(PathBuf::from("/dev/full"), "No space left"), (scene.path("no/folder"), "No such file")]
    {
        let mut job = scene.shell("echo kept; exit 4");
        job.log = log;
        let outcome = scene.run(&job);
        assert_eq!(outcome.ended, Ended::Exited(4));
        assert_eq!(text(&outcome), "kept\n");
        assert_eq!(outcome.log_dropped_bytes, 5);
        let error = outcome.log_error.expect("is reported");
        assert!(error.contains(complaint) && error.contains("log `"), "{error}");
    }
}

#[test]
fn bytes_that_are_not_text_come_through() {
    let scene = Scene::new();
    let outcome = scene.run(&scene.shell(r"printf '\377\376\000\033[31m'"));
    assert_eq!(outcome.output.head, b"\xff\xfe\0\x1b[31m");
}

#[test]
fn a_flood_of_2_gib_needs_little_memory() {
    const FLOOD_BYTES: u64 = 2 << 30;
    const MEMORY_LIMIT_KIBIBYTES: u64 = 64 * 1024;
    let scene = Scene::new();
    let log = scene.path("log");
    let args = ["measure-flood", log.to_str().expect("UTF-8"), &FLOOD_BYTES.to_string()];
    let answer = capture(FIXTURE, &args, Path::new("/"), &[], b"").expect("runs");
    let seen: serde_json::Value = serde_json::from_slice(&answer.stdout).expect("JSON");
    println!("{seen}");
    assert_eq!(seen["ended"], serde_json::json!({"Exited": 0}));
    assert_eq!(seen["total_bytes"], FLOOD_BYTES);
    // The fixture keeps 1 MiB at each end in memory, and 8 MiB and the tail in the log.
    assert_eq!(seen["dropped_bytes"], FLOOD_BYTES - (2 << 20));
    assert_eq!(seen["log_dropped_bytes"], FLOOD_BYTES - (9 << 20));
    assert!(seen["peak_kibibytes"].as_u64().expect("a number") < MEMORY_LIMIT_KIBIBYTES);
    let log_bytes = std::fs::metadata(&log).expect("a log").len();
    assert!((9 << 20..(9 << 20) + 200).contains(&log_bytes), "{log_bytes}");
}
