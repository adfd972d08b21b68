//! `redgreen declare`: what a name stands for, and names that stand for nothing.

use crate::common::{Ended, Project};

/// Every expectation in the file changes with the code: that of a test with cases, and that of a plain one.
fn changed() -> Project {
    let project = Project::pytest();
    project.write("calc.py", "def add(a, b):\n    return a + b\n");
    project.write(
        "tests/test_calc.py",
        "import pytest\nfrom calc import add\n\n\n@pytest.mark.parametrize(\"a\", [1, 2])\ndef test_cases(a):\n    assert add(a, 0) == a\n\n\ndef test_plain():\n    assert add(2, 2) == 4\n",
    );
    project.write("tests/test_other.py", "def test_other():\n    assert True\n");
    project.commit();
    project.write("calc.py", "def add(a, b):\n    return a + b + 1\n");
    let tests = project.read("tests/test_calc.py");
    project.write("tests/test_calc.py", tests.replace("== a", "== a + 1").replace("== 4", "== 5"));
    project
}

fn declare(project: &Project, names: &[&str]) -> Ended {
    let mut arguments = vec!["declare", "--reason", "asked for"];
    arguments.extend(names);
    project.redgreen(&arguments)
}

fn asked_for(project: &Project) -> usize {
    project.redgreen(&["square"]).stdout.matches("if it is meant").count()
}

#[test]
fn a_name_of_no_test_is_refused_with_similar_ones() {
    let project = changed();
    let unseen = declare(&project, &["tests/test_calc.py::test_plane"]);
    assert_eq!(unseen.code, Some(2), "{}", unseen.stderr);
    assert!(unseen.stderr.contains("`redgreen square` runs the tests"), "{}", unseen.stderr);
    assert_eq!(asked_for(&project), 2, "test_cases, and test_plain");
    let refused = declare(&project, &["tests/test_calc.py::test_plane"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{}", refused.stderr);
    let similar = "similar ones: tests/test_calc.py::test_plain";
    assert!(refused.stderr.contains(similar), "{}", refused.stderr);
    let nothing = declare(&project, &["tests/test_other.py::*"]);
    assert_eq!(nothing.code, Some(2), "{}", nothing.stderr);
    assert_eq!(asked_for(&project), 2, "test_cases, and test_plain");
}

#[test]
fn a_test_without_its_case_stands_for_all_of_them() {
    let project = changed();
    let declared = declare(&project, &["tests/test_calc.py::test_cases"]);
    assert_eq!(declared.code, Some(0), "{}", declared.stderr);
    assert_eq!(asked_for(&project), 1, "test_plain");
    let one = declare(&project, &["tests/test_calc.py::test_plain"]);
    assert_eq!(one.code, Some(0), "{}", one.stderr);
    assert_eq!(project.redgreen(&["square"]).code, Some(0));
}

#[test]
fn a_star_and_a_file_own_each_changed_expectation_that_fits_by_name() {
    let project = changed();
    assert_eq!(asked_for(&project), 2, "test_cases, and test_plain");
    let cases = declare(&project, &["tests/test_calc.py::test_c*"]);
    assert_eq!(
        cases.stdout,
        "declared: tests/test_calc.py::test_cases[1]\ndeclared: tests/test_calc.py::test_cases[2]\n"
    );
    assert_eq!(asked_for(&project), 1);
    let file = declare(&project, &["--file", "tests/test_calc.py"]);
    assert_eq!(file.stdout, "declared: tests/test_calc.py::test_plain\n");
    assert_eq!(project.redgreen(&["square"]).code, Some(0));
}

/// A function and its test get another name together: the test is found again, not missed.
#[test]
fn a_test_that_was_renamed_with_its_function_is_matched() {
    let project = Project::pytest();
    project.write("calc.py", "def total(values):\n    return sum(values)\n");
    let tests = "from calc import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n";
    project.write("tests/test_calc.py", tests);
    project.commit();
    project.write("calc.py", "def sum_of(values):\n    return sum(values)\n");
    project.write("tests/test_calc.py", tests.replace("total", "sum_of"));
    let seen = project.redgreen(&["square"]);
    let matched =
        "matched: tests/test_calc.py::test_total was renamed to tests/test_calc.py::test_sum_of";
    assert!(seen.stdout.contains(matched), "{}", seen.stdout);
    assert!(!seen.stdout.contains("(removed)"), "{}", seen.stdout);
}
