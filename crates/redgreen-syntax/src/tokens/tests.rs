//! What is layout and what is not.

use super::*;

#[test]
fn comments_and_layout_mean_nothing() {
    for (language, old, new) in [
        (
            Language::Python,
            "def f(a):\n    return g(a, 1)\n",
            "def f(a):  # why\n\n  return g(\n    a,\n    1,\n  )\n",
        ),
        (Language::Python, "x = 'a'\n", "x = \"a\"\n"),
        (Language::Python, "x = f(1)\n", "# -*- a -*-\nx = f( 1 )\n\n\n"),
        (Language::Python, "x = 1 + 2\n", "x = 1 + \\\n    2\n"),
        (Language::JavaScript, "f(1, 2)\ng()", "f(1, 2,);\n/* why */ g();\n"),
        (Language::JavaScript, "const a = { b: 'c' }", "const a = {\n  b: \"c\",\n};\n"),
        (Language::TypeScript, "let a: string = 'x'", "let a: string = \"x\"; // x"),
        (
            Language::Go,
            "package a\nfunc f() { g() }\n",
            "package a\n\n// F is f.\nfunc f() {\n\tg()\n}\n",
        ),
        (Language::Rust, "fn f() { g(1) }", "/// Why.\nfn f() {\n    g(\n        1,\n    )\n}\n"),
        (
            Language::Java,
            "class A { void f() { g(); } }",
            "/** Why. */\nclass A {\n  void f() { g(); /* x */ }\n}\n",
        ),
    ] {
        assert!(same_meaning(language, old, new), "{old}\n---\n{new}");
    }
}

#[test]
fn everything_else_means_something() {
    for (language, old, new) in [
        (Language::Python, "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"),
        (Language::Python, "x = 'a'\n", "x = 'a '\n"),
        (Language::Python, "x = (1,)\n", "x = (1)\n"),
        (Language::Python, "x = 1\n", "x = -1\n"),
        (Language::Python, "x = b'a'\n", "x = 'a'\n"),
        (Language::Python, "x = [1, 2]\n", "x = [12]\n"),
        (Language::JavaScript, "function f() { return\nx }", "function f() { return x }"),
        (Language::JavaScript, "x = [1,,]", "x = [1,]"),
        (Language::JavaScript, "x = `a`", "x = `b`"),
        (Language::JavaScript, "for (a;;) {}", "for (;a;) {}"),
        (
            Language::JavaScript,
            "/** @jest-environment node */\nf()",
            "/** @jest-environment jsdom */\nf()",
        ),
        (Language::Go, "//go:build linux\npackage a\n", "//go:build ignore\npackage a\n"),
        (Language::Rust, "fn f() { g(); }", "fn f() { g() }"),
        (Language::Rust, "fn f() { g(\"a\") }", "fn f() { g(\"b\") }"),
        (Language::Java, "class A { int f = 1; }", "class A { int f = 2; }"),
        // What cannot be read may mean anything.
        (Language::Python, "def f(:\n  pass", "def f(:\n   pass"),
    ] {
        assert!(!same_meaning(language, old, new), "{old}\n---\n{new}");
    }
}
