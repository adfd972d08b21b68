//! Weaker tests, and honest edits that are none.

use super::*;
use crate::{Language, outline};

use WeakeningKind::{
    AssertionsRemoved, CasesRemoved, ExpectedFailure, Guarded, Looser, Skipped, Unreachable,
    Vacuous,
};

/// The kinds of weakening between the last tests of two sources.
fn kinds(language: Language, old: &str, new: &str) -> Vec<WeakeningKind> {
    let (old, new) = (outline(language, old), outline(language, new));
    let helpers = (&old.helpers[..], &new.helpers[..]);
    let last = |outline: &crate::Outline| outline.tests.last().cloned().expect("a test");
    weakenings(&last(&old), &last(&new), helpers).iter().map(|it| it.kind).collect()
}

fn python(body: &str) -> String {
    format!("def test_a(self):\n    {}\n", body.replace('\n', "\n    "))
}

fn script(body: &str) -> String {
    format!("test('a', async () => {{\n{body}\n}});\n")
}

#[test]
fn python_tests_that_ask_less() {
    for (old, new, expected) in [
        ("assert f(1) == 2", "assert True", Vacuous),
        ("assert f(1) == 2", "assert f(1) == 2 or True", Vacuous),
        ("assert f(1) == 2", "assert (f(1) == 2, 'm')", Vacuous),
        ("assert f(1) == 2", "x = f(1)\nassert x == x", Vacuous),
        ("x = f(1)\nassert x == 2", "x = f(1)\nx = 2\nassert x == 2", Vacuous),
        ("assert f(1) == 2", "assert f(1)", Looser),
        ("assert f(1) == 2", "assert f(1) is not None", Looser),
        ("assert f(1) == 2", "assert f(1) >= 2", Looser),
        ("assert f(1) == 2", "assert f(1) in (2, 3)", Looser),
        ("self.assertEqual(f(1), 2)", "self.assertTrue(f(1))", Looser),
        ("assert f() == approx(1.0, abs=1e-9)", "assert f() == approx(1.0, abs=1e9)", Looser),
        ("assert f() == approx(x, abs=1e-6)", "assert f() == approx(x, abs=1e-2)", Looser),
        (
            "with pytest.raises(ValueError):\n    f()",
            "with pytest.raises(Exception):\n    f()",
            Looser,
        ),
        ("assert f(1) == 2", "pass", AssertionsRemoved),
        ("assert f(1) == 2", "f(1)", AssertionsRemoved),
        (
            "assert f(1) == 2\nassert f(2) == 3\nassert f(3) == 4",
            "assert f(1) == 2",
            AssertionsRemoved,
        ),
        ("assert f(1) == 2", "return\nassert f(1) == 2", Unreachable),
        ("assert f(1) == 2", "if False:\n    assert f(1) == 2", Unreachable),
        (
            "assert f(1) == 2",
            "try:\n    assert f(1) == 2\nexcept Exception:\n    pass",
            Unreachable,
        ),
        ("assert f(1) == 2", "with suppress(AssertionError):\n    assert f(1) == 2", Unreachable),
        ("assert f(1) == 2", "def later():\n    assert f(1) == 2", Unreachable),
    ] {
        assert_eq!(
            kinds(crate::PYTHON, &python(old), &python(new)),
            [expected],
            "{old}\n---\n{new}"
        );
    }
}

#[test]
fn python_tests_that_are_merely_edited() {
    for (old, new) in [
        ("assert f(1) == 2", "assert f(1) == 3"),
        ("assert f(1) == 2", "assert g(1) == 2"),
        (
            "assert f(1) == 2\nassert f(2) == 3",
            "assert True\nfor a, b in CASES:\n    assert f(a) == b",
        ),
        ("assert f(1) == 2", "expected = 2\nassert expected == f(1)"),
        ("assert f(1) == 2", "x = 1\nassert f(x) == 2"),
        ("assert f(1) == 2", "x = f(1)\nassert x == 2"),
        ("assert f(1) == 2", "x = 1\nx += f(1)\nassert x == 3"),
        ("self.assertEqual(f(1), 2)", "assert f(1) == 2"),
        ("self.assertEqual(2, f(1))", "assert f(1) == 2"),
        ("assert f(1) == 2\nassert f(2) == 3", "assert [f(1), f(2)] == [2, 3]"),
        ("assert a.x == 1\nassert a.y == 2\nassert a.z == 3", "assert a == A(1, 2, 3)"),
        (
            "assert f(1) == 2\nassert f(2) == 3\nassert f(3) == 4",
            "for a, b in CASES:\n    assert f(a) == b",
        ),
        ("assert f(1) == 2\nassert g() == 3\nassert h() == 4", "assert f(1) == 2\nassert g() == 3"),
        ("assert f(1) == 2\nassert f(2) == 3", "check_all(f, 2, 3)"),
        ("assert f(1) == 2", "snapshot.assert_match(f(1))"),
        ("assert f() == 0.3", "assert f() == approx(0.3)"),
        ("assert f() == approx(0.3)", "assert f() == approx(0.3, abs=1e-6)"),
        ("assert f() == approx(0.3, abs=1e-9)", "assert f() == approx(0.3, abs=1e-8)"),
        ("assert r == {'a': 1}", "assert r['a'] == 1\nassert 'b' in r"),
        ("assert r == 'abc'", "assert 'a' in r\nassert 'b' in r\nassert 'c' in r"),
        ("assert f(1)", "assert f(1) == 2"),
        ("assert True", "pass"),
        ("f()", "pass"),
        (
            "with pytest.raises(ValueError):\n    f()",
            "with pytest.raises(KeyError, match='x'):\n    f()",
        ),
        (
            "try:\n    f()\nexcept ValueError:\n    pass\nelse:\n    assert False",
            "with pytest.raises(ValueError):\n    f()",
        ),
        ("assert f(1) == 2", "if sys.platform == 'win32':\n    pytest.skip('x')\nassert f(1) == 2"),
    ] {
        let found = kinds(crate::PYTHON, &python(old), &python(new));
        assert_eq!(found, [], "{old}\n---\n{new}");
    }
}

#[test]
fn marks_and_tables_of_python() {
    let plain = "def test_a(x):\n    assert f(x) == 2\n";
    let rows = |rows: &str| format!("@pytest.mark.parametrize('x', [{rows}])\n{plain}");
    for (old, new, expected) in [
        (plain.to_owned(), format!("@pytest.mark.skip\n{plain}"), vec![Skipped]),
        (
            plain.to_owned(),
            format!("@pytest.mark.xfail(strict=False)\n{plain}"),
            vec![ExpectedFailure],
        ),
        (
            plain.to_owned(),
            format!("@pytest.mark.skipif(True, reason='x')\n{plain}"),
            vec![Skipped],
        ),
        (plain.to_owned(), format!("@pytest.mark.skipif(not HAS_X, reason='x')\n{plain}"), vec![]),
        (format!("@pytest.mark.skip\n{plain}"), plain.to_owned(), vec![]),
        (rows("1, 2, 3, 4"), rows("1"), vec![CasesRemoved]),
        (rows("1, 2, 3, 4"), rows("1, 2, 3"), vec![]),
        (rows("1, 2, 3, 4"), rows("5, 6"), vec![]),
        (rows("1, 2"), rows("1, 2, 3"), vec![]),
    ] {
        assert_eq!(kinds(crate::PYTHON, &old, &new), expected, "{old}\n---\n{new}");
    }
}

#[test]
fn functions_of_the_file_are_followed() {
    let test = "def test_a():\n    check(f(1), 2)\n";
    let strict = format!("def check(a, b):\n    assert a == b\n\n{test}");
    let emptied = format!("def check(a, b):\n    return None\n\n{test}");
    let vacuous = format!("def check(a, b):\n    assert True\n\n{test}");
    let inline =
        "def test_a():\n    assert f(1) == 2\n    assert f(2) == 3\n    assert f(3) == 4\n";
    let thrice = format!("{strict}    check(f(2), 3)\n    check(f(3), 4)\n");
    let deeper = format!(
        "def inner(a, b):\n    assert a == b\n\ndef check(a, b):\n    inner(a, b)\n\n{test}"
    );
    for (old, new, expected) in [
        (strict.as_str(), emptied.as_str(), vec![AssertionsRemoved]),
        (&strict, &vacuous, vec![Vacuous]),
        (inline, &thrice, vec![]),
        (&strict, &deeper, vec![]),
        (inline, &emptied, vec![AssertionsRemoved]),
        (&strict, "def test_a():\n    assert f(1) == 2\n", vec![]),
    ] {
        assert_eq!(kinds(crate::PYTHON, old, new), expected, "{old}\n---\n{new}");
    }
}

#[test]
fn javascript_tests_that_ask_less_or_not() {
    for (old, new, expected) in [
        ("expect(f(1)).toBe(2);", "expect(true).toBe(true);", vec![Vacuous]),
        ("expect(f(1)).toBe(2);", "expect(f(1));", vec![Vacuous]),
        (
            "const x = f(1);\nexpect(x).toBe(2);",
            "f(1);\nconst x = 2;\nexpect(x).toBe(2);",
            vec![Vacuous],
        ),
        ("expect(f(1)).toBe(2);", "expect(f(1)).toBeDefined();", vec![Looser]),
        ("expect(f(1)).toBe(2);", "expect(f(1)).not.toBe(3);", vec![Looser]),
        ("expect(f(1)).toBe(2);", "expect(f(1)).toEqual(expect.anything());", vec![Vacuous]),
        ("expect(f).toThrow(TypeError);", "expect(f).toThrow();", vec![Looser]),
        ("expect(f(1)).toBe(2);", "f(1);", vec![AssertionsRemoved]),
        ("expect(f(1)).toBe(2);", "return;\nexpect(f(1)).toBe(2);", vec![Unreachable]),
        ("expect(f(1)).toBe(2);", "try { expect(f(1)).toBe(2); } catch (e) {}", vec![Unreachable]),
        ("expect(f()).toBeCloseTo(3.2, 5);", "expect(f()).toBeCloseTo(3.2, 0);", vec![Looser]),
        ("expect(f(1)).toBe(2);", "expect(f(1)).toBe(3);", vec![]),
        ("expect(f(1)).toBe(2);", "expect(f(1)).toStrictEqual(2);", vec![]),
        ("expect(f(1)).toBe(2);", "assert.equal(f(1), 2);", vec![]),
        ("expect(f(1)).to.equal(2);", "expect(f(1)).toBe(2);", vec![]),
        (
            "expect(a.b).toBe(1);\nexpect(a.c).toBe(2);",
            "expect(a).toEqual({ b: 1, c: 2 });",
            vec![],
        ),
        ("expect(f(1)).toBe(2);", "await waitFor(() => expect(f(1)).toBe(2));", vec![]),
        ("expect(f(1)).toMatchSnapshot();", "expect(f(1)).toMatchInlineSnapshot(`2`);", vec![]),
    ] {
        let found = kinds(crate::JAVASCRIPT, &script(old), &script(new));
        assert_eq!(found, expected, "{old}\n---\n{new}");
    }
}

#[test]
fn a_test_that_was_split_lost_nothing() {
    let old = "def test_a():\n    assert f(1) == 2\n    assert f(2) == 3\n    assert f(3) == 4\n";
    let new = "def test_a():\n    assert f(1) == 2\n\ndef test_b():\n    assert f(2) == 3\n    assert f(3) == 4\n";
    let file = |source| crate::TestFile { path: "t.py", source }.outlined();
    let (old, new) = ([file(old)], [file(new)]);
    let matched = crate::match_tests(&old, &new);
    assert_eq!(weakenings_among(&old, &new, &matched), []);
    let helpers: (&[Item], &[Item]) = (&[], &[]);
    assert_eq!(weakenings(&old[0].outline.tests[0], &new[0].outline.tests[0], helpers).len(), 1);
}

#[test]
fn go_tests_that_ask_less_or_not() {
    let test = |body: &str| format!("package a\nfunc TestA(t *testing.T) {{\n{body}\n}}\n");
    let exact = "if got := f(1); got != 2 { t.Errorf(\"got %d\", got) }";
    for (old, new, expected) in [
        (exact, "f(1)", vec![AssertionsRemoved]),
        (exact, "if false { t.Errorf(\"x\") }", vec![Unreachable]),
        (
            exact,
            "return\nif got := f(1); got != 2 { t.Errorf(\"got %d\", got) }",
            vec![Unreachable],
        ),
        (exact, "if got := f(1); got == 0 { t.Errorf(\"got %d\", got) }", vec![Looser]),
        (
            exact,
            "t.Skip(\"x\")\nif got := f(1); got != 2 { t.Errorf(\"got %d\", got) }",
            vec![Skipped, Unreachable],
        ),
        ("assert.Equal(t, 2, f(1))", "assert.NotNil(t, f(1))", vec![Looser]),
        ("assert.InDelta(t, 1.5, f(), 0.001)", "assert.InDelta(t, 1.5, f(), 100)", vec![Looser]),
        (exact, "assert.Equal(t, 2, f(1))", vec![]),
        (exact, "if got := f(1); got != 3 { t.Errorf(\"got %d\", got) }", vec![]),
        ("if err != nil { t.Fatal(err) }", "require.NoError(t, err)", vec![]),
        (exact, "requireTotal(t, 2, f(1))", vec![]),
    ] {
        assert_eq!(kinds(crate::GO, &test(old), &test(new)), expected, "{old}\n---\n{new}");
    }
}

#[test]
fn rust_tests_that_ask_less_or_not() {
    let test = |body: &str| format!("#[test]\nfn a() {{ {body} }}\n");
    let exact = "assert_eq!(f(1), 2);";
    for (old, new, expected) in [
        (exact, "assert!(true);", vec![Vacuous]),
        (exact, "let _ = f(1);", vec![AssertionsRemoved]),
        (exact, "assert_ne!(f(1), 0);", vec![Looser]),
        (exact, "assert!(f(1) >= 0);", vec![Looser]),
        (exact, "if false { assert_eq!(f(1), 2); }", vec![Unreachable]),
        ("assert!((f() - 1.5).abs() < 1e-9);", "assert!((f() - 1.5).abs() < 1e3);", vec![Looser]),
        (exact, "assert_eq!(2, f(1));", vec![]),
        (exact, "assert!(f(1) == 2);", vec![]),
        (exact, "assert_eq!(f(1), 3);", vec![]),
        (exact, "insta::assert_snapshot!(f(1));", vec![]),
        ("assert_eq!(a.x, 1); assert_eq!(a.y, 2);", "assert_eq!(a, A { x: 1, y: 2 });", vec![]),
    ] {
        assert_eq!(kinds(crate::RUST, &test(old), &test(new)), expected, "{old}\n---\n{new}");
    }
    let plain = test(exact);
    let panics = plain.replace("#[test]", "#[test]\n#[should_panic]");
    assert_eq!(kinds(crate::RUST, &plain, &panics), [ExpectedFailure]);
    let ignored = plain.replace("#[test]", "#[test]\n#[ignore]");
    assert_eq!(kinds(crate::RUST, &plain, &ignored), [Skipped]);
}

#[test]
fn java_tests_that_ask_less_or_not() {
    let test = |body: &str| format!("class A {{ @Test void a() {{ {body} }} }}");
    let exact = "assertEquals(2, f(1));";
    for (old, new, expected) in [
        (exact, "assertTrue(true);", vec![Vacuous]),
        (exact, "assertNotNull(f(1));", vec![Looser]),
        (exact, "f(1);", vec![AssertionsRemoved]),
        (exact, "try { assertEquals(2, f(1)); } catch (Throwable t) {}", vec![Unreachable]),
        (
            "assertThrows(IOException.class, () -> f());",
            "assertThrows(Exception.class, () -> f());",
            vec![Looser],
        ),
        ("assertThat(f(1)).isEqualTo(2);", "assertThat(f(1)).isNotNull();", vec![Looser]),
        ("assertThat(f(1)).isEqualTo(2);", "assertThat(f(1));", vec![Vacuous]),
        (exact, "assertThat(f(1)).isEqualTo(2);", vec![]),
        (exact, "assertEquals(3, f(1));", vec![]),
        ("assertTrue(a.equals(b));", "assertEquals(b, a);", vec![]),
        (
            "assertEquals(1, a.x()); assertEquals(2, a.y());",
            "assertThat(a).isEqualTo(new A(1, 2));",
            vec![],
        ),
    ] {
        assert_eq!(kinds(crate::JAVA, &test(old), &test(new)), expected, "{old}\n---\n{new}");
    }
}

#[test]
fn scripts_that_do_not_wait_or_ask_under_a_condition() {
    let plain = "expect(f(1)).toBe(2);";
    for (old, new, expected) in [
        (plain, "if (process.version) return;\nexpect(f(1)).toBe(2);", Guarded),
        (plain, "if (process.env.STRICT) {\n  expect(f(1)).toBe(2);\n}", Guarded),
        (plain, "[].forEach(() => expect(f(1)).toBe(2));", Unreachable),
        (plain, "setTimeout(() => {\n  expect(f(1)).toBe(2);\n}, 9);", Unreachable),
        (plain, "g().then(() => expect(f(1)).toBe(2), () => {});", Unreachable),
        (plain, "expect(f(1) === 2 || true).toBe(true);", Vacuous),
        (plain, "expect(f(1)).toBe(f(1));", Looser),
        (plain, "const expect = () => ({ toBe() {} });\nexpect(f(1)).toBe(2);", Vacuous),
        ("await expect(g()).resolves.toBe(2);", "expect(g()).resolves.toBe(2);", Unreachable),
        ("await expect.poll(() => f(1)).toBe(2);", "expect.poll(() => f(1)).toBe(2);", Unreachable),
    ] {
        let found = kinds(crate::JAVASCRIPT, &script(old), &script(new));
        assert_eq!(found, [expected], "{old} -> {new}");
    }
    for new in [
        "await g().then(() => expect(f(1)).toBe(2));",
        "return g().then(() => expect(f(1)).toBe(2));",
        "jest.useFakeTimers();\nsetTimeout(() => expect(f(1)).toBe(2), 9);\njest.runAllTimers();",
        "await new Promise((done) => setTimeout(() => {\n  expect(f(1)).toBe(2);\n  done();\n}, 9));",
        "if (a) {\n  expect(f(1)).toBe(2);\n} else {\n  expect(f(1)).toBe(3);\n}",
        "for (const x of list) {\n  expect(f(1)).toBe(2);\n}",
    ] {
        assert_eq!(kinds(crate::JAVASCRIPT, &script(plain), &script(new)), [], "{new}");
    }
    let calling = |first: &str| {
        format!(
            "it('a', (done) => {{\n{first}setTimeout(() => {{\nexpect(f(1)).toBe(2);\n}});\n}});"
        )
    };
    let ended = kinds(crate::JAVASCRIPT, &calling(""), &calling("done();\n"));
    assert_eq!(ended, [Unreachable]);
    let python_guard = kinds(
        crate::PYTHON,
        &python("assert f(1) == 2"),
        &python("if not CI:\n    return\nassert f(1) == 2"),
    );
    assert_eq!(python_guard, [Guarded]);
}

#[test]
fn another_expectation_is_not_a_weaker_one() {
    let go = |body: &str| format!("package a\nfunc TestA(t *testing.T) {{\n{body}\n}}");
    let wants_error = go("err := f()\nif err != ErrNone { t.Error(err) }");
    let wants_none = go("err := f()\nif err != nil { t.Error(err) }");
    assert!(kinds(crate::GO, &wants_error, &wants_none).is_empty());
    let wants_some = go("err := f()\nif err == nil { t.Error(err) }");
    assert_eq!(kinds(crate::GO, &wants_error, &wants_some), [Looser]);

    let asserts = "#[test]\nfn a() {\n    let x = f(128);\n    assert_eq!(x.len(), 0);\n}";
    let panics = "#[test]\n#[should_panic]\nfn a() {\n    let _x = f(128);\n}";
    assert!(kinds(crate::RUST, asserts, panics).is_empty());
    let may_fail = asserts.replace("#[test]", "#[test]\n#[should_panic]");
    assert_eq!(kinds(crate::RUST, asserts, &may_fail), [ExpectedFailure]);
    let plain = "#[test]\nfn a() {\n    let _x = f(128);\n}";
    assert_eq!(kinds(crate::RUST, plain, panics), [ExpectedFailure]);
}

#[test]
fn what_must_not_be_reached_may_throw() {
    let old = script("route(() => { true.should.be.false() }); go(done);");
    let new = script("route(() => { throw new Error('not here') }); go(done);");
    assert!(kinds(crate::JAVASCRIPT, &old, &new).is_empty());
    let other = script("route(() => { expect(f(1)).toBe(2) }); go(done);");
    assert_eq!(kinds(crate::JAVASCRIPT, &other, &new), [AssertionsRemoved]);
}

#[test]
fn a_function_that_is_imported_now_still_asks() {
    let test = |call: &str| script(&format!("go({call}({{ a: 1 }}), done);"));
    let helper = "function shouldHaveBody(x) { return (res) => { assert.equal(res.body, x); assert.ok(res.ok); assert.ok(res.sent); } }\n";
    let old = format!("{helper}{}", test("shouldHaveBody"));
    let new = test("utils.shouldHaveBody");
    assert!(kinds(crate::JAVASCRIPT, &old, &new).is_empty());
    assert_eq!(kinds(crate::JAVASCRIPT, &old, &test("other")), [AssertionsRemoved]);
    let empty =
        format!("function shouldHaveBody(x) {{ return () => 0 }}\n{}", test("shouldHaveBody"));
    assert_eq!(kinds(crate::JAVASCRIPT, &old, &empty), [AssertionsRemoved]);
}
