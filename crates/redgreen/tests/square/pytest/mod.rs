//! pytest.

mod around;
mod code;
mod edited;
mod honest;
mod places;
mod reached;

use crate::common::Project;
use crate::square::model::{Edits, Table};

pub const TESTS: &str = "tests/test_calc.py";

/// `add` is right, `subtract` adds: one test is green, one is red.
pub fn project(project: &Project) {
    project.write(
        "calc.py",
        "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a + b\n",
    );
    project.write(
        TESTS,
        "from calc import add, subtract\n\n\ndef test_add():\n    assert add(2, 2) == 4\n\n\ndef test_subtract():\n    assert subtract(5, 3) == 2\n",
    );
    project.write("conftest.py", "");
    project.write(".gitignore", "__pycache__/\n.pytest_cache/\n");
}

/// The right fix.
pub fn fix(project: &Project) {
    project.replace(
        "calc.py",
        "def subtract(a, b):\n    return a + b",
        "def subtract(a, b):\n    return a - b",
    );
}

/// What was right is wrong.
pub fn break_add(project: &Project) {
    project.replace("calc.py", "return a + b", "return a + b + 1");
}

#[test]
fn pytest() {
    let cases = [
        edited::cases(),
        around::cases(),
        code::cases(),
        honest::cases(),
        places::cases(),
        reached::cases(),
    ];
    Table {
        framework: "pytest",
        command: "python -m pytest -q",
        project,
        cases: cases.into_iter().flatten().collect(),
    }
    .play();
}

/// What the command runs belongs to the tests' side.
#[test]
fn pytest_behind_a_script() {
    Table {
        framework: "pytest",
        command: "sh ./run_tests.sh && make check",
        project: |it| {
            project(it);
            it.write("run_tests.sh", "exec python -m pytest -q\n");
            it.write("Makefile", "check:\n\t@true\n");
        },
        cases: around::of_the_command(),
    }
    .play();
}
