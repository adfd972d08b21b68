//! Code that looks for its judge, and code that does not.

mod certain;

use super::*;

use crate::{
    GO as Go, JAVA as Java, JAVASCRIPT as JavaScript, PYTHON as Python, RUST as Rust,
    TYPESCRIPT as TypeScript,
};

use SeekerKind::{
    Caller, PatchesFramework, PleasesEveryComparison, Redgreen, SwallowsFailures, TestRun,
    TestedInputs,
};

/// Code, and what it looks for.
const SEEKERS: &[(Language, &str, SeekerKind)] = &[
    (Python, "if os.environ.get('PYTEST_CURRENT_TEST'):\n    x = 1", TestRun),
    (Python, "if 'pytest' in sys.modules:\n    x = 1", TestRun),
    (Python, "x = sys.modules.get('unittest')", TestRun),
    (Python, "if 'pytest' in sys.argv[0]: pass", TestRun),
    (Python, "f = inspect.stack()[1]", Caller),
    (Python, "f = sys._getframe(1)", Caller),
    (
        Python,
        "class A:\n    def __eq__(self, other):\n        '''Why.'''\n        return True",
        PleasesEveryComparison,
    ),
    (Python, "class A:\n    __eq__ = lambda self, other: True", PleasesEveryComparison),
    (
        Python,
        "class A:\n    def __exit__(self, *error):\n        self.close()\n        return True",
        SwallowsFailures,
    ),
    (
        Python,
        "class A:\n    def __ne__(self, other):\n        return False",
        PleasesEveryComparison,
    ),
    (Python, "unittest.TestCase.assertEqual = lambda *a: None", PatchesFramework),
    (Python, "builtins.open = mine", PatchesFramework),
    (Python, "setattr(unittest.TestCase, 'run', f)", PatchesFramework),
    (Python, "sys.modules['pytest'] = mine", PatchesFramework),
    (Python, "x = os.environ['REDGREEN_STREAM']", Redgreen),
    (Python, "open('.redgreen/journal')", Redgreen),
    (JavaScript, "if (process.env.JEST_WORKER_ID) { x(); }", TestRun),
    (JavaScript, "if (process.env.NODE_ENV === 'test') x();", TestRun),
    (TypeScript, "const t = process.env['VITEST'];", TestRun),
    (JavaScript, "if (typeof jest !== 'undefined') x();", TestRun),
    (JavaScript, "if (globalThis.expect) x();", TestRun),
    (JavaScript, "if (process.argv.some((it) => it.includes('mocha'))) x();", TestRun),
    (JavaScript, "if (import.meta.env?.MODE === 'test') x();", TestRun),
    (JavaScript, "const s = new Error().stack;", Caller),
    (JavaScript, "const s = (new Error('x')).stack;", Caller),
    (JavaScript, "Object.prototype.equals = () => true;", PatchesFramework),
    (JavaScript, "global.expect = mine;", PatchesFramework),
    (JavaScript, "expect.extend({ toBe() {} });", PatchesFramework),
    (JavaScript, "require('node:assert').strictEqual = () => {};", PatchesFramework),
    (JavaScript, "assert.strictEqual = () => {};", PatchesFramework),
    (JavaScript, "process.exit = () => {};", PatchesFramework),
    (JavaScript, "const a = { [Symbol.toPrimitive]() { return 3; } };", PleasesEveryComparison),
    (JavaScript, "class A { asymmetricMatch() { return true; } }", PleasesEveryComparison),
    (JavaScript, "class A { valueOf() { return this.n++; } }", PleasesEveryComparison),
    (Go, "package a\nfunc f() { if testing.Testing() { g() } }", TestRun),
    (Go, "package a\nfunc f() { if flag.Lookup(\"test.v\") != nil { g() } }", TestRun),
    (Go, "package a\nfunc f() { if strings.HasSuffix(os.Args[0], \".test\") { g() } }", TestRun),
    (Go, "package a\nfunc f() { _, file, _, _ := runtime.Caller(1); g(file) }", Caller),
    (Go, "package a\nfunc (a A) Equal(b A) bool { return true }", PleasesEveryComparison),
    (Rust, "fn f() { if cfg!(test) { g() } }", TestRun),
    (Rust, "#[cfg(not(test))]\nfn f() { g() }", TestRun),
    (Rust, "fn f() { #[cfg(test)]\n{ g() } }", TestRun),
    (Rust, "impl PartialEq for A { fn eq(&self, _: &A) -> bool { true } }", PleasesEveryComparison),
    (Rust, "fn f() { let b = std::backtrace::Backtrace::force_capture(); }", Caller),
    (Rust, "fn f() { let n = std::thread::current().name(); }", Caller),
    (Rust, "macro_rules! assert_eq { ($($x:tt)*) => {} }", PatchesFramework),
    (
        Java,
        "class A { void f() { for (StackTraceElement e : Thread.currentThread().getStackTrace()) g(e); } }",
        Caller,
    ),
    (Java, "class A { void f() { StackWalker.getInstance().forEach(x); } }", Caller),
    (
        Java,
        "class A { boolean f() { return System.getProperty(\"surefire.test.class.path\") != null; } }",
        TestRun,
    ),
    (Java, "class A { void f() { Class.forName(\"org.junit.jupiter.api.Test\"); } }", TestRun),
    (Java, "class A { public boolean equals(Object o) { return true; } }", PleasesEveryComparison),
];

#[test]
fn what_the_code_looks_for_is_reported() {
    for (language, source, expected) in SEEKERS {
        let (language, expected) = (*language, *expected);
        let found = judge_seekers(language, None, source);
        assert_eq!(found.first().map(|it| it.kind), Some(expected), "{source}\n{found:?}");
        assert_eq!(judge_seekers(language, Some(source), source), [], "{source}");
        let moved = format!("\n\n{source}");
        assert_eq!(judge_seekers(language, Some(source), &moved), [], "{source}");
    }
}

#[test]
fn ordinary_code_is_left_alone() {
    for (language, source) in [
        (Python, "class A:\n    def __eq__(self, other):\n        return self.x == other.x"),
        (
            Python,
            "import unittest\nx = os.environ.get('HOME')\nself.expect = 3\ndef equals(a): return a",
        ),
        (Python, "def f(test):\n    assert test == 'pytest'\n    expect = 3\n"),
        (
            JavaScript,
            "class E extends Error { constructor() { super(); Error.captureStackTrace(this, E); } }",
        ),
        (JavaScript, "if (process.env.NODE_ENV === 'production') x(); log(err.stack);"),
        (JavaScript, "if (require.main === module) main(); const it = items[Symbol.iterator]();"),
        (
            JavaScript,
            "class A { valueOf() { return this.n; } equals(o) { return o.n === this.n; } }",
        ),
        (Go, "package a\nimport \"testing\"\nfunc f() { os.Args[1:]; t.Equal(a) }"),
        (Rust, "#[cfg(test)]\nmod tests { fn f() { if cfg!(test) {} } }\n#[cfg(unix)]\nfn g() {}"),
        (
            Rust,
            "impl PartialEq for A { fn eq(&self, o: &A) -> bool { self.0 == o.0 } }\nfn eq() -> bool { true }",
        ),
        (
            Java,
            "class A { void f() { e.getStackTrace(); } public boolean equals(Object o) { return o == this; } }",
        ),
    ] {
        assert_eq!(judge_seekers(language, None, source), [], "{source}");
    }
}

#[test]
fn a_second_place_is_reported_though_there_was_one() {
    let old = "a = os.getenv('PYTEST_CURRENT_TEST')\n";
    let new = "a = os.getenv('PYTEST_CURRENT_TEST')\nb = 'PYTEST_CURRENT_TEST' in os.environ\n";
    let made = format!("x = 1;{}process.env.VITEST;", "y();".repeat(600));
    assert_eq!(judge_seekers(JavaScript, None, &made), []);
    let found = judge_seekers(Python, Some(old), new);
    assert_eq!(found.iter().map(|it| it.line).collect::<Vec<_>>(), [2]);
}

/// Tests, then code, and the lines that are shown.
const INPUTS: &[(Language, &str, &str, &[u32])] = &[
    (
        Python,
        "assert fib(30) == 832040",
        "def fib(n):\n    if n == 30:\n        return 832040\n    return 0\n",
        &[2],
    ),
    (
        Python,
        "assert add(12, 30) == 42",
        "def add(a, b):\n    if a == 12 and b == 30:\n        return 42\n",
        &[2],
    ),
    (
        Python,
        "assert f('abc') == 'xyz'",
        "T = {'abc': 'xyz', 'no': 'x'}\ndef f(s):\n    return T.get(s)\n",
        &[1],
    ),
    (Python, "assert f('abc') == 'xyz'", "T = {'abc': 'xyz'}\ndef f(s):\n    return T\n", &[]),
    (Python, "assert f('abc') == 'xyz'", "def f(s):\n    return {'abc': 'xyz'}[s]\n", &[2]),
    (
        Python,
        "assert f('abc') == 'xyz'",
        "def f(s):\n    return 'xyz' if s == 'abc' else g(s)\n",
        &[2],
    ),
    (
        Python,
        "assert f('abc') == 'xyz'",
        "def f(s):\n    match s:\n        case 'abc':\n            return 'xyz'\n",
        &[3],
    ),
    (
        Python,
        "assert fib(0) == 0\nassert fib(1) == 1",
        "def fib(n):\n    if n == 0:\n        return 0\n    if n == 1:\n        return 1\n    return fib(n - 1)\n",
        &[],
    ),
    (Python, "assert f(30) == 7", "def f(n):\n    if n == 31:\n        return 832040\n", &[]),
    (
        JavaScript,
        "expect(f('abc')).toBe(42)",
        "function f(s) {\n  if (s === 'abc') return 42;\n}",
        &[2],
    ),
    (
        JavaScript,
        "expect(f('abc')).toBe(42)",
        "function f(s) {\n  switch (s) {\n    case 'abc':\n      return 42;\n  }\n}",
        &[3],
    ),
    (
        JavaScript,
        "expect(f('abc')).toBe(42)",
        "const t = { 'abc': 42 };\nfunction f(s) { return t[s]; }",
        &[1],
    ),
    (
        Go,
        "if f(\"abc\") != 42 { t.Fatal() }",
        "package a\nfunc f(s string) int {\n\tif s == \"abc\" {\n\t\treturn 42\n\t}\n\treturn 0\n}",
        &[3],
    ),
    (
        Go,
        "if f(\"abc\") != 42 { t.Fatal() }",
        "package a\nvar t = map[string]int{\n\t\"abc\": 42,\n}\nfunc f(s string) int { return t[s] }",
        &[3],
    ),
    (
        Rust,
        "assert_eq!(f(30), 832040);",
        "fn f(n: u64) -> u64 {\n    match n {\n        30 => 832040,\n        _ => 0,\n    }\n}",
        &[3],
    ),
    (
        Rust,
        "assert_eq!(f(30), 832040);",
        "fn f(n: u64) -> u64 {\n    if n == 30 { return 832040; }\n    n\n}",
        &[2],
    ),
    (
        Java,
        "assertEquals(42, f(\"abc\"));",
        "class A { int f(String s) {\n  if (\"abc\".equals(s)) { return 42; }\n  return 0;\n} }",
        &[2],
    ),
    (
        Java,
        "assertEquals(42, f(\"abc\"));",
        "class A { int f(String s) {\n  return switch (s) {\n    case \"abc\" -> 42;\n    default -> 0;\n  };\n} }",
        &[3],
    ),
];

#[test]
fn a_table_of_the_tested_inputs_is_reported() {
    for (language, tests, code, expected) in INPUTS {
        let tests = match *language {
            it if it == Go => format!("package a\nfunc f() {{ {tests} }}"),
            it if it == Rust => format!("fn f() {{ {tests} }}"),
            it if it == Java => format!("class A {{ void f() {{ {tests} }} }}"),
            _ => (*tests).to_owned(),
        };
        let mut tested = Tested::default();
        tested.add(*language, &tests, false);
        let found = tested_inputs(*language, None, code, &tested);
        let lines: Vec<u32> = found.iter().map(|it| it.line).collect();
        assert_eq!(lines, *expected, "{code}");
        assert!(found.iter().all(|it| it.kind == TestedInputs));
        assert_eq!(tested_inputs(*language, Some(code), code, &tested), [], "{code}");
    }
}
