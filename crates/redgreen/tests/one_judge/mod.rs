//! The same change, whoever asks: `test`, `square`, the gate on a terminal, staged, of a commit, before a push, in CI,
//! in an agent's hook, and the loop. The same verdict and the same findings, or a difference that the row names with
//! its reason.

mod entry;
mod rows;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use entry::{ENTRIES, Entry};
use rows::{Row, rows};

/// Each row is asked by `square` and by one of each of these in turn, and by all with `REDGREEN_ALL`.
const IN_TURN: [&[Entry]; 2] = [
    &[Entry::Gate, Entry::Staged, Entry::Commit, Entry::Pushed, Entry::Ci, Entry::Test],
    &[Entry::Hook, Entry::Run],
];
/// How many rows are played at the same time.
const WORKERS: usize = 2;

/// What was said of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The verdict.
    pub verdict: String,
    /// Findings and undeclared expectations: the kind, and what it is about.
    pub against: BTreeSet<String>,
}

#[test]
fn whoever_asks_gets_the_same_verdict() {
    let rows = rows();
    assert!(rows.len() >= 40, "{} rows", rows.len());
    let only = std::env::var("REDGREEN_CASE").ok();
    let chosen: Vec<&Row> = rows
        .iter()
        .filter(|row| only.as_ref().is_none_or(|only| row.name.contains(only)))
        .collect();
    let (next, problems) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(row) = chosen.get(index) else { break };
                    let played = catch_unwind(AssertUnwindSafe(|| play(row, index)));
                    let found = played.unwrap_or_else(|_| vec!["the row itself failed".to_owned()]);
                    let named = found.into_iter().map(|text| format!("{}: {text}", row.name));
                    problems.lock().unwrap().extend(named);
                }
            });
        }
    });
    let problems = problems.into_inner().unwrap();
    eprintln!(
        "one judge: {} changes by {} entries, {} differences",
        chosen.len(),
        ENTRIES.len(),
        problems.len()
    );
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Asks everybody about one change; what differs from what is wanted, in words.
fn play(row: &Row, index: usize) -> Vec<String> {
    let mut problems = Vec::new();
    let all = std::env::var_os("REDGREEN_ALL").is_some();
    let its_turn = |entry: &Entry| {
        IN_TURN.iter().all(|some| !some.contains(entry) || some[index % some.len()] == *entry)
    };
    for entry in ENTRIES.iter().filter(|entry| all || its_turn(entry)) {
        let said = entry.ask(row);
        let (verdict, against) = row.wanted(*entry);
        if said.verdict != verdict {
            problems.push(format!(
                "{entry:?} says {}, wanted {verdict}; against it: {:?}",
                said.verdict, said.against
            ));
        } else if *entry != Entry::Test && said.against != against {
            problems
                .push(format!("{entry:?} has against it {:?}, wanted {against:?}", said.against));
        }
    }
    problems
}
