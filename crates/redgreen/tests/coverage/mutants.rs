//! `redgreen mutants`: which small edits of a change no test notices.

use insta::assert_snapshot;
use serde_json::Value;

use crate::common::Project;

const CART: &str = "\
def total(items):
    found = 0
    for item in items:
        found = found + item
    if found > 100:
        found = found - 10
    print('total', found + 1)
    return found
";
const TEST: &str = "\
from cart import total


def test_total():
    assert total([1, 2]) == 3
    assert total([200]) < 200
";

fn project(command: &str) -> Project {
    let project = Project::empty();
    project.write("cart.py", "");
    project.write("test_cart.py", "def test_nothing():\n    assert True\n");
    project
        .write("redgreen.toml", format!("[[checks]]\nname = \"unit\"\ncommand = \"{command}\"\n"));
    project.write(".gitignore", "__pycache__/\n.pytest_cache/\n");
    project.commit();
    project.write("cart.py", CART);
    project.write("test_cart.py", TEST);
    project
}

#[test]
fn what_no_test_notices_is_shown_as_a_diff_and_the_files_stay_as_they_are() {
    let project = project("python -m pytest -q");
    let ended = project.redgreen(&["mutants"]);
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    assert_snapshot!(ended.stdout, @r"
    cart.py:5: no test notices this
        -     if found > 100:
        +     if found > 101:
    cart.py:6: no test notices this
        -         found = found - 10
        +         found = found - 11
    cart.py:5: no test notices this
        -     if found > 100:
        +     if found >= 100:
    6 of 9 edits noticed, 3 not noticed
    ");
    assert_eq!(project.read("cart.py"), CART);
    assert_eq!(project.git(&["status", "--short"]).lines().count(), 2);
}

/// Each edit in a corner of its own, and as many as are asked for.
#[test]
fn what_is_tried_one_by_one_says_the_same() {
    let project = project("python -m unittest");
    let test = "import unittest\n\nfrom cart import total\n\n\nclass TestTotal(unittest.TestCase):\n    def test_total(self):\n        total([1, 200])\n";
    project.write("test_cart.py", test);
    let ended = project.redgreen(&["mutants", "--json", "--max", "3"]);
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    let line = ended.stdout.lines().rfind(|line| line.contains("\"result\":\"mutants\""));
    let found: Value = serde_json::from_str(line.expect("a result")).expect("JSON");
    assert_eq!((&found["tried"], &found["survived"]), (&3.into(), &3.into()), "{found}");
    assert_eq!(found["functions"][0]["hollow"], true, "{found}");
}
