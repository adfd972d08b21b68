//! redgreen itself is killed while its job runs. A test binary of its own: it adopts the supervisor
//! that the killed parent leaves behind.
#![allow(clippy::expect_used, reason = "test code")]

mod common;

use std::process::{Command, Stdio};

use common::{FIXTURE, Scene, is_gone};
use nix::sys::prctl;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

#[test]
fn nothing_is_left_running_after_kill_9() {
    let scene = Scene::new();
    let log = scene.path("log");
    killed_with_its_job(&scene, &["run-job", log.to_str().expect("UTF-8")]);
}

#[test]
fn no_process_and_no_mount_is_left_after_kill_9_of_a_job_with_a_view() {
    let scene = Scene::new();
    let [at, ..] = ["at", "upper", "work"].map(|name| {
        let folder = scene.path(name);
        std::fs::create_dir(&folder).expect("a folder");
        folder
    });
    let folder = scene.path("");
    killed_with_its_job(&scene, &["run-view", folder.to_str().expect("UTF-8")]);
    let mounted = format!(" {} ", at.display());
    for process in std::fs::read_dir("/proc").expect("a table").flatten() {
        let table = std::fs::read_to_string(process.path().join("mountinfo")).unwrap_or_default();
        assert!(!table.contains(&mounted), "{:?} still has the mount", process.file_name());
    }
}

fn killed_with_its_job(scene: &Scene, arguments: &[&str]) {
    prctl::set_child_subreaper(true).expect("adopts");
    let mut held = scene.signpost("held");
    let folder = scene.path("");
    let line = format!(
        "cd {folder}; exec 9>held
        {FIXTURE} detach sh -c '{FIXTURE} detach sleep 1000 & echo $$ >&9; exec sleep 1000' &
        {FIXTURE} daemon /dev/null
        echo $PPID >&9
        exec sleep 1000",
        folder = folder.display()
    );
    let mut parent = Command::new(FIXTURE)
        .args(arguments)
        .arg(&line)
        .stdin(Stdio::null())
        .spawn()
        .expect("starts");
    let said = [held.pid(), held.pid()];
    let is_supervisor = |pid: &i32| {
        let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).expect("lives");
        line.ends_with("supervise\0")
    };
    let (supervisors, others): (Vec<i32>, Vec<i32>) = said.into_iter().partition(is_supervisor);
    let ([supervisor], [other]) = (supervisors.as_slice(), others.as_slice()) else {
        panic!("not one supervisor: {said:?}");
    };

    parent.kill().expect("kill -9");
    parent.wait().expect("reaped");
    held.closed();

    let supervisor = Pid::from_raw(*supervisor);
    let end = waitpid(supervisor, None).expect("the supervisor is ours now");
    assert!(matches!(end, WaitStatus::Exited(..)), "{end:?}");
    assert!(is_gone(*other));
    assert!(is_gone(supervisor.as_raw()));
}
