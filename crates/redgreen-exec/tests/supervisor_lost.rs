//! Commands that turn against their supervisor. A test binary of its own: an orphan is any child of
//! this process that redgreen-exec has not started.

mod common;

use std::path::Path;
use std::time::Duration;

use common::{Scene, is_gone, text};
use redgreen_exec::{Ended, capture};

#[test]
fn a_command_that_kills_its_supervisor_is_ended_and_no_success() {
    let scene = Scene::new();
    let mut held = scene.signpost("held");
    let line = "exec 9>held
        echo $$ >&9
        $FIXTURE detach sh -c '$FIXTURE detach sleep 1000 & sleep 1000' &
        sleep 1000 &
        echo before
        kill -9 $PPID
        exec sleep 1000";
    let outcome = scene.run(&scene.shell(line));
    assert_eq!(outcome.ended, Ended::SupervisorLost);
    assert_eq!(text(&outcome), "before\n");
    assert!(!outcome.output_held_open);
    assert!(outcome.leaks.is_empty(), "{:?}", outcome.leaks);
    assert!(is_gone(held.pid()));
    held.closed();
}

#[test]
fn killing_the_supervisor_and_exiting_with_0_is_no_success() {
    let scene = Scene::new();
    assert_eq!(scene.run(&scene.shell("kill -9 $PPID; exit 0")).ended, Ended::SupervisorLost);
}

#[test]
fn other_jobs_and_tools_outlive_a_lost_supervisor() {
    let scene = Scene::new();
    for name in ["go", "tool-go", "hostile-go"] {
        nix::unistd::mkfifo(&scene.path(name), nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    }
    let release = |name| std::fs::write(scene.path(name), "go\n").expect("still waits");
    let mut posts = ["post", "tool-post", "hostile-post"].map(|name| scene.signpost(name));
    let bystander = scene.shell("sh -c 'echo $$ >post; read line <go; exit 6'");
    let line = "echo $$ >hostile-post; read line <hostile-go; kill -9 $PPID; exec sleep 1000";
    let mut hostile = scene.shell(line);
    hostile.log = scene.path("hostile-log");
    let folder = scene.path("");
    std::thread::scope(|scope| {
        let hostile = scope.spawn(|| scene.run(&hostile));
        posts[2].pid();
        // The others are younger than the supervisor that gets lost, as its orphans are.
        let job = scope.spawn(|| scene.run(&bystander));
        let line = "echo $$ >tool-post; read line <tool-go; exit 7";
        let tool = scope.spawn(|| capture("sh", &["-c", line], &folder, &[], b"").expect("runs"));
        posts[0].pid();
        posts[1].pid();
        release("hostile-go");
        assert_eq!(hostile.join().expect("no panic").ended, Ended::SupervisorLost);
        // Neither would be there to open these.
        assert!(!job.is_finished() && !tool.is_finished());
        release("go");
        release("tool-go");
        assert_eq!(job.join().expect("no panic").ended, Ended::Exited(6));
        assert_eq!(tool.join().expect("no panic").status.code(), Some(7));
    });
}

#[test]
fn a_supervisor_that_was_stopped_is_continued_at_the_limit() {
    let scene = Scene::new();
    let mut job = scene.shell("kill -STOP $PPID; exec sleep 1000");
    job.limit = Some(Duration::from_millis(300));
    assert_eq!(scene.run(&job).ended, Ended::TimedOut);
}

#[test]
fn a_supervisor_that_is_stopped_again_and_again_is_given_up() {
    let scene = Scene::new();
    let mut post = scene.signpost("post");
    let mut job = scene.shell("echo $$ >post; while :; do kill -STOP $PPID; done");
    job.limit = Some(Duration::from_millis(300));
    job.grace = Duration::from_millis(100);
    let outcome = scene.run(&job);
    // Where the supervisor wins the race once continued, it does its work.
    assert!(matches!(outcome.ended, Ended::SupervisorLost | Ended::TimedOut), "{outcome:?}");
    assert!(is_gone(post.pid()));
}

#[test]
fn a_program_that_is_no_supervisor_is_noticed() {
    use redgreen_exec::{ExecErrorKind, Executor, Supervisor};
    let scene = Scene::new();
    let with = |program: &str, args: &[&str]| {
        let args = args.iter().map(Into::into).collect();
        Executor::new(Supervisor { program: program.into(), args })
            .run(&scene.shell("true"), &scene.stop)
    };
    let error = with("/no-such-supervisor", &[]).expect_err("fails");
    assert_eq!(error.kind, ExecErrorKind::SupervisorNotStarted);
    assert!(error.to_string().contains("/no-such-supervisor"), "{error}");
    let outcome = with("sh", &["-c", "read line; echo nonsense"]).expect("runs");
    assert_eq!(outcome.ended, Ended::SupervisorLost);
    let folder = Path::new("/");
    assert!(capture("true", &[""; 0], folder, &[], b"").expect("runs").status.success());
}
