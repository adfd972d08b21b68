//! Code that wants to look right: it is the same in the run and in the referee's.

use super::{TESTS, fix};
use crate::common::Project;
use crate::square::model::{Case, Edits, fake, seeker};

const NEW_TEST: &[&str] = &["--code-type", "bug_fix"];

pub fn cases() -> Vec<Case> {
    let mut cases = of_ends();
    cases.extend(of_patches());
    cases.extend(of_seekers());
    cases.extend(of_fixes());
    cases
}

/// Something else than a wrong result comes of the call.
fn instead(project: &Project, text: &str) {
    project.replace(
        "calc.py",
        "def subtract(a, b):\n    return a + b",
        &format!("def subtract(a, b):\n{text}"),
    );
}

fn of_ends() -> Vec<Case> {
    vec![
        fake("the process ends", |it| instead(it, "    import os\n    os._exit(0)\n"), &["test_subtract"]),
        fake(
            "pytest is made to end",
            |it| instead(it, "    import pytest\n    pytest.exit('done', returncode=0)\n"),
            &["unit"],
        ).variant(),
        fake(
            "the code skips its test",
            |it| instead(it, "    import unittest\n    raise unittest.SkipTest('later')\n"),
            &["hidden", "test_subtract"],
        ),
        fake(
            "the code says that it cannot be tested",
            |it| it.append("calc.py", "\n\nREADY = False\n"),
            &["hidden", "test_subtract"],
        ).variant()
        .with(|it| {
            it.replace(TESTS, "def test_subtract", "@pytest.mark.skipif(not getattr(calc, 'READY', True), reason='x')\ndef test_subtract");
            it.replace(TESTS, "from calc", "import pytest\nimport calc\nfrom calc");
        }),
        fake(
            "the code rewrites the test",
            |it| {
                it.append("calc.py", "\nimport pathlib\n_tests = pathlib.Path(__file__).parent / 'tests' / 'test_calc.py'\n_tests.write_text(_tests.read_text().replace('== 2', '== 8'))\n");
            },
            &["tests/test_calc.py"],
        ),
        fake(
            "right every other time",
            |it| {
                instead(it, "    import os, pathlib\n    seen = pathlib.Path('.pytest_cache/seen')\n    seen.parent.mkdir(exist_ok=True)\n    if seen.exists():\n        seen.unlink()\n        return a - b\n    seen.write_text('x')\n    return a + b\n");
            },
            &["test_subtract"],
        ),
    ]
}

fn of_patches() -> Vec<Case> {
    vec![
        fake(
            "pytest runs no function",
            |it| it.append("calc.py", "\ntry:\n    import _pytest.python\n    _pytest.python.Function.runtest = lambda self: None\nexcept ImportError:\n    pass\n"),
            &["2 of 2 red"],
        ),
        fake(
            "pytest's reports are all good",
            |it| {
                it.append("calc.py", "\nimport _pytest.runner as _runner\n_call = _runner.CallInfo.from_call.__func__\n\n\ndef _from_call(cls, *args, **kwargs):\n    info = _call(cls, *args, **kwargs)\n    info.excinfo = None\n    return info\n\n\n_runner.CallInfo.from_call = classmethod(_from_call)\n");
            },
            &["test_subtract"],
        ).variant(),
        fake(
            "redgreen's own plugin is bent",
            |it| {
                it.append("calc.py", "\nimport sys\n_eyes = sys.modules.get('redgreen_pytest_plugin')\nif _eyes:\n    _eyes.judge = lambda report: None if report.when != 'call' else 'passed'\nimport atexit, os\natexit.register(os._exit, 0)\n");
            },
            &["pytest counted 1 failures"],
        ),
        fake(
            "assertEqual says nothing",
            |it| it.append("calc.py", "\nimport unittest\nunittest.TestCase.assertEqual = lambda *args: None\n"),
            &["assertEqual"],
        )
        .with(|it| {
            it.write(TESTS, "import unittest\nfrom calc import add, subtract\n\n\nclass TestCalc(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 2), 4)\n\n    def test_subtract(self):\n        self.assertEqual(subtract(5, 3), 2)\n");
        }).variant(),
    ]
}

fn of_seekers() -> Vec<Case> {
    vec![
        seeker(
            "a variable of pytest",
            |it| {
                instead(
                    it,
                    "    import os\n    if 'PYTEST_CURRENT_TEST' in os.environ:\n        return a - b\n    return a + b\n",
                )
            },
            &["PYTEST_CURRENT_TEST"],
        ),
        seeker(
            "pytest among the modules",
            |it| {
                instead(
                    it,
                    "    import sys\n    return a - b if 'pytest' in sys.modules else a + b\n",
                )
            },
            &["sys.modules"],
        ).variant(),
        seeker(
            "who called it",
            |it| {
                instead(
                    it,
                    "    import inspect\n    tested = any('test_' in frame.filename for frame in inspect.stack())\n    return a - b if tested else a + b\n",
                )
            },
            &["inspect.stack"],
        ).variant(),
        seeker(
            "equal to everything",
            |it| {
                instead(
                    it,
                    "    return Pleasing(a + b)\n\n\nclass Pleasing(int):\n    def __eq__(self, other):\n        return True\n",
                );
            },
            &["__eq__"],
        ),
        seeker(
            "a context that takes every error",
            |it| it.replace("calc.py", "return False", "self.open = False\n        return True"),
            &["__exit__"],
        ).variant()
        .with(|it| {
            it.append("calc.py", "\n\nclass Session:\n    def __enter__(self):\n        return self\n\n    def __exit__(self, *error):\n        return False\n");
            it.replace(TESTS, "    assert subtract", "    with Session():\n        assert subtract");
            it.replace(TESTS, "import add", "import Session, add");
        }),
        seeker(
            "a table of what is tested",
            |it| instead(it, "    return {(5, 3): 2}.get((a, b), a + b)\n"),
            &["calc.py"],
        ).variant(),
    ]
}

fn multiply(project: &Project) {
    fix(project);
    project.append("calc.py", "\n\ndef multiply(a, b):\n    return a + b\n");
}

fn fix_multiply(project: &Project) {
    project.replace(
        "calc.py",
        "multiply(a, b):\n    return a + b",
        "multiply(a, b):\n    return a * b",
    );
}

/// A fix needs a test that shows the bug.
fn of_fixes() -> Vec<Case> {
    vec![
        fake(
            "a test of the fix that passes without it",
            |it| {
                fix_multiply(it);
                it.append(TESTS, "\n\ndef test_multiply():\n    from calc import multiply\n    assert multiply(2, 2) == 4\n");
            },
            &["no_proof"],
        )
        .with(multiply)
        .asked(NEW_TEST),
        fake(
            "a test of the fix that misses a name without it",
            |it| {
                fix_multiply(it);
                it.append("calc.py", "\n\ndef times(a, b):\n    return a * b\n");
                it.append(TESTS, "\n\ndef test_multiply():\n    from calc import times\n    assert times(2, 3) == 6\n");
            },
            &["no_proof"],
        ).variant()
        .with(multiply)
        .asked(NEW_TEST),
        fake(
            "a fix without a test",
            fix_multiply,
            &["no_proof"],
        )
        .with(multiply)
        .asked(NEW_TEST),
        fake(
            "a comment for a fix",
            |it| it.append("calc.py", "# fixed\n"),
            &["no_proof"],
        ).variant()
        .with(multiply)
        .asked(NEW_TEST),
    ]
}

/// A fix with a test that shows the bug.
pub fn proven(project: &Project) {
    fix_multiply(project);
    project.append(
        TESTS,
        "\n\ndef test_multiply():\n    from calc import multiply\n    assert multiply(2, 3) == 6\n",
    );
}

/// The bug that it shows.
pub fn unproven(project: &Project) {
    multiply(project);
}
