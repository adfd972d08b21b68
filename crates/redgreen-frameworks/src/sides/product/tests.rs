use super::super::tests::Files;
use super::super::{Side, SideCheck, Sides};

const PYTEST: SideCheck<'_> =
    SideCheck { framework: crate::pytest::ID, folder: "", command: "pytest" };
const JEST: SideCheck<'_> = SideCheck { framework: crate::jest::ID, folder: "", command: "jest" };
const GO: SideCheck<'_> =
    SideCheck { framework: crate::go::ID, folder: "", command: "go test ./..." };

#[track_caller]
fn all(check: SideCheck<'_>, files: &[(&str, &str)], wanted: &[(&str, Side)]) {
    let files = Files::of(files);
    let sides = Sides::new(&files, &[check], &[]);
    for (path, wanted) in wanted {
        assert_eq!(sides.side(path), *wanted, "{path}: {}", sides.reason(path));
    }
}

#[test]
fn a_package_that_python_imports_is_code_whatever_it_is_called() {
    all(
        PYTEST,
        &[
            (
                "shop/api.py",
                "from spec import models\nfrom fixtures.rates import RATES\nimport coverage.report\nfrom shop.testing import fake\n",
            ),
            ("spec/__init__.py", ""),
            ("spec/models.py", "from . import deep\n"),
            ("spec/deep.py", "X = 1\n"),
            ("spec/only_tests.py", "Y = 1\n"),
            ("fixtures/rates.py", "RATES = {}\n"),
            ("coverage/__init__.py", ""),
            ("coverage/report.py", "Z = 1\n"),
            ("coverage/html/sorter.js", "x()\n"),
            ("shop/testing/__init__.py", ""),
            ("shop/testing/fake.py", ""),
            ("test/data.py", "D = 1\n"),
            (
                "tests/test_api.py",
                "from shop import api\nfrom spec import only_tests\nfrom tests.helper import f\n\ndef test_a():\n    assert api\n",
            ),
            ("tests/helper.py", "def f(): return 1\n"),
            ("benchmarks/run.py", "from tests.helper import f\n"),
        ],
        &[
            ("spec/models.py", Side::Code),
            ("spec/deep.py", Side::Code),
            ("spec/only_tests.py", Side::Tests),
            ("spec/new.py", Side::Code),
            ("spec/test_new.py", Side::Tests),
            ("fixtures/rates.py", Side::Code),
            ("coverage/report.py", Side::Code),
            ("coverage/html/sorter.js", Side::Inert),
            ("coverage/index.html", Side::Inert),
            ("test/data.py", Side::Tests),
            ("tests/helper.py", Side::Tests),
            ("tests/new.py", Side::Tests),
            ("conftest.py", Side::Tests),
        ],
    );
}

#[test]
fn a_folder_that_scripts_import_is_code() {
    all(
        JEST,
        &[
            ("package.json", "{\"name\": \"root\"}"),
            (
                "src/index.ts",
                "import { a } from './spec/a.js';\nimport { x } from '@my/mocks';\nconst b = require('../fixtures');\n",
            ),
            ("src/spec/a.ts", "export const a = 1;\n"),
            ("src/spec/b.ts", "export const b = 1;\n"),
            ("fixtures/index.js", "module.exports = 1;\n"),
            ("packages/mocks/package.json", "{\"name\": \"@my/mocks\"}"),
            ("packages/mocks/test/x.js", "export const x = 1;\n"),
            ("src/a.test.ts", "import { b } from './spec/b';\ntest('a', () => {});\n"),
        ],
        &[
            ("src/spec/a.ts", Side::Code),
            ("src/spec/b.ts", Side::Tests),
            ("fixtures/index.js", Side::Code),
            ("packages/mocks/test/x.js", Side::Code),
            ("src/a.test.ts", Side::Tests),
        ],
    );
}

#[test]
fn a_package_that_go_imports_is_code() {
    all(
        GO,
        &[
            ("go.mod", "module example.com/m\n"),
            (
                "main.go",
                "package main\n\nimport \"example.com/m/spec\"\nimport (\n\t\"fmt\"\n\tx \"example.com/m/testing/clock\"\n)\n\n//go:embed testdata/page.html\nvar page string\n",
            ),
            ("spec/a.go", "package spec\n"),
            ("spec/b.go", "package spec\n"),
            ("spec/a_test.go", "package spec\n"),
            ("testing/clock/c.go", "package clock\n"),
            ("testing/other/o.go", "package other\n"),
            ("testdata/page.html", ""),
            ("testdata/golden.html", ""),
        ],
        &[
            ("spec/a.go", Side::Code),
            ("spec/b.go", Side::Code),
            ("spec/a_test.go", Side::Tests),
            ("testing/clock/c.go", Side::Code),
            ("testing/other/o.go", Side::Tests),
            ("testdata/page.html", Side::Code),
            ("testdata/golden.html", Side::Tests),
        ],
    );
}

#[test]
fn data_that_code_names_or_whose_names_it_makes_is_code() {
    all(
        PYTEST,
        &[
            (
                "app/pages.py",
                "env = Environment(loader=FileSystemLoader('templates'))\n\ndef page(name):\n    return env.get_template(name)\n",
            ),
            (
                "app/rates.py",
                "def rate(currency):\n    return (Path('data') / f'{currency}.txt').read_text()\n",
            ),
            (
                "app/text.py",
                "ROW = {'golden': 1}\nTEXT = open('prompts/system.md').read()\nDATA = open('tests/shared/own.json')\nNAME = open('cases.json')\n",
            ),
            ("templates/fetch.html", ""),
            ("data/eur.txt", "1\n"),
            ("data/eur.json", "1\n"),
            ("golden/page.html", ""),
            ("prompts/system.md", ""),
            ("tests/shared/own.json", ""),
            ("tests/shared/cases.json", ""),
            (
                "tests/test_a.py",
                "WANTED = open('golden/page.html')\nX = 'fetch.html'\nY = 'data/eur.txt'\nZ = 'data/eur.json'\n\ndef test_a():\n    assert X\n",
            ),
        ],
        &[
            ("templates/fetch.html", Side::Code),
            ("data/eur.txt", Side::Code),
            // `Path('data')` names the whole folder.
            ("data/eur.json", Side::Code),
            ("golden/page.html", Side::Tests),
            ("prompts/system.md", Side::Code),
            ("tests/shared/own.json", Side::Code),
            ("tests/shared/cases.json", Side::Tests),
            ("README.md", Side::Inert),
        ],
    );
}

#[test]
fn where_every_module_may_hold_tests_those_that_do_are_tests() {
    let files = [
        ("pytest.ini", "[pytest]\npython_files = *.py\n"),
        ("calc.py", "def add(a, b):\n    return a + b\n"),
        ("checks.py", "from calc import add\n\ndef test_add():\n    assert add(1, 1) == 2\n"),
        (
            "both.py",
            "def half(a):\n    return a / 2\n\ndef test_half():\n    assert half(2) == 1\n",
        ),
        (
            "tests/both.py",
            "def half(a):\n    return a / 2\n\ndef test_half():\n    assert half(2) == 1\n",
        ),
    ];
    let wanted = [
        ("calc.py", Side::Code),
        ("checks.py", Side::Tests),
        ("both.py", Side::Mixed),
        ("tests/both.py", Side::Tests),
        ("new.py", Side::Code),
        ("test_new.py", Side::Tests),
    ];
    all(PYTEST, &files, &wanted);
}

#[test]
fn what_is_the_tests_by_its_name_alone_is_known_for_it() {
    let files = [
        ("tests/test_a.py", "def test_a():\n    assert open('golden.json')\n"),
        ("golden.json", "1"),
        ("fixtures/rates.py", ""),
    ];
    let files = Files::of(&files);
    let sides = Sides::new(&files, &[PYTEST], &[]);
    assert!(sides.is_guess("golden.json") && sides.is_guess("fixtures/rates.py"));
    assert!(!sides.is_guess("tests/test_a.py") && !sides.is_guess("conftest.py"));
    assert!(!sides.is_guess("app.py") && !sides.is_guess("pytest.ini"));
}
