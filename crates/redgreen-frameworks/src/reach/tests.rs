use redgreen_model::framework::FrameworkId;

use super::*;
use crate::sides::tests::Files;

/// What a change does to a test.
#[track_caller]
fn effect(framework: FrameworkId, files: &[(&str, &str)], changed: &[&str], id: &str) -> String {
    effect_after(framework, files, files, changed, id)
}

/// The same of a change of these files from others.
#[track_caller]
fn effect_after(
    framework: FrameworkId,
    old: &[(&str, &str)],
    files: &[(&str, &str)],
    changed: &[&str],
    id: &str,
) -> String {
    let (old, files) = (Files::of(old), Files::of(files));
    let changed: Vec<String> = changed.iter().map(|path| (*path).to_owned()).collect();
    match Effects::new(&old, &files, &changed).on(framework, "", id) {
        Effect::No => "no".to_owned(),
        Effect::Yes(path) => path,
        Effect::Unknown(path) => format!("? {path}"),
    }
}

#[test]
fn a_test_of_python_notices_what_it_imports_and_what_is_loaded_with_it() {
    let files = [
        ("shop/__init__.py", ""),
        ("shop/price.py", "from .rates import RATES\n"),
        ("shop/rates.py", "RATES = {}\n"),
        ("shop/mail.py", "import subprocess\n"),
        ("shop/page.py", "def page():\n    return open(name())\n"),
        ("data/x.txt", ""),
        ("tests/conftest.py", "from tests.helper import f\n"),
        ("tests/helper.py", ""),
        (
            "tests/test_price.py",
            "from shop.price import price\n\ndef test_a():\n    assert price\n",
        ),
        ("tests/test_mail.py", "import shop.mail\n\ndef test_m():\n    assert shop\n"),
        ("tests/test_page.py", "from shop import page\n\ndef test_p():\n    assert page\n"),
    ];
    let on = |changed: &[&str], id: &str| effect(crate::pytest::ID, &files, changed, id);
    let price = "tests/test_price.py::test_a";
    assert_eq!(on(&["shop/rates.py"], price), "shop/rates.py");
    assert_eq!(on(&["shop/mail.py"], price), "no");
    assert_eq!(on(&["shop/new.py", "README.md"], price), "no");
    assert_eq!(on(&["shop/__init__.py"], price), "shop/__init__.py");
    assert_eq!(on(&["tests/helper.py"], price), "tests/helper.py");
    assert_eq!(on(&["tests/conftest.py"], price), "tests/conftest.py");
    assert_eq!(on(&["conftest.py"], price), "conftest.py", "it is gone, and was above");
    assert_eq!(on(&["shop/price/__init__.py"], price), "shop/price/__init__.py", "gone, too");
    assert_eq!(on(&["pyproject.toml"], price), "pyproject.toml");
    assert_eq!(on(&["data/x.txt"], price), "no");
    assert_eq!(on(&["shop/rates.py"], "tests/test_mail.py::test_m"), "? shop/mail.py");
    assert_eq!(on(&["data/x.txt"], "tests/test_page.py::test_p"), "? shop/page.py");
    assert_eq!(on(&["shop/rates.py"], "tests/test_page.py::test_p"), "no");
    assert_eq!(on(&["shop/rates.py"], "tests/gone.py::test_g"), "? tests/gone.py::test_g");
}

#[test]
fn a_test_of_javascript_notices_what_it_imports_and_its_setup() {
    let files = [
        ("package.json", "{\"name\": \"a\"}"),
        ("jest.config.js", "module.exports = { setupFiles: ['<rootDir>/test/setup.js'] };\n"),
        ("test/setup.js", "require('./polyfill');\n"),
        ("test/polyfill.js", ""),
        ("src/a.ts", "import { b } from './b/index.js';\nexport * from '@/deep';\n"),
        ("src/b/index.ts", ""),
        ("src/deep.ts", "import x from '@/nowhere';\n"),
        ("src/c.ts", ""),
        ("src/a.test.ts", "import { a } from './a';\ntest('works', () => {});\n"),
        ("src/c.test.ts", "import { c } from './c';\ntest('works', () => {});\n"),
    ];
    let on = |changed: &[&str], id: &str| effect(crate::jest::ID, &files, changed, id);
    let (a, c) = ("src/a.test.ts > works", "src/c.test.ts > works");
    assert_eq!(on(&["src/b/index.ts"], a), "src/b/index.ts");
    assert_eq!(on(&["src/deep.ts"], a), "src/deep.ts");
    assert_eq!(on(&["src/c.ts"], a), "? src/deep.ts");
    assert_eq!(on(&["src/b/index.ts"], c), "no");
    assert_eq!(on(&["test/polyfill.js"], c), "test/polyfill.js");
}

#[test]
fn go_rust_and_java_notice_by_package_crate_and_module() {
    let go = [
        ("go.mod", "module m\n"),
        ("a/a.go", "package a\n\nimport \"m/b\"\n"),
        ("a/a_test.go", "package a\n\nfunc TestA(t *testing.T) {}\n"),
        ("b/b.go", "package b\n"),
        ("b/b_test.go", "package b\n\nfunc TestB(t *testing.T) {}\n"),
        ("c/c.go", "package c\n"),
    ];
    let on = |changed: &[&str], id: &str| effect(crate::go::ID, &go, changed, id);
    assert_eq!(on(&["b/b.go"], "m/a.TestA"), "b/b.go");
    assert_eq!(on(&["b/b_test.go", "c/c.go"], "m/a.TestA"), "no");
    assert_eq!(on(&["a/a.go"], "m/b.TestB"), "no");
    let rust = [
        ("a/Cargo.toml", "[package]\nname = \"a\"\n[dependencies]\nb = { path = \"../b\" }\n"),
        ("a/src/lib.rs", "mod x;\n"),
        ("a/src/x.rs", ""),
        ("a/tests/it.rs", "#[test]\nfn works() {}\n"),
        ("b/Cargo.toml", "[package]\nname = \"b\"\n"),
        ("b/src/lib.rs", ""),
        ("c/Cargo.toml", "[package]\nname = \"c\"\n"),
        ("c/src/lib.rs", ""),
    ];
    let graph_files = Files::of(&rust);
    let graph = Graph::new(&graph_files, &[]);
    let reached = graph.reached(["a/tests/it.rs"].into_iter(), &|_| true).files;
    let reached: Vec<&str> = reached.keys().map(String::as_str).collect();
    assert_eq!(reached, ["a/src/lib.rs", "a/src/x.rs", "a/tests/it.rs", "b/src/lib.rs"]);
    let java = Files::of(&[
        ("core/pom.xml", ""),
        ("core/src/main/java/p/A.java", "package p;\n"),
        ("core/src/test/java/p/ATest.java", "package p;\n"),
        ("web/pom.xml", ""),
        ("web/src/main/java/w/W.java", "package w;\nimport p.A;\n"),
        ("web/src/test/java/w/WTest.java", "package w;\n"),
    ]);
    let graph = Graph::new(&java, &[]);
    let reached = |from: &str| {
        let found = graph.reached([from].into_iter(), &|_| true).files;
        found.into_keys().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        reached("core/src/test/java/p/ATest.java"),
        "core/src/main/java/p/A.java core/src/test/java/p/ATest.java"
    );
    assert!(reached("web/src/test/java/w/WTest.java").contains("core/src/main/java/p/A.java"));
}

#[test]
fn an_example_of_ruby_notices_what_it_requires_and_what_is_loaded_with_it() {
    let files = [
        ("lib/shop.rb", "require_relative \"shop/price\"\n"),
        ("lib/shop/price.rb", "require \"shop/rates\"\n"),
        ("lib/shop/rates.rb", ""),
        ("lib/mail.rb", ""),
        ("lib/plugins.rb", "Dir[\"plugins/*.rb\"].each { |file| require file }\n"),
        ("spec/spec_helper.rb", "require \"support/orders\"\n"),
        ("spec/support/orders.rb", ""),
        ("spec/shop_spec.rb", "require \"shop\"\n\nRSpec.describe(\"a\") { it(\"b\") {} }\n"),
        ("spec/plugins_spec.rb", "require \"plugins\"\n\nRSpec.describe(\"a\") { it(\"b\") {} }\n"),
    ];
    let on = |changed: &[&str], id: &str| effect(crate::rspec::ID, &files, changed, id);
    let shop = "spec/shop_spec.rb > a > b";
    assert_eq!(on(&["lib/shop/rates.rb"], shop), "lib/shop/rates.rb");
    assert_eq!(on(&["spec/support/orders.rb"], shop), "spec/support/orders.rb");
    assert_eq!(on(&[".rspec"], shop), ".rspec");
    assert_eq!(on(&["lib/mail.rb"], shop), "no");
    assert_eq!(on(&["lib/mail.rb"], "spec/plugins_spec.rb > a > b"), "? lib/plugins.rb");
}

#[test]
fn a_new_source_that_only_declares_is_not_noticed_by_its_package() {
    let old = [
        ("go.mod", "module m\n"),
        ("a.go", "package m\n\ntype T struct{}\n"),
        ("a_test.go", "package m\n\nfunc TestA(t *testing.T) {}\n"),
    ];
    let on = |body: &str| {
        let text = format!("package m\n\n{body}");
        let new = [&old[..], &[("b.go", text.as_str())]].concat();
        effect_after(crate::go::ID, &old, &new, &["b.go"], "m.TestA")
    };
    for body in [
        "import (\n\t\"errors\"\n\t\"os\"\n)\n\nvar ErrB = errors.New(\"b\")\n\nconst c = 1\n\nfunc B() int { return os.Getpid() }\n",
        "type (\n\tU struct{ n int }\n)\ntype V[K any] struct{}\n\nfunc (u *U) String() string { return f(u) }\n\nfunc (v *V[K]) Len() int { return 0 }\n",
    ] {
        assert_eq!(on(body), "no", "{body}");
    }
    for body in [
        "func init() {}\n",
        "var x = register(1)\n",
        "var (\n\ty = 1\n\tx = register(1)\n)\n",
        "import _ \"m/drivers\"\n",
        "import (\n\t_ \"m/drivers\"\n)\n",
        "func (t *T) String() string { return \"\" }\n",
        "func TestMain(m *testing.M) {}\n",
    ] {
        assert_eq!(on(body), "b.go", "{body}");
    }
    assert_eq!(effect(crate::go::ID, &old, &["a.go"], "m.TestA"), "a.go", "it was there");
    let rust = [
        ("Cargo.toml", "[package]\nname = \"a\"\nversion = \"1.0.0\"\n"),
        ("src/lib.rs", "mod x;\n"),
        ("src/x.rs", ""),
        ("tests/it.rs", "#[test]\nfn works() {}\n"),
    ];
    let new = [&rust[..], &[("tests/more.rs", ""), ("src/y.rs", "")]].concat();
    let changed = ["tests/more.rs"];
    let on = |changed: &[&str]| {
        effect_after(crate::cargo::ID, &rust, &new, changed, "a/tests/it.rs::works")
    };
    assert_eq!(on(&changed), "no");
    assert_eq!(on(&["src/y.rs", "src/lib.rs"]), "src/lib.rs");
}

#[test]
fn a_folder_is_the_way_to_the_file_in_it_that_is_named() {
    let named = "def rate():\n    return (HERE / 'data' / 'rates.txt').read_text()\n";
    let listed = "def rate():\n    return load_all(Path('data'))\n";
    let on = |source: &str, changed: &str| {
        let test = "from rates import rate\n\ndef test_a():\n    assert rate\n";
        let files = [
            ("rates.py", source),
            ("data/rates.txt", ""),
            ("data/more.txt", ""),
            ("test_a.py", test),
        ];
        effect(crate::pytest::ID, &files, &[changed], "test_a.py::test_a")
    };
    assert_eq!(on(named, "data/more.txt"), "no");
    assert_eq!(on(named, "data/rates.txt"), "data/rates.txt");
    assert_eq!(on(listed, "data/more.txt"), "data/more.txt");
    let any = format!("{named}\ndef all():\n    return HERE.glob('*')\n");
    assert_eq!(on(&any, "data/more.txt"), "? rates.py");
}

#[test]
fn a_new_version_of_the_project_is_noticed_by_who_reads_it() {
    let files = |version: &'static str| {
        [
            ("package.json", version),
            ("src/a.js", "module.exports = 1;\n"),
            ("src/b.js", "module.exports = require('../package.json').version;\n"),
            ("src/a.test.js", "const a = require('./a');\ntest('works', () => {});\n"),
            ("src/b.test.js", "const b = require('./b');\ntest('works', () => {});\n"),
        ]
    };
    let (old, new) = (files("{\"version\": \"1.0.0\"}"), files("{\"version\": \"1.1.0\"}"));
    let on = |id: &str| effect_after(crate::jest::ID, &old, &new, &["package.json"], id);
    assert_eq!(on("src/a.test.js > works"), "no");
    assert_eq!(on("src/b.test.js > works"), "package.json");
}
