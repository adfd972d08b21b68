use super::*;
use crate::language_of;

/// The edits of a source, one a line: what it is and the line as it is then.
fn edits(path: &str, source: &str, whole: Option<u32>) -> Vec<String> {
    let found = mutants(language_of(path).expect("a language"), source, &|_, _| true, (whole, 99));
    let line = |mutant: &Mutant| {
        let edited = mutant.applied(source);
        let line = edited.lines().nth(mutant.line as usize - 1).unwrap_or_default().trim();
        format!("{:?} {line}", mutant.kind)
    };
    found.iter().map(line).collect()
}

#[test]
fn python() {
    let source = "def f(a, b):\n    if a < 3 and not b:\n        a.sort()\n        return \"x\"\n    return a.total(b) + 1\n";
    assert_eq!(
        edits("a.py", source, Some(1)),
        [
            "Return return \"\"",
            "Return return type(a.total(b) + 1)()",
            "Condition if a < 3 or not b:",
            "Arithmetic return a.total(b) - 1",
            "Constant if a < 4 and not b:",
            "Constant return a.total(b) + 2",
            "Call pass",
            "AtOnce return",
            "Boundary if a <= 3 and not b:",
        ]
    );
    assert_eq!(
        edits(
            "a.py",
            "def f(a):\n    if not a:\n        a = 1 if a else 2\n    return a is None\n",
            None
        ),
        [
            "Return return not (a is None)",
            "Condition if a:",
            "Condition a = 1 if not (a) else 2",
            "Condition return a is not None",
            "Constant a = 2 if a else 2",
            "Constant a = 1 if a else 3",
        ]
    );
}

#[test]
fn typescript() {
    let source = "function f(a: number[]): number {\n  if (!a.length) { a.sort(); }\n  return a.map((it) => it * 2).length;\n}\n";
    assert_eq!(
        edits("a.ts", source, Some(1)),
        [
            "Return return (Object(a.map((it) => it * 2).length) as any).constructor();",
            "Return return a.map((it) => (Object(it * 2) as any).constructor()).length;",
            "Condition if (a.length) { a.sort(); }",
            "Arithmetic return a.map((it) => it + 2).length;",
            "Constant return a.map((it) => it * 3).length;",
            "Call if (!a.length) { ; }",
            "AtOnce function f(a: number[]): number { return;",
        ]
    );
    assert_eq!(
        edits("a.js", "const f = (a) => a > 3;\n", Some(1))[0],
        "Return const f = (a) => !(a > 3);"
    );
}

#[test]
fn go() {
    let source = "package a\n\nfunc f(a int) int {\n\tif a == 3 {\n\t\tg()\n\t}\n\ta += 2\n\treturn g(a)\n}\n";
    assert_eq!(
        edits("a.go", source, Some(3)),
        [
            "Return return func() (_ int) { _ = g(a); return }()",
            "Condition if a != 3 {",
            "Arithmetic a -= 2",
            "Constant if a == 4 {",
            "Constant a += 3",
            "Call ",
            "AtOnce func f(a int) int { if true { return *new(int) };",
        ]
    );
}

#[test]
fn rust() {
    let source = "fn f(a: u32) -> Option<u32> {\n    if a >= 3 {\n        g(a);\n    }\n    Some(a * 2)\n}\n";
    assert_eq!(
        edits("a.rs", source, Some(1)),
        [
            "Condition if !(a >= 3) {",
            "Arithmetic Some(a + 2)",
            "Constant if a >= 4 {",
            "Constant Some(a * 3)",
            "Call ();",
            "AtOnce fn f(a: u32) -> Option<u32> { if true { return None; }",
            "Boundary if a > 3 {",
        ]
    );
}

#[test]
fn what_a_block_of_rust_answers_with_is_given() {
    let source = "fn f(a: u32) -> u32 {\n    if a > 3 {\n        return 2;\n    }\n    0\n}\n";
    assert_eq!(edits("a.rs", source, None)[..2], ["Return return 3;", "Return 1"]);
}

#[test]
fn java() {
    let source =
        "class A {\n  int f(int a) {\n    if (a > 3) { g(); }\n    return a - 1;\n  }\n}\n";
    assert_eq!(
        edits("A.java", source, Some(2)),
        [
            "Condition if (!(a > 3)) { g(); }",
            "Arithmetic return a + 1;",
            "Constant if (a > 4) { g(); }",
            "Constant return a - 2;",
            "Call if (a > 3) { ; }",
            "AtOnce int f(int a) { if (true) return 0;",
            "Boundary if (a >= 3) { g(); }",
        ]
    );
}

#[test]
fn ruby_and_cpp() {
    assert_eq!(
        edits("a.rb", "def f(a)\n  return 1 if a == 3\n  a + 2\nend\n", None),
        [
            "Condition return 1 if a != 3",
            "Arithmetic a - 2",
            "Constant return 2 if a == 3",
            "Constant return 1 if a == 4",
            "Constant a + 3",
        ]
    );
    assert_eq!(
        edits("a.cc", "int f(int a) {\n  if (a < 3) { g(); }\n  return a * 2;\n}\n", None),
        [
            "Condition if (!(a < 3)) { g(); }",
            "Arithmetic return a + 2;",
            "Constant if (a < 4) { g(); }",
            "Constant return a * 3;",
            "Call if (a < 3) { ; }",
            "Boundary if (a <= 3) { g(); }",
        ]
    );
}

#[test]
fn what_nobody_has_to_see_stays_as_it_is() {
    for (path, source) in [
        ("a.py", "def f(a):\n    log.info(\"a\" + a, 3)\n    logger.debug(1 + 1)\n"),
        ("a.py", "def f(a):\n    raise ValueError(\"a\" + 1)\n"),
        ("a.py", "def f(a):\n    took = time.time() - a\n    b = get(a, timeout=3 + 1)\n"),
        ("a.py", "class A:\n    def __repr__(self):\n        return show(self.a + 1)\n"),
        ("a.py", "def f(a):\n    _cache[a] = 3\n    self.cache.put(a, 3)\n    time.sleep(2 * a)\n"),
        (
            "a.py",
            "def f(a):\n    retry_delay = 3\n    for attempt in range(3):\n        g(a)\n"
                .trim_end_matches("        g(a)\n"),
        ),
        ("a.js", "function f(a) { console.log(a + 1); throw new Error('a' + 1 * 2); }\n"),
        ("a.js", "function f(a) { const requestTimeout = 30 * 1000; }\n"),
        (
            "a.go",
            "package a\n\nfunc f(a int) error {\n\tlog.Println(a + 1)\n\treturn fmt.Errorf(\"a\", 3)\n}\n",
        ),
        ("a.rs", "fn f(a: u32) { println!(\"{}\", a + 1); assert!(a > 3); }\n"),
        (
            "A.java",
            "class A { void f() { logger.info(\"a\" + 1); throw new IllegalStateException(\"a\" + 2); } }\n",
        ),
    ] {
        assert_eq!(edits(path, source, None), [""; 0], "{source}");
    }
}

#[test]
fn what_is_made_or_is_nothing_has_no_other_value() {
    for source in [
        "def f():\n    return None\n",
        "def f():\n    return []\n",
        "def f(a):\n    return Cart(a)\n",
        "def f(self):\n    return self\n",
    ] {
        let kinds: Vec<String> = edits("a.py", source, None);
        assert_eq!(kinds, [""; 0], "{source}");
    }
}

#[test]
fn only_what_is_wanted_is_edited() {
    let source = "def f(a):\n    b = a + 1\n    return b * 2\n";
    let found = mutants(
        language_of("a.py").expect("a language"),
        source,
        &|line, column| (line, column) == (2, 4),
        (None, 99),
    );
    assert!(!found.is_empty() && found.iter().all(|mutant| mutant.line == 2), "{found:?}");
}

#[test]
fn a_diff_shows_the_lines_of_the_edit() {
    let source = "def f(a):\n    return g(\n        a + 1)\n";
    let found =
        mutants(language_of("a.py").expect("a language"), source, &|_, _| true, (Some(1), 99));
    let diffs: Vec<String> = found.iter().map(|mutant| mutant.diff(source)).collect();
    assert_eq!(
        diffs,
        [
            "-     return g(\n-         a + 1)\n+     return type(g(\n+         a + 1))()",
            "-         a + 1)\n+         a - 1)",
            "-         a + 1)\n+         a + 2)",
            "+     return",
        ]
    );
}

/// A function that answers at once, and the rest stays.
#[test]
fn at_once() {
    let cases = [
        (
            "a.py",
            "def f(a):\n    \"\"\"Doc.\"\"\"\n    if a:\n        return 1\n",
            "def f(a):\n    \"\"\"Doc.\"\"\"\n    return\n    if a:\n        return 1\n",
        ),
        ("a.py", "def f(a): return a\n", "def f(a): return; return a\n"),
        ("a.js", "const f = (a) => a;\n", "const f = (a) => undefined;\n"),
        (
            "a.go",
            "package a; func f() (int, error) { return g() }\n",
            "package a; func f() (int, error) { if true { return *new(int), *new(error) };  return g() }\n",
        ),
        (
            "a.go",
            "package a; func f() (n int) { return 3 }\n",
            "package a; func f() (n int) { if true { return };  return 3 }\n",
        ),
        (
            "A.java",
            "class A { String f() { return \"a\"; } }\n",
            "class A { String f() { if (true) return null;  return \"a\"; } }\n",
        ),
        (
            "a.rs",
            "fn f() -> u32 { 1 }\n",
            "fn f() -> u32 { if true { return Default::default(); }  1 }\n",
        ),
    ];
    for (path, source, wanted) in cases {
        let found =
            mutants(language_of(path).expect("a language"), source, &|_, _| false, (Some(1), 99));
        let applied: Vec<String> = found.iter().map(|mutant| mutant.applied(source)).collect();
        assert_eq!(applied, [wanted], "{source}");
        assert_eq!(found[0].kind, MutantKind::AtOnce, "{source}");
    }
}

#[test]
fn what_does_nothing_is_not_made_to_do_nothing() {
    let kinds = |source: &str| {
        let found =
            mutants(language_of("a.py").expect("a language"), source, &|_, _| false, (Some(1), 99));
        found.iter().map(|mutant| mutant.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds("def f(a):\n    log.info(a)\n    return None\n"), []);
    assert_eq!(kinds("def f(a):\n    super().__init__(a)\n"), []);
    assert_eq!(kinds("def f(a):\n    a.items.append(3)\n"), [MutantKind::NoEffect]);
    assert_eq!(kinds("def f(a):\n    yield a\n"), [MutantKind::AtOnce]);
    assert_eq!(kinds("def f(:\n    return 1\n"), [], "it cannot be read");
}
