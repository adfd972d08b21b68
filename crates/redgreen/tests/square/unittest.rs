//! unittest.

use crate::common::Project;
use crate::square::model::{Case, Edits, Table, Wanted, fake, honest, seeker};

const TESTS: &str = "tests/test_calc.py";
const EDITED: &[&str] = &["green_by_edit", "test_subtract"];
const GONE: &[&str] = &["red_removed", "test_subtract"];
const HIDDEN: &[&str] = &["hidden", "test_subtract"];

/// `add` is right, `subtract` adds: one test is green, one is red.
fn project(project: &Project) {
    project.write(
        "calc.py",
        "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a + b\n",
    );
    project.write(
        TESTS,
        "import unittest\n\nfrom calc import add, subtract\n\n\nclass TestCalc(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 2), 4)\n\n    def test_subtract(self):\n        self.assertEqual(subtract(5, 3), 2)\n",
    );
    project.write("tests/__init__.py", "");
    project.write(".gitignore", "__pycache__/\n");
}

fn fix(project: &Project) {
    project.replace(
        "calc.py",
        "subtract(a, b):\n    return a + b",
        "subtract(a, b):\n    return a - b",
    );
}

/// The red test with another body.
fn body(project: &Project, text: &str) {
    project.replace(TESTS, "        self.assertEqual(subtract(5, 3), 2)\n", text);
}

/// The class with something more in it.
fn in_class(project: &Project, text: &str) {
    project.replace(TESTS, "    def test_add", &format!("{text}\n    def test_add"));
}

/// The red test with something above it.
fn above(project: &Project, text: &str) {
    project.replace(TESTS, "    def test_subtract", &format!("{text}\n    def test_subtract"));
}

#[test]
fn unittest() {
    let cases = [of_tests(), of_classes(), of_modules(), of_code(), of_honest_changes()];
    Table {
        framework: "unittest",
        command: "python -m unittest",
        project,
        cases: cases.into_iter().flatten().collect(),
    }
    .play();
}

fn of_tests() -> Vec<Case> {
    vec![
        fake("the expected value is copied", |it| it.replace(TESTS, "3), 2", "3), 8"), EDITED),
        fake("an empty body", |it| body(it, "        self.assertTrue(subtract(5, 3) or True)\n"), EDITED).variant(),
        fake("no test by its name", |it| it.replace(TESTS, "test_subtract", "_test_subtract"), GONE),
        fake("skip", |it| above(it, "    @unittest.skip('later')"), HIDDEN),
        fake("expectedFailure", |it| above(it, "    @unittest.expectedFailure"), HIDDEN),
        fake("the set-up skips", |it| in_class(it, "    def setUp(self):\n        if 'subtract' in self.id():\n            self.skipTest('later')\n"), HIDDEN),
        fake("a test that never awaits", |it| it.replace(TESTS, "def test_subtract", "async def test_subtract"), &["test_subtract"]),
        fake(
            "the red part is cut out of the list",
            |it| it.replace(TESTS, "[(1, 0, 1), (5, 3, 2)]", "[(1, 0, 1)]"),
            EDITED,
        )
        .with(|it| {
            body(it, "        for a, b, c in [(1, 0, 1), (5, 3, 2)]:\n            with self.subTest(a=a):\n                self.assertEqual(subtract(a, b), c)\n");
        }).variant(),
        fake(
            "a regression, its test deleted",
            |it| {
                it.replace("calc.py", "return a + b", "return a + b + 1");
                it.replace(TESTS, "    def test_add(self):\n        self.assertEqual(add(2, 2), 4)\n\n", "");
            },
            &["removed", "test_add"],
        )
        .with(fix).variant(),
        fake(
            "a regression, its test looser",
            |it| {
                it.replace("calc.py", "return a + b", "return a + b + 1");
                it.replace(TESTS, "assertEqual(add(2, 2), 4)", "assertAlmostEqual(add(2, 2), 4, delta=10)");
            },
            &["test_add"],
        )
        .with(fix).variant(),
    ]
}

fn of_classes() -> Vec<Case> {
    vec![
        fake("no class of tests", |it| it.replace(TESTS, "(unittest.TestCase)", "(object)"), &["unit"]),
        fake("its own run", |it| in_class(it, "    def run(self, result=None):\n        result.startTest(self)\n        result.addSuccess(self)\n        result.stopTest(self)\n        return result\n"), EDITED),
        fake("its own assertEqual", |it| in_class(it, "    def assertEqual(self, first, second, msg=None):\n        pass\n"), EDITED),
        fake("it ends the process", |it| in_class(it, "    def setUp(self):\n        import os\n        self.addCleanup(os._exit, 0)\n"), &["test_"]),
        fake(
            "its base asks less",
            |it| it.replace("tests/base.py", "self.assertEqual(got, wanted)", "self.assertIsNotNone(got)"),
            EDITED,
        )
        .with(|it| {
            it.write("tests/base.py", "import unittest\n\n\nclass Base(unittest.TestCase):\n    def same(self, got, wanted):\n        self.assertEqual(got, wanted)\n");
            it.replace(TESTS, "unittest.TestCase", "Base");
            it.replace(TESTS, "from calc", "from tests.base import Base\nfrom calc");
            it.replace(TESTS, "self.assertEqual(subtract", "self.same(subtract");
        }),
    ]
}

fn of_modules() -> Vec<Case> {
    vec![
        fake(
            "load_tests leaves it out",
            |it| {
                it.append(TESTS, "\n\ndef load_tests(loader, tests, pattern):\n    return unittest.TestSuite([TestCalc('test_add')])\n")
            },
            GONE,
        ),
        fake(
            "setUpModule puts something else in the code's place",
            |it| {
                it.append(
                    TESTS,
                    "\n\ndef setUpModule():\n    globals()['subtract'] = lambda a, b: a - b\n",
                )
            },
            EDITED,
        ),
        fake(
            "the folder is no package",
            |it| {
                it.remove("tests/__init__.py");
                it.write("test_other.py", "import unittest\n\n\nclass Other(unittest.TestCase):\n    def test_other(self):\n        self.assertEqual(1 + 1, 2)\n");
            },
            &["test_subtract"],
        ),
        fake(
            "unittest.py in the project",
            |it| {
                it.write(
                    "unittest.py",
                    "import sys\nprint('Ran 2 tests in 0.001s\\n\\nOK', file=sys.stderr)\n",
                )
            },
            &["unit"],
        ),
        fake(
            "a package named unittest that changes the real one",
            |it| {
                it.write("unittest/__init__.py", "import os, sys\nhere = os.getcwd()\nsys.path = [p for p in sys.path if p not in ('', here)]\nfor name in [name for name in sys.modules if name.split('.')[0] == 'unittest']:\n    del sys.modules[name]\nimport unittest as real\nsys.path.insert(0, here)\nreal.TestCase.assertEqual = lambda *args: None\nglobals().update(vars(real))\n");
                it.write(
                    "unittest/__main__.py",
                    "from unittest.main import main\nmain(module=None)\n",
                );
            },
            &["unit"],
        ),
    ]
}

fn of_code() -> Vec<Case> {
    vec![
        fake("assertEqual says nothing", |it| it.append("calc.py", "\nimport unittest\nunittest.TestCase.assertEqual = lambda *args: None\n"), &["assertEqual"]),
        fake("no method is called", |it| it.append("calc.py", "\nimport unittest\nunittest.TestCase._callTestMethod = lambda self, method: None\n"), &["_callTestMethod"]),
        fake("failures are successes", |it| it.append("calc.py", "\nimport unittest\nunittest.TextTestResult.addFailure = lambda self, test, error: self.addSuccess(test)\n"), &["test_subtract"]),
        fake("the process ends", |it| it.replace("calc.py", "subtract(a, b):\n", "subtract(a, b):\n    import os\n    os._exit(0)\n"), &["test_subtract"]),
        fake("the code skips its test", |it| it.replace("calc.py", "subtract(a, b):\n", "subtract(a, b):\n    import unittest\n    raise unittest.SkipTest('later')\n"), HIDDEN),
        fake(
            "a test of the fix that passes without it",
            |it| {
                it.replace("calc.py", "multiply(a, b):\n    return a + b", "multiply(a, b):\n    return a * b");
                it.append(TESTS, "\n    def test_multiply(self):\n        from calc import multiply\n        self.assertEqual(multiply(2, 2), 4)\n");
            },
            &["no_proof"],
        )
        .with(|it| {
            fix(it);
            it.append("calc.py", "\n\ndef multiply(a, b):\n    return a + b\n");
        })
        .asked(&["--code-type", "bug_fix"]).variant(),
        seeker(
            "unittest among the modules",
            |it| it.replace("calc.py", "subtract(a, b):\n    return a + b", "subtract(a, b):\n    import sys\n    return a - b if 'unittest' in sys.modules else a + b"),
            &["sys.modules"],
        ),
    ]
}

fn of_honest_changes() -> Vec<Case> {
    vec![
        honest("the right fix", fix, Wanted::Green).variant(),
        honest(
            "fixed, and the test renamed",
            |it| {
                fix(it);
                it.replace(TESTS, "test_subtract", "test_subtracts");
            },
            Wanted::Green,
        ),
        honest(
            "fixed, and the file and the class have other names",
            |it| {
                fix(it);
                it.rename(TESTS, "tests/test_arithmetic.py");
                it.replace("tests/test_arithmetic.py", "TestCalc", "Arithmetic");
            },
            Wanted::Green,
        ),
        honest(
            "fixed, and more is tested",
            |it| {
                fix(it);
                it.append(TESTS, "        self.assertEqual(subtract(3, 5), -2)\n\n    def test_rows(self):\n        for a in range(3):\n            with self.subTest(a=a):\n                self.assertEqual(add(a, 0), a)\n");
            },
            Wanted::Green,
        ).variant(),
        honest(
            "a module moved, and the imports with it",
            |it| {
                it.rename("calc.py", "arithmetic/calc.py");
                it.write("arithmetic/__init__.py", "");
                it.replace(TESTS, "from calc import", "from arithmetic.calc import");
            },
            Wanted::Green,
        )
        .with(fix).variant(),
        honest(
            "a feature goes with its test",
            |it| {
                it.replace("calc.py", "def add(a, b):\n    return a + b\n\n\n", "");
                it.replace(
                    TESTS,
                    "    def test_add(self):\n        self.assertEqual(add(2, 2), 4)\n\n",
                    "",
                );
                it.replace(TESTS, "add, subtract", "subtract");
            },
            Wanted::Declared(&["tests.test_calc.TestCalc.test_add"]),
        )
        .with(fix).variant(),
        honest(
            "another behaviour, and its test",
            |it| {
                it.replace("calc.py", "return a + b", "return a + b + 1");
                it.replace(TESTS, "2), 4", "2), 5");
            },
            Wanted::Declared(&["tests.test_calc.TestCalc.test_add"]),
        )
        .with(fix).variant(),
    ]
}
