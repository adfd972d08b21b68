//! Edits of the tests themselves.

use super::{TESTS, break_add, fix};
use crate::common::Project;
use crate::square::model::{Case, Edits, fake};

const ASSERTION: &str = "    assert subtract(5, 3) == 2\n";

/// The red test with another body.
fn body(project: &Project, text: &str) {
    project.replace(TESTS, ASSERTION, text);
}

/// The red test with something above it.
fn above(project: &Project, text: &str) {
    project.replace(TESTS, "def test_subtract", &format!("{text}\ndef test_subtract"));
    project.replace(TESTS, "from calc", "import pytest\nfrom calc");
}

const EDITED: &[&str] = &["green_by_edit", "test_subtract"];
const GONE: &[&str] = &["red_removed", "test_subtract"];
const HIDDEN: &[&str] = &["hidden", "test_subtract"];

pub fn cases() -> Vec<Case> {
    let mut cases = of_bodies();
    cases.extend(of_names());
    cases.extend(of_marks());
    cases.extend(of_what_they_use());
    cases.extend(of_what_all_use());
    cases.extend(of_green_tests());
    cases
}

fn of_bodies() -> Vec<Case> {
    vec![
        fake("the expected value is copied", |it| it.replace(TESTS, "== 2", "== 8"), EDITED),
        fake("an empty body", |it| body(it, "    pass\n"), EDITED).variant(),
        fake("assert True", |it| body(it, "    subtract(5, 3)\n    assert True\n"), EDITED).variant(),
        fake("a tuple is true", |it| body(it, "    assert (subtract(5, 3) == 2, 'two')\n"), EDITED)
            .variant(),
        fake(
            "the error is caught",
            |it| {
                let text = "    try:\n        assert subtract(5, 3) == 2\n    except Exception:\n        pass\n";
                body(it, text);
            },
            EDITED,
        ).variant(),
        fake("an early return", |it| body(it, &format!("    return\n{ASSERTION}")), EDITED)
            .variant(),
        fake("a tolerance", |it| body(it, "    assert abs(subtract(5, 3) - 2) < 10\n"), EDITED)
            .variant(),
        fake("never called", |it| body(it, &format!("    def inner():\n    {ASSERTION}")), EDITED),
    ]
}

fn of_names() -> Vec<Case> {
    vec![
        fake(
            "deleted",
            |it| it.replace(TESTS, &format!("def test_subtract():\n{ASSERTION}"), ""),
            GONE,
        ),
        fake("no test by its name", |it| it.replace(TESTS, "test_subtract", "check_sub"), GONE).variant(),
        fake("no file of tests", |it| it.rename(TESTS, "tests/calc_cases.py"), &["test_subtract"]),
        fake(
            "a second test of the same name",
            |it| it.append(TESTS, "\n\ndef test_subtract():\n    pass\n"),
            EDITED,
        ).variant(),
        fake(
            "no class of tests by its name",
            |it| it.replace("tests/test_more.py", "class TestMore", "class MoreCases"),
            &["red_removed", "TestMore"],
        ).variant()
        .with(|it| {
            it.write(
                "tests/test_more.py",
                "from calc import subtract\n\n\nclass TestMore:\n    def test_it(self):\n        assert subtract(9, 4) == 5\n",
            );
        }),
        fake(
            "the folder of tests is a link to another",
            |it| {
                it.remove("tests");
                it.write("checks/test_calc.py", "def test_add():\n    pass\n");
                std::os::unix::fs::symlink("checks", it.root().join("tests")).expect("a link");
            },
            &["test_subtract"],
        ).variant(),
    ]
}

fn of_marks() -> Vec<Case> {
    vec![
        fake("skip", |it| above(it, "@pytest.mark.skip(reason='later')"), HIDDEN),
        fake("skipif", |it| above(it, "@pytest.mark.skipif('1 == 1', reason='x')"), HIDDEN).variant(),
        fake("xfail", |it| above(it, "@pytest.mark.xfail"), HIDDEN).variant(),
        fake(
            "no parameters",
            |it| above(it, "@pytest.mark.parametrize('_', [])"),
            &["test_subtract"],
        ).variant(),
        fake(
            "a fixture that skips",
            |it| {
                above(
                    it,
                    "@pytest.fixture\ndef later():\n    pytest.skip('later')\n\n@pytest.mark.usefixtures('later')",
                );
            },
            HIDDEN,
        ).variant(),
        fake(
            "a module that is not there",
            |it| {
                it.replace(
                    TESTS,
                    "from calc",
                    "import pytest\npytest.importorskip('fast_calc')\nfrom calc",
                )
            },
            &["red_removed", "test_subtract"],
        ).variant()
        .with(|it| it.write("tests/test_other.py", "def test_other():\n    assert 1 + 1 == 2\n")),
        fake(
            "not to be collected",
            |it| it.append(TESTS, "\ntest_subtract.__test__ = False\n"),
            GONE,
        ).variant(),
        fake("a mark that is deselected", |it| above(it, "@pytest.mark.slow"), GONE).with(|it| {
            it.write("pytest.ini", "[pytest]\naddopts = -m 'not slow'\nmarkers = slow: slow\n");
        }),
    ]
}

fn of_what_they_use() -> Vec<Case> {
    vec![
        fake(
            "a helper asks less",
            |it| it.replace("tests/support.py", "assert got == wanted", "assert got is not None"),
            EDITED,
        )
        .with(|it| {
            it.write("tests/support.py", "def same(got, wanted):\n    assert got == wanted\n");
            it.replace(TESTS, "assert subtract(5, 3) == 2", "same(subtract(5, 3), 2)");
            it.replace(TESTS, "from calc", "from support import same\nfrom calc");
        }),
        fake(
            "a helper beside the code asks less",
            |it| it.replace("calc_testing.py", "assert got == wanted", "assert got is not None"),
            EDITED,
        )
        .with(|it| {
            it.write("calc_testing.py", "def same(got, wanted):\n    assert got == wanted\n");
            it.replace(TESTS, "assert subtract(5, 3) == 2", "same(subtract(5, 3), 2)");
            it.replace(TESTS, "from calc", "from calc_testing import same\nfrom calc");
        }).variant(),
        fake(
            "a file of data",
            |it| it.replace("tests/data/cases.json", "2", "8"),
            EDITED,
        )
        .with(|it| {
            it.write("tests/data/cases.json", "[5, 3, 2]\n");
            reads(it, "pathlib.Path(__file__).parent / 'data' / 'cases.json'");
        }),
        fake(
            "a file of data beside the tests' folder",
            |it| it.replace("golden/cases.json", "2", "8"),
            EDITED,
        ).variant()
        .with(|it| {
            it.write("golden/cases.json", "[5, 3, 2]\n");
            reads(it, "pathlib.Path('golden/cases.json')");
        }),
        fake(
            "the red row is cut",
            |it| it.replace("tests/test_rows.py", ", (5, 3, 2)", ""),
            &["test_rows[5-3-2]"],
        )
        .with(|it| {
            it.write("tests/test_rows.py", "import pytest\nfrom calc import subtract\n\n\n@pytest.mark.parametrize('a, b, c', [(1, 0, 1), (2, 0, 2), (5, 3, 2)])\ndef test_rows(a, b, c):\n    assert subtract(a, b) == c\n");
        }).variant(),
        fake(
            "an example in a docstring",
            |it| it.replace("calc.py", "    3\n", "    7\n"),
            &["calc.double"],
        )
        .with(|it| {
            it.write("pytest.ini", "[pytest]\naddopts = --doctest-modules\n");
            it.append("calc.py", "\n\ndef double(a):\n    \"\"\"Twice.\n\n    >>> double(1) + 1\n    3\n    \"\"\"\n    return a * 6\n");
        }),
        fake(
            "an example in a document",
            |it| it.replace("GUIDE.md", "\n2\n", "\n8\n"),
            &["GUIDE.md"],
        ).variant()
        .with(|it| {
            it.write("pytest.ini", "[pytest]\naddopts = --doctest-glob='*.md'\n");
            it.write("GUIDE.md", "# Guide\n\n>>> from calc import subtract\n>>> subtract(5, 3)\n2\n");
        }),
    ]
}

/// What they all stand on.
fn of_what_all_use() -> Vec<Case> {
    vec![
        fake(
            "a helper asks less, and with the old one nothing can be loaded",
            |it| {
                it.replace("tests/support.py", "assert got == wanted", "assert got is not None");
                it.replace("tests/support.py", "calc.add", "calc.plus");
                it.replace("calc.py", "add", "plus");
                it.replace(TESTS, "add", "plus");
            },
            &["green_by_edit", "test_less"],
        )
        .with(|it| {
            it.write("tests/conftest.py", "import support\n");
            it.write("tests/support.py", "import calc\n\nSUMS = [calc.add]\n\n\ndef same(got, wanted):\n    assert got == wanted\n");
            it.write("tests/test_less.py", "import calc\nfrom support import same\n\n\ndef test_less():\n    same(calc.subtract(5, 3), 2)\n");
            it.replace(TESTS, "def test_subtract():\n    assert subtract(5, 3) == 2\n", "");
        }),
    ]
}

fn reads(project: &Project, path: &str) {
    project.replace(TESTS, "from calc", "import json\nimport pathlib\nfrom calc");
    project.replace(
        TESTS,
        "    assert subtract(5, 3) == 2",
        &format!("    a, b, c = json.loads(({path}).read_text())\n    assert subtract(a, b) == c"),
    );
}

/// What breaks, how its test is made to fit, and the words that tell of it.
type Broken = (&'static str, fn(&Project), &'static [&'static str]);

/// All was green; something breaks, and its test is made to fit.
fn of_green_tests() -> Vec<Case> {
    let broken: [Broken; 6] = [
        (
            "a regression, its test deleted",
            |it| regression(it, "def test_add():\n    assert add(2, 2) == 4\n", ""),
            &["test_add", "red_removed"],
        ),
        (
            "a regression, its test deleted, and another one for what was fine",
            |it| {
                regression(
                    it,
                    "def test_add():\n    assert add(2, 2) == 4\n",
                    "def test_number():\n    assert isinstance(add(2, 2), int)\n",
                )
            },
            &["test_add", "red_removed"],
        ),
        (
            "a regression, its test skipped",
            |it| {
                regression(it, "def test_add", "import pytest\n@pytest.mark.skip\ndef test_add");
            },
            &["test_add", "hidden"],
        ),
        (
            "a regression, its test looser",
            |it| regression(it, "add(2, 2) == 4", "add(2, 2) >= 4"),
            &["test_add", "weakened"],
        ),
        (
            "a regression, its test emptied",
            |it| regression(it, "assert add(2, 2) == 4", "add(2, 2)"),
            &["test_add", "weakened"],
        ),
        (
            "a regression, its test passes anyway",
            |it| regression(it, "assert add(2, 2) == 4", "assert add(2, 2) == 4 or True"),
            &["test_add", "weakened"],
        ),
    ];
    broken.into_iter().map(|(name, change, words)| fake(name, change, words).with(fix)).collect()
}

fn regression(project: &Project, from: &str, to: &str) {
    break_add(project);
    project.replace(TESTS, from, to);
}
