//! Python's unittest under the real binary: no framework of the document, and seen test by test.

use crate::common::{Project, outcomes, tools};

const NASTY: &str = r#"import sys
import unittest

from shop import first, total


class Ends(unittest.TestCase):
    def test_pass(self):
        self.assertEqual(first([1]), 1)

    def test_fail(self):
        self.assertEqual([total([1, 2])], [3])

    def test_error(self):
        first([])

    @unittest.skip("not today")
    def test_skip(self):
        pass

    @unittest.expectedFailure
    def test_expected_failure(self):
        self.assertEqual(total([]), 0)

    @unittest.expectedFailure
    def test_unexpected_pass(self):
        pass

    def test_subtests(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertNotEqual(number, 1, "one of them")

    def test_prints(self):
        print("Ran 99 tests in 0.001s\n\nOK")


class CannotBeSetUp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        first([])

    def test_never(self):
        pass


class CleansUpBadly(unittest.TestCase):
    def tearDown(self):
        raise RuntimeError("cannot clean up")

    def test_fine(self):
        pass
"#;

fn project(tests: &str, command: &str) -> Project {
    let project = Project::empty();
    project.write(
        "shop.py",
        "def total(prices):\n    return sum(prices) + 1\n\n\ndef first(items):\n    return items[0]\n",
    );
    project.write("tests/__init__.py", "");
    project.write("tests/test_shop.py", tests);
    project.write("Makefile", "test:\n\tpython -m unittest -v\n");
    project.write("redgreen.toml", format!("[[checks]]\nname = \"unit\"\ncommand = {command:?}\n"));
    project.write(".gitignore", "__pycache__/\n");
    project.commit();
    project
}

#[test]
fn every_test_comes_back_by_name() {
    let project = project(NASTY, "make test");
    let tested = project.tested(&[]);
    let report = tested.report();
    assert_eq!(tested.verdict(), "failed", "{report:#}");
    assert_eq!(
        outcomes(report),
        [
            "tests.test_shop.CleansUpBadly.test_fine errored",
            "tests.test_shop.Ends.test_error errored",
            "tests.test_shop.Ends.test_expected_failure expected_failure",
            "tests.test_shop.Ends.test_fail failed",
            "tests.test_shop.Ends.test_pass passed",
            "tests.test_shop.Ends.test_prints passed",
            "tests.test_shop.Ends.test_skip skipped",
            "tests.test_shop.Ends.test_subtests failed",
            "tests.test_shop.Ends.test_unexpected_pass failed",
        ]
    );
    assert_eq!(report["not_run"], serde_json::json!(["tests.test_shop.CannotBeSetUp.test_never"]));
    assert_eq!(report["complete"], true);
    let failure = |name: &str| {
        let tests = report["tests"].as_array().expect("tests");
        let test = tests.iter().find(|test| test["id"].to_string().contains(name));
        test.expect("the test")["failure"].clone()
    };
    let fail = failure("test_fail");
    assert_eq!((&fail["expected"], &fail["actual"]), (&"[3]".into(), &"[4]".into()));
    assert_eq!(fail["test_location"]["line"], 12);
    let error = failure("test_error");
    assert_eq!(error["error_type"], "IndexError");
    assert_eq!(
        (&error["location"]["file"], &error["location"]["line"]),
        (&"shop.py".into(), &6.into())
    );
    let subtests = failure("test_subtests")["message"].to_string();
    assert!(subtests.contains("number=1") && subtests.contains("one of them"), "{subtests}");
    let class = &report["errors"][0];
    assert_eq!(
        (&class["kind"], &class["error_type"]),
        (&"runtime_error".into(), &"IndexError".into())
    );
    assert_eq!(class["location"]["file"], "shop.py");
}

#[test]
fn green_is_seen_and_a_run_that_is_cut_is_not_green() {
    let passes = "import unittest\n\n\nclass Ends(unittest.TestCase):\n    def test_a(self):\n        pass\n\n    def test_b(self):\n        pass\n";
    let project = project(passes, "python -m unittest");
    let tested = project.tested(&[]);
    let report = tested.report();
    assert_eq!(tested.verdict(), "passed", "{report:#}");
    let exits = passes.replacen("pass\n", "__import__('os')._exit(0)\n", 1);
    project.write("tests/test_shop.py", exits);
    let tested = project.tested(&[]);
    let report = tested.report();
    assert_eq!(tested.verdict(), "inconclusive", "{report:#}");
    assert_eq!(report["unfinished"], serde_json::json!(["tests.test_shop.Ends.test_a"]));
    assert_eq!(report["not_run"], serde_json::json!(["tests.test_shop.Ends.test_b"]));
}

/// A command that replaces `PYTHONPATH` is seen all the same where it finds Python on `PATH`. One that has Python's own
/// path runs as ever, and is not seen.
#[test]
fn who_sets_pythonpath_anew_is_not_disturbed() {
    let passes = "import unittest\n\n\nclass Ends(unittest.TestCase):\n    def test_a(self):\n        pass\n";
    for command in ["python -m pytest -q", "python -m unittest"] {
        for set in ["PYTHONPATH=src", "env -u PYTHONPATH"] {
            for (folder, verdict) in
                [(String::new(), "passed"), (format!("{}/", tools().display()), "inconclusive")]
            {
                let python = format!("{set} {folder}{command}");
                let project = project(passes, &python);
                let tested = project.tested(&[]);
                assert_eq!(tested.verdict(), verdict, "{python}: {:#}", tested.record);
                assert_eq!(tested.checks()[0]["ended"]["code"], 0, "{python}: {:#}", tested.record);
            }
        }
        let project = project(passes, &format!("PYTHONPATH=\"src:$PYTHONPATH\" {command}"));
        assert_eq!(project.tested(&[]).verdict(), "passed", "{command}");
    }
}

#[test]
fn a_module_that_cannot_be_imported_is_the_failure() {
    let project = project("import unittest\n\nimport nowhere\n", "python -m unittest");
    let tested = project.tested(&[]);
    let report = tested.report();
    assert_eq!(tested.verdict(), "failed", "{report:#}");
    let error = &report["errors"][0];
    assert_eq!(error["kind"], "compile_error", "{report:#}");
    assert_eq!(error["error_type"], "ModuleNotFoundError", "{report:#}");
    assert_eq!(error["location"], serde_json::json!({"file": "tests/test_shop.py", "line": 3}));
}

#[test]
fn only_the_red_test_runs_again_and_the_projects_own_sitecustomize_is_heard() {
    let tests = "import unittest\n\nPATH = '../agent/outcomes'\n\n\nclass Ends(unittest.TestCase):\n    def test_pass(self):\n        open('../agent/runs', 'a').write('x')\n\n    def luck(self):\n        import sitecustomize\n        self.assertTrue(sitecustomize.MINE)\n        letters = open(PATH).read()\n        open(PATH, 'w').write(letters[1:])\n        self.assertEqual(letters[0], 'P')\n\n\nsetattr(Ends, 'test_luck[a\\nb]', Ends.luck)\n";
    let project = project(tests, "PYTHONPATH=\"$PYTHONPATH:own\" python -m unittest");
    project.write("own/sitecustomize.py", "MINE = True\n");
    project.commit();
    std::fs::write(project.outside().join("outcomes"), "PFP").expect("a file");
    let done = project.run("echo '# changed' >> shop.py", &["--max-attempts", "1"]);
    let flaky = &done.last("judged")["classes"]["flaky"];
    assert_eq!(
        flaky[0]["test"],
        "tests.test_shop.Ends.test_luck[a\\nb]#cbaa0f5f",
        "{}",
        done.text()
    );
    let runs = std::fs::read_to_string(project.outside().join("runs")).expect("a file");
    assert_eq!(runs, "xx", "{}", done.text());
}

/// As nose2 does it: with a runner that is none of unittest's.
#[test]
fn a_runner_of_nose2_is_seen() {
    let project = project(NASTY, "make test");
    let runner = "import unittest\n\n\nclass PluggableTestRunner:\n    def _makeResult(self):\n        return unittest.TestResult()\n\n    def run(self, test):\n        result = self._makeResult()\n        test(result)\n        return result\n";
    let main = "import sys\nimport unittest\n\nfrom nose2.runner import PluggableTestRunner\n\nsuite = unittest.defaultTestLoader.discover('.')\nsys.exit(not PluggableTestRunner().run(suite).wasSuccessful())\n";
    project.write("nose2/__init__.py", "");
    project.write("nose2/runner.py", runner);
    project.write("nose2/__main__.py", main);
    let by_unittest = project.tested(&[]);
    project.write("Makefile", "test:\n\tpython -m nose2\n");
    let by_nose2 = project.tested(&[]);
    assert_eq!(outcomes(by_nose2.report()), outcomes(by_unittest.report()));
}
