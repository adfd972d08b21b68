//! Jobs that use too much memory, and jobs that only look as if they did.

use std::time::Duration;

use redgreen_exec::{Ended, Outcome};

use crate::common::{Scene, is_gone, text};

const LIMIT_BYTES: u64 = 64 << 20;

fn run_with_limit(scene: &Scene, line: &str, time: Option<Duration>) -> Outcome {
    let mut job = scene.shell(line);
    job.memory_bytes = Some(LIMIT_BYTES);
    job.limit = time.or(job.limit);
    scene.run(&job)
}

#[test]
fn a_family_beyond_its_memory_is_ended_at_once_with_all_it_started() {
    let scene = Scene::new();
    // Each alone is within the limit, and the second has left the group.
    let line = format!(
        "trap '' TERM; $FIXTURE fill {part} & echo $!; $FIXTURE detach $FIXTURE fill {part} & echo $!; wait",
        part = LIMIT_BYTES / 4 * 3
    );
    let outcome = run_with_limit(&scene, &line, None);
    assert_eq!(outcome.ended, Ended::OutOfMemory);
    assert!(outcome.leaks.is_empty(), "{:?}", outcome.leaks);
    let pids = text(&outcome);
    assert_eq!(pids.lines().count(), 2);
    assert!(pids.lines().all(|pid| is_gone(pid.parse().expect("a process id"))));
}

#[test]
fn memory_that_is_shared_counts_once_and_what_is_only_reserved_not_at_all() {
    for line in ["fill-and-fork 33554432", "reserve 8589934592"] {
        let scene = Scene::new();
        let time = Some(Duration::from_millis(500));
        let outcome = run_with_limit(&scene, &format!("exec $FIXTURE {line}"), time);
        assert_eq!(outcome.ended, Ended::TimedOut, "{line}");
    }
}
