//! How a job ends.

use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use redgreen_exec::{Ended, JobCommand, JobStdin, capture};

use crate::common::{FIXTURE, Scene, is_gone, text};

#[test]
fn exit_codes_are_passed_on() {
    let scene = Scene::new();
    for code in [0, 1, 7, 126, 127, 255] {
        let outcome = scene.run(&scene.shell(&format!("exit {code}")));
        assert_eq!(outcome.ended, Ended::Exited(code));
        assert!(outcome.leaks.is_empty() && !outcome.output_held_open);
    }
    let missing = scene.run(&scene.shell("no-such-program-here"));
    assert_eq!(missing.ended, Ended::Exited(127));
    assert!(text(&missing).contains("no-such-program-here"));
}

#[test]
fn a_death_by_signal_is_distinguished_from_an_exit() {
    let scene = Scene::new();
    // 34 is a real-time signal, which has no name.
    for signal in [6, 9, 11, 15, 34] {
        let outcome = scene.run(&scene.shell(&format!("kill -{signal} $$")));
        assert_eq!(outcome.ended, Ended::Signalled(signal));
    }
    // The shell replaces itself by a last command, so that its death is seen too.
    let outcome = scene.run(&scene.shell("exec sh -c 'kill -9 $$'"));
    assert_eq!(outcome.ended, Ended::Signalled(9));
}

#[test]
fn at_the_limit_the_command_may_say_goodbye() {
    let scene = Scene::new();
    let line = "trap 'echo bye; exit 0' TERM; echo ready; sleep 1000 & wait";
    let mut job = scene.shell(line);
    job.limit = Some(Duration::from_secs(1));
    let outcome = scene.run(&job);
    assert_eq!(outcome.ended, Ended::TimedOut);
    assert_eq!(text(&outcome), "ready\nbye\n", "partial output is kept");
    assert!(outcome.duration >= Duration::from_secs(1));
    assert!(outcome.leaks.is_empty());
}

#[test]
fn who_ignores_sigterm_is_killed_after_the_grace() {
    let scene = Scene::new();
    let mut post = scene.signpost("post");
    let mut job = scene.shell("echo before; exec $FIXTURE ignore-term post");
    job.limit = Some(Duration::from_secs(1));
    job.grace = Duration::from_millis(200);
    let begin = Instant::now();
    let outcome = scene.run(&job);
    let pid = post.pid();
    assert_eq!(outcome.ended, Ended::TimedOut);
    assert_eq!(text(&outcome), "before\n");
    assert!(is_gone(pid));
    assert!(begin.elapsed() >= Duration::from_millis(1200), "the grace was given");
}

#[test]
fn the_stop_flag_wakes_a_run_without_a_limit() {
    let scene = Scene::new();
    let mut post = scene.signpost("post");
    let mut job = scene.shell("echo before; echo $$ >post; sleep 1000; echo after");
    job.limit = None;
    let mut pid = 0;
    let outcome = scene.run_while(&job, || {
        pid = post.pid();
        scene.stop.stop();
        scene.stop.stop();
    });
    assert_eq!(outcome.ended, Ended::Stopped);
    assert_eq!(text(&outcome), "before\n");
    assert!(is_gone(pid));

    let outcome = scene.run(&scene.shell("touch started"));
    assert_eq!(outcome.ended, Ended::Stopped, "a raised flag starts nothing");
    assert!(!scene.path("started").exists());
}

#[test]
fn one_stop_flag_stops_every_job() {
    let scene = Scene::new();
    let mut posts = [scene.signpost("post0"), scene.signpost("post1"), scene.signpost("post2")];
    let jobs = [0, 1, 2].map(|n| scene.shell(&format!("echo $$ >post{n}; sleep 1000")));
    std::thread::scope(|scope| {
        let runs = jobs.each_ref().map(|job| scope.spawn(|| scene.run(job)));
        let pids = posts.each_mut().map(|post| post.pid());
        scene.stop.stop();
        for run in runs {
            assert_eq!(run.join().expect("no panic").ended, Ended::Stopped);
        }
        assert!(pids.into_iter().all(is_gone));
    });
}

#[test]
fn a_stopped_process_is_continued_to_act_on_sigterm() {
    let scene = Scene::new();
    let mut post = scene.signpost("post");
    let line = "trap 'echo continued; exit 0' TERM; echo $$ >post; kill -STOP $$; echo woken";
    let job = scene.shell(line);
    let outcome = scene.run_while(&job, || {
        let stat = format!("/proc/{}/stat", post.pid());
        while !std::fs::read_to_string(&stat).expect("is there").contains(") T ") {
            std::thread::yield_now();
        }
        scene.stop.stop();
    });
    assert_eq!(outcome.ended, Ended::Stopped);
    assert!(text(&outcome).contains("continued"), "{:?}", text(&outcome));
}

#[test]
fn what_cannot_be_started_is_named() {
    let scene = Scene::new();
    let reason = |job| match scene.run(&job).ended {
        Ended::NotStarted { reason } => reason,
        other => panic!("started: {other:?}"),
    };
    let argv = |program: &str| scene.job(JobCommand::Argv(vec![program.into()]));

    let missing = reason(argv("no-such-program-here"));
    assert!(missing.contains("program `no-such-program-here`"), "{missing}");
    assert!(missing.contains("No such file"), "{missing}");

    let mut job = scene.shell("true");
    job.folder = scene.path("no-such-folder");
    let missing = reason(job);
    assert!(missing.contains("folder `") && missing.contains("no-such-folder"), "{missing}");

    let mut job = scene.shell("true");
    job.folder = PathBuf::from("/dev/null");
    assert!(reason(job).contains("Not a directory"));

    let mut job = scene.shell("true");
    job.stdin = JobStdin::File(scene.path("no-such-prompt"));
    assert!(reason(job).contains("no-such-prompt"));

    std::fs::write(scene.path("plain"), "not executable").expect("writes");
    assert!(reason(argv("./plain")).contains("Permission denied"));
    assert!(reason(scene.job(JobCommand::Argv(Vec::new()))).contains("empty"));
    assert!(reason(argv("a\0b")).contains("nul byte"));
}

#[test]
fn a_program_gets_its_arguments_environment_and_input_byte_for_byte() {
    let scene = Scene::new();
    let odd = std::ffi::OsString::from_vec(b"\xff odd\n".to_vec());
    let script = r#"printf %s "$1" >arg; printf %s "$SET" >set; echo "[${HOME-unset}]"; cat"#;
    let argv = ["sh", "-c", script, "sh"].map(Into::into);
    let argv = argv.into_iter().chain([odd.clone()]).collect();
    let mut job = scene.job(JobCommand::Argv(argv));
    job.env = vec![("SET".into(), Some(odd.clone())), ("HOME".into(), None)];
    std::fs::write(scene.path("prompt"), "the prompt\n").expect("writes");
    job.stdin = JobStdin::File(scene.path("prompt"));
    let outcome = scene.run(&job);
    assert_eq!(outcome.ended, Ended::Exited(0));
    assert_eq!(text(&outcome), "[unset]\nthe prompt\n");
    for name in ["arg", "set"] {
        let bytes = std::fs::read(scene.path(name)).expect("was written");
        assert_eq!(bytes, odd.clone().into_vec(), "{name}");
    }
}

#[test]
fn a_command_starts_with_a_clean_slate() {
    let scene = Scene::new();
    // Not through a shell, which has its own ideas about signals.
    let argv = ["grep", "-hE", "SigBlk|SigIgn", "/proc/self/status"].map(Into::into).to_vec();
    let shown = text(&scene.run(&scene.job(JobCommand::Argv(argv))));
    let mask = |name| {
        let hex = shown.lines().find_map(|line| line.strip_prefix(name)).expect("a mask");
        u64::from_str_radix(hex.trim(), 16).expect("a mask")
    };
    assert_eq!(mask("SigBlk:"), 0);
    // The upper half is real-time signals, of which the C library keeps two for itself.
    assert_eq!(mask("SigIgn:") & 0x7fff_ffff, 0);

    let line = "(: </dev/tty) 2>/dev/null || echo no tty
        cut -d' ' -f1,5,6 /proc/$$/stat; wc -c; readlink /proc/self/fd/*";
    let shown = text(&scene.run(&scene.shell(line)));
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "no tty");
    let ids: Vec<&str> = lines[1].split(' ').collect();
    assert!(ids[0] == ids[1] && ids[0] == ids[2], "own group, own session: {ids:?}");
    assert_eq!(lines[2].trim(), "0", "the input is empty");
    let inherited: Vec<_> = std::fs::read_dir("/proc/self/fd")
        .expect("own files")
        .filter_map(|entry| {
            std::fs::read_link(entry.ok()?.path()).ok()?.into_os_string().into_string().ok()
        })
        .collect();
    let mut pipes: Vec<_> = lines[3..].iter().filter(|file| file.starts_with("pipe:")).collect();
    pipes.retain(|pipe| !inherited.iter().any(|own| own == **pipe));
    assert_eq!(pipes.len(), 2, "standard output and error, and no pipe of ours: {pipes:?}");
    assert_eq!(pipes[0], pipes[1]);
}

#[test]
fn a_signal_to_the_supervisor_ends_the_family_and_is_no_success() {
    let scene = Scene::new();
    let line = "mkfifo up; $FIXTURE detach sh -c 'echo $$ >up; exec sleep 1000' & read pid <up
        trap 'exit 0' TERM; echo $pid; kill -TERM $PPID; wait";
    let outcome = scene.run(&scene.shell(line));
    assert_eq!(outcome.ended, Ended::SupervisorLost);
    assert!(is_gone(text(&outcome).trim().parse().expect("a process id")));
    // Signals that mean nothing to it do it no harm.
    let line = "kill -USR1 $PPID; kill -ALRM $PPID; kill -PIPE $PPID; exit 5";
    assert_eq!(scene.run(&scene.shell(line)).ended, Ended::Exited(5));
}

#[test]
fn duration_and_memory_are_measured() {
    let scene = Scene::new();
    let outcome =
        scene.run(&scene.job(JobCommand::Argv(vec![FIXTURE.into(), "flood".into(), "1".into()])));
    assert_eq!(outcome.ended, Ended::Exited(0));
    assert!(outcome.duration > Duration::ZERO);
    assert!(outcome.peak_rss_bytes.expect("is known") > 100_000);
}

#[test]
fn exit_codes_are_seen_where_sigchld_is_ignored() {
    let scene = Scene::new();
    let args = ["ignore-sigchld", FIXTURE, "measure-flood", "log", "1000"];
    let output = capture(FIXTURE, &args, &scene.path(""), &[], b"").expect("runs");
    let seen: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(seen["ended"], serde_json::json!({"Exited": 0}), "{seen}");
}
