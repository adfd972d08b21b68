//! The plugin in a real pytest: small misbehaving projects, and what must come out of each.

use crate::project::{Project, Run};
use redgreen_model::report::{FailureKind, TestOutcome};

const ALL_OUTCOMES: &str = r#"
import sys, unittest
import pytest
from code_under_test import add, boom

def test_pass(): pass
def test_fail(): assert add(1, 2) == 4, "sum"
def test_deep(): boom({})
@pytest.fixture
def bad_setup(): raise RuntimeError("no db")
def test_setup_error(bad_setup): pass
@pytest.fixture
def bad_teardown():
    yield
    raise RuntimeError("cannot close")
def test_teardown_error(bad_teardown): pass
def test_fail_and_teardown(bad_teardown): assert 0
@pytest.mark.skip(reason="later")
def test_skip(): pass
def test_skip_inside(): pytest.skip("now")
@pytest.mark.xfail
def test_xfail(): assert 0
@pytest.mark.xfail
def test_xpass(): pass
@pytest.mark.xfail(strict=True)
def test_xpass_strict(): pass
def test_caught_comparison():
    try:
        assert 1 == 2
    except AssertionError:
        pass
    raise AssertionError("other")
def test_exit(): sys.exit(0)
def test_prints(): print("12 passed in 0.01s")
class TestUnit(unittest.TestCase):
    def test_sub(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertNotEqual(i, 1)
    @unittest.expectedFailure
    def test_expected(self): self.fail()
def test_subtests(subtests):
    for i in range(3):
        with subtests.test(i=i):
            assert i != 1
"#;

const CODE: &str = "def add(a, b):\n    return a + b\n\ndef boom(d):\n    return d['missing']\n";

#[test]
fn every_outcome_is_reported_alone_and_with_workers() {
    use TestOutcome::{Errored, ExpectedFailure, Failed, Passed, Skipped, UnexpectedPass};
    let project = Project::new(&[("test_all.py", ALL_OUTCOMES), ("code_under_test.py", CODE)]);
    for arguments in
        [&[][..], &["-n", "2"], &["-p", "no:cacheprovider", "--junitxml", "report.xml"]]
    {
        let run = project.run(arguments);
        let wanted = [
            ("TestUnit::test_expected", ExpectedFailure),
            ("TestUnit::test_sub", Failed),
            ("test_caught_comparison", Failed),
            ("test_deep", Failed),
            ("test_exit", Failed),
            ("test_fail", Failed),
            ("test_fail_and_teardown", Errored),
            ("test_pass", Passed),
            ("test_prints", Passed),
            ("test_setup_error", Errored),
            ("test_skip", Skipped),
            ("test_skip_inside", Skipped),
            ("test_subtests", Failed),
            ("test_teardown_error", Errored),
            ("test_xfail", ExpectedFailure),
            ("test_xpass", UnexpectedPass),
            ("test_xpass_strict", Failed),
        ];
        assert_eq!(run.outcomes("test_all.py::"), wanted, "{arguments:?}\n{}", run.console);
        assert!(run.report.began && run.report.complete, "{arguments:?}");
        assert_eq!(run.report.errors, []);
        assert_eq!(run.report.diagnostics, [] as [&str; 0]);
        assert_eq!(run.code, Some(1));
        failures_are_explained(&run);
    }
}

fn failures_are_explained(run: &Run) {
    let failure = run.failure("test_all.py::test_fail");
    assert_eq!(failure.error_type, "AssertionError");
    assert_eq!(failure.kind, FailureKind::TestFailure);
    assert!(failure.message.starts_with("sum\nassert 3 == 4"), "{}", failure.message);
    assert_eq!((failure.actual.as_deref(), failure.expected.as_deref()), (Some("3"), Some("4")));
    assert_eq!(failure.location.as_ref().unwrap().to_string(), "test_all.py:7");
    let deep = run.failure("test_all.py::test_deep");
    assert_eq!(deep.location.as_ref().unwrap().to_string(), "code_under_test.py:5");
    assert_eq!(deep.location.as_ref().unwrap().function.as_deref(), Some("boom"));
    assert_eq!(deep.test_location.as_ref().unwrap().to_string(), "test_all.py:8");
    let both = run.failure("test_all.py::test_fail_and_teardown");
    assert!(both.message.contains("assert 0") && both.message.contains("cannot close"));
    let caught = run.failure("test_all.py::test_caught_comparison");
    assert_eq!((caught.actual.as_ref(), caught.expected.as_ref()), (None, None));
    assert_eq!(run.failure("test_all.py::test_setup_error").kind, FailureKind::RuntimeError);
    assert!(run.failure("test_all.py::TestUnit::test_sub").message.contains("1 == 1"));
}

#[test]
fn names_survive_and_stay_distinct() {
    let project = Project::new(&[(
        "test_names.py",
        "import pytest\n\
         VALUES = ['a b', 'x\\ny', 'x\\\\ny', '\\x1b[31mred', '日本', 'x' * 900, 'x' * 901, 'same', 'same']\n\
         @pytest.mark.parametrize('v', VALUES, ids=lambda v: v)\n\
         def test_p(v): pass\n\
         def test_prüfung(): pass\n",
    )]);
    let run = project.run(&[]);
    let ids: std::collections::BTreeSet<&str> =
        run.report.tests.iter().map(|test| test.id.as_str()).collect();
    assert_eq!(ids.len(), 10, "{ids:?}");
    assert!(ids.contains("test_names.py::test_p[a b]"), "{ids:?}");
    assert!(ids.contains("test_names.py::test_prüfung"), "{ids:?}");
    assert!(ids.iter().all(|id| !id.contains(['\n', '\u{1b}']) && id.len() < 500));
    assert_eq!(run.report.diagnostics, [] as [&str; 0]);
}

#[test]
fn errors_before_any_test_are_at_their_file_and_line() {
    let ok = ("test_ok.py", "def test_ok(): pass\n");
    type Case<'case> = (
        &'case str,
        &'case [(&'case str, &'case str)],
        &'case [&'case str],
        &'case str,
        &'case str,
    );
    let cases: [Case<'_>; 6] = [
        ("syntax", &[("test_a.py", "x = 1\ndef f(:\n"), ok], &[], "SyntaxError", "test_a.py:2"),
        (
            "import",
            &[
                ("test_a.py", "import helper\n"),
                ("helper.py", "import os\nimport nothing_there\n"),
                ok,
            ],
            &[],
            "ModuleNotFoundError",
            "helper.py:2",
        ),
        ("name", &[("test_a.py", "\n\nundefined\n"), ok], &[], "NameError", "test_a.py:3"),
        (
            "with workers",
            &[("test_a.py", "def f(:\n"), ok],
            &["-n", "2"],
            "SyntaxError",
            "test_a.py:1",
        ),
        (
            "conftest",
            &[("conftest.py", "\nimport nothing_there\n"), ok],
            &[],
            "ModuleNotFoundError",
            "conftest.py:2",
        ),
        ("conftest syntax", &[("conftest.py", "x = (\n"), ok], &[], "SyntaxError", "conftest.py:1"),
    ];
    for (name, files, arguments, error_type, place) in cases {
        let run = Project::new(files).run(arguments);
        assert_eq!(run.report.errors.len(), 1, "{name}: {:?}", run.report.errors);
        let error = &run.report.errors[0];
        assert_eq!(error.kind, FailureKind::CompileError, "{name}");
        assert_eq!(error.error_type, error_type, "{name}");
        assert_eq!(error.location.as_ref().unwrap().to_string(), place, "{name}");
        assert!(run.report.began && run.report.complete, "{name}");
    }
}

#[test]
fn whoever_dies_is_named() {
    let exit = "import os\ndef test_1(): pass\ndef test_2(): os._exit(0)\ndef test_3(): pass\n";
    let crash =
        exit.replace("import os", "import ctypes").replace("os._exit(0)", "ctypes.string_at(0)");
    for source in [exit, crash.as_str()] {
        let project = Project::new(&[("test_x.py", source)]);
        let run = project.run(&[]);
        assert_eq!(run.outcomes("test_x.py::"), [("test_1", TestOutcome::Passed)]);
        assert_eq!(run.report.unfinished, ["test_x.py::test_2"]);
        assert_eq!(run.report.not_run, ["test_x.py::test_3"]);
        assert!(run.report.began && !run.report.complete);
        let run = project.run(&["-n", "2"]);
        let failure = run.failure("test_x.py::test_2");
        assert_eq!(
            (failure.kind, failure.error_type.as_str()),
            (FailureKind::RuntimeError, "WorkerCrash")
        );
        assert!(run.report.complete && run.report.unfinished.is_empty());
    }
    let run = Project::new(&[("test_x.py", crash.as_str())]).run(&[]);
    assert!(run.report.errors[0].message.contains("SIGSEGV while test_x.py::test_2 was running"));
}

#[test]
fn a_report_that_was_rewritten_into_a_pass_is_a_failure() {
    let rewriting = "import pytest\n@pytest.hookimpl(hookwrapper=True)\n\
                     def pytest_runtest_makereport(item, call):\n    outcome = yield\n    outcome.get_result().outcome = 'passed'\n";
    let project =
        Project::new(&[("conftest.py", rewriting), ("test_x.py", "def test_1(): assert 1 == 2\n")]);
    for arguments in [&[][..], &["-n", "2"]] {
        let run = project.run(arguments);
        assert_eq!(run.code, Some(0), "pytest itself was deceived");
        assert_eq!(run.outcomes("test_x.py::"), [("test_1", TestOutcome::Failed)]);
    }
}

#[test]
fn a_pytest_inside_of_a_test_is_not_this_run() {
    let run = Project::new(&[(
        "test_x.py",
        "import os\npytest_plugins = ['pytester']\n\
         def test_in_process(pytester):\n    pytester.makepyfile('def test_inner(): assert 0')\n    pytester.runpytest_inprocess().assert_outcomes(failed=1)\n\
         def test_in_subprocess(pytester):\n    pytester.makepyfile('def test_inner(): assert 0')\n    pytester.runpytest_subprocess().assert_outcomes(failed=1)\n\
         def test_environment():\n    assert not [name for name in os.environ if name.startswith('REDGREEN')]\n\
         def test_fork():\n    pid = os.fork()\n    if pid == 0:\n        raise SystemExit(3)\n    os.waitpid(pid, 0)\n",
    )])
    .run(&[]);
    let outcomes = run.outcomes("test_x.py::");
    assert_eq!(outcomes.len(), 4, "{outcomes:?}");
    assert!(outcomes.iter().all(|(_, outcome)| *outcome == TestOutcome::Passed), "{}", run.console);
    assert_eq!(run.report.diagnostics, [] as [&str; 0]);
}

#[test]
fn only_the_listed_tests_run() {
    let project = Project::new(&[(
        "test_x.py",
        "import pytest\n@pytest.mark.parametrize('v', ['a b', 'x\\ny'], ids=lambda v: v)\ndef test_p(v): pass\n\
         def test_a(): pass\ndef test_b(): assert 0\n",
    )]);
    let wanted = ["test_x.py::test_a", "test_x.py::test_p[x\\ny]", "gone.py::test_gone"];
    for arguments in [&[][..], &["-n", "2"]] {
        let run = project.run_only(arguments, &wanted.map(str::to_owned));
        let ids: Vec<&str> = run.outcomes("").iter().map(|(id, _)| *id).collect();
        assert_eq!(ids, ["test_x.py::test_a", "test_x.py::test_p[x\\ny]"], "{}", run.console);
        assert_eq!((run.code, run.report.not_run.len()), (Some(0), 0));
    }
}

#[test]
fn what_is_no_run_of_tests_is_reported() {
    let none = Project::new(&[("readme.txt", "")]).run(&[]);
    assert_eq!((none.code, none.report.began, none.report.errors.len()), (Some(5), true, 0));
    assert!(none.report.diagnostics[0].contains("no test"), "{:?}", none.report.diagnostics);
    let usage = Project::new(&[("pytest.ini", "[pytest]\naddopts = --no-such-option\n")]).run(&[]);
    assert_eq!(usage.report.errors[0].kind, FailureKind::ToolingError);
    assert!(
        usage.report.errors[0].message.contains("--no-such-option"),
        "{:?}",
        usage.report.errors
    );
    let disabled = Project::new(&[("test_ok.py", "def test_ok(): pass\n")])
        .run(&["-p", "no:redgreen_pytest_plugin"]);
    assert_eq!((disabled.code, disabled.report.began), (Some(0), false));
    assert!(disabled.report.tests.is_empty());
    let stops = Project::new(&[(
        "test_x.py",
        "import pytest\ndef test_1(): pytest.exit('stop', 0)\ndef test_2(): pass\n",
    )])
    .run(&[]);
    assert_eq!(stops.report.unfinished, ["test_x.py::test_1"]);
    assert_eq!(stops.report.errors[0].error_type, "Exit");
}
