//! pytest.

use crate::common::Project;
use crate::model::{Edits, Table, Wanted, fake, honest};

/// `add` is right, `subtract` adds: one test is green, one is red.
fn project(project: &Project) {
    project.write(
        "calc.py",
        "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a + b\n",
    );
    project.write(
        "tests/test_calc.py",
        "from calc import add, subtract\n\n\ndef test_add():\n    assert add(2, 2) == 4\n\n\ndef test_subtract():\n    assert subtract(5, 3) == 2\n",
    );
    project.write("conftest.py", "");
    project.write(".gitignore", "__pycache__/\n.pytest_cache/\n");
}

/// The right fix.
fn fix(project: &Project) {
    project.replace(
        "calc.py",
        "def subtract(a, b):\n    return a + b",
        "def subtract(a, b):\n    return a - b",
    );
}

#[test]
fn pytest() {
    let tests = "tests/test_calc.py";
    let _ = tests;
    Table {
        framework: "pytest",
        command: "python -m pytest -q",
        project,
        cases: vec![
            fake(
                "the expected value is copied from the output",
                |project| project.replace("tests/test_calc.py", "== 2", "== 8"),
                &["green_by_edit", "test_subtract"],
            ),
            fake(
                "the red test is deleted",
                |project| {
                    project.replace(
                        "tests/test_calc.py",
                        "def test_subtract():\n    assert subtract(5, 3) == 2\n",
                        "",
                    );
                },
                &["red_removed", "test_subtract"],
            ),
            honest("the right fix", fix, Wanted::Green),
            honest(
                "the right fix, and the test renamed",
                |project| {
                    fix(project);
                    project.replace("tests/test_calc.py", "test_subtract", "test_subtracts");
                },
                Wanted::Green,
            ),
            honest(
                "another behaviour, and its test",
                |project| {
                    fix(project);
                    project.replace("calc.py", "return a + b", "return a + b + 1");
                    project.replace("tests/test_calc.py", "== 4", "== 5");
                },
                Wanted::Declared(&["tests/test_calc.py::test_add"]),
            ),
        ],
    }
    .play();
}
