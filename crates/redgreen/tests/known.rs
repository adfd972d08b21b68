//! Tests that a person knows to be red: real runs, a real terminal.

use std::io::Write as _;
use std::process::Stdio;

use crate::common::Project;

/// A project in which `test_subtract` is red, and one more that nobody can mend today.
fn project() -> Project {
    let project = Project::pytest();
    project.write("tests/test_server.py", "import os\n\n\ndef test_server():\n    assert os.path.exists('up'), 'no server'\n\n\ndef test_port():\n    assert os.path.exists('up'), 'no port'\n");
    project.commit();
    project
}

/// redgreen at a terminal, where somebody types this.
fn at_a_terminal(project: &Project, command: &str, typed: &str) -> (String, Option<i32>) {
    let line = format!("'{}' {command}", env!("CARGO_BIN_EXE_redgreen"));
    let mut script = project.command("script");
    script.args(["-qec", &line, "/dev/null"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = script.spawn().expect("a terminal");
    child.stdin.take().expect("it is piped").write_all(typed.as_bytes()).expect("typed");
    let ended = child.wait_with_output().expect("it ends");
    (String::from_utf8_lossy(&ended.stdout).into_owned(), ended.status.code())
}

const FIX: &str = "sed -i '6s/return.*/return a - b/' calc.py";

#[test]
fn what_a_person_lists_holds_nobody_and_leaves_the_list_when_it_passes() {
    let project = project();
    let add = "known add tests/test_server.py::test_server tests/test_server.py::test_port --reason 'moved next week'";
    let (said, code) = at_a_terminal(&project, add, "n\n");
    assert_eq!(code, Some(2), "it asks: {said}");
    let (said, code) = at_a_terminal(&project, add, "y\n");
    assert_eq!(code, Some(0), "{said}");
    let list = project.read("redgreen.known.toml");
    assert_eq!(list.matches("[[known]]").count(), 2, "{list}");
    assert!(list.contains("moved next week") && list.contains("no server"), "{list}");
    let run = project.run(FIX, &[]);
    assert_eq!(run.ended.code, Some(0), "{}", run.ended.stdout);
    let said = &run.ended.stdout;
    assert!(!said.contains("\"status\":\"passed\""), "{said}");
    let words = "passed, except for 2 that are known to be red: tests/test_server.py::test_port, tests/test_server.py::test_server";
    assert!(said.contains(words), "{said}");
    let report = project.redgreen(&["report", &project.session()]).stdout;
    assert!(
        report.contains(words) && report.contains("known to be red: `tests/test_server.py"),
        "{report}"
    );
    let evidence = project.redgreen(&["evidence", "show", "--json"]).stdout;
    assert!(evidence.contains("moved next week"), "{evidence}");
    // By itself, and only the one that passes.
    project.commit();
    project.write("tests/up.txt", "");
    project.write("calc.py", format!("{}\n\n# 1\n", project.read("calc.py")));
    project.write("conftest.py", "open('up', 'w').close()\n");
    project.write(".gitignore", format!("{}up\n", project.read(".gitignore")));
    let test = project.redgreen(&["test"]);
    assert_eq!(test.code, Some(0), "{}", test.stdout);
    assert!(test.stderr.contains("no longer known to be red"), "{}", test.stderr);
    assert!(!project.read("redgreen.known.toml").contains("[[known]]"));
}

#[test]
fn an_agent_cannot_list_a_test() {
    let project = project();
    let (said, code) = at_a_terminal(&project, "known add --all --reason 'all of it'", "y\n");
    assert_eq!(code, Some(0), "{said}");
    project.commit();
    let list = project.read("redgreen.known.toml");
    assert_eq!(list.matches("[[known]]").count(), 3, "{list}");
    let refused = project.redgreen(&["known", "add", "--all", "--reason", "me"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    // Taking off is for anybody; what is taken off and written back is an edit like any other.
    let remove = ["known", "remove", "tests/test_server.py::test_port"];
    assert_eq!(project.redgreen(&remove).code, Some(0));
    project.commit();
    project.write("list", list);
    project.commit();
    let agent = format!("{FIX}; cp list redgreen.known.toml");
    let run = project.run(&agent, &["--max-attempts", "1"]);
    run.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    assert!(run.ended.stdout.contains("configuration_changed"), "{}", run.ended.stdout);
    assert!(
        run.ended.stdout.contains("redgreen.known.toml lists more than before"),
        "{}",
        run.ended.stderr
    );
}

#[test]
fn who_sets_a_project_up_is_asked_about_what_is_red() {
    for (typed, listed) in
        [("\n\nmoved next week\ny\n", true), ("\n\nmoved next week\nn\n", false), ("\n\n\n", false)]
    {
        let project = project();
        std::fs::remove_file(project.root().join("redgreen.toml")).expect("removed");
        let (said, code) = at_a_terminal(&project, "init", typed);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("3 tests are red") && said.contains("wrote redgreen.toml"), "{said}");
        let list = project.root().join("redgreen.known.toml");
        assert_eq!(list.is_file(), listed, "{said}");
        assert!(!listed || project.read("redgreen.known.toml").contains("moved next week"));
    }
}
