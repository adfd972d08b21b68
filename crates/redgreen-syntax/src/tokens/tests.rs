//! What is layout and what is not.

use super::*;

#[test]
fn comments_and_layout_mean_nothing() {
    for (language, old, new) in [
        (
            crate::PYTHON,
            "def f(a):\n    return g(a, 1)\n",
            "def f(a):  # why\n\n  return g(\n    a,\n    1,\n  )\n",
        ),
        (crate::PYTHON, "x = 'a'\n", "x = \"a\"\n"),
        (crate::PYTHON, "x = f(1)\n", "# -*- a -*-\nx = f( 1 )\n\n\n"),
        (crate::PYTHON, "x = 1 + 2\n", "x = 1 + \\\n    2\n"),
        (crate::JAVASCRIPT, "f(1, 2)\ng()", "f(1, 2,);\n/* why */ g();\n"),
        (crate::JAVASCRIPT, "const a = { b: 'c' }", "const a = {\n  b: \"c\",\n};\n"),
        (crate::TYPESCRIPT, "let a: string = 'x'", "let a: string = \"x\"; // x"),
        (
            crate::GO,
            "package a\nfunc f() { g() }\n",
            "package a\n\n// F is f.\nfunc f() {\n\tg()\n}\n",
        ),
        (crate::RUST, "fn f() { g(1) }", "/// Why.\nfn f() {\n    g(\n        1,\n    )\n}\n"),
        (
            crate::JAVA,
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
        (crate::PYTHON, "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"),
        (crate::PYTHON, "x = 'a'\n", "x = 'a '\n"),
        (crate::PYTHON, "x = (1,)\n", "x = (1)\n"),
        (crate::PYTHON, "x = 1\n", "x = -1\n"),
        (crate::PYTHON, "x = b'a'\n", "x = 'a'\n"),
        (crate::PYTHON, "x = [1, 2]\n", "x = [12]\n"),
        (crate::JAVASCRIPT, "function f() { return\nx }", "function f() { return x }"),
        (crate::JAVASCRIPT, "x = [1,,]", "x = [1,]"),
        (crate::JAVASCRIPT, "x = `a`", "x = `b`"),
        (crate::JAVASCRIPT, "for (a;;) {}", "for (;a;) {}"),
        (
            crate::JAVASCRIPT,
            "/** @jest-environment node */\nf()",
            "/** @jest-environment jsdom */\nf()",
        ),
        (crate::GO, "//go:build linux\npackage a\n", "//go:build ignore\npackage a\n"),
        (crate::RUST, "fn f() { g(); }", "fn f() { g() }"),
        (crate::RUST, "fn f() { g(\"a\") }", "fn f() { g(\"b\") }"),
        (crate::JAVA, "class A { int f = 1; }", "class A { int f = 2; }"),
        // What cannot be read may mean anything.
        (crate::PYTHON, "def f(:\n  pass", "def f(:\n   pass"),
    ] {
        assert!(!same_meaning(language, old, new), "{old}\n---\n{new}");
    }
}
