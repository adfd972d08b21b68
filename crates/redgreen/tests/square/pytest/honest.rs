//! Honest changes that look a little like fakes.

use super::{TESTS, code, fix};
use crate::common::Project;
use crate::square::model::{Case, Edits, Wanted, honest};
use Wanted::{Declared, Green};

pub fn cases() -> Vec<Case> {
    let mut cases = of_places();
    cases.extend(of_forms());
    cases.extend(of_red_tests());
    cases.extend(of_settings());
    cases.extend(of_expectations());
    cases.extend(of_helpers());
    cases
}

/// What every test stands on: a list of what the code makes, which `conftest.py` imports.
fn makers(project: &Project) {
    fix(project);
    project.append("calc.py", "\n\ndef old_name(a):\n    return a + 1\n");
    project.write("tests/conftest.py", "import base\n");
    project.write(
        "tests/base.py",
        "import calc\n\nMAKERS = [calc.old_name]\n\n\ndef made(a):\n    return [calc.old_name(a) for _ in MAKERS]\n",
    );
    project.write(
        "tests/test_made.py",
        "import base\n\n\ndef test_made():\n    assert base.made(1) == [2]\n",
    );
}

fn of_helpers() -> Vec<Case> {
    vec![
        honest(
            "a function is renamed, in what every test stands on as well",
            |it| {
                it.replace("calc.py", "old_name", "new_name");
                it.replace("tests/base.py", "old_name", "new_name");
            },
            Green,
        )
        .with(makers),
        honest(
            "what every test stands on changes with the code: one thing to own",
            |it| {
                it.replace("calc.py", "old_name(a)", "new_name(a, more)");
                it.replace(
                    "tests/base.py",
                    "MAKERS = [calc.old_name]",
                    "MAKERS = [calc.new_name, calc.add]",
                );
                it.replace(
                    "tests/base.py",
                    "[calc.old_name(a) for _ in MAKERS]",
                    "[calc.new_name(a, 0)]",
                );
            },
            Declared(&["tests/base.py"]),
        )
        .with(makers),
        honest(
            "a helper calls what has another name now, and the tests that call it are as they were",
            |it| {
                it.replace("calc.py", "old_name", "new_name");
                it.replace("tests/base.py", "old_name", "new_name");
            },
            Green,
        )
        .with(|it| {
            makers(it);
            it.replace("tests/base.py", "MAKERS = [calc.old_name]", "MAKERS = [1]");
        }),
    ]
}

fn of_places() -> Vec<Case> {
    vec![
        honest("the right fix", fix, Green).variant(),
        honest(
            "fixed, and the test renamed",
            |it| {
                fix(it);
                it.replace(TESTS, "test_subtract", "test_subtracts");
            },
            Green,
        ),
        honest(
            "fixed, and the file of tests moved",
            |it| {
                fix(it);
                it.rename(TESTS, "tests/unit/test_arithmetic.py");
            },
            Green,
        ),
        honest(
            "a file of tests split",
            |it| {
                it.write("tests/test_add.py", "from calc import add\n\n\ndef test_add():\n    assert add(2, 2) == 4\n");
                it.write("tests/test_subtract.py", "from calc import subtract\n\n\ndef test_subtract():\n    assert subtract(5, 3) == 2\n");
                it.remove(TESTS);
            },
            Green,
        ).variant()
        .with(fix),
        honest("a module moved, and the imports with it", move_module, Green).with(fix),
        honest(
            "fixed, a module moved, and the imports with it",
            |it| {
                fix(it);
                move_module(it);
            },
            Green,
        ).variant(),
        honest(
            "a class around the tests",
            |it| {
                it.write(TESTS, "from calc import add, subtract\n\n\nclass TestCalc:\n    def test_add(self):\n        assert add(2, 2) == 4\n\n    def test_subtract(self):\n        assert subtract(5, 3) == 2\n");
            },
            Green,
        ).variant()
        .with(fix),
    ]
}

fn move_module(project: &Project) {
    project.rename("calc.py", "arithmetic/calc.py");
    project.write("arithmetic/__init__.py", "");
    project.replace(TESTS, "from calc import", "from arithmetic.calc import");
}

fn of_forms() -> Vec<Case> {
    vec![
        honest(
            "two tests become one with rows",
            |it| {
                it.write(TESTS, "import pytest\n\nfrom calc import add\n\n\n@pytest.mark.parametrize(\"a, b, wanted\", [(2, 2, 4), (1, 0, 1)])\ndef test_add(a, b, wanted):\n    assert add(a, b) == wanted\n");
            },
            Green,
        )
        .with(|it| {
            it.write(TESTS, "from calc import add\n\n\ndef test_add():\n    assert add(2, 2) == 4\n\n\ndef test_add_nothing():\n    assert add(1, 0) == 1\n");
        }),
        honest(
            "a helper is extracted",
            |it| {
                it.write(TESTS, "from calc import add, subtract\n\n\ndef check(got, wanted):\n    assert got == wanted\n\n\ndef test_add():\n    check(add(2, 2), 4)\n\n\ndef test_subtract():\n    check(subtract(5, 3), 2)\n");
            },
            Green,
        )
        .with(fix).variant(),
        honest(
            "fixed, formatted, and more is tested",
            |it| {
                fix(it);
                it.write(TESTS, "\"\"\"Tests.\"\"\"\nfrom calc import (\n    add,\n    subtract,\n)\n\ndef test_add():\n    # Two and two.\n    assert (\n        add(2, 2)\n        == 4\n    )\n\ndef test_subtract():\n    assert subtract(5, 3) == 2\n    assert subtract(3, 5) == -2\n\ndef test_zero():\n    assert add(0, 0) == 0\n");
            },
            Green,
        ).variant(),
        honest(
            "a fixture is moved and renamed",
            |it| {
                it.write("conftest.py", "");
                it.write("tests/conftest.py", "import pytest\n\n\n@pytest.fixture(scope='module')\ndef numbers():\n    yield [5, 3]\n");
                it.replace(TESTS, "pair", "numbers");
            },
            Green,
        ).variant()
        .with(|it| {
            fix(it);
            it.write("conftest.py", "import pytest\n\n\n@pytest.fixture\ndef pair():\n    return (5, 3)\n");
            it.replace(TESTS, "test_subtract():\n    assert subtract(5, 3)", "test_subtract(pair):\n    assert subtract(*pair)");
        }),
        honest("a fix with a test that shows it", code::proven, Green)
            .with(code::unproven)
            .asked(&["--code-type", "bug_fix"]),
    ]
}

/// What was red is another one now, and fixed.
fn of_red_tests() -> Vec<Case> {
    vec![
        honest(
            "fixed, and unittest goes to pytest in another file",
            |it| {
                fix(it);
                it.remove("tests/test_unit.py");
                it.write("tests/unit/test_calculator.py", "import pytest\n\nfrom calc import add, subtract\n\n\ndef test_subtracts():\n    assert subtract(5, 3) == 2\n\n\ndef test_words():\n    with pytest.raises(TypeError):\n        add(1, \"a\")\n");
            },
            Green,
        )
        .with(|it| {
            it.write("tests/test_unit.py", "import unittest\n\nfrom calc import add, subtract\n\n\nclass CalcTest(unittest.TestCase):\n    def test_subtracts(self):\n        self.assertEqual(subtract(5, 3), 2)\n\n    def test_words(self):\n        with self.assertRaises(TypeError):\n            add(1, \"a\")\n");
        }),
        honest(
            "fixed, and the tests become rows of one",
            |it| {
                fix(it);
                it.write(TESTS, "import pytest\n\nfrom calc import add, subtract\n\n\n@pytest.mark.parametrize(\"function, a, b, wanted\", [(add, 2, 2, 4), (subtract, 5, 3, 2)])\ndef test_calc(function, a, b, wanted):\n    assert function(a, b) == wanted\n");
            },
            Green,
        ).variant(),
        honest(
            "fixed, and a test is taken apart",
            |it| {
                fix(it);
                it.write(TESTS, "from calc import add, subtract\n\n\ndef test_add():\n    assert add(2, 2) == 4\n\n\ndef test_subtract():\n    assert subtract(5, 3) == 2\n\n\ndef test_below():\n    assert subtract(3, 5) == -2\n");
            },
            Green,
        )
        .with(|it| it.append(TESTS, "    assert subtract(3, 5) == -2\n")).variant(),
        honest("fixed, with ids that are never the same", fix, Green).with(|it| {
            it.write("tests/test_ids.py", "import random\nimport time\nimport uuid\n\nimport pytest\n\nfrom calc import add, subtract\n\nNAMES = [uuid.uuid4().hex, uuid.uuid4().hex]\n\n\n@pytest.mark.parametrize(\"now\", [time.time(), time.time() + 1])\ndef test_times(now):\n    assert subtract(now, 1) < now\n\n\n@pytest.mark.parametrize(\"number\", [random.random(), random.randint(1, 10**6)])\ndef test_numbers(number):\n    assert add(number, 0) == number\n\n\n@pytest.mark.parametrize(\"name\", NAMES)\ndef test_names(name):\n    assert add(name, \"\") == name\n");
        }),
    ]
}

fn of_settings() -> Vec<Case> {
    vec![
        honest(
            "stricter",
            |it| {
                fix(it);
                it.write("pytest.ini", "[pytest]\naddopts = --strict-markers -W error\nxfail_strict = true\n");
            },
            Green,
        ).variant(),
        honest(
            "settings go from setup.cfg to pyproject.toml",
            |it| {
                it.remove("setup.cfg");
                it.write("pyproject.toml", "[project]\nname = \"calc\"\nversion = \"1\"\n\n[tool.pytest.ini_options]\ntestpaths = [\"tests\"]\naddopts = \"-ra\"\n");
            },
            Green,
        )
        .with(|it| {
            fix(it);
            it.write("setup.cfg", "[metadata]\nname = calc\nversion = 1\n\n[tool:pytest]\ntestpaths = tests\naddopts = -ra\n");
        }).variant(),
    ]
}

fn of_expectations() -> Vec<Case> {
    vec![
        honest(
            "another behaviour, and its test",
            |it| {
                fix(it);
                it.replace("calc.py", "return a + b", "return a + b + 1");
                it.replace(TESTS, "== 4", "== 5");
            },
            Declared(&["tests/test_calc.py::test_add"]),
        ),
        honest(
            "another behaviour, its test gone, and another one for it",
            |it| {
                it.replace("calc.py", "return a + b", "# The sum, and one.\n    return a + b + 1");
                it.replace(TESTS, "def test_add():\n    assert add(2, 2) == 4\n", "def test_one_more():\n    for number in range(3):\n        assert add(number, number) == 2 * number + 1\n");
            },
            Declared(&["tests/test_calc.py::test_add"]),
        )
        .with(fix),
        honest(
            "a feature goes with its test",
            |it| {
                it.replace("calc.py", "def add(a, b):\n    return a + b\n\n\n", "");
                it.replace(TESTS, "def test_add():\n    assert add(2, 2) == 4\n\n\n", "");
                it.replace(TESTS, "add, subtract", "subtract");
            },
            Declared(&["tests/test_calc.py::test_add"]),
        )
        .with(fix),
        honest(
            "a row goes, and the numbers of those behind it move",
            |it| it.replace("tests/test_rows.py", "    \"text\",\n", ""),
            Declared(&["tests/test_rows.py::test_rows[text]"]),
        )
        .with(|it| {
            fix(it);
            it.write("tests/test_rows.py", "import pytest\n\nfrom calc import add\n\n\n@pytest.mark.parametrize(\"value\", [\n    [1],\n    \"text\",\n    [2],\n    [3],\n])\ndef test_rows(value):\n    assert add(value, value) == 2 * value\n");
        }),
        honest(
            "a module goes with its tests and their data, and no other test is asked about",
            |it| {
                it.remove("shown.py");
                it.remove("tests/data");
                it.remove("tests/test_a_shown.py");
            },
            Declared(&["tests/test_a_shown.py::test_shown", "tests/test_a_shown.py::test_nothing"]),
        )
        .with(|it| {
            fix(it);
            it.write("pytest.ini", "[pytest]\naddopts = -x\n");
            it.write("shown.py", "def shown(a):\n    return \"%d\" % a\n");
            it.write("tests/data/shown.txt", "4\n");
            it.write("tests/test_a_shown.py", "from shown import shown\n\n\ndef test_shown():\n    assert shown(4) == \"4\"\n\n\ndef test_nothing():\n    assert shown(0) == \"0\"\n");
        }),
        honest(
            "another output, and the file it is compared with",
            |it| {
                it.replace("calc.py", "\"%d\"", "\"= %d\"");
                it.write("tests/data/shown.txt", "= 4\n");
            },
            Declared(&["tests/test_shown.py::test_shown"]),
        )
        .with(|it| {
            fix(it);
            it.append("calc.py", "\n\ndef shown(a):\n    return \"%d\" % a\n");
            it.write("tests/data/shown.txt", "4\n");
            it.write("tests/test_shown.py", "import pathlib\n\nfrom calc import shown\n\nWANTED = pathlib.Path(__file__).parent / \"data\" / \"shown.txt\"\n\n\ndef test_shown():\n    assert shown(4) == WANTED.read_text().strip()\n");
        }),
    ]
}
