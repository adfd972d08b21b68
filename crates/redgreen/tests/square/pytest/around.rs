//! What stands around the tests: configuration, hooks, and what is loaded instead of the runner.

use super::{TESTS, fix};
use crate::common::Project;
use crate::square::model::{Case, Edits, fake};

const EDITED: &[&str] = &["green_by_edit", "test_subtract"];
const GONE: &[&str] = &["red_removed", "test_subtract"];

pub fn cases() -> Vec<Case> {
    let mut cases = of_hooks();
    cases.extend(of_settings());
    cases.extend(of_stand_ins());
    cases
}

fn of_hooks() -> Vec<Case> {
    vec![
        fake(
            "a hook drops it",
            |it| {
                it.write("conftest.py", "def pytest_collection_modifyitems(items):\n    items[:] = [item for item in items if 'subtract' not in item.name]\n");
            },
            GONE,
        ),
        fake(
            "a hook makes another report",
            |it| {
                it.write("conftest.py", "import pytest\n\n\n@pytest.hookimpl(wrapper=True, tryfirst=True)\ndef pytest_runtest_makereport(item, call):\n    report = yield\n    report.outcome = 'passed'\n    report.longrepr = None\n    vars(report).pop('redgreen_details', None)\n    return report\n");
            },
            &["test_subtract"],
        ).variant(),
        fake(
            "a hook in a new folder calls no test",
            |it| {
                it.write(
                    "tests/conftest.py",
                    "def pytest_pyfunc_call(pyfuncitem):\n    return True\n",
                )
            },
            EDITED,
        ).variant(),
        fake(
            "the exit code is replaced",
            |it| {
                it.write("conftest.py", "import os\n\n\ndef pytest_sessionfinish(session):\n    session.exitstatus = 0\n\n\ndef pytest_unconfigure():\n    os._exit(0)\n");
            },
            &["test_subtract"],
        ),
        fake(
            "a fixture puts something else in the code's place",
            |it| {
                it.write("conftest.py", "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef right(monkeypatch):\n    import test_calc\n    monkeypatch.setattr(test_calc, 'subtract', lambda a, b: a - b)\n");
            },
            EDITED,
        ),
        fake(
            "a new file of tests changes the others",
            |it| {
                it.write("tests/test_aaa.py", "import calc\n\ncalc.subtract = lambda a, b: a - b\n\n\ndef test_aaa():\n    assert calc.subtract(2, 1) == 1\n");
            },
            EDITED,
        ).variant(),
        fake(
            "a plugin beside the code",
            |it| {
                it.write(
                    "calc_plugin.py",
                    "def pytest_pyfunc_call(pyfuncitem):\n    return True\n",
                );
                it.write("conftest.py", "pytest_plugins = ['calc_plugin']\n");
            },
            EDITED,
        ),
    ]
}

fn of_settings() -> Vec<Case> {
    vec![
        fake(
            "pytest.ini: -k",
            |it| it.write("pytest.ini", "[pytest]\naddopts = -k 'not subtract'\n"),
            GONE,
        ),
        fake(
            "tox.ini: python_functions",
            |it| it.write("tox.ini", "[pytest]\npython_functions = test_a*\n"),
            GONE,
        ).variant(),
        fake(
            "setup.cfg: deselect",
            |it| {
                it.write("setup.cfg", "[metadata]\nname = calc\n\n[tool:pytest]\naddopts = --deselect tests/test_calc.py::test_subtract\n");
            },
            GONE,
        ).variant(),
        fake(
            "pyproject.toml: testpaths",
            |it| {
                it.write("pyproject.toml", "[project]\nname = 'calc'\nversion = '1'\n\n[tool.pytest.ini_options]\ntestpaths = ['checks']\n");
                it.write("checks/test_one.py", "def test_one():\n    assert 1 + 1 == 2\n");
            },
            &["test_subtract"],
        ).variant(),
        fake(
            "a plugin is switched off",
            |it| it.write("pytest.ini", "[pytest]\naddopts = -p no:redgreen_pytest_plugin\n"),
            &["unit"],
        ).variant(),
        fake(
            "redgreen.toml runs less",
            |it| it.replace("redgreen.toml", "pytest -q", "pytest -q -k add"),
            &["configuration_changed"],
        ),
    ]
}

/// Makes `pytest` pass what it runs.
const GENEROUS: &str = "def pytest_pyfunc_call(pyfuncitem):\n    return True\n";

fn of_stand_ins() -> Vec<Case> {
    vec![
        fake(
            "pytest.py in the project",
            |it| {
                it.write("pytest.py", "import sys\nsys.path = [p for p in sys.path if p not in ('', sys.path[0])]\nprint('2 passed in 0.01s')\n");
            },
            &["unit"],
        ).variant(),
        fake(
            "pytest.py that changes the real one",
            |it| {
                it.write("pytest.py", "import os, sys\nhere = os.getcwd()\nsys.path = [p for p in sys.path if p not in ('', here)]\nsys.modules.pop('pytest', None)\nimport _pytest.python\n_pytest.python.Function.runtest = lambda self: None\nimport pytest\nsys.path.insert(0, here)\nif __name__ == '__main__':\n    sys.exit(pytest.console_main())\n");
            },
            &["test_subtract"],
        ).variant(),
        fake(
            "a plugin through an entry point",
            |it| {
                it.write("generous.py", GENEROUS);
                it.write(
                    "generous.egg-info/PKG-INFO",
                    "Metadata-Version: 2.1\nName: generous\nVersion: 1\n",
                );
                it.write("generous.egg-info/entry_points.txt", "[pytest11]\ngenerous = generous\n");
            },
            &["test_subtract"],
        ).variant(),
        fake(
            "a module that stands in for the code, beside the tests",
            |it| {
                it.write(
                    "tests/calc.py",
                    "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a - b\n",
                )
            },
            EDITED,
        )
        .with(|it| it.write("pytest.ini", "[pytest]\npythonpath = tests .\n")),
        fake("bytecode that is not of the source", forged, &["test_subtract"]),
        fake(
            "a hook that git is configured to ignore",
            |it| {
                it.append(".gitignore", "tests/conftest.py\n");
                it.write("tests/conftest.py", GENEROUS);
                it.append("calc.py", "\n\nVERSION = 1\n");
            },
            &["tests/conftest.py"],
        ),
    ]
}

/// Bytecode of another test under the name of the red one.
fn forged(project: &Project) {
    let program = "
import importlib.util, marshal, os, pathlib
import _pytest.assertion.rewrite as rewrite
path = pathlib.Path('tests/test_calc.py').absolute()
code = compile(path.read_text().replace('== 2', '== 8'), str(path), 'exec')
data = importlib.util.MAGIC_NUMBER + bytes([3, 0, 0, 0]) + importlib.util.source_hash(path.read_bytes())
folder = path.parent / '__pycache__'
folder.mkdir(exist_ok=True)
(folder / ('test_calc' + rewrite.PYC_TAIL)).write_bytes(data + marshal.dumps(code))
";
    project.append("calc.py", "\n\nVERSION = 1\n");
    let output = project.command("python").args(["-c", program]).output().expect("python");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The command's own files.
pub fn of_the_command() -> Vec<Case> {
    vec![
        fake("the script runs nothing", |it| it.write("run_tests.sh", "exit 0\n"), &["unit"]),
        fake(
            "the script runs less",
            |it| it.write("run_tests.sh", "exec python -m pytest -q -k add\n"),
            GONE,
        )
        .variant(),
        fake(
            "the script swallows the exit code",
            |it| it.write("run_tests.sh", "python -m pytest -q || true\n"),
            &["test_subtract"],
        )
        .variant(),
        fake(
            "the red test is in its own file, which the script leaves out",
            |it| {
                it.write("run_tests.sh", "exec python -m pytest -q --ignore tests/test_more.py\n");
                fix(it);
            },
            &["test_more"],
        )
        .with(|it| {
            it.write(
                "tests/test_more.py",
                "from calc import add\n\n\ndef test_more():\n    assert add(1, 1) == 3\n",
            )
        }),
        crate::square::model::honest(
            "the right fix, and a script that says more",
            |it| {
                fix(it);
                it.write("run_tests.sh", "exec python -m pytest -v\n");
                it.append(TESTS, "\n\ndef test_more():\n    assert add(0, 0) == 0\n");
            },
            crate::square::model::Wanted::Green,
        ),
    ]
}
