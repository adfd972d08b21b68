//! What silences a linter or a type checker, and what does not.

use super::*;

use crate::{
    CPP as Cpp, GO as Go, JAVA as Java, JAVASCRIPT as JavaScript, PYTHON as Python, RUBY as Ruby,
    RUST as Rust, TYPESCRIPT as TypeScript,
};

/// Code before, and with something silenced.
const SILENCED: &[(Language, &str, &str)] = &[
    (Python, "x = f(1)\n", "x = f(1)  # noqa\n"),
    (Python, "x = f(1)\n", "x = f(1)  # NOQA: E501\n"),
    (Python, "x = f(1)\n", "x = f(1)  # type: ignore[arg-type]\n"),
    (Python, "x = f(1)\n", "x = f(1)  # the old way  # type: ignore\n"),
    (Python, "x = f(1)\n", "# pylint: disable=invalid-name\nx = f(1)\n"),
    (Python, "x = f(1)\n", "# mypy: ignore-errors\nx = f(1)\n"),
    (Python, "x = f(1)\n", "# ruff: noqa\nx = f(1)\n"),
    (Python, "x = f(1)\n", "x = f(1)  # pyright: ignore[reportCallIssue]\n"),
    (Python, "x = f(1)\n", "# pyright: basic, reportMissingImports=false\nx = f(1)\n"),
    (Python, "x = f(1)\n", "x = cast(Any, f(1))\n"),
    (Python, "x = eval(a)\n", "x = eval(a)  # nosec B307\n"),
    // Wider than it was.
    (Python, "x = f(1)  # noqa: E501\n", "x = f(1)  # noqa\n"),
    (Python, "x = 1  # noqa: E501\n", "x = 1  # noqa: E501\ny = 2  # noqa: E501\n"),
    (JavaScript, "f(1);", "// eslint-disable-next-line no-undef\nf(1);"),
    (JavaScript, "f(1);", "/* eslint-disable */\nf(1);"),
    (JavaScript, "f(1);", "// @ts-nocheck\nf(1);"),
    (TypeScript, "f(1);", "// @ts-ignore\nf(1);"),
    (TypeScript, "f(1);", "// @ts-expect-error it is right\nf(1);"),
    (TypeScript, "f(a);", "f(a as any);"),
    (TypeScript, "f(a);", "f(a as unknown as B);"),
    (TypeScript, "f(1);", "// biome-ignore lint/suspicious/noExplicitAny: later\nf(1);"),
    (Go, "package a\nvar x = f()\n", "package a\nvar x = f() //nolint:errcheck // later\n"),
    (Go, "package a\nvar x = f()\n", "package a\n//lint:ignore SA1019 later\nvar x = f()\n"),
    (Rust, "fn f() {}", "#[allow(dead_code)]\nfn f() {}"),
    (Rust, "fn f() {}", "#![allow(clippy::all)]\nfn f() {}"),
    (Rust, "fn f() {}", "#[expect(unused, reason = \"later\")]\nfn f() {}"),
    (Rust, "fn f() {}", "#[cfg_attr(feature = \"x\", allow(unused))]\nfn f() {}"),
    (
        Java,
        "class A { int f() { return 1; } }",
        "class A { @SuppressWarnings(\"unchecked\") int f() { return 1; } }",
    ),
    (Java, "class A { int f() { return 1; } }", "class A { int f() { return 1; } // NOSONAR\n}"),
    (Ruby, "def f; end", "def f; end # rubocop:disable Style/X"),
    (Cpp, "int x = 1;", "int x = 1; // NOLINT(readability)"),
];

/// Code before and after an honest change.
const HONEST: &[(Language, &str, &str)] = &[
    (Python, "x = f(1)  # noqa\n", "def g():\n    x = f(1)  # noqa\n"),
    (Python, "x = f(1)  # noqa\n", "x = f(1)  # noqa: E501\n"),
    (Python, "x = f(1)  # noqa: E501,W291\n", "x = f(1)  # noqa: E501\n"),
    (Python, "x = f(1)  # type: ignore[a]\n", "y = f(1)  # type: ignore[b]\n"),
    (Python, "x = f(1)  # noqa\ny = 2  # noqa\n", "x = f(1, 2)  # noqa\n"),
    (Python, "x = 1\n", "x = 1  # noqa is what we do not want here\n"),
    (Python, "x = 1\n", "x = 'a  # noqa'\n"),
    (Python, "x = 1\n", "x = 1  # ignore the type\n"),
    (Python, "x = 1\n", "# mypy: strict\nx = 1\n"),
    (Python, "x = 1\n", "# pyright: strict\nx = 1\n"),
    (Python, "x = 1\n", "x = cast(int, f())\n"),
    (Python, "x = 1\n", "x = 1  # type: int\n"),
    (Python, "x = 1\n", "# This disables pylint for nobody.\nx = 1\n"),
    (Python, "x = 1  # pylint: disable=a\n", "x = 1  # pylint: enable=a\n"),
    (JavaScript, "f(1);", "// we use eslint-disable nowhere\nf(1);"),
    (JavaScript, "f(1);", "/* eslint-enable */\nf(1);"),
    (JavaScript, "f(1);", "const s = '// eslint-disable';"),
    (
        JavaScript,
        "// eslint-disable-next-line a -- why\nf(1);",
        "// eslint-disable-next-line a -- another\nf(2);",
    ),
    (TypeScript, "// @ts-ignore\nf(1);", "// @ts-expect-error\nf(1);"),
    (TypeScript, "f(a);", "f(a as B);"),
    (TypeScript, "f(a);", "f(a as const, b as unknown);"),
    (TypeScript, "f(a as any);", "g(a as any);"),
    (Go, "package a\n", "package a\n// nolint is off here\n"),
    (Go, "package a\nvar x = f() //nolint\n", "package a\nvar x = f() //nolint:errcheck\n"),
    (Rust, "fn f() {}", "#[deny(dead_code)]\n#[must_use]\nfn f() {}"),
    (Rust, "fn f() {}", "#[cfg(test)]\nmod tests { #[allow(dead_code)]\nfn g() {} }"),
    (Rust, "fn f() {}", "fn f() { allow(1); x.expect(\"there\"); }"),
    (Rust, "fn f() {}", "#[disallow(a)]\nfn f() {}"),
    (Java, "class A { }", "class A { @Override public int f() { return 1; } }"),
    (Ruby, "def f; end", "def f; end # rubocop:enable Style/X"),
    (Cpp, "int x = 1;", "int x = 1; // no lint found anything"),
];

fn new_in(language: Language, old: &str, new: &str) -> Vec<u32> {
    let placed: Vec<((), Suppression)> =
        suppressions(language, new).into_iter().map(|it| ((), it)).collect();
    let found = new_suppressions(&suppressions(language, old), &placed, &[old]);
    found.into_iter().map(|(_, it)| it.line).collect()
}

#[test]
fn what_is_silenced_is_seen_once_and_not_again() {
    for (language, old, new) in SILENCED {
        assert_eq!(new_in(*language, old, new).len(), 1, "{new}");
        assert!(new_in(*language, new, new).is_empty(), "{new}");
        let moved = format!("\n{new}");
        assert!(new_in(*language, new, &moved).is_empty(), "{new}");
    }
}

#[test]
fn what_moved_or_is_no_suppression_is_left_alone() {
    for (language, old, new) in HONEST {
        assert!(new_in(*language, old, new).is_empty(), "{old} {new}");
    }
}

#[test]
fn a_rule_that_a_project_silences_by_habit_is_let_go_at_a_new_statement() {
    let python = "x = f(1)  # type: ignore[misc]\ny = f(2)  # type: ignore[misc]\nz = f(3)\n";
    let typescript = "f(a as any);\ng(a as any);\nh(a);\n";
    for (language, old, new, asked) in [
        (Python, python, format!("{python}w = f(4)  # type: ignore[misc]\n"), 0),
        (TypeScript, typescript, format!("{typescript}i(a as any);\n"), 0),
        // What was there spoke before.
        (Python, python, python.replace("f(3)", "f(3)  # type: ignore[misc]"), 1),
        (TypeScript, typescript, typescript.replace("h(a)", "h(a as any)"), 1),
        // Another rule, and all of them.
        (Python, python, format!("{python}w = f(4)  # type: ignore[call-arg]\n"), 1),
        (Python, python, format!("{python}w = f(4)  # type: ignore\n"), 1),
        (Python, python, format!("# mypy: ignore-errors\n{python}"), 1),
    ] {
        assert_eq!(new_in(language, old, &new).len(), asked, "{new}");
    }
}

#[test]
fn a_type_that_said_something_and_says_nothing_is_seen() {
    for (language, old, new, seen) in [
        (Python, "def f(a: int): pass", "def f(a: Any): pass", true),
        (Python, "def f(a: int): pass", "def f(a): pass", true),
        (Python, "def f() -> list[int]: pass", "def f() -> list[Any]: pass", true),
        (Python, "def f() -> int: pass", "def f(): pass", true),
        (Python, "class A:\n    x: int = 1", "class A:\n    x: Any = 1", true),
        (TypeScript, "function f(a: number) {}", "function f(a: any) {}", true),
        (TypeScript, "function f(): number {}", "function f(): any {}", true),
        (TypeScript, "const x: Foo = f();", "const x: any = f();", true),
        // Honest.
        (Python, "def f(a): pass", "def f(a: Any): pass", false),
        (Python, "def f(a): pass", "def f(a): pass\ndef g(b: Any): pass", false),
        (Python, "def f(a: Any): pass", "def f(a: dict[str, Any]): pass", false),
        (Python, "def f(a: int): pass", "def f(a: int | None): pass", false),
        (Python, "def f(a: int): pass", "def f(b: str): pass", false),
        (Python, "x: int = 1", "x = 1", false),
        (Python, "def f(a: Company): pass", "def f(a: Anyone): pass", false),
        (
            Python,
            "def f(a: int) -> int: pass",
            "@overload\ndef f(a: int) -> int: ...\n@t.overload\ndef f(a: str) -> str: ...\ndef f(a): pass",
            false,
        ),
        (
            TypeScript,
            "function f(a: number): number {}",
            "function f(a: number): number;\nfunction f(a: string): string;\nfunction f(a: any): any {}",
            false,
        ),
        (
            TypeScript,
            "export class A { f(a: number): number {} }",
            "export class A { f(a: number): number; f(a: any): any {} }",
            false,
        ),
        (TypeScript, "function f(a) {}", "function f(a: any) {}", false),
        (TypeScript, "const f = (a: number) => a", "const f: F = a => a", false),
        (TypeScript, "function f(): number {}", "function f() {}", false),
        (TypeScript, "const x: Foo = f();", "const x = f();", false),
    ] {
        assert_eq!(emptied_types(language, old, new).len(), usize::from(seen), "{new}");
    }
}
