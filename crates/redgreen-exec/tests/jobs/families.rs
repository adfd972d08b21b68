//! Nobody of a family is left running, and who was left behind is reported.

use std::fs::OpenOptions;
use std::time::{Duration, Instant};

use redgreen_exec::{Ended, Outcome};

use crate::common::{Scene, is_gone, text};

/// The one leak of an outcome.
fn only_leak(outcome: &Outcome) -> (i32, &str) {
    let [leak] = outcome.leaks.as_slice() else { panic!("not one leak: {:?}", outcome.leaks) };
    assert!(!leak.survived);
    assert_eq!(outcome.more_leaks, 0);
    (leak.pid, &leak.command)
}

#[test]
fn a_background_process_that_holds_the_pipe_is_a_leak_and_does_not_hang_the_run() {
    let scene = Scene::new();
    let begin = Instant::now();
    let outcome = scene.run(&scene.shell("sleep 1000 & echo $!; exit 3"));
    assert_eq!(outcome.ended, Ended::Exited(3));
    let (pid, command) = only_leak(&outcome);
    assert_eq!(text(&outcome), format!("{pid}\n"));
    assert_eq!(command, "sleep 1000");
    assert!(is_gone(pid));
    assert!(!outcome.output_held_open);
    assert!(begin.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_grandchild_in_a_session_of_its_own_is_a_leak_and_is_ended() {
    let scene = Scene::new();
    let mut post = scene.signpost("post");
    let line = "$FIXTURE detach sh -c 'echo $$ >post; exec sleep 1000' & read line <post2; exit 0";
    nix::unistd::mkfifo(&scene.path("post2"), nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    let job = scene.shell(line);
    let mut pid = 0;
    let outcome = scene.run_while(&job, || {
        pid = post.pid();
        std::fs::write(scene.path("post2"), "go\n").expect("the command waits");
    });
    assert_eq!(outcome.ended, Ended::Exited(0));
    assert_eq!(only_leak(&outcome).0, pid);
    assert!(is_gone(pid));
}

#[test]
fn a_daemon_that_ignores_sigterm_is_a_leak_and_is_killed() {
    let scene = Scene::new();
    let mut post = scene.signpost("post");
    let outcome = scene.run(&scene.shell("$FIXTURE daemon post; exit 0"));
    let (pid, command) = only_leak(&outcome);
    assert_eq!(outcome.ended, Ended::Exited(0));
    assert!(command.contains("ignore-term") || command.contains("detach"), "{command}");
    assert!(is_gone(pid));
    // Where it came so far as to say who it is, it says the same.
    let said = post.line();
    assert!(said.is_empty() || said == pid.to_string());
}

#[test]
fn a_process_that_goes_with_the_command_is_no_leak() {
    let scene = Scene::new();
    // The input of the worker ends when the shell exits; then it has some work to finish.
    let line = "mkfifo p; sh -c 'cat <p; for i in 1 2 3 4 5 6 7 8; do /bin/true; done' & exec 9>p";
    let outcome = scene.run(&scene.shell(&format!("{line}; exit 0")));
    assert_eq!(outcome.ended, Ended::Exited(0));
    assert!(outcome.leaks.is_empty(), "{:?}", outcome.leaks);
}

#[test]
fn a_whole_tree_is_ended_at_the_limit() {
    let scene = Scene::new();
    let mut held = scene.signpost("held");
    let line = "exec 9>held
        sh -c 'sh -c \"sleep 1000 & wait\" & wait' &
        $FIXTURE detach sh -c '$FIXTURE detach sleep 1000 & sleep 1000' &
        $FIXTURE daemon /dev/null
        wait";
    let mut job = scene.shell(line);
    job.limit = Some(Duration::from_secs(1));
    job.grace = Duration::from_millis(300);
    let outcome = scene.run(&job);
    assert_eq!(outcome.ended, Ended::TimedOut);
    assert!(outcome.leaks.is_empty(), "who was ended at the limit is no leak");
    assert!(!outcome.output_held_open);
    held.closed();
}

#[test]
fn processes_that_replace_themselves_are_caught() {
    for kind in ["hop", "hop-sessions"] {
        let scene = Scene::new();
        let mut held = scene.signpost("held");
        let mut post = scene.signpost("post");
        let mut job = scene.shell(&format!("exec 9>held; $FIXTURE {kind} post; sleep 1000"));
        job.grace = Duration::from_millis(100);
        let outcome = scene.run_while(&job, || {
            post.line();
            scene.stop.stop();
        });
        assert_eq!(outcome.ended, Ended::Stopped, "{kind}");
        assert!(outcome.leaks.is_empty(), "{kind}: {:?}", outcome.leaks);
        held.closed();
    }
}

#[test]
fn a_process_that_looks_like_a_zombie_is_not_taken_for_one() {
    let scene = Scene::new();
    let mut post = scene.signpost("post");
    let job = scene.shell("$FIXTURE leaderless post & read line <go; exit 0");
    nix::unistd::mkfifo(&scene.path("go"), nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    let mut pid = 0;
    let outcome = scene.run_while(&job, || {
        pid = post.pid();
        std::fs::write(scene.path("go"), "go\n").expect("the command waits");
    });
    assert_eq!(outcome.ended, Ended::Exited(0));
    assert_eq!(only_leak(&outcome).0, pid);
    assert!(is_gone(pid));
}

#[test]
fn many_leaks_are_counted_and_not_all_listed() {
    let scene = Scene::new();
    let line = "i=0; while [ $i -lt 70 ]; do sleep 1000 & i=$((i+1)); done; exit 0";
    let outcome = scene.run(&scene.shell(line));
    assert_eq!((outcome.leaks.len(), outcome.more_leaks), (64, 6));
    assert!(outcome.leaks.iter().all(|leak| is_gone(leak.pid)));
}

#[test]
fn a_stranger_who_holds_the_output_open_does_not_hang_the_run() {
    let scene = Scene::new();
    let mut post = scene.signpost("post");
    nix::unistd::mkfifo(&scene.path("go"), nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    let job = scene.shell("echo before; echo $$ >post; read line <go; echo after");
    let mut stranger = None;
    let outcome = scene.run_while(&job, || {
        // Not fd 1: that one is the signpost until the shell has undone the redirection.
        let output = format!("/proc/{}/fd/2", post.pid());
        stranger = Some(OpenOptions::new().write(true).open(output).expect("opens the pipe"));
        std::fs::write(scene.path("go"), "go\n").expect("the command waits");
    });
    assert_eq!(outcome.ended, Ended::Exited(0));
    assert!(outcome.output_held_open);
    assert_eq!(text(&outcome), "before\nafter\n");
    assert!(outcome.leaks.is_empty());
}

#[test]
fn jobs_at_the_same_time_do_not_touch_each_other() {
    let scene = Scene::new();
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..6)
            .map(|n| {
                let mut job = scene.shell(&format!("sleep 1000 & echo job {n}; exit {n}"));
                job.log = scene.path(&format!("log{n}"));
                let scene = &scene;
                scope.spawn(move || scene.run(&job))
            })
            .collect();
        for (n, run) in (0..).zip(runs) {
            let outcome = run.join().expect("no panic");
            assert_eq!(outcome.ended, Ended::Exited(n));
            assert_eq!(text(&outcome), format!("job {n}\n"));
            assert!(is_gone(only_leak(&outcome).0));
        }
    });
}
