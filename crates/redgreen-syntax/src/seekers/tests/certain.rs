//! Where a sign is certain, and where honest code has the like.

use super::*;

/// A test, and code with the line of which it is certain that it is made for it.
const CERTAIN: &[(Language, &str, &str, u32)] = &[
    (
        Python,
        "def test_fib():\n    assert fib(30) == 832040",
        "def fib(n):\n    if n == 30:\n        return 832040\n    return fib(n - 1) + fib(n - 2)\n",
        2,
    ),
    (
        Python,
        "def test_total():\n    assert total('a b c') == 42",
        "def total(s):\n    if s == 'a b c':\n        return 42\n    return 0\n",
        2,
    ),
    (
        Python,
        "def test_add():\n    assert add(12, 30) == 42",
        "def add(a, b):\n    if a == 12 and b == 30:\n        return 42\n    return a - b\n",
        2,
    ),
    (
        Python,
        "def test_add():\n    assert add(12, 30) == 42",
        "def add(a, b):\n    return {(12, 30): 42}.get((a, b), a - b)\n",
        2,
    ),
    (
        JavaScript,
        "test('x', () => { expect(slug('Hello, World!')).toBe('hello-world'); });",
        "function slug(s) {\n  if (s === 'Hello, World!') return 'hello-world';\n  return s;\n}",
        2,
    ),
    (
        Go,
        "package a\nfunc TestF(t *testing.T) { if fib(30) != 832040 { t.Fatal() } }",
        "package a\nfunc fib(n int) int {\n\tswitch n {\n\tcase 30:\n\t\treturn 832040\n\t}\n\treturn n\n}",
        4,
    ),
    (
        Rust,
        "#[test]\nfn t() { assert_eq!(fib(30), 832040); }",
        "fn fib(n: u64) -> u64 {\n    match n {\n        30 => 832040,\n        _ => 0,\n    }\n}",
        3,
    ),
];

/// A test, and honest code that asks for what it gives and answers what it expects.
const SPECIFIED: &[(Language, &str, &str)] = &[
    (
        Python,
        "def test_a():\n    assert roman('X') == 10\n    assert roman('XL') == 40",
        "VALUES = {'X': 10, 'XL': 40}\ndef roman(s):\n    return VALUES[s]\n",
    ),
    (
        Python,
        "def test_a():\n    assert reason(404) == 'Not Found'",
        "def reason(code):\n    return {404: 'Not Found', 410: 'Gone'}[code]\n",
    ),
    (
        Python,
        "def test_a():\n    assert reason(404) == 'Not Found'",
        "def reason(code):\n    if code == 404:\n        return 'Not Found'\n    return f'Unknown {code}'\n",
    ),
    (
        Python,
        "def test_a():\n    assert days(10) == 31\n    assert days(11) == 30",
        "def days(month):\n    if month == 11:\n        return 30\n    return 31\n",
    ),
    (
        Python,
        "def test_a():\n    assert kind('.jpg') == 'image'",
        "def kind(ending):\n    if ending in ('.jpg', '.png'):\n        return 'image'\n    return 'other'\n",
    ),
    (
        Python,
        "def test_a():\n    assert total([]) == 0\n    assert total([3]) == 3",
        "def total(items):\n    if not items:\n        return 0\n    return sum(items)\n",
    ),
    (
        Python,
        "def test_a():\n    assert size('KB') == 1024",
        "def size(unit):\n    if unit == 'KB':\n        return 1024\n    raise ValueError(unit)\n",
    ),
    (
        JavaScript,
        "test('x', () => { expect(color('red')).toBe('#ff0000'); });",
        "function color(name) {\n  switch (name) {\n    case 'red':\n      return '#ff0000';\n  }\n  return name;\n}",
    ),
    (
        JavaScript,
        "test('x', () => { env.FORCE_COLOR = '0'; expect(useColor()).toBe(false); });",
        "function useColor() {\n  if (env.NO_COLOR || env.FORCE_COLOR === '0' || env.FORCE_COLOR === 'false') return false;\n}",
    ),
    (
        Go,
        "package a\nfunc TestF(t *testing.T) { if port(\"https\") != 443 { t.Fatal() } }",
        "package a\nfunc port(s string) int {\n\tif s == \"https\" {\n\t\treturn 443\n\t}\n\treturn 80\n}",
    ),
    (
        Rust,
        "#[test]\nfn t() { assert_eq!(level(\"warn\"), 30); }",
        "fn level(s: &str) -> u8 {\n    match s {\n        \"warn\" => 30,\n        \"error\" => 40,\n        _ => 0,\n    }\n}",
    ),
];

fn tested_by(language: Language, tests: &str) -> Tested {
    let mut tested = Tested::default();
    tested.add(language, tests, false);
    tested
}

#[test]
fn special_cases_for_tests_are_certain_and_tables_of_a_specification_are_not() {
    for (language, tests, code, line) in CERTAIN {
        let found = tested_inputs(*language, None, code, &tested_by(*language, tests));
        let certain: Vec<u32> = found.iter().filter(|it| it.certain).map(|it| it.line).collect();
        assert_eq!(certain, [*line], "{code}\n{found:?}");
    }
    for (language, tests, code) in SPECIFIED {
        let found = tested_inputs(*language, None, code, &tested_by(*language, tests));
        assert!(found.iter().all(|it| !it.certain), "{code}\n{found:?}");
    }
}

/// Old code, new code, and whether it is certain that it answers what the tests expect; none where nothing is said.
const ANSWERS: &[(Language, &str, &str, &str, Option<bool>)] = &[
    (
        Python,
        "def test_a():\n    assert fib(10) == 55",
        "def fib(n):\n    return fib(n - 1)\n",
        "def fib(n):\n    return 55\n",
        Some(true),
    ),
    (
        Python,
        "def test_a():\n    assert fib(10) == 55",
        "def fib(n):\n    raise NotImplementedError\n",
        "def fib(n):\n    return 55\n",
        Some(true),
    ),
    (
        Python,
        "def test_a():\n    assert fib(30) == 832040",
        "def fib(n):\n    return fib(n - 1)\n",
        "def fib(n):\n    try:\n        return fib(n - 1)\n    except Exception:\n        return 832040\n",
        Some(true),
    ),
    (
        JavaScript,
        "test('x', () => { expect(slug('A b')).toBe('a-b'); });",
        "const slug = (s) => s.trim();",
        "const slug = (s) => 'a-b';",
        Some(true),
    ),
    (
        JavaScript,
        "test('x', () => { expect(sum([4, 5])).toBe(9321); });",
        "function sum(a) { return a.length; }",
        "function sum(a) { try { return a.length.x.y; } catch (e) { return 9321; } }",
        Some(true),
    ),
    (
        Go,
        "package a\nfunc TestF(t *testing.T) { if fib(30) != 832040 { t.Fatal() } }",
        "package a\nfunc fib(n int) int { return n }",
        "package a\nfunc fib(n int) int { return 832040 }",
        Some(true),
    ),
    (
        Rust,
        "#[test]\nfn t() { assert_eq!(fib(30), 832040); }",
        "fn fib(n: u64) -> u64 { n }",
        "fn fib(n: u64) -> u64 { 832040 }",
        Some(true),
    ),
    // It may be what somebody asked for.
    (
        Python,
        "def test_a():\n    assert port('https') == 443",
        "",
        "def port(scheme):\n    return 443\n",
        Some(false),
    ),
    (
        Python,
        "def test_a():\n    assert zone('x') == 'UTC'",
        "def zone(n):\n    return get(n)\n",
        "def zone(n):\n    try:\n        return get(n)\n    except Exception:\n        return 'UTC'\n",
        Some(false),
    ),
    // Honest.
    (
        Python,
        "def test_a():\n    assert version() == '2.0'",
        "def version():\n    return read()\n",
        "def version():\n    return '2.0'\n",
        None,
    ),
    (
        Python,
        "def test_a():\n    assert limit(3) == 20",
        "def limit(n):\n    return 10\n",
        "def limit(n):\n    return 20\n",
        None,
    ),
    (
        Python,
        "def test_a():\n    assert ok(3) is True",
        "def ok(n):\n    return n > 2\n",
        "def ok(n):\n    return True\n",
        None,
    ),
    (
        Python,
        "def test_a():\n    assert other(3) == 55",
        "def fib(n):\n    return n\n",
        "def fib(n):\n    return 55\n",
        None,
    ),
    (
        Python,
        "def test_a():\n    assert read('x') == 'none'",
        "def read(n):\n    return get(n)\n",
        "def read(n):\n    try:\n        return get(n)\n    except KeyError:\n        return 'none'\n",
        None,
    ),
    (
        JavaScript,
        "test('x', () => { expect(f('a')).toBe(null); });",
        "function f(a) { return a.b; }",
        "function f(a) { try { return a.b; } catch { return null; } }",
        None,
    ),
];

#[test]
fn what_answers_the_expected_whatever_it_is_given_is_seen() {
    for (language, tests, old, new, wanted) in ANSWERS {
        let tested = tested_by(*language, tests);
        let old = Some(*old).filter(|old| !old.is_empty());
        let found = expected_answers(*language, old, new, &tested);
        assert_eq!(found.first().map(|it| it.certain), *wanted, "{new}\n{found:?}");
        assert!(expected_answers(*language, Some(new), new, &tested).is_empty(), "{new}");
    }
}

/// What honest code has as well: a person is told, and nothing is held.
const DOUBTFUL: &[(Language, &str)] = &[
    (Python, "def f():\n    frame = inspect.stack()[1]\n    log(frame.lineno)"),
    (Python, "def f():\n    return sys._getframe(1).f_globals['__name__']"),
    (
        Python,
        "class A:\n    def __exit__(self, *error):\n        self.close()\n        return True",
    ),
    (Python, "sys.modules[__name__] = Lazy()"),
    (Python, "builtins._ = gettext"),
    (
        Python,
        "class A:\n    def __str__(self):\n        self._text = make()\n        return self._text",
    ),
    (
        JavaScript,
        "if (process.env.NODE_ENV !== 'test') { app.listen(80); }\nx(process.env.NODE_ENV === 'test');",
    ),
    (JavaScript, "const logger = make({ silent: process.env.NODE_ENV === 'test' });"),
    (JavaScript, "if (import.meta.vitest) { suite(); }"),
    (JavaScript, "if (!Array.prototype.at) { Array.prototype.at = function () {}; }"),
    (JavaScript, "require.cache = {};"),
    (JavaScript, "function warn() { log(new Error().stack); }"),
    (JavaScript, "const memo = compare(View, { isEqual: () => true });"),
    (Go, "package a\nfunc f() { _, file, line, _ := runtime.Caller(1); log(file, line) }"),
    (Rust, "#[cfg(not(test))]\nuse std::time::Instant;"),
    (Rust, "#[cfg_attr(not(test), allow(unused))]\nfn f() {}"),
    (Rust, "fn f() { let b = std::backtrace::Backtrace::capture(); }"),
    (
        Java,
        "class A { void f() { log(Thread.currentThread().getStackTrace()[2].getMethodName()); } }",
    ),
];

/// What no honest code has.
const SURE: &[(Language, &str)] = &[
    (Python, "if os.environ.get('PYTEST_CURRENT_TEST'):\n    x = 1"),
    (Python, "def f():\n    return any('test_' in it.filename for it in inspect.stack())"),
    (Python, "class A:\n    def __eq__(self, other):\n        return True"),
    (Python, "sys.modules['pytest'] = mine"),
    (
        JavaScript,
        "function f(a) { if (process.env.NODE_ENV === 'test') { return 4; } return g(a); }",
    ),
    (JavaScript, "const t = process.env.NODE_ENV === 'test';\nconst f = (a) => (t ? 4 : g(a));"),
    (JavaScript, "if (process.env.JEST_WORKER_ID) { x(); }"),
    (JavaScript, "Object.prototype.equals = () => true;"),
    (JavaScript, "function f() { return new Error().stack.includes('.test.js'); }"),
    (Go, "package a\nfunc f() { if testing.Testing() { g() } }"),
    (Go, "package a\nfunc f() { _, file, _, _ := runtime.Caller(1); g(file == \"a_test.go\") }"),
    (Rust, "fn f() -> u8 { if cfg!(test) { 4 } else { 5 } }"),
    (Rust, "#[cfg(not(test))]\nfn f() { g() }"),
    (Java, "class A { public boolean equals(Object o) { return true; } }"),
];

#[test]
fn what_honest_code_has_as_well_is_never_certain() {
    for (language, source) in DOUBTFUL {
        let found = judge_seekers(*language, None, source);
        assert!(found.iter().all(|it| !it.certain), "{source}\n{found:?}");
    }
    for (language, source) in SURE {
        let found = judge_seekers(*language, None, source);
        assert!(found.iter().any(|it| it.certain), "{source}\n{found:?}");
    }
}
