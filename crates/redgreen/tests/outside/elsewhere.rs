//! Evidence that is shown elsewhere, and the other ways to ask.

use std::fs;
use std::time::{Duration, SystemTime};

use super::{event, fix, session, slugs};
use crate::common::edits::Edits as _;
use crate::common::{Ended, Project};

/// How long ago everything was committed: what is written now is younger, and what the tests need is older.
const AGO: Duration = Duration::from_secs(10);

/// A project that was committed a while ago, in which a person has set redgreen up.
fn old(before: fn(&Project)) -> Project {
    let project = committed(before);
    project.trust();
    project
}

/// A project that was committed a while ago.
fn committed(before: fn(&Project)) -> Project {
    let project = Project::empty();
    before(&project);
    project.git(&["add", "-A"]);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a time");
    let date = format!("@{} +0000", (now - AGO).as_secs());
    let mut commit = project.command("git");
    commit.args(["-c", "user.name=t", "-c", "user.email=t@example.org"]);
    commit.args(["commit", "-q", "-m", "start"]).env("GIT_COMMITTER_DATE", date);
    assert!(commit.status().expect("git").success());
    project
}

/// A change that passes only with a file that git ignores.
fn bend(project: &Project) {
    project.write("local/small.py", "def small(text):\n    return text.lower()\n");
    bend_with_what_is_there(project);
}

fn bend_with_what_is_there(project: &Project) {
    project.write(
        "slug.py",
        "import sys\n\nsys.path.insert(0, 'local')\nfrom small import small\n\n\ndef slug(text):\n    return small(text.replace(' ', '-'))\n",
    );
}

fn said(ended: &Ended) -> String {
    format!("exit {:?}\n{}\n{}", ended.code, ended.stdout, ended.stderr)
}

#[test]
fn whoever_asks_hears_the_same_of_what_no_fresh_checkout_has() {
    for ask in [&["test"][..], &["square"], &["gate", "--ci"]] {
        let project = old(slugs);
        bend(&project);
        let seen = project.redgreen(ask);
        let text = said(&seen);
        assert_ne!(seen.code, Some(0), "{ask:?}: {text}");
        assert!(text.contains("only with `local/small.py`"), "{ask:?}: {text}");
        // The right fix passes beside that file.
        fix(&project);
        project.redgreen(ask).assert_code(0);
    }
}

/// Has the evidence of a project exported, and shows it where nothing is remembered.
fn shown_elsewhere(project: &Project) -> Ended {
    let export = ["evidence", "export", "-o", "../agent/e.jsonl", "--public-key", "../agent/pub"];
    project.redgreen(&export).assert_code(0);
    fs::remove_dir_all(project.root().join(".redgreen/evidence")).expect("removed");
    let ci = [
        "gate",
        "--ci",
        "--base",
        "HEAD",
        "--evidence",
        "../agent/e.jsonl",
        "--key",
        "../agent/pub",
        "--no-execute",
    ];
    project.redgreen(&ci)
}

#[test]
fn evidence_that_says_nothing_of_a_fresh_checkout_is_not_believed_in_ci() {
    let project = old(slugs);
    event(&project, "SessionStart");
    fix(&project);
    assert_ne!(event(&project, "Stop")["decision"], "block");
    shown_elsewhere(&project).assert_code(0);

    // Nobody looked there: what the steps of a job made lies beside the tree.
    let project = old(slugs);
    bend(&project);
    let mut job = project.redgreen_command(&["gate", "--ci", "--base", "HEAD"]);
    let job: Ended = job.env("CI", "true").output().expect("redgreen").into();
    job.assert_code(0);
    // Where somebody can look, that job's word is not enough.
    let here = project.redgreen(&["gate"]);
    assert!(said(&here).contains("only with `local/small.py`"), "{}", said(&here));
    let refused = shown_elsewhere(&project);
    refused.assert_code(1);
    let text = said(&refused);
    assert!(text.contains("does not say whether the tree passes in a fresh checkout"), "{text}");
}

/// A test that needs a file at home, and one that asks a server.
fn needy(project: &Project, port: u16) {
    slugs(project);
    fix(project);
    project.write(
        "tests/test_needs.py",
        format!("import pathlib\nimport socket\n\n\ndef test_home():\n    assert (pathlib.Path.home() / 'way').read_text() == 'x'\n\n\ndef test_server():\n    socket.create_connection(('127.0.0.1', {port}), 5).close()\n"),
    );
    fs::write(project.home().join("way"), "x").expect("a file");
}

#[test]
fn a_clean_gate_has_an_empty_home_and_where_it_is_asked_for_no_network() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = server.local_addr().expect("an address").port();
    let project = Project::empty();
    needy(&project, port);
    project.commit();
    project.append("slug.py", "\n\nVERSION = 2\n");
    project.redgreen(&["gate"]).assert_code(0);
    let clean = project.redgreen(&["gate", "--clean"]);
    let text = said(&clean);
    assert!(clean.code == Some(1) && text.contains("only with `the home folder`"), "{text}");
    fs::write(project.root().join("tests/test_needs.py"), "def test_home():\n    pass\n\n\ndef test_server():\n    import socket\n    socket.create_connection(('127.0.0.1', PORT), 5).close()\n".replace("PORT", &port.to_string())).expect("a file");
    project.commit();
    project.append("slug.py", "MORE = 3\n");
    project.redgreen(&["gate", "--clean"]).assert_code(0);
    let alone = project.redgreen(&["gate", "--clean", "--no-network"]);
    let text = said(&alone);
    assert!(alone.code == Some(1) && text.contains("only with `the network`"), "{text}");
}

/// On a machine without namespaces a copy says the same.
#[test]
fn a_copy_shows_what_a_view_would() {
    let project = old(|it| {
        slugs(it);
        it.write("tests/test_way.py", "import pathlib\n\n\ndef test_way():\n    assert pathlib.Path('.env').read_text() == 'x'\n");
        // It is younger than the commit, but a person says that another step makes it.
        let rules = format!("{}[tests]\noutside = [\".env\"]\n", it.read("redgreen.toml"));
        it.write("redgreen.toml", rules);
    });
    project.write(".env", "x");
    bend(&project);
    let gate = |project: &Project| -> Ended {
        let mut gate = project.redgreen_command(&["gate"]);
        gate.env("REDGREEN_NO_VIEWS", "1").output().expect("redgreen").into()
    };
    let text = said(&gate(&project));
    assert!(
        text.starts_with("exit Some(1)") && text.contains("only with `local/small.py`"),
        "{text}"
    );
    fix(&project);
    let text = said(&gate(&project));
    assert!(text.starts_with("exit Some(0)") && !text.contains("not looked at"), "{text}");
}

#[test]
fn a_commit_that_lacks_what_the_work_tree_has_is_said() {
    for (added, says) in [("slug.py", true), ("-A", false)] {
        let project = Project::empty();
        let answer = session(&project, slugs, |_| {});
        assert_ne!(answer["decision"], "block");
        project.write("small.py", "def small(text):\n    return text.lower()\n");
        project.write("slug.py", "from small import small\n\n\ndef slug(text):\n    return small(text.replace(' ', '-'))\n");
        project.git(&["add", added]);
        project.git(&["commit", "-q", "-m", "make slugs small"]);
        let answer = event(&project, "Stop");
        assert_ne!(answer["decision"], "block", "{answer}");
        let said = answer["systemMessage"].as_str().unwrap_or_default();
        let wanted = "HEAD is not the tree that passed: small.py is not committed";
        assert_eq!(said.contains(wanted), says, "{answer}");
    }
}
