use super::*;
use crate::sides::tests::Files;
use crate::{cargo, frameworks, go, jest, junit, pytest};

const FILES: &[(&str, &str)] = &[
    ("tests/test_a.py", ""),
    ("api/tests/test_a.py", ""),
    ("api/shop/__init__.py", ""),
    (
        "web/a.test.js",
        "describe('outer', () => { test('plain > name', () => {}); test.each([1])('row %i of $x', () => {}); });\ntest(`made ${x}`, () => {});\ntest('twice', () => {});\n",
    ),
    ("Cargo.toml", "[package]\nname = \"shop\"\n"),
    ("src/lib.rs", "mod cart;\n#[cfg(test)]\nmod tests {}\n"),
    ("src/main.rs", ""),
    ("src/cart.rs", ""),
    ("src/cart/tests.rs", ""),
    ("src/price/mod.rs", ""),
    ("tests/it.rs", ""),
    ("tests/it/helper.rs", ""),
    ("crates/odd/Cargo.toml", "[package]\nname = \"other\"\n"),
    ("crates/odd/src/lib.rs", ""),
    ("go.mod", "module example.org/shop\n\ngo 1.22\n"),
    (
        "shop_test.go",
        "package shop\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {\n\tt.Run(\"a b\", func(t *testing.T) { t.Error() })\n}\n\nfunc FuzzX(f *testing.F) {}\n",
    ),
    (
        "code/code_test.go",
        "package code\n\nimport \"testing\"\n\ntype CartSuite struct{}\n\nfunc (s *CartSuite) TestAdd() {}\n\nfunc TestCartSuite(t *testing.T) {}\n",
    ),
    ("tool/go.mod", "module app\n"),
    ("tool/x_test.go", "package app\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n"),
    ("core/src/test/java/shop/PriceTest.java", ""),
    ("core/src/main/java/shop/Price.java", ""),
    ("other/src/test/java/shop/PriceTest.java", ""),
    ("src/test/kotlin/shop/CartTest.kt", ""),
];

/// Framework, folder of the check, id; file, path and parameter.
type Case =
    (FrameworkId, &'static str, &'static str, &'static str, &'static [&'static str], &'static str);

const CASES: &[Case] = {
    &[
        (pytest::ID, ".", "tests/test_a.py::test_x", "tests/test_a.py", &["test_x"], ""),
        (
            pytest::ID,
            "api",
            "tests/test_a.py::TestB::test_x[a::b-[1]]",
            "api/tests/test_a.py",
            &["TestB", "test_x"],
            "a::b-[1]",
        ),
        (pytest::ID, "api", "api/tests/test_a.py::test_x", "api/tests/test_a.py", &["test_x"], ""),
        (pytest::ID, ".", "tests/gone.py::test_x", "", &["test_x"], ""),
        (
            FrameworkId::OTHER,
            "api",
            "tests.test_a.TestB.test_c",
            "api/tests/test_a.py",
            &["TestB", "test_c"],
            "",
        ),
        (
            FrameworkId::OTHER,
            ".",
            "test_a.TestB.test_c (i=1)",
            "tests/test_a.py",
            &["TestB", "test_c"],
            "(i=1)",
        ),
        (FrameworkId::OTHER, ".", "tests/test_a.py::test_x", "tests/test_a.py", &["test_x"], ""),
        (
            jest::ID,
            "web",
            "a.test.js > outer > plain > name",
            "web/a.test.js",
            &["outer", "plain > name"],
            "",
        ),
        (
            jest::ID,
            "web",
            "a.test.js > outer > row 1 of y",
            "web/a.test.js",
            &["outer", "row %i of $x"],
            "outer > row 1 of y",
        ),
        (jest::ID, "web", "a.test.js > made up", "web/a.test.js", &["made ${x}"], "made up"),
        (jest::ID, "web", "a.test.js > twice #2", "web/a.test.js", &["twice"], "#2"),
        (jest::ID, "web", "a.test.js > unknown > name", "web/a.test.js", &["unknown", "name"], ""),
        (cargo::ID, ".", "shop::tests::twice", "src/lib.rs", &["tests", "twice"], ""),
        (cargo::ID, ".", "shop::cart::total", "src/cart.rs", &["total"], ""),
        (cargo::ID, ".", "shop::cart::tests::deep::x", "src/cart/tests.rs", &["deep", "x"], ""),
        (cargo::ID, ".", "shop::price::tests::x", "src/price/mod.rs", &["tests", "x"], ""),
        (cargo::ID, ".", "shop/src/main.rs::tests::x", "src/main.rs", &["tests", "x"], ""),
        (cargo::ID, ".", "shop/tests/it.rs::x", "tests/it.rs", &["x"], ""),
        (
            cargo::ID,
            ".",
            "shop/doc::src/cart.rs - cart::add (line 7)",
            "src/cart.rs",
            &["cart", "add"],
            "7",
        ),
        (cargo::ID, ".", "other::x", "crates/odd/src/lib.rs", &["x"], ""),
        (go::ID, ".", "example.org/shop.TestTotal", "shop_test.go", &["TestTotal"], ""),
        (
            go::ID,
            ".",
            "example.org/shop.TestTotal/a_b/deep",
            "shop_test.go",
            &["TestTotal", "a b"],
            "deep",
        ),
        (go::ID, ".", "example.org/shop.TestTotal/row_7", "shop_test.go", &["TestTotal"], "row_7"),
        (go::ID, ".", "example.org/shop.FuzzX/seed#0", "shop_test.go", &["FuzzX"], "seed#0"),
        (
            go::ID,
            ".",
            "example.org/shop/code.TestCartSuite/TestAdd",
            "code/code_test.go",
            &["CartSuite", "TestAdd"],
            "",
        ),
        (go::ID, ".", "tool:app.TestX", "tool/x_test.go", &["TestX"], ""),
        (go::ID, ".", "example.org/shop.TestGone", "", &["TestGone"], ""),
        (
            junit::ID,
            ".",
            "core/shop.PriceTest.adds",
            "core/src/test/java/shop/PriceTest.java",
            &["PriceTest", "adds"],
            "",
        ),
        (
            junit::ID,
            ".",
            "other/shop.PriceTest$Inner.adds(String)[1]",
            "other/src/test/java/shop/PriceTest.java",
            &["PriceTest", "Inner", "adds"],
            "(String)[1]",
        ),
        (
            junit::ID,
            "core",
            "shop.PriceTest.adds",
            "core/src/test/java/shop/PriceTest.java",
            &["PriceTest", "adds"],
            "",
        ),
        (
            junit::ID,
            ".",
            "shop.CartTest.adds",
            "src/test/kotlin/shop/CartTest.kt",
            &["CartTest", "adds"],
            "",
        ),
        (junit::ID, ".", "shop.GoneTest.adds", "", &["GoneTest", "adds"], ""),
    ]
};

#[test]
fn ids_lead_to_where_tests_are_written() {
    let files = Files::of(FILES);
    let known = Addresses::new(&files);
    for (framework, folder, id, file, path, parameter) in CASES {
        let found = known.address(*framework, folder, id).unwrap_or_else(|| panic!("{id}"));
        assert_eq!(found.file.as_deref().unwrap_or_default(), *file, "{id}");
        assert_eq!(found.path, *path, "{id}");
        assert_eq!(found.parameter.as_deref().unwrap_or_default(), *parameter, "{id}");
        assert_eq!(address(*framework, folder, id, &files).as_ref(), Some(&found), "{id}");
    }
    for id in ["", "nothing", "::", " > ", "a.b", "(line 3)"] {
        for framework in frameworks() {
            let found = known.address(framework, ".", id);
            assert!(found.is_none_or(|found| found.file.is_none()), "{framework} {id}");
        }
    }
}

#[test]
fn only_the_files_that_are_asked_about_are_read() {
    let files = Files::of(FILES);
    let known = Addresses::new(&files).reading_only(["shop_test.go"].into_iter());
    let file = |id: &str| known.address(go::ID, ".", id).and_then(|found| found.file);
    assert_eq!(file("example.org/shop.TestTotal").as_deref(), Some("shop_test.go"));
    assert_eq!(file("tool:app.TestX"), None, "its file is not read");
}
