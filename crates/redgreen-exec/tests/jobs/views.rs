//! Jobs that see other files than are there.
#![allow(clippy::expect_used, reason = "test code")]

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nix::unistd::{Gid, Uid, chown, getuid};
use redgreen_exec::{
    Ended, Job, Layer, NO_VIEWS_VARIABLE, Outcome, View, hides_what_is_below, place_for_layers,
    remove_layers, views_work,
};

use crate::common::{FIXTURE, Scene, is_gone, text};

const NOBODY: u32 = 54321;

fn put(folder: &Path, name: &str, content: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
    fs::write(path, content).expect("written");
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).expect("a file")
}

fn layer(scene: &Scene, at: &str) -> Layer {
    let [at, upper, work] =
        [at.to_owned(), format!("{at}-upper"), format!("{at}-work")].map(|name| scene.path(&name));
    for folder in [&at, &upper, &work] {
        fs::create_dir_all(folder).expect("a folder");
    }
    Layer { at, upper, work }
}

fn job_in(scene: &Scene, view: View, line: &str) -> Job {
    let folder = view.layers[0].at.clone();
    Job { folder, view: Some(view), ..scene.shell(line) }
}

fn only(layer: &Layer) -> View {
    View { layers: vec![layer.clone()], ..View::default() }
}

fn succeeds(outcome: &Outcome) {
    assert_eq!(
        outcome.ended,
        Ended::Exited(0),
        "{}",
        String::from_utf8_lossy(&outcome.output.head)
    );
}

#[test]
fn a_job_sees_the_upper_layer_over_the_folder_and_leaves_the_folder_alone() {
    let scene = Scene::new();
    let layer = layer(&scene, "project");
    let at = &layer.at;
    put(at, "code", "real");
    put(at, "tests/t", "real");
    put(at, "tests/only-here", "real");
    put(at, "gone/a", "real");
    put(at, "gone/deep/b", "real");
    put(at, "partly/gone", "real");
    put(at, "partly/kept", "real");
    put(at, ".shared/x", "real");
    put(at, "empty/deep/x", "real");
    put(&layer.upper, "tests/t", "staged");
    put(&layer.upper, "tests/new", "staged");
    let (settings, nothing) = (scene.path("settings"), scene.path("nothing"));
    fs::write(&settings, "real").expect("written");
    fs::write(&nothing, "covered\n").expect("written");
    fs::set_permissions(at, Permissions::from_mode(0o750)).expect("chmod");
    let view = View {
        layers: vec![layer.clone()],
        shared: vec![at.join(".shared")],
        deleted: ["gone/a", "gone/deep/b", "partly/gone", "never/there"]
            .map(|it| at.join(it))
            .into(),
        emptied: vec![at.join("empty")],
        covered: vec![(settings.clone(), nothing)],
        offline: false,
    };
    let at_text = at.display();
    let line = format!(
        "set -e; cat code tests/t tests/new tests/only-here '{at_text}/tests/t'; echo
        ls; ls partly; pwd; stat -c %a .
        echo changed > code; echo new > made; rm tests/only-here; echo kept > .shared/x
        test -z \"$(ls -A empty)\"; echo lost > empty/y
        rm -r partly; mkdir partly; echo again > partly/other; cat '{}'",
        settings.display()
    );
    let outcome = scene.run(&job_in(&scene, view, &line));
    succeeds(&outcome);
    let expected = format!(
        "realstagedstagedrealstaged\ncode\nempty\npartly\ntests\nkept\n{at_text}\n750\ncovered\n"
    );
    assert_eq!(text(&outcome), expected);

    assert_eq!(read(at.join("code")), "real");
    assert_eq!(read(at.join("tests/t")), "real");
    assert_eq!(read(at.join("gone/deep/b")), "real");
    assert_eq!(read(at.join("partly/kept")), "real");
    assert!(at.join("tests/only-here").exists() && !at.join("made").exists());
    assert_eq!(read(at.join(".shared/x")), "kept\n", "shared is real");
    assert_eq!(read(at.join("empty/deep/x")), "real");
    assert_eq!(read(settings), "real");
    assert!(!at.join("empty/y").exists());
    assert_eq!(read(layer.upper.join("code")), "changed\n");
    assert_eq!(read(layer.upper.join("made")), "new\n");
    assert!(!layer.upper.join(".shared/x").exists());
    assert!(hides_what_is_below(&layer.upper.join("partly")));
    assert!(!hides_what_is_below(&layer.upper.join("tests")));
}

#[test]
fn the_next_job_sees_what_the_last_one_left_in_the_layer() {
    let scene = Scene::new();
    let layer = layer(&scene, "project");
    put(&layer.at, "old", "real");
    let first = scene.run(&job_in(&scene, only(&layer), "echo one > file; rm old"));
    succeeds(&first);
    let second = scene.run(&job_in(&scene, only(&layer), "cat file; ls"));
    succeeds(&second);
    assert_eq!(text(&second), "one\nfile\n");
    let outside = scene.run(&Job { folder: layer.at.clone(), ..scene.shell("ls") });
    assert_eq!(text(&outside), "old\n");
}

#[test]
fn any_name_will_do_and_layers_may_lie_in_the_folder() {
    let scene = Scene::new();
    let odd = b"a,b:c\\d e\xff".as_slice();
    let at = scene.path("").join(OsStr::from_bytes(odd));
    let [upper, work] = [".own/upper,x:y", ".own/work,x:y"].map(|name| at.join(name));
    for folder in [&upper, &work] {
        fs::create_dir_all(folder).expect("a folder");
    }
    put(&at, "file", "real");
    put(&upper, "file", "staged");
    fs::write(at.join(OsStr::from_bytes(b"g\xff,one")), "").expect("written");
    let view = View {
        layers: vec![Layer { at: at.clone(), upper: upper.clone(), work }],
        shared: vec![at.join(".own")],
        deleted: vec![at.join(OsStr::from_bytes(b"g\xff,one"))],
        ..View::default()
    };
    let outcome =
        scene.run(&job_in(&scene, view, "cat file; ls; echo x > .own/log; echo y > made"));
    succeeds(&outcome);
    assert_eq!(text(&outcome), "stagedfile\n");
    assert_eq!(read(at.join(".own/log")), "x\n");
    assert_eq!(read(upper.join("made")), "y\n");
    remove_layers(&at.join(".own")).expect("removed");
    assert!(!at.join(".own").exists());
}

#[test]
fn several_folders_can_look_different() {
    let scene = Scene::new();
    let (project, target) = (layer(&scene, "project"), layer(&scene, "elsewhere/target"));
    let inner = Layer { at: project.at.join("target"), ..layer(&scene, "inner") };
    put(&target.at, "built", "real");
    put(&inner.at, "built", "inner");
    let view = View {
        layers: vec![project.clone(), target.clone(), inner.clone()],
        deleted: vec![inner.at.join("built")],
        ..View::default()
    };
    let line = "cat ../elsewhere/target/built; ls target; echo 1 > code; echo 2 > ../elsewhere/target/out; echo 3 > target/out";
    let outcome = scene.run(&job_in(&scene, view, line));
    succeeds(&outcome);
    assert_eq!(text(&outcome), "real");
    assert_eq!(read(project.upper.join("code")), "1\n");
    assert_eq!(read(target.upper.join("out")), "2\n");
    assert_eq!(read(inner.upper.join("out")), "3\n");
    assert!(!target.at.join("out").exists() && !inner.at.join("out").exists());
    assert!(inner.at.join("built").exists());
}

#[test]
fn what_is_taken_out_is_not_looked_for_behind_links() {
    let scene = Scene::new();
    let layer = layer(&scene, "project");
    put(&layer.at, "folder/file", "real");
    put(&layer.at, "other/file", "real");
    symlink("other", layer.upper.join("folder")).expect("a link");
    let deleted = vec![layer.at.join("folder/file")];
    let view = View { deleted, ..only(&layer) };
    let outcome = scene.run(&job_in(&scene, view, "cat other/file; readlink folder"));
    succeeds(&outcome);
    assert_eq!(text(&outcome), "realother\n");
}

#[test]
fn redgreens_own_folder_may_be_gone_in_the_view() {
    let scene = Scene::new();
    for name in ["at/here/deeper", "upper", "work"] {
        fs::create_dir_all(scene.path(name)).expect("a folder");
    }
    fs::write(scene.path("upper/here"), "a file in its place").expect("written");
    let mut command = Command::new(FIXTURE);
    command.current_dir(scene.path("at/here/deeper"));
    let output = command.arg("run-view").arg(scene.path("")).arg("cat here").output();
    let said = String::from_utf8(output.expect("runs").stdout).expect("UTF-8");
    assert_eq!(said, "Exited(0)\na file in its place");
}

#[test]
fn git_works_in_a_view() {
    let scene = Scene::new();
    let layer = layer(&scene, "project");
    let git = "git -c user.name=n -c user.email=e@example.org -c commit.gpgSign=false";
    let setup = format!(
        "git init -q && echo old > f && echo x > gone && git add . && {git} commit -qm one"
    );
    succeeds(&scene.run(&Job { folder: layer.at.clone(), ..scene.shell(&setup) }));
    let head = read(layer.at.join(".git/HEAD"));
    put(&layer.upper, "f", "staged\n");
    let view = View { deleted: vec![layer.at.join("gone")], ..only(&layer) };
    let line = format!(
        "git status --porcelain && git checkout -qb other && {git} commit -qam two && git log --format=%s"
    );
    let outcome = scene.run(&job_in(&scene, view, &line));
    succeeds(&outcome);
    assert_eq!(text(&outcome), " M f\n D gone\ntwo\none\n");
    assert_eq!(read(layer.at.join(".git/HEAD")), head, "the real repository is as it was");
}

#[test]
fn what_cannot_be_mounted_is_said_and_nothing_runs() {
    let scene = Scene::new();
    let whole = layer(&scene, "project");
    let ran = scene.path("ran");
    let line = format!("touch '{}'", ran.display());
    let no_upper = Layer { upper: scene.path("nowhere"), ..whole.clone() };
    let file = scene.path("file");
    fs::write(&file, "").expect("written");
    let no_folder = Layer { at: file, ..whole.clone() };
    let not_mountable =
        Layer { upper: "/proc/self".into(), work: "/proc/self".into(), ..whole.clone() };
    let shared = View { shared: vec![scene.path("project/none")], ..only(&whole) };
    let outside = View { deleted: vec![scene.path("log")], ..only(&whole) };
    let itself = View { deleted: vec![whole.at.clone()], ..only(&whole) };
    let views = [only(&no_upper), only(&no_folder), only(&not_mountable), shared, outside, itself];
    let words =
        ["nowhere", "file", "overlay", "project/none", "lies in no layer", "lies in no layer"];
    for (view, word) in views.into_iter().zip(words) {
        let outcome =
            scene.run(&Job { folder: scene.path(""), view: Some(view), ..scene.shell(&line) });
        let Ended::NotStarted { reason } = &outcome.ended else { panic!("{:?}", outcome.ended) };
        assert!(reason.starts_with("view: ") && reason.contains(word), "{reason}");
    }
    assert!(!ran.exists());
}

#[test]
fn a_job_that_hangs_in_a_view_is_ended_with_all_it_started() {
    let scene = Scene::new();
    let layer = layer(&scene, "project");
    let mut held = scene.signpost("held");
    let line = "exec 9>../held; $FIXTURE detach sh -c '$FIXTURE detach sleep 1000 & sleep 1000' &
        $FIXTURE daemon /dev/null; echo $$ >&9; exec sleep 1000";
    let job = Job {
        limit: Some(Duration::from_millis(300)),
        grace: Duration::from_millis(100),
        ..job_in(&scene, only(&layer), line)
    };
    let outcome = scene.run(&job);
    assert_eq!(outcome.ended, Ended::TimedOut);
    assert!(outcome.leaks.is_empty(), "{:?}", outcome.leaks);
    let pid = held.pid();
    held.closed();
    assert!(is_gone(pid));
    assert!(seers(&layer).is_empty());
}

#[test]
fn a_daemon_in_a_view_is_a_leak_and_is_killed_and_the_mount_goes_with_it() {
    let scene = Scene::new();
    let layer = layer(&scene, "project");
    let mut post = scene.signpost("post");
    let outcome = scene.run(&job_in(&scene, only(&layer), "$FIXTURE daemon ../post; exit 0"));
    assert_eq!(outcome.ended, Ended::Exited(0));
    let [leak] = outcome.leaks.as_slice() else { panic!("not one leak: {:?}", outcome.leaks) };
    assert!(is_gone(leak.pid));
    // Where it came so far as to say who it is, it says the same.
    let said = post.line();
    assert!(said.is_empty() || said == leak.pid.to_string());
    assert!(seers(&layer).is_empty());
}

/// Who still sees the mount of a layer.
pub fn seers(layer: &Layer) -> Vec<PathBuf> {
    let point = format!(" {} ", layer.at.display());
    let sees = |process: &PathBuf| {
        fs::read_to_string(process.join("mountinfo")).is_ok_and(|table| table.contains(&point))
    };
    let processes = fs::read_dir("/proc").expect("a table").flatten().map(|entry| entry.path());
    processes.filter(sees).collect()
}

#[test]
fn views_are_tried_out_where_the_layers_will_lie() {
    let scene = Scene::new();
    assert_eq!(views_work(&scene.executor, &scene.path("")), Ok(()));
    assert_eq!(fs::read_dir(scene.path("")).expect("a folder").count(), 0, "nothing is left");
    let reason = views_work(&scene.executor, Path::new("/proc")).expect_err("not there");
    assert!(reason.starts_with("view: /proc"), "{reason}");
    let places = ["/proc".into(), scene.path(""), "/sys".into()];
    assert_eq!(place_for_layers(&scene.executor, &places), Ok(scene.path("")));
    assert_eq!(place_for_layers(&scene.executor, &places[..1]), Err(reason));
}

#[test]
fn views_can_be_switched_off() {
    let scene = Scene::new();
    for (value, expected) in [("1", "Err(\"REDGREEN_NO_VIEWS is set\")\n"), ("", "Ok(())\n")] {
        let mut command = Command::new(FIXTURE);
        command.arg("views-work").arg(scene.path("")).env(NO_VIEWS_VARIABLE, value);
        let output = command.output().expect("runs");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    }
    let layer = layer(&scene, "at");
    let mut command = Command::new(FIXTURE);
    command.arg("run-view").arg(scene.path("")).arg("touch ran").env(NO_VIEWS_VARIABLE, "1");
    for name in ["upper", "work"] {
        fs::create_dir(scene.path(name)).expect("a folder");
    }
    let said = command.output().expect("runs").stdout;
    let said = String::from_utf8_lossy(&said);
    assert!(said.contains("NotStarted") && said.contains("view: REDGREEN_NO_VIEWS"), "{said}");
    assert!(!layer.at.join("ran").exists());
}

/// Runs a line in a view with fewer rights than the tests may have, and returns what it said.
fn with_fewer_rights(scene: &Scene, arguments: &[&str], line: &str) -> String {
    for folder in ["", "at", "upper", "work"].map(|name| scene.path(name)) {
        fs::create_dir_all(&folder).expect("a folder");
        fs::set_permissions(&folder, Permissions::from_mode(0o777)).expect("chmod");
        if getuid().is_root() && arguments.iter().any(|it| it.ends_with("nobody")) {
            chown(&folder, Some(Uid::from_raw(NOBODY)), Some(Gid::from_raw(NOBODY)))
                .expect("chown");
        }
    }
    put(&scene.path("at"), "file", "real");
    put(&scene.path("upper"), "file", "staged");
    let folder = scene.path("");
    let mut command = Command::new(FIXTURE);
    command.args(arguments).arg(folder.as_os_str()).arg(line);
    let output = command.output().expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn a_user_without_rights_has_views_and_gets_no_rights_by_them() {
    let scene = Scene::new();
    let line = "cat file; echo; grep -e CapEff -e CapPrm -e CapAmb /proc/self/status
        umount .. 2>/dev/null || umount \"$PWD\" 2>/dev/null || echo stays; id -u; touch made && stat -c %u made";
    let said = with_fewer_rights(&scene, &["run-view-as-nobody"], line);
    let user = if getuid().is_root() { NOBODY } else { getuid().as_raw() };
    let none = "0000000000000000";
    let expected = format!(
        "Exited(0)\nstaged\nCapPrm:\t{none}\nCapEff:\t{none}\nCapAmb:\t{none}\nstays\n{user}\n{user}\n"
    );
    assert_eq!(said, expected);
    assert_eq!(read(scene.path("at/file")), "real");
    assert!(scene.path("upper/made").exists());
}

#[test]
fn root_that_may_not_mount_has_views_and_still_may_not() {
    let scene = Scene::new();
    let line = "cat file; echo; grep -e CapBnd /proc/self/status; umount \"$PWD\" 2>/dev/null || echo stays";
    let said = with_fewer_rights(&scene, &["without-mounting", "run-view"], line);
    let mut lines = said.lines();
    assert_eq!((lines.next(), lines.next()), (Some("Exited(0)"), Some("staged")), "{said}");
    let bounds = lines.next().and_then(|line| line.strip_prefix("CapBnd:\t")).expect("bounds");
    let bounds = u64::from_str_radix(bounds, 16).expect("a number");
    assert!(!getuid().is_root() || bounds & (1 << 21) == 0, "{said}");
    assert_eq!(lines.next(), Some("stays"));
}
