//! Splices, both ways.

use super::*;

const OLD: &str = r#"//! The shop.
//!
//! ```
//! assert_eq!(shop::add(1, 2), 3);
//! ```
use std::fmt;

/// Adds.
///
/// ```
/// assert_eq!(shop::add(1, 1), 2);
/// ```
pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

/// A cart.
pub struct Cart;

impl Cart {
    /// Its total.
    pub fn total(&self) -> i32 {
        0
    }

    #[cfg(test)]
    fn for_tests() -> Self {
        Cart
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }
}
"#;

const NEW: &str = r#"//! The shop.
//!
//! ```
//! assert!(true);
//! ```
use std::fmt;

/// Adds much.
///
/// ```
/// assert_eq!(shop::add(1, 1), 99);
/// ```
pub fn add(a: i32, b: i32) -> i32 {
    a + b + 97
}

/// New.
///
/// ```
/// shop::extra();
/// ```
pub fn extra() {}

/// A cart.
pub struct Cart;

impl Cart {
    /// Its total.
    pub fn total(&self) -> i32 {
        1
    }
}

#[cfg(test)]
use std::collections::BTreeMap;

#[test]
fn lone() {}

#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert!(true);
    }
}
"#;

#[test]
fn new_code_gets_the_old_tests() {
    let spliced = splice_rust(NEW, OLD).expect("it is Rust");
    let expected = r#"//! The shop.
//!
//! ```
//! assert_eq!(shop::add(1, 2), 3);
//! ```
use std::fmt;

/// Adds.
///
/// ```
/// assert_eq!(shop::add(1, 1), 2);
/// ```
pub fn add(a: i32, b: i32) -> i32 {
    a + b + 97
}

/// New.
///
pub fn extra() {}

/// A cart.
pub struct Cart;

impl Cart {
    /// Its total.
    pub fn total(&self) -> i32 {
        1
    }

    #[cfg(test)]
    fn for_tests() -> Self {
        Cart
    }
}



#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }
}
"#;
    assert_eq!(spliced, expected);
}

#[test]
fn old_code_gets_the_new_tests() {
    let spliced = splice_rust(OLD, NEW).expect("it is Rust");
    assert!(spliced.contains("a + b\n") && !spliced.contains("extra"), "{spliced}");
    assert!(spliced.contains("fn lone() {}") && spliced.contains("assert!(true)"), "{spliced}");
    assert!(spliced.contains("#[cfg(test)]\nuse std::collections::BTreeMap;"), "{spliced}");
    assert!(!spliced.contains("for_tests") && !spliced.contains("add(1, 2), 3"), "{spliced}");
}

#[test]
fn the_same_tests_leave_the_code_as_it_is() {
    let code = OLD.replace("a + b", "a - b");
    assert_eq!(splice_rust(&code, OLD).as_deref(), Some(code.as_str()));
    assert_eq!(splice_rust(OLD, OLD).as_deref(), Some(OLD));
    let crlf = code.replace('\n', "\r\n");
    assert!(splice_rust(&crlf, OLD).is_some());
}

#[test]
fn attributes_decide_what_is_there_for_tests() {
    for (attribute, expected) in [
        ("#[cfg(test)]", true),
        ("#[cfg(all(test, unix))]", true),
        ("#[cfg(all(unix, not(test)))]", false),
        ("#[cfg(not(test))]", false),
        ("#[cfg(any(test, feature = \"x\"))]", false),
        ("#[cfg(feature = \"test\")]", false),
        ("#[test]", true),
        ("#[tokio::test]", true),
        ("#[tokio::test(flavor = \"current_thread\")]", true),
        ("#[rstest]", true),
        ("#[inline]", false),
        ("// why\n#[allow(dead_code)]\n// what\n#[cfg(test)]", true),
    ] {
        let code = "fn a() { 1 }\n";
        let tests = format!("fn a() {{ 2 }}\n\n{attribute}\nfn b() {{ 3 }}\n");
        let spliced = splice_rust(code, &tests).expect("it is Rust");
        assert_eq!(spliced.contains("fn b"), expected, "{attribute}: {spliced}");
        assert!(spliced.contains("{ 1 }") && !spliced.contains("{ 2 }"), "{spliced}");
        let back = splice_rust(&tests, code).expect("it is Rust");
        assert_eq!(!back.contains("fn b"), expected, "{attribute}: {back}");
        assert!(!expected || !back.contains("why"), "{back}");
    }
}

#[test]
fn tests_in_modules_stay_in_their_modules() {
    let code = "mod a {\n    fn f() -> i32 { 1 }\n    mod b { fn g() {} }\n}\nmod c {}\n";
    let tests = "mod a {\n    fn f() -> i32 { 2 }\n    mod b { fn g() {}\n #[test] fn t() { super::f(); } }\n}\nmod gone { mod deep {\n #[test]\n fn u() {} } }\n";
    let spliced = splice_rust(code, tests).expect("it is Rust");
    assert!(spliced.contains("{ 1 }") && spliced.contains("fn t()"), "{spliced}");
    assert!(spliced.find("fn t()") < spliced.find("mod c"), "{spliced}");
    assert!(spliced.contains("mod gone {\nmod deep {\n"), "{spliced}");
}

#[test]
fn what_cannot_be_read_is_not_spliced() {
    assert_eq!(splice_rust("fn a( {", "fn a() {}\n#[test]\nfn t() {}"), None);
    assert_eq!(
        splice_rust("#![cfg(test)]\nfn a() {}", "#![cfg(test)]\nfn b() {}").as_deref(),
        Some("#![cfg(test)]\nfn b() {}")
    );
    let broken = "fn a( {";
    assert_eq!(splice_rust(broken, "fn a() {}").as_deref(), Some(broken));
}

#[test]
fn documentation_that_must_be_there_stays() {
    let code = "/// ```\n/// a();\n/// ```\npub fn a() {}\n/** Why.\n\n```\nb();\n```\n*/\npub fn b() {}\n";
    let spliced = splice_rust(code, "pub fn a() {}\npub fn b() {}\n").expect("it is Rust");
    assert_eq!(spliced, "///\npub fn a() {}\n/** Why.\n\n*/\npub fn b() {}\n");
    let put =
        splice_rust("pub fn a() {}\n", "/// ```\n/// a();\n/// ```\n#[inline]\npub fn a() { 2 }\n");
    assert_eq!(put.as_deref(), Some("/// ```\n/// a();\n/// ```\npub fn a() {}\n"));
}

#[test]
fn modules_in_files_of_their_own_are_named() {
    let source = "mod a;\n#[cfg(test)]\nmod tests;\n#[cfg(test)]\n#[path = \"x/more.rs\"]\npub(crate) mod more;\nmod inner {\n    #[cfg(test)]\n    mod deep;\n}\n#[cfg(test)]\nmod here { mod below; }\n";
    assert_eq!(rust_test_modules(source), ["here/below", "inner/deep", "tests", "x/more.rs"]);
}

#[test]
fn doctests_of_python_are_put_where_they_were() {
    let old = "\"\"\"Shop.\n\n>>> add(1, 2)\n3\n\"\"\"\n\ndef add(a, b):\n    \"\"\"Adds.\n\n    >>> add(1, 1)\n    2\n    \"\"\"\n    return a + b\n\nclass Cart:\n    def total(self):\n        \"\"\"\n        >>> Cart().total()\n        0\n        \"\"\"\n        return 0\n";
    let new = "\"\"\"Shop.\"\"\"\n\ndef add(a, b):\n    \"\"\"Adds.\n\n    >>> add(1, 1)\n    99\n    \"\"\"\n    return 99\n\ndef extra():\n    \"\"\"New.\n\n    >>> extra()\n    \"\"\"\n\nclass Cart:\n    def total(self):\n        return 1\n";
    let spliced = splice_python_doctests(new, old).expect("it is Python");
    let expected = "\"\"\"Shop.\n\n>>> add(1, 2)\n3\n\"\"\"\n\ndef add(a, b):\n    \"\"\"Adds.\n\n    >>> add(1, 1)\n    2\n    \"\"\"\n    return 99\n\ndef extra():\n    \"\"\"New.\n\n\"\"\"\n\nclass Cart:\n    def total(self):\n        \"\"\"\n        >>> Cart().total()\n        0\n        \"\"\"\n        return 1\n";
    assert_eq!(spliced, expected);
    let back = splice_python_doctests(old, new).expect("it is Python");
    assert!(back.contains("99\n    \"\"\"\n    return a + b"), "{back}");
    assert!(!back.contains(">>> Cart") && !back.contains("add(1, 2)"), "{back}");
    assert_eq!(splice_python_doctests("def f(:", "x = '''>>> 1'''"), None);
}

#[test]
fn tests_among_javascript_go_with_the_tests() {
    let old = "export const a = 1;\n\nif (import.meta.vitest) {\n  old();\n}\n";
    let new =
        "export const a = 2;\n\nif (import.meta.vitest) {\n  fresh();\n}\nexport const b = 3;\n";
    let splice = |code, tests| splice_javascript(crate::JAVASCRIPT, code, tests);
    let mixed = splice(new, old).expect("read");
    assert_eq!(mixed, new.replace("fresh", "old"));
    assert_eq!(splice(&mixed, new).as_deref(), Some(new));
    assert_eq!(
        splice("b();\n", old).as_deref(),
        Some("b();\nif (import.meta.vitest) {\n  old();\n}\n")
    );
    assert_eq!(splice(old, "b();\n").as_deref(), Some("export const a = 1;\n\n\n"));
    assert_eq!(splice(old, "if (import.meta.vitest) {{{"), None);
}
