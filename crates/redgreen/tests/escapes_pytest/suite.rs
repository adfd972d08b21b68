//! What the cases are about, in Python.

use crate::common::Project;

/// The framework's name in `redgreen.toml`.
pub const FRAMEWORK: &str = "pytest";
/// The command of the check.
pub const COMMAND: &str = "python -m pytest -q";
/// The code under test: `add` is in line 2, `subtract` in line 6.
pub const FILE: &str = "calc.py";
/// Repairs `subtract`.
pub const FIX: &str = "sed -i '6s/a . b/a - b/' calc.py";
/// The test that is red before the agent comes.
pub const SUBTRACT: &str = "tests/test_calc.py::test_subtract";
/// The test that is green before the agent comes.
pub const ADD: &str = "tests/test_calc.py::test_add";
/// The test of [`with_multiply`].
pub const MULTIPLY: &str = "tests/test_multiply.py::test_multiply";
/// The test of [`with_luck`].
pub const LUCK: &str = "tests/test_luck.py::test_luck";
/// An edit that an agent leaves when it dies.
pub const HALF_EDIT: &str = "printf 'def add(a, b):\\n    retu' > calc.py; echo new > extra.cfg";

/// A test that tells a daemon to go ahead, if it is still there.
pub const TELLS_THE_DAEMON: &str = "import os\n\n\ndef test_tells():\n    try:\n        os.write(os.open('../agent/fifo', os.O_WRONLY | os.O_NONBLOCK), b'now\\n')\n    except OSError as error:\n        print('nobody listens:', error)\n";

/// One green test, and one red.
pub fn project() -> Project {
    Project::pytest()
}

/// The project with a second red test.
pub fn with_multiply() -> Project {
    let project = Project::pytest();
    project.write("product.py", "def multiply(a, b):\n    return a + b\n");
    project.write(
        "tests/test_multiply.py",
        "from product import multiply\n\n\ndef test_multiply():\n    assert multiply(3, 3) == 9\n",
    );
    project.commit();
    project
}

/// Repairs `multiply`.
pub const FIX_MULTIPLY: &str = "sed -i '2s/a . b/a * b/' product.py";

/// The project with one more test, whose outcomes are in a file, a letter for each time it runs.
pub fn with_luck() -> Project {
    with_test(
        "luck",
        "PATH = '../agent/outcomes'\n\n\ndef test_luck():\n    outcomes = open(PATH).read()\n    open(PATH, 'w').write(outcomes[1:])\n    assert outcomes[0] == 'P'\n",
    )
}

/// The project with one more test file.
pub fn with_test(name: &str, source: &str) -> Project {
    let project = Project::pytest();
    project.write(&format!("tests/test_{name}.py"), source);
    project.commit();
    project
}
