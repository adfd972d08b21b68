//! What became of tests.

use super::*;

fn files(list: &[(&str, &str)]) -> Vec<Outlined> {
    list.iter().map(|(path, source)| TestFile { path, source }.outlined()).collect()
}

/// Each match as `old -> new: why`.
fn matches(old: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<String> {
    let (old, new) = (files(old), files(new));
    let name = |files: &[Outlined], at: (usize, usize)| {
        let file = &files[at.0];
        format!("{}::{}", file.path, file.outline.tests[at.1].path.join("::"))
    };
    match_tests(&old, &new)
        .iter()
        .map(|it| format!("{} -> {}: {:?}", name(&old, it.old), name(&new, it.new), it.why))
        .collect()
}

const ADD: &str = "from shop import add\n\ndef test_add():\n    assert add(1, 2) == 3\n";

#[test]
fn the_same_place_comes_first() {
    let new = ADD.replace("== 3", "== 4");
    assert_eq!(
        matches(&[("t.py", ADD)], &[("t.py", &new)]),
        ["t.py::test_add -> t.py::test_add: SamePlace"]
    );
}

#[test]
fn another_name_or_another_file_is_the_same_test() {
    let renamed = ADD.replace("test_add", "test_sum");
    assert_eq!(
        matches(&[("t.py", ADD)], &[("t.py", &renamed)]),
        ["t.py::test_add -> t.py::test_sum: Renamed"]
    );
    assert_eq!(
        matches(&[("t.py", ADD)], &[("u.py", &renamed)]),
        ["t.py::test_add -> u.py::test_sum: Moved"]
    );
    let in_class = "class TestAdd:\n    def test_add(self):\n        assert add(1, 2) == 3\n";
    let old = "class TestSum:\n    def test_add(self):\n        assert add(1, 2) == 3\n";
    assert_eq!(
        matches(&[("t.py", old)], &[("t.py", in_class)]),
        ["t.py::TestSum::test_add -> t.py::TestAdd::test_add: Renamed"]
    );
    assert_eq!(
        matches(&[("t.py", ADD)], &[("t.py", in_class)]),
        ["t.py::test_add -> t.py::TestAdd::test_add: Renamed"]
    );
    let (plain, method) = (files(&[("t.py", ADD)]), files(&[("t.py", in_class)]));
    assert_eq!(plain[0].outline.tests[0].shape, method[0].outline.tests[0].shape);
}

#[test]
fn imports_are_distinguished_from_the_rest_of_a_file() {
    let outline = |source: &str| files(&[("t.py", source)])[0].outline.clone();
    let moved = ADD.replace("from shop import add", "from shop.sums import (\n    add,\n)");
    assert_eq!(outline(ADD).rest, "");
    assert_eq!(outline(&moved).rest, "");
    assert_ne!(outline(ADD).imports, outline(&moved).imports);
    let more = format!("{ADD}\nadd = lambda a, b: 3\n");
    assert_ne!(outline(ADD).rest, outline(&more).rest);
}

#[test]
fn what_stands_around_tests_is_no_comment_and_no_new_function_of_go() {
    let rest = |path: &str, source: &str| files(&[(path, source)])[0].outline.rest.clone();
    let noted = ADD.replace("def test_add", "# two numbers\n# and their sum\ndef test_add");
    assert_eq!(rest("t.py", &noted), "");
    let beside = format!("{ADD}\nBASE = 3  # for later\n");
    assert_ne!(rest("t.py", &beside), rest("t.py", &beside.replace("BASE = 3", "BASE = 4")));
    assert_ne!(rest("t.py", &format!("# coding: utf-7\n{ADD}")), "");

    let go = "package a\n\nfunc TestA(t *testing.T) { if f(1) != 2 { t.Fatal() } }\n";
    let more = |function: &str| format!("{go}\n// {function} helps.\nfunc {function}() {{}}\n");
    assert_eq!(rest("a_test.go", go), rest("a_test.go", &more("want")));
    for other in ["init", "TestMain", "len", "(a *A) String", "//go:linkname f g\nfunc want"] {
        assert_ne!(rest("a_test.go", go), rest("a_test.go", &more(other)), "{other}");
    }
    let says = "type pair struct{ a int }\n\nfunc (p pair) sum() int { return p.a }\n\nconst two = 2\n\nvar pairs = []pair{{1}, {two}}\n";
    assert_eq!(rest("a_test.go", go), rest("a_test.go", &format!("{go}{says}")));
    for acts in ["var _ = patch()", "var old = patch()", "const len = 3"] {
        assert_ne!(rest("a_test.go", go), rest("a_test.go", &format!("{go}{acts}\n")), "{acts}");
    }
}

#[test]
fn a_name_that_another_test_took_over_is_not_the_same_test() {
    let new = "def test_add():\n    assert sub(5, 2) == 7\n\ndef test_add_two():\n    assert add(1, 2) == 3\n";
    assert_eq!(
        matches(&[("t.py", ADD)], &[("t.py", new)]),
        ["t.py::test_add -> t.py::test_add_two: Renamed"]
    );
    // Two of the same content: the one whose name is gone was renamed.
    let old = "def test_a():\n    assert f() == 1\n\ndef test_b():\n    assert f() == 1\n";
    let new = "def test_a():\n    assert f() == 2\n\ndef test_c():\n    assert f() == 1\n";
    assert_eq!(
        matches(&[("t.py", old)], &[("t.py", new)]),
        ["t.py::test_a -> t.py::test_a: SamePlace", "t.py::test_b -> t.py::test_c: Renamed"]
    );
}

#[test]
fn a_module_that_moved_takes_its_tests_along() {
    let old = "import shop.cart\nfrom unittest import mock\n\ndef test_add():\n    with mock.patch('shop.cart.now'):\n        assert shop.cart.add(1, 2) == 3\n";
    let new = old.replace("shop.cart", "store.basket.cart");
    assert_eq!(
        matches(&[("t_shop.py", old)], &[("t_store.py", &new)]),
        ["t_shop.py::test_add -> t_store.py::test_add: ImportsFollowed"]
    );
    let old = "#[test]\nfn adds() { assert_eq!(crate::shop::add(1), 2); }";
    let new = old.replace("shop", "store::inner");
    assert_eq!(
        matches(&[("a.rs", old)], &[("b.rs", &new)]),
        ["a.rs::adds -> b.rs::adds: ImportsFollowed"]
    );
    let old = "package a\nimport \"x/shop\"\nfunc TestA(t *testing.T) { if shop.Add(1) != 2 { t.Fatal() } }";
    let new = old.replace("shop", "store");
    assert_eq!(
        matches(&[("a_test.go", old)], &[("b_test.go", &new)]),
        ["a_test.go::TestA -> b_test.go::TestA: ImportsFollowed"]
    );
}

#[test]
fn a_name_that_moved_with_small_edits_is_found() {
    let old = "def test_add():\n    x = load('a')\n    assert add(x, 2) == 3\n    assert sub(x, 5) == 7\n";
    let new = old.replace("== 7", "== 8");
    assert_eq!(
        matches(&[("t.py", old)], &[("u.py", &new)]),
        ["t.py::test_add -> u.py::test_add: Moved"]
    );
    let other = "def test_add():\n    assert plus('b') == 17\n";
    assert!(matches(&[("t.py", old)], &[("u.py", other)]).is_empty());
}

#[test]
fn tests_become_rows_of_a_table() {
    let old = "def test_one():\n    assert add(1, 2) == 3\n\ndef test_two():\n    assert add(4, 5) == 9\n\ndef test_three():\n    assert add(4, 5) == 10\n";
    let new = "@pytest.mark.parametrize('a,b,c', [(1, 2, 3), (4, 5, 9)])\ndef test_add(a, b, c):\n    assert add(a, b) == c\n";
    assert_eq!(
        matches(&[("t.py", old)], &[("t.py", new)]),
        [
            "t.py::test_one -> t.py::test_add: Parametrised",
            "t.py::test_two -> t.py::test_add: Parametrised",
        ]
    );
    let old = "it('one', () => { expect(add(1, 2)).toBe(3); });\nit('two', () => { expect(add('a', 'b')).toBe('ab'); });";
    let new = "it.each([[1, 2, 3], ['a', 'b', 'ab']])('adds', (a, b, c) => { expect(add(a, b)).toBe(c); });";
    assert_eq!(matches(&[("t.js", old)], &[("t.js", new)]).len(), 2);
}

#[test]
fn a_function_that_took_over_is_named() {
    let old = "def test_one():\n    assert add(1, 2) == 3\n    assert add(2, 1) == 3\n";
    let new = "def check(a, b, c):\n    assert add(a, b) == c\n    assert add(b, a) == c\n\ndef test_one():\n    check(1, 2, 3)\n";
    assert_eq!(
        matches(&[("t.py", old)], &[("t.py", new)]),
        ["t.py::test_one -> t.py::test_one: HelperExtracted"]
    );
    let renamed = new.replace("test_one", "test_sum");
    assert_eq!(
        matches(&[("t.py", old)], &[("t.py", &renamed)]),
        ["t.py::test_one -> t.py::test_sum: HelperExtracted"]
    );
    let empty = "def check(a, b, c):\n    pass\n\ndef test_sum():\n    check(1, 2, 3)\n";
    assert!(matches(&[("t.py", old)], &[("t.py", empty)]).is_empty());
}

#[test]
fn what_is_gone_has_no_match() {
    let new = "def test_other():\n    assert mul(3, 3) == 9\n";
    assert!(matches(&[("t.py", ADD)], &[("t.py", new)]).is_empty());
    let vacuous = "def test_other():\n    assert True\n";
    assert!(matches(&[("t.py", ADD)], &[("t.py", vacuous)]).is_empty());
}

#[test]
fn one_new_test_answers_for_one_old_test() {
    let old = "def test_a():\n    assert f() == 1\n\ndef test_b():\n    assert f() == 1\n";
    let new = "def test_c():\n    assert f() == 1\n";
    assert_eq!(matches(&[("t.py", old)], &[("t.py", new)]).len(), 1);
    let twice =
        "it('a', () => { expect(f()).toBe(1); });\nit('a', () => { expect(f()).toBe(2); });";
    assert_eq!(matches(&[("t.js", twice)], &[("t.js", twice)]).len(), 2);
}

#[test]
fn many_tests_take_no_time_to_speak_of() {
    use std::fmt::Write as _;
    let mut source = String::new();
    for at in 0..2_000 {
        let _ = write!(source, "def test_{at}():\n    assert add(1, 2) == 3\n\n");
    }
    let renamed = source.replace("test_", "test_x");
    assert_eq!(matches(&[("t.py", &source)], &[("u.py", &renamed)]).len(), 2_000);
}

#[test]
fn what_a_failure_says_is_no_value_of_a_test() {
    let old = r#"package a
func TestSmall(t *testing.T) {
	if got := Add(1, 2); got != 3 { t.Errorf("one and two made %d", got) }
}
func TestLarge(t *testing.T) {
	if got := Add(40, 50); got != 90 { t.Fatalf("large: %d, not ninety", got) }
}
func TestOther(t *testing.T) {
	if got := Add(7, 8); got != 15 { t.Fatalf("large: %d", got) }
}
"#;
    let new = r#"package a
func TestAdd(t *testing.T) {
	for _, it := range []struct{ a, b, want int }{{1, 2, 3}, {40, 50, 90}} {
		if got := Add(it.a, it.b); got != it.want { t.Errorf("Add(%d, %d) = %d", it.a, it.b, got) }
	}
}
"#;
    assert_eq!(
        matches(&[("a_test.go", old)], &[("a_test.go", new)]),
        [
            "a_test.go::TestSmall -> a_test.go::TestAdd: Parametrised",
            "a_test.go::TestLarge -> a_test.go::TestAdd: Parametrised",
        ]
    );
    let said = "def test_one():\n    assert add(1, 2) == 3, 'one and two'\n";
    let table = "@pytest.mark.parametrize('a,b,c', [(1, 2, 3), (4, 5, 9)])\ndef test_add(a, b, c):\n    assert add(a, b) == c\n";
    assert_eq!(
        matches(&[("t.py", said)], &[("t.py", table)]),
        ["t.py::test_one -> t.py::test_add: Parametrised"]
    );
}

#[test]
fn tests_become_lines_of_a_csv_source() {
    let old = r#"class SumTest {
    @Test void small() { assertEquals(3, Sum.of(1, "two")); }
    @Test void large() { assertEquals(90, Sum.of(40, "fifty")); }
    @Test void other() { assertEquals(91, Sum.of(40, "fifty")); }
}"#;
    let body = "void of(int want, int a, String b) { assertEquals(want, Sum.of(a, b)); }";
    let both = ["SumTest::small -> ", "SumTest::large -> "];
    for source in [
        r#"@CsvSource({"3, 1, two", "90, 40, fifty"})"#,
        r#"@CsvSource(value = {"3 | 1 | 'two'", "90|40|fifty"}, delimiter = '|')"#,
        "@CsvSource(textBlock = \"\"\"\n    3, 1, two\n    90, 40, fifty\n    \"\"\")",
    ] {
        let new = format!("class SumTest {{ @ParameterizedTest {source} {body} }}");
        let found = matches(&[("T.java", old)], &[("T.java", &new)]);
        let found: Vec<&str> = found.iter().map(|it| it.trim_start_matches("T.java::")).collect();
        let wanted = both.map(|it| format!("{it}T.java::SumTest::of: Parametrised"));
        assert_eq!(found, wanted, "{source}");
    }
}

#[test]
fn a_test_moves_and_its_assertions_go_to_a_function_in_one_change() {
    let old = "def test_one():\n    assert add(1, 2) == 3\n    assert add(2, 1) == 3\n";
    let new = "def check(a, b, c):\n    assert add(a, b) == c\n    assert add(b, a) == c\n\ndef test_one():\n    check(1, 2, 3)\n";
    assert_eq!(
        matches(&[("t.py", old)], &[("u.py", new)]),
        ["t.py::test_one -> u.py::test_one: HelperExtracted"]
    );
    let other = new.replace("test_one", "test_two");
    assert!(matches(&[("t.py", old)], &[("u.py", &other)]).is_empty());
}

#[test]
fn a_test_with_another_name_and_small_edits_is_found() {
    let old = "def test_add(run):\n    got = run(load('a'), 'b', 'c')\n    assert got.code == 0\n    assert 'sum' in got.text\n";
    let new = old.replace("test_add", "test_sum_of_two").replace("'c'", "'d'");
    let other = "def test_mul(run):\n    got = run(load('x'), 'y')\n    assert got.code == 0\n";
    let both = format!("{other}\n{new}");
    assert_eq!(
        matches(&[("t.py", old)], &[("t.py", &both)]),
        ["t.py::test_add -> t.py::test_sum_of_two: Renamed"]
    );
    assert!(matches(&[("t.py", old)], &[("t.py", other)]).is_empty());
    assert!(matches(&[("t.py", old)], &[("u.py", &new)]).is_empty());
}

#[test]
fn a_row_is_found_though_one_call_is_another() {
    let old = "def test_one(load):\n    sql = load('one.sql')\n    assert len(parse(sql)) == 1\n    assert str(parse(sql)[0]) == sql\n";
    let new = "@pytest.mark.parametrize('fn', ['zero.sql', 'one.sql'])\ndef test_all(load, fn):\n    sql = load(fn)\n    assert len(parse(sql)) == 1\n    assert text(parse(sql)[0]) == sql\n\n@pytest.mark.parametrize('x', [1])\ndef test_other(x):\n    assert str(x) == x\n";
    assert_eq!(
        matches(&[("t.py", old)], &[("t.py", new)]),
        ["t.py::test_one -> t.py::test_all: Parametrised"]
    );
}

#[test]
fn a_test_that_was_renamed_together_with_its_function_is_found() {
    let old = "def test_total():\n    assert total([1, 2]) == 3\n\ndef test_kept():\n    assert kept(1) == 2\n";
    let new = old.replace("total", "sum_of");
    assert_eq!(
        matches(&[("t.py", old)], &[("t.py", &new)]),
        [
            "t.py::test_total -> t.py::test_sum_of: Renamed",
            "t.py::test_kept -> t.py::test_kept: SamePlace"
        ]
    );
    // Another value is another test, and so is a function that is still called elsewhere.
    for other in [new.replace("== 3", "== 4"), new.replace("kept(1)", "total(1)")] {
        let found = matches(&[("t.py", old)], &[("t.py", &other)]);
        assert!(!found.iter().any(|it| it.contains("test_sum_of")), "{found:?}");
    }
    let js = "test('total of two', () => {\n  expect(total([1, 2])).toBe(3);\n});\n";
    let moved = js.replace("total of two", "sum of two").replace("total(", "sumOf(");
    assert_eq!(
        matches(&[("t.test.js", js)], &[("u.test.js", &moved)]),
        ["t.test.js::total of two -> u.test.js::sum of two: Moved"]
    );
}

#[test]
fn a_test_whose_function_was_renamed_is_found() {
    let old = "class T { @Test void testFind() { assertEquals(2, find(\"a b\", 0, 3)); assertEquals(5, find(\"c\", 1, 7)); } }";
    let new = old.replace("find(", "indexOf(").replace("testFind", "testIndexOf");
    assert_eq!(
        matches(&[("T.java", old)], &[("T.java", &new)]),
        ["T.java::T::testFind -> T.java::T::testIndexOf: Renamed"]
    );
}

#[test]
fn a_test_may_be_translated() {
    let script = "const { add, price } = require('../src/shop');\n\ndescribe('shop', () => {\n  it('adds', () => {\n    const total = add(1, 2);\n    expect(total).toBe(3);\n  });\n  it('prices', () => {\n    expect(price({ amount: 2 }, 'eur')).toEqual({ cents: 200 });\n  });\n});\n";
    let typed = "import { add, price, type Item } from './shop.js';\n\ndescribe('shop', () => {\n  it('adds', (): void => {\n    const total: number = add(1, 2);\n    expect(total).toBe(3);\n  });\n  it('prices', () => {\n    expect(price({ amount: 2 } as Item, 'eur')).toEqual({ cents: 200 });\n  });\n});\n";
    assert_eq!(
        matches(&[("test/shop.test.js", script)], &[("src/shop.test.ts", typed)]),
        [
            "test/shop.test.js::shop::adds -> src/shop.test.ts::shop::adds: Moved",
            "test/shop.test.js::shop::prices -> src/shop.test.ts::shop::prices: Moved"
        ]
    );
    let asserted = "const assert = require('assert');\nconst { add, price } = require('../src/shop');\n\ndescribe('shop', () => {\n  it('adds', () => {\n    assert.strictEqual(add(1, 2), 3);\n  });\n  it('prices', () => {\n    assert.deepStrictEqual(price({ amount: 2 }, 'eur'), { cents: 200 });\n  });\n});\n";
    let expected = "import { expect, test } from 'vitest';\nimport { add, price } from '../src/shop';\n\ntest('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n\ntest('prices', () => {\n  expect(price({ amount: 2 }, 'eur')).toEqual({ cents: 200 });\n});\n";
    assert_eq!(
        matches(&[("test/shop.js", asserted)], &[("test/shop.test.ts", expected)]),
        [
            "test/shop.js::shop::adds -> test/shop.test.ts::adds: Moved",
            "test/shop.js::shop::prices -> test/shop.test.ts::prices: Moved"
        ]
    );
    let unittest = "import unittest\n\nfrom shop import add, price\n\n\nclass ShopTest(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n\n    def test_prices(self):\n        with self.assertRaises(ValueError):\n            price(-1)\n        self.assertTrue(price(2, currency='eur') > 1)\n";
    let pytest = "import pytest\n\nfrom shop import add, price\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n\n\ndef test_prices():\n    with pytest.raises(ValueError):\n        price(-1)\n    assert price(2, currency='eur') > 1\n";
    let wanted = |file: &str, why: &str| {
        ["adds", "prices"]
            .map(|it| format!("t.py::ShopTest::test_{it} -> {file}::test_{it}: {why}"))
    };
    assert_eq!(matches(&[("t.py", unittest)], &[("t.py", pytest)]), wanted("t.py", "Renamed"));
    assert_eq!(matches(&[("t.py", unittest)], &[("u.py", pytest)]), wanted("u.py", "Moved"));
    let renamed = pytest.replace("test_adds", "test_sums").replace("test_prices", "test_costs");
    assert_eq!(
        matches(&[("t.py", unittest)], &[("u.py", &renamed)]),
        [
            "t.py::ShopTest::test_adds -> u.py::test_sums: Moved",
            "t.py::ShopTest::test_prices -> u.py::test_costs: Moved"
        ]
    );
}

#[test]
fn a_test_that_was_moved_may_be_parametrised_there() {
    let old = "def test_adds():\n    assert add(1, 2) == 3\n\ndef test_more():\n    assert add(4, 5) == 9\n";
    let new = "@pytest.mark.parametrize('a, b, wanted', [(1, 2, 3), (4, 5, 9)])\ndef test_add(a, b, wanted):\n    assert add(a, b) == wanted\n";
    assert_eq!(
        matches(&[("t.py", old)], &[("u.py", new)]),
        [
            "t.py::test_adds -> u.py::test_add: Parametrised",
            "t.py::test_more -> u.py::test_add: Parametrised"
        ]
    );
    let functions = "@pytest.mark.parametrize('f, a, b, wanted', [(add, 1, 2, 3), (mul, 4, 5, 20)])\ndef test_all(f, a, b, wanted):\n    assert f(a, b) == wanted\n";
    assert_eq!(
        matches(
            &[("t.py", "def test_adds():\n    assert add(1, 2) == 3\n")],
            &[("t.py", functions)]
        ),
        ["t.py::test_adds -> t.py::test_all: Parametrised"]
    );
    assert!(
        matches(
            &[("t.py", "def test_adds():\n    assert sub(1, 2) == 3\n")],
            &[("t.py", functions)]
        )
        .is_empty()
    );
}

#[test]
fn each_assertion_may_become_a_row_of_its_own() {
    let old = "def test_off():\n    assert off(100, 10) == 90\n    assert off(100, 80) == 50\n";
    let table = |rows: &str| {
        format!(
            "class TestOff:\n    @pytest.mark.parametrize(('percent', 'left'), [{rows}])\n    def test_rows(self, percent, left):\n        assert off(100, percent) == left\n"
        )
    };
    let of = |rows: &str| matches(&[("t.py", old)], &[("t.py", &table(rows))]);
    assert_eq!(
        of("(10, 90), (80, 50)"),
        ["t.py::test_off -> t.py::TestOff::test_rows: Parametrised"]
    );
    for rows in ["(10, 90), (80, 20)", "(10, 90)"] {
        assert!(!of(rows).iter().any(|it| it.ends_with("Parametrised")), "{rows}");
    }
}

#[test]
fn a_test_follows_code_that_only_got_another_name() {
    let code = "def initials(name):\n    return name[0]\n\n\ndef other():\n    return 2\n";
    let test = "def test_initials():\n    assert initials('ada') == 'a'\n";
    let follows = |code_now: &str, test_now: &str| {
        let renames = renamed_code(&files(&[("a.py", code)]), &files(&[("b.py", code_now)]));
        let (old, new) = (files(&[("t.py", test)]), files(&[("t.py", test_now)]));
        follows_rename(&old[0].outline.tests[0], &new[0].outline.tests[0], &renames)
    };
    let (renamed, now) = (code.replace("initials", "first"), test.replace("initials", "first"));
    assert!(follows(&renamed, &now));
    // Neither what it asks may be another thing, nor what it asks for, nor may the old name be there still.
    assert!(!follows(&renamed, &now.replace("'a'", "'b'")));
    assert!(!follows(&renamed.replace("[0]", "[1]"), &now));
    assert!(!follows(&format!("{renamed}\n\ndef initials():\n    return 0\n"), &now));
    assert!(!follows(code, &test.replace("initials(", "other(")));
}
