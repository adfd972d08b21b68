//! Tables of Python.

use crate::{Strength, outline};

use Strength::{Exact, Loose, Vacuous};

#[test]
fn assertions_are_as_strong_as_what_they_accept() {
    for (statement, expected) in [
        ("assert total == 12", Exact),
        ("assert 12 == total(x)", Exact),
        ("assert f() is None", Exact),
        ("assert not f()", Loose),
        ("assert f()", Loose),
        ("assert x in [1, 2]", Loose),
        ("assert x >= 3", Loose),
        ("assert x is not None", Loose),
        ("assert isinstance(x, int)", Loose),
        ("assert len(x) == 3", Exact),
        ("assert len(x) >= 0", Vacuous),
        ("assert True", Vacuous),
        ("assert 1", Vacuous),
        ("assert 1 == 1", Vacuous),
        ("assert 'a' == \"a\"", Vacuous),
        ("assert not False", Vacuous),
        ("assert x == x", Vacuous),
        ("assert f(1) == f(1)", Exact),
        ("assert x == 3 or True", Vacuous),
        ("assert x == 3 or y == 4", Loose),
        ("assert x == 3 and y", Exact),
        ("assert (x == 3, 'three')", Vacuous),
        ("assert (x == 3), 'three'", Exact),
        ("assert False, 'not reached'", Exact),
        ("assert x == mock.ANY", Vacuous),
        ("assert x == pytest.approx(0.3)", Exact),
        ("assert x == pytest.approx(0.3, abs=1e-9)", Exact),
        ("assert x == pytest.approx(0.3, abs=1e9)", Loose),
        ("assert math.isclose(x, 0.3)", Exact),
        ("assert (lambda: x == 3)", Vacuous),
        ("assert bool(x == 3)", Exact),
        ("self.assertEqual(f(x), 3)", Exact),
        ("self.assertEqual(3, 3)", Vacuous),
        ("self.assertEqual(x, x)", Vacuous),
        ("self.assertTrue(True)", Vacuous),
        ("self.assertTrue(x)", Loose),
        ("self.assertTrue(x == 3)", Exact),
        ("self.assertFalse(False)", Vacuous),
        ("self.assertIsNotNone(x)", Loose),
        ("self.assertAlmostEqual(x, 3.5, places=7)", Exact),
        ("self.assertAlmostEqual(x, 3.5, delta=100)", Loose),
        ("self.assertRaises(ValueError, f)", Exact),
        ("with self.assertRaises(Exception): f()", Loose),
        ("with pytest.raises(ValueError): f()", Exact),
        ("with pytest.raises(Exception): f()", Loose),
        ("m.assert_called_once_with(3)", Exact),
        ("m.assert_called()", Loose),
        ("self.fail('no')", Exact),
        ("np.testing.assert_allclose(x, y)", Exact),
    ] {
        let source = format!("def test_a(self):\n    {statement}\n");
        let outline = outline(crate::PYTHON, &source);
        let found: Vec<_> = outline.tests[0].assertions.iter().map(|it| it.strength).collect();
        assert_eq!(found, [expected], "{statement}");
    }
}

#[test]
fn what_is_not_reached_or_not_heard_is_said() {
    for (body, expected) in [
        ("x = 1\nassert x == f()", true),
        ("return\nassert f() == 1", false),
        ("if slow():\n    return\nassert f() == 1", true),
        ("if True:\n    return\nassert f() == 1", false),
        ("if False:\n    assert f() == 1", false),
        ("if 0:\n    pass\nelse:\n    assert f() == 1", true),
        ("if True:\n    pass\nelse:\n    assert f() == 1", false),
        ("if x:\n    assert f() == 1", true),
        ("while False:\n    assert f() == 1", false),
        ("for x in []:\n    assert f() == 1", false),
        ("for x in [1]:\n    assert f() == 1", true),
        ("pytest.skip('later')\nassert f() == 1", false),
        ("self.skipTest('later')\nassert f() == 1", false),
        ("raise unittest.SkipTest\nassert f() == 1", false),
        ("try:\n    assert f() == 1\nexcept:\n    pass", false),
        ("try:\n    assert f() == 1\nexcept Exception:\n    pass", false),
        (
            "try:\n    assert f() == 1\nexcept (ValueError, AssertionError) as e:\n    print(e)",
            false,
        ),
        ("try:\n    assert f() == 1\nexcept ValueError:\n    pass", true),
        ("try:\n    assert f() == 1\nexcept Exception:\n    raise", true),
        ("try:\n    assert f() == 1\nexcept Exception as e:\n    errors.append(e)", true),
        ("try:\n    assert f() == 1\nfinally:\n    return", false),
        ("try:\n    assert f() == 1\nfinally:\n    close()", true),
        ("with suppress(Exception):\n    assert f() == 1", false),
        ("with contextlib.suppress(KeyError):\n    assert f() == 1", true),
        ("def inner():\n    assert f() == 1", false),
        ("def inner():\n    assert f() == 1\ninner()", true),
        ("@wraps(f)\ndef inner():\n    assert f() == 1", true),
        ("False and self.assertEqual(f(), 1)", false),
    ] {
        let body = body.replace('\n', "\n    ");
        let source = format!("def test_a(self):\n    {body}\n");
        let outline = outline(crate::PYTHON, &source);
        let found: Vec<_> = outline.tests[0].assertions.iter().map(|it| it.reachable).collect();
        assert_eq!(found, [expected], "{body}");
    }
}

const MODULE: &str = r#"
import pytest
from shop import cart

CASES = [1, 2]

@pytest.fixture
def full():
    return cart.Cart([1])

def check_total(cart, expected):
    assert cart.total == expected

def test_plain(full):
    assert full.total == 1

async def test_later():
    assert await cart.load() == 3

@pytest.mark.skip(reason="later")
def test_skipped():
    assert True

@pytest.mark.skipif(sys.platform == "win32", reason="paths")
def test_elsewhere():
    assert True

@pytest.mark.xfail
def test_broken():
    assert False

@pytest.mark.xfail(sys.platform == "win32", reason="x")
def test_broken_there():
    assert False

@pytest.mark.parametrize("a, b", [(1, 2), pytest.param(3, 4, id="x")])
@pytest.mark.slow
def test_rows(a, b):
    check_total(a, b)

class TestCart:
    def setup_method(self):
        pass

    class TestInner:
        def test_deep(self):
            for a, b in ((1, 2), (3, 4)):
                assert a == f(b)

@unittest.skip("x")
class Skipped(unittest.TestCase):
    def test_in_it(self):
        self.assertEqual(1, f())

class Client:
    def test_connection(self):
        return True

if sys.version_info > (3, 9):
    def test_conditional():
        def test_nested():
            pass
        assert f() == 1
"#;

#[test]
fn a_module_has_the_tests_that_pytest_and_unittest_collect() {
    let outline = outline(crate::PYTHON, MODULE);
    let mut lines = Vec::new();
    for test in &outline.tests {
        let skipped = if test.skipped { " skipped" } else { "" };
        let failing = if test.expected_failure { " failing" } else { "" };
        let rows = test.parameters.len();
        lines.push(format!("{} {rows}{skipped}{failing}", test.path.join("::")));
    }
    let expected = [
        "test_plain 0",
        "test_later 0",
        "test_skipped 0 skipped",
        "test_elsewhere 0",
        "test_broken 0 failing",
        "test_broken_there 0",
        "test_rows 2",
        "TestCart::TestInner::test_deep 2",
        "Skipped::test_in_it 0 skipped",
        "test_conditional 0",
    ];
    assert_eq!(lines, expected);
    let helpers: Vec<_> = outline.helpers.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(helpers, ["full", "check_total", "setup_method", "test_connection"]);
    assert_eq!(outline.tests[0].line, 14);
    assert_eq!((outline.tests[2].line, outline.tests[2].end_line), (20, 22));
    assert_eq!(outline.tests[6].calls, ["check_total"]);
}

#[test]
fn a_whole_module_or_class_can_be_skipped() {
    for source in [
        "pytestmark = pytest.mark.skip\ndef test_a(): pass",
        "pytestmark = [pytest.mark.slow, pytest.mark.skip('x')]\ndef test_a(): pass",
        "pytest.skip('x', allow_module_level=True)\ndef test_a(): pass",
        "__test__ = False\ndef test_a(): pass",
        "class TestA:\n    __test__ = False\n    def test_a(self): pass",
        "class TestA:\n    pytestmark = pytest.mark.skip\n    def test_a(self): pass",
        "def test_a():\n    pytest.skip('x')\n    assert f()",
    ] {
        assert!(outline(crate::PYTHON, source).tests[0].skipped, "{source}");
    }
    let source = "pytestmark = pytest.mark.slow\ndef test_a():\n    if x: pytest.skip('x')\n";
    assert!(!outline(crate::PYTHON, source).tests[0].skipped);
}
