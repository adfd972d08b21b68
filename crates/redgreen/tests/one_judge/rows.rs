//! The changes.

use std::collections::BTreeSet;

use crate::common::Project;
use crate::common::edits::Edits as _;
use crate::one_judge::entry::Entry;

const TESTS: &str = "tests/test_calc.py";
const PASSED: &str = "passed";
const FAILED: &str = "failed";
const INCONCLUSIVE: &str = "inconclusive";
const BUT: &str = "passed_but_for_red_before";

/// One change.
pub struct Row {
    pub name: &'static str,
    before: fn(&Project),
    pub change: fn(&Project),
    verdict: &'static str,
    against: &'static [&'static str],
    /// Who says something else, and why.
    otherwise: Vec<(&'static [Entry], &'static str, &'static str)>,
}

impl Row {
    /// Writes the project as it is before the change.
    pub fn begin(&self, project: &Project) {
        project.write(
            "redgreen.toml",
            "[[checks]]\nname = \"unit\"\ncommand = \"python -m unittest\"\n",
        );
        project.write(".gitignore", "__pycache__/\n");
        project.write(
            "calc.py",
            "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a - b\n",
        );
        project.write("rates.py", "import pathlib\n\n\ndef rate():\n    return float((pathlib.Path(__file__).parent / \"data\" / \"rates.txt\").read_text())\n");
        project.write("data/rates.txt", "2\n");
        project.write("other.py", "def double(a):\n    return a * 2\n");
        project.write("tests/__init__.py", "");
        project.write(TESTS, "import unittest\n\nfrom calc import add, subtract\n\n\nclass TestCalc(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 2), 4)\n\n    def test_subtract(self):\n        self.assertEqual(subtract(5, 3), 2)\n");
        project.write("tests/test_rates.py", "import unittest\n\nfrom rates import rate\n\n\nclass TestRates(unittest.TestCase):\n    def test_rate(self):\n        self.assertEqual(rate(), 2)\n");
        project.write("README.md", "# calc\n");
        (self.before)(project);
    }

    /// What this one must say.
    pub fn wanted(&self, entry: Entry) -> (&'static str, BTreeSet<String>) {
        let other = self.otherwise.iter().find(|(entries, _, _)| entries.contains(&entry));
        let verdict = other.map_or(self.verdict, |(_, verdict, _)| verdict);
        let same = other.is_none_or(|(_, verdict, _)| *verdict == self.verdict);
        let against = if same { self.against } else { &[] };
        (verdict, against.iter().map(|text| (*text).to_owned()).collect())
    }

    fn with(self, before: fn(&Project)) -> Self {
        Self { before, ..self }
    }

    /// These say something else, because.
    fn but(
        mut self,
        entries: &'static [Entry],
        verdict: &'static str,
        reason: &'static str,
    ) -> Self {
        assert!(!reason.is_empty());
        self.otherwise.push((entries, verdict, reason));
        self
    }

    /// `test` compares with nothing, so it knows nothing of the tests as they were.
    fn alone(self, verdict: &'static str) -> Self {
        self.but(&[Entry::Test], verdict, "it compares with nothing")
    }
}

fn row(
    name: &'static str,
    verdict: &'static str,
    against: &'static [&'static str],
    change: fn(&Project),
) -> Row {
    Row { name, before: |_| {}, change, verdict, against, otherwise: Vec::new() }
}

/// `subtract` is wrong, and its test red.
fn wrong(project: &Project) {
    project.replace("calc.py", "a - b", "a + b");
}

fn fix(project: &Project) {
    project.replace(
        "calc.py",
        "subtract(a, b):\n    return a + b",
        "subtract(a, b):\n    return a - b",
    );
}

/// A test of the case with this body.
fn test(project: &Project, name: &str, body: &str) {
    project.append(TESTS, &format!("\n    def {name}(self):\n        {body}\n"));
}

pub fn rows() -> Vec<Row> {
    [honest(), documents_and_data(), red_before(), fakes(), of_the_run()]
        .into_iter()
        .flatten()
        .collect()
}

fn honest() -> Vec<Row> {
    vec![
        row("a fix", PASSED, &[], fix).with(wrong),
        row("a fix, and the red test is renamed", PASSED, &[], |it| {
            fix(it);
            it.replace(TESTS, "test_subtract", "test_takes_away");
        })
        .with(wrong),
        row("a fix, and the red test moves to another file", PASSED, &[], |it| {
            fix(it);
            it.replace(TESTS, "\n    def test_subtract(self):\n        self.assertEqual(subtract(5, 3), 2)\n", "");
            it.write("tests/test_less.py", "import unittest\n\nfrom calc import subtract\n\n\nclass TestLess(unittest.TestCase):\n    def test_subtract(self):\n        self.assertEqual(subtract(5, 3), 2)\n");
        })
        .with(wrong),
        row("a fix with one more test", PASSED, &[], |it| {
            fix(it);
            test(it, "test_subtract_more", "self.assertEqual(subtract(9, 3), 6)");
        })
        .with(wrong),
        row("a new function and its test", PASSED, &[], |it| {
            it.append("calc.py", "\n\ndef negate(a):\n    return -a\n");
            it.replace(TESTS, "import add, subtract", "import add, negate, subtract");
            test(it, "test_negate", "self.assertEqual(negate(1), -1)");
        }),
        row("a refactoring", PASSED, &[], |it| it.replace("calc.py", "return a + b", "total = a + b\n    return total")),
        row("a new test alone", PASSED, &[], |it| test(it, "test_more", "self.assertEqual(add(1, 1), 2)")),
        row("tests are laid out anew", PASSED, &[], |it| {
            it.replace("calc.py", "return a + b", "total = a + b\n    return total");
            it.replace(TESTS, "add(2, 2), 4", "add(2, 2),\n            4");
        }),
        row("what the task asked to change, not declared", FAILED, &["changed test_add"], |it| {
            it.replace("calc.py", "return a + b", "return a + b + 1");
            it.replace(TESTS, "add(2, 2), 4", "add(2, 2), 5");
        })
        .alone(PASSED),
        row("a feature goes with its tests, not declared", FAILED, &["removed test_subtract"], |it| {
            it.replace("calc.py", "\n\ndef subtract(a, b):\n    return a - b\n", "");
            it.replace(TESTS, "import add, subtract", "import add");
            it.replace(TESTS, "\n    def test_subtract(self):\n        self.assertEqual(subtract(5, 3), 2)\n", "");
        })
        .alone(PASSED),
        row("the base does not build, and the change mends it", PASSED, &[], |it| it.replace("calc.py", "def add(a, b)\n", "def add(a, b):\n"))
            .with(|it| it.replace("calc.py", "def add(a, b):\n", "def add(a, b)\n")),
    ]
}

fn documents_and_data() -> Vec<Row> {
    const LOOP: &[Entry] = &[Entry::Run];
    vec![
        row("a README", PASSED, &[], |it| it.append("README.md", "\nAdds numbers.\n")),
        row("a page in docs", PASSED, &[], |it| it.write("docs/use.md", "# Use\n")),
        row("data that the code reads breaks", FAILED, &[], |it| it.write("data/rates.txt", "3\n")),
        row("data that the code reads is mended", PASSED, &[], |it| it.write("data/rates.txt", "2\n"))
            .with(|it| it.write("data/rates.txt", "3\n")),
        row("a document that the code reads breaks", FAILED, &[], |it| it.write("prompts/hello.md", "Bye\n")).with(|it| {
            it.write("prompts/hello.md", "Hello\n");
            it.write("prompt.py", "import pathlib\n\n\ndef prompt(name):\n    return (pathlib.Path(__file__).parent / \"prompts\" / (name + \".md\")).read_text().strip()\n");
            it.write("tests/test_prompt.py", "import unittest\n\nfrom prompt import prompt\n\n\nclass TestPrompt(unittest.TestCase):\n    def test_prompt(self):\n        self.assertEqual(prompt(\"hello\"), \"Hello\")\n");
        }),
        row("a fix in a package that is called coverage", PASSED, &[], |it| it.replace("coverage/area.py", "a + b", "a * b")).with(|it| in_package(it, "coverage")),
        row("a fix in a package that is called spec", PASSED, &[], |it| it.replace("spec/area.py", "a + b", "a * b")).with(|it| in_package(it, "spec")),
        row("a fix in a package that is called fixtures", PASSED, &[], |it| it.replace("fixtures/area.py", "a + b", "a * b")).with(|it| in_package(it, "fixtures")),
        row("a break in a package that is called coverage", FAILED, &[], |it| it.replace("coverage/area.py", "a * b", "a + b")).with(|it| {
            in_package(it, "coverage");
            it.replace("coverage/area.py", "a + b", "a * b");
        }),
        row("a comment in the code", PASSED, &[], |it| it.replace("calc.py", "    return a + b", "    # the sum\n    return a + b"))
            .but(LOOP, INCONCLUSIVE, "a loop has a task, and a comment is no answer to it"),
        row("nothing at all", PASSED, &[], |_| {}).but(LOOP, "no_progress", "a loop has a task, and nothing was done")
            .but(&[Entry::Square], "no result", "it shows a change, and there is none"),
    ]
}

/// A product package of this name, whose function is wrong.
fn in_package(project: &Project, name: &str) {
    project.write(&format!("{name}/__init__.py"), "");
    project.write(&format!("{name}/area.py"), "def area(a, b):\n    return a + b\n");
    project.write(
        "shapes.py",
        format!("from {name}.area import area\n\n\ndef square(a):\n    return area(a, a)\n"),
    );
    project.write("tests/test_shapes.py", "import unittest\n\nfrom shapes import square\n\n\nclass TestShapes(unittest.TestCase):\n    def test_square(self):\n        self.assertEqual(square(3), 9)\n");
}

fn red_before() -> Vec<Row> {
    vec![
        row("unrelated work beside a red test", BUT, &[], |it| it.replace("other.py", "a * 2", "a + a")).with(wrong).alone(FAILED),
        row("an unrelated new module and its test beside a red test", BUT, &[], |it| {
            it.write("triple.py", "def triple(a):\n    return a * 3\n");
            it.write("tests/test_triple.py", "import unittest\n\nfrom triple import triple\n\n\nclass TestTriple(unittest.TestCase):\n    def test_triple(self):\n        self.assertEqual(triple(2), 6)\n");
        })
        .with(wrong)
        .alone(FAILED),
        row("a data file beside the one that the red test's code opens", BUT, &[], |it| it.write("data/names.txt", "a\n"))
            .with(|it| it.write("data/rates.txt", "3\n"))
            .alone(FAILED),
        row("the project's version beside a red test", BUT, &[], |it| it.replace("pyproject.toml", "1.0.0", "1.1.0"))
            .with(|it| {
                wrong(it);
                it.write("pyproject.toml", "[project]\nname = \"calc\"\nversion = \"1.0.0\"\n");
            })
            .alone(FAILED),
        row("work on what the red test reaches", FAILED, &[], |it| it.replace("calc.py", "def add(a, b):\n    return a + b", "def add(a, b):\n    return b + a")).with(wrong),
        row("a red test fails for another reason now", FAILED, &[], |it| it.replace("calc.py", "subtract(a, b):\n    return a + b", "subtract(a, b):\n    return None")).with(wrong),
        row("unrelated work, and one more is red", FAILED, &[], |it| it.write("data/rates.txt", "3\n")).with(wrong),
        row("unrelated work beside a red test, and a green test is gone", FAILED, &["removed test_rate"], |it| {
            it.replace("other.py", "a * 2", "a + a");
            it.remove("tests/test_rates.py");
        })
        .with(wrong)
        .alone(FAILED),
    ]
}

fn fakes() -> Vec<Row> {
    vec![
        row("the expected value is copied", FAILED, &["green_by_edit test_subtract"], |it| it.replace(TESTS, "3), 2", "3), 8")).with(wrong).alone(PASSED),
        row("the red test is deleted", FAILED, &["red_removed test_subtract"], |it| it.replace(TESTS, "\n    def test_subtract(self):\n        self.assertEqual(subtract(5, 3), 2)\n", "")).with(wrong).alone(PASSED),
        row("the red test is skipped", FAILED, &["hidden test_subtract"], |it| it.replace(TESTS, "    def test_subtract", "    @unittest.skip('later')\n    def test_subtract")).with(wrong).alone(PASSED),
        row("a green test is skipped", FAILED, &["skipped test_add"], |it| it.replace(TESTS, "    def test_add", "    @unittest.skip('later')\n    def test_add")).alone(PASSED),
        row("the code breaks and its test goes", FAILED, &["red_removed test_add"], |it| {
            it.replace("calc.py", "return a + b", "return a + b + 1");
            it.replace(TESTS, "    def test_add(self):\n        self.assertEqual(add(2, 2), 4)\n\n", "");
        })
        .alone(PASSED),
        row("an assertion is loosened", FAILED, &["loosened test_add"], |it| it.replace(TESTS, "self.assertEqual(add(2, 2), 4)", "self.assertTrue(add(2, 2) > 0)")).alone(PASSED),
        row("a test is emptied", FAILED, &["weakened test_add"], |it| it.replace(TESTS, "self.assertEqual(add(2, 2), 4)", "add(2, 2)")).alone(PASSED),
        row("load_tests leaves the red one out", FAILED, &["red_removed test_subtract"], |it| {
            it.append(TESTS, "\n\ndef load_tests(loader, tests, pattern):\n    return unittest.TestSuite([TestCalc('test_add')])\n");
        })
        .with(wrong)
        .alone(PASSED),
        row("redgreen.toml runs less", FAILED, &["configuration_changed redgreen.toml"], |it| it.replace("redgreen.toml", "python -m unittest", "python -m unittest tests.test_rates")).alone(PASSED),
        row("the base does not build; mended, another thing broken, its test deleted", FAILED, &["red_removed test_subtract"], |it| {
            it.replace("calc.py", "def add(a, b)\n", "def add(a, b):\n");
            it.replace("calc.py", "a - b", "a + b");
            it.replace(TESTS, "\n    def test_subtract(self):\n        self.assertEqual(subtract(5, 3), 2)\n", "");
        })
        .with(|it| it.replace("calc.py", "def add(a, b):\n", "def add(a, b)\n"))
        .alone(PASSED),
    ]
}

fn of_the_run() -> Vec<Row> {
    vec![
        row("a syntax error", FAILED, &[], |it| it.append("calc.py", "\ndef broken(:\n")),
        row("a regression", FAILED, &[], |it| it.replace("calc.py", "return a + b", "return a")),
        row("a new test that is red", FAILED, &[], |it| {
            test(it, "test_more", "self.assertEqual(add(1, 1), 3)")
        }),
        row("the code ends the process with 0", INCONCLUSIVE, &[], |it| {
            it.replace("calc.py", "return a + b", "import os; os._exit(0)")
        }),
        row("a test that writes a log", PASSED, &[], |it| {
            test(it, "test_logs", "open('run.log', 'a').write('x'); self.assertEqual(add(1, 1), 2)")
        }),
        row("a test that passes only on a clean tree", FAILED, &[], |it| {
            it.replace(TESTS, "import unittest\n", "import os\nimport unittest\n");
            test(
                it,
                "test_once",
                "self.assertFalse(os.path.exists('left.txt')); open('left.txt', 'w').close()",
            );
        })
        .but(
            &[Entry::Staged, Entry::Commit, Entry::Pushed],
            PASSED,
            "the tree is looked at beside the work tree, where what a run writes is thrown away",
        ),
        row("a test that passes every other time", INCONCLUSIVE, &[], |it| {
            it.replace(TESTS, "import unittest\n", "import os\nimport unittest\n");
            test(
                it,
                "test_now_and_then",
                "p = os.path.join(os.environ['HOME'], 'turn'); there = os.path.exists(p); (os.remove(p) if there else open(p, 'w').close()); self.assertTrue(there)",
            );
        }),
    ]
}
