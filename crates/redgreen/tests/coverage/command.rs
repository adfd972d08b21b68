//! `redgreen coverage`: stand-alone, by a run or by reports.

use insta::assert_snapshot;

use crate::common::Project;

fn project() -> Project {
    let project = Project::empty();
    project.write("cart.py", "def add(a, b):\n    return a + b\n");
    project.write(
        "test_cart.py",
        "from cart import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    );
    project
        .write("redgreen.toml", "[[checks]]\nname = \"unit\"\ncommand = \"python -m pytest -q\"\n");
    project.write(".gitignore", "__pycache__/\n.pytest_cache/\n*.info\n");
    project.commit();
    project
        .write("cart.py", "def add(a, b):\n    if a == 7:\n        return b\n    return a + b\n");
    project
}

#[test]
fn by_a_run() {
    let project = project();
    let ended = project.redgreen(&["coverage"]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert_snapshot!(ended.stdout, @r"
    coverage of the change since HEAD
      cart.py   50 %  1 of 2
    untested change: add in cart.py: no test runs line 3
        3: return b
      nearest test: test_cart.py::test_add
    coverage of the change: 50 % (1 of 2 statements), at least 80 % for new_function (it changes what code does)
    ");
}

#[test]
fn by_reports_without_a_run() {
    let project = project();
    project.write("redgreen.toml", "");
    project
        .write("a.info", "SF:/builds/ci/cart.py\nDA:1,1\nDA:2,4\nDA:3,0\nDA:4,4\nend_of_record\n");
    project.write("b.info", "SF:cart.py\nDA:1,1\nDA:2,1\nDA:3,1\nDA:4,0\nend_of_record\n");
    let ended = project.redgreen(&["coverage", "--github", "a.info"]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert_snapshot!(ended.stdout, @r"
    ::error file=cart.py,line=3,endLine=3::no test runs this line
    coverage of the change: 50 % (1 of 2 statements), at least 80 % for new_function (it changes what code does)
    ");
    assert_eq!(project.redgreen(&["coverage", "a.info", "b.info"]).code, Some(0), "merged");
    project.write("d.info", "garbage");
    assert_eq!(project.redgreen(&["coverage", "d.info"]).code, Some(1), "nothing was read");
    let missing = project.redgreen(&["coverage", "c.info"]);
    assert!(missing.code == Some(3) && missing.stderr.contains("c.info"), "{}", missing.stderr);
}
