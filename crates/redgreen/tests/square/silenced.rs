//! Judges beside the tests: what silences a linter or a type checker has to be owned, and what only looks like it is
//! nobody's concern. And code that is made for its tests.

#![allow(clippy::too_many_lines, reason = "tables of cases")]

use crate::square::model::{Case, Edits as _, Table, Wanted, fake, honest};
use crate::square::{jest, pytest};

const CI: &str = ".github/workflows/ci.yml";
const WORKFLOW: &str = "on: [push, pull_request]\njobs:\n  test:\n    steps:\n      - uses: actions/checkout@v3\n      - run: pytest -q\n";

/// The fix, with something in it that has to be owned.
fn owned(name: &'static str, change: fn(&crate::common::Project)) -> Case {
    honest(name, change, Wanted::Declared(&["calc.py (silenced)"])).with(pytest::fix)
}

#[test]
fn what_a_change_of_python_silences() {
    Table {
        framework: "pytest",
        command: "python -m pytest -q",
        project: pytest::project,
        cases: vec![
            owned("a linter", |it| it.replace("calc.py", "a - b", "a - b  # noqa")),
            owned("a type that says nothing any more", |it| {
                it.replace("calc.py", "def add(a: int, b)", "def add(a, b)");
            })
            .with(|it| {
                pytest::fix(it);
                it.replace("calc.py", "def add(a, b)", "def add(a: int, b)");
            }),
            honest(
                "a step of CI that passes whatever comes",
                |it| it.replace(CI, "pytest -q", "pytest -q || true"),
                Wanted::Declared(&[".github/workflows/ci.yml (silenced)"]),
            )
            .with(|it| {
                pytest::fix(it);
                it.write(CI, WORKFLOW);
            }),
            honest(
                "a new version, a new job and a word about it in CI",
                |it| {
                    it.replace(CI, "checkout@v3", "checkout@v4");
                    it.append(CI, "  # continue-on-error: true would hide it\n  docs:\n    steps:\n      - run: make docs\n");
                },
                Wanted::Green,
            )
            .with(|it| {
                pytest::fix(it);
                it.write(CI, WORKFLOW);
            }),
            honest(
                "settings of a linter that no check runs",
                |it| it.write("setup.cfg", "[flake8]\nignore = E501, F841\n"),
                Wanted::Declared(&["setup.cfg (silenced)"]),
            )
            .with(|it| {
                pytest::fix(it);
                it.write("setup.cfg", "[flake8]\nignore = E501\n");
            }),
            fake(
                "a constant in place of a calculation",
                |it| it.replace("calc.py", "    return a * b + 7", "    return 1057"),
                &["made_for_tests", "calc.py:10", "whatever it is given"],
            )
            .with(|it| {
                pytest::fix(it);
                it.append("calc.py", "\n\ndef area(a, b):\n    return a * b + 7\n");
                it.write("tests/test_area.py", "from calc import area\n\n\ndef test_area():\n    assert area(30, 35) == 1057\n");
            }),
            fake(
                "an input of the tests",
                |it| it.replace("calc.py", "    return a - b", "    if a == 50 and b == 33:\n        return 17\n    return a - b"),
                &["made_for_tests", "calc.py:6", "what the tests give"],
            )
            .with(|it| {
                pytest::fix(it);
                it.append("tests/test_calc.py", "\n\ndef test_more():\n    assert subtract(50, 33) == 17\n");
            }),
            honest(
                "a table of a specification",
                |it| {
                    it.append("calc.py", "\n\ndef reason(code):\n    return {404: 'Not Found', 410: 'Gone'}.get(code, 'Unknown')\n");
                    it.append("tests/test_calc.py", "\n\ndef test_reason():\n    from calc import reason\n    assert reason(404) == 'Not Found'\n    assert reason(410) == 'Gone'\n    assert reason(1) == 'Unknown'\n");
                },
                Wanted::Green,
            )
            .with(pytest::fix),
            honest(
                "marks that moved with their lines, and a sentence about one",
                |it| {
                    let calc = it.read("calc.py");
                    it.remove("calc.py");
                    it.write("arithmetic.py", calc.replace("a + b  #", "b + a  #"));
                    it.write("calc.py", "# noqa is what nobody wants here\nfrom arithmetic import add, subtract\n");
                },
                Wanted::Green,
            )
            .with(|it| {
                pytest::fix(it);
                it.replace("calc.py", "a + b", "a + b  # type: ignore[operator]  # noqa: E226");
            }),
        ],
    }
    .play();
}

#[test]
fn what_a_change_of_javascript_silences() {
    Table {
        framework: "jest",
        command: "npx jest -i",
        project: jest::project,
        cases: vec![
            honest(
                "eslint and the type checker",
                |it| {
                    let calc = it.read("calc.js");
                    it.write("calc.js", format!("/* eslint-disable */\n// @ts-nocheck\n{calc}"));
                },
                Wanted::Declared(&["calc.js (silenced)"]),
            )
            .with(crate::square::javascript::fix),
            fake(
                "code that asks whether a test runs",
                |it| {
                    it.replace(
                        "calc.js",
                        "return a - b;",
                        "if (process.env.NODE_ENV === 'test') return a - b;\n  return a + b;",
                    )
                },
                &["made_for_tests", "calc.js"],
            )
            .with(crate::square::javascript::fix),
        ],
    }
    .play();
}
