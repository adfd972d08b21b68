//! What was red before an agent came is seen while it begins, where installed dependencies may change under it.

use std::fs;

use serde_json::Value;

use crate::common::Project;
use crate::gate::visitor::{Visitor, reason};

const PACKAGES: &str = ".venv/lib/python3/site-packages";
const TEST: &str = "from priced import price\n\n\ndef test_price():\n    assert price() == 3\n";

/// A project whose code calls a library that is installed beside it, where git does not look.
fn with_a_library(more: &str) -> Project {
    let project = Project::empty();
    project.write(".gitignore", ".redgreen/\n.venv/\n__pycache__/\n");
    project.write("redgreen.toml", "[[checks]]\ncommand = \"python -m pytest -q\"\n");
    project.write("pytest.ini", format!("[pytest]\npythonpath = . {PACKAGES}\n"));
    project.write("requirements.txt", "library==1\n");
    project.write("priced.py", "import library\n\n\ndef price():\n    return library.one() + 2\n");
    project.write("test_priced.py", format!("{TEST}{more}"));
    project.write(&format!("{PACKAGES}/library.py"), "def one():\n    return 1\n");
    project.commit();
    project
}

fn await_baseline(project: &Project) {
    while project.processes().iter().any(|process| process.contains("__gate-baseline")) {
        std::thread::yield_now();
    }
}

fn upgrade(project: &Project) {
    project.write("requirements.txt", "library==2\n");
    let library = project.root().join(PACKAGES).join("library.py");
    fs::remove_file(&library).expect("removed");
    fs::write(library, "def first():\n    return 1\n").expect("installed");
}

#[test]
fn an_upgraded_dependency_does_not_make_tests_red_before() {
    let visitor = Visitor::of(with_a_library(""));
    await_baseline(&visitor.project);
    assert_eq!(visitor.project.git(&["status", "--porcelain"]), "", "nothing is disturbed");
    upgrade(&visitor.project);
    let answer = visitor.stop();
    assert!(reason(&answer).contains("regressed"), "{answer}");
    visitor.shell("sed -i 's/one/first/' priced.py");
    assert_eq!(visitor.stop(), Value::Null);
}

#[test]
fn what_was_written_in_the_meantime_counts_for_nothing_and_a_stop_takes_over() {
    // The one in the background says that it is there, and waits for ever.
    let waits = "\n\ndef test_waits():\n    import os\n    if os.nice(0) == 19:\n        open('../agent/here', 'w')\n        open('../agent/never')\n";
    let project = with_a_library(waits);
    for name in ["here", "never"] {
        let made = project.command("mkfifo").arg(project.outside().join(name)).status();
        assert!(made.expect("mkfifo").success());
    }
    let visitor = Visitor::of(project);
    fs::read(visitor.project.outside().join("here")).expect("a sign");
    upgrade(&visitor.project);
    visitor.shell("sed -i 's/one/first/' priced.py");
    assert_eq!(visitor.stop(), Value::Null);
    await_baseline(&visitor.project);
    let left = visitor.project.processes();
    assert!(!left.iter().any(|process| process.contains("pytest")), "{left:?}");
}
