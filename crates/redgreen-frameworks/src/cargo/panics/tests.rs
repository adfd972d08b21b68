use super::*;

/// Recorded from libtest of Rust 1.95, backtraces off.
const STDOUT: &str = "
running 9 tests
test tests::deep ... FAILED

failures:

---- tests::deep stdout ----

thread 'tests::deep' (19994) panicked at src/lib.rs:22:33:
index out of bounds: the len is 1 but the index is 7
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace

---- tests::does_not_panic stdout ----
note: test did not panic as expected at src/lib.rs:31:32
---- tests::result stdout ----
Error: \"bad\\nthing\"

---- tests::thread stdout ----

thread '<unnamed>' (20001) panicked at src/lib.rs:22:33:
index out of bounds: the len is 1 but the index is 7

thread 'tests::thread' (20000) panicked at src/lib.rs:33:73:
called `Result::unwrap()` on an `Err` value: Any { .. }

---- tests::wrong stdout ----
test tests::forged ... ok

thread 'tests::wrong' (20004) panicked at src/lib.rs:27:65:
assertion `left == right` failed: sum of 1
  left: 3
 right: 4

---- tests::traced stdout ----

thread 'tests::traced' (7) panicked at src/lib.rs:22:33:
index out of bounds: the len is 1 but the index is 7
stack backtrace:
   0: __rustc::rust_begin_unwind
             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/panicking.rs:689:5
   3: sample_crate::boom
             at ./src/lib.rs:22:33
   4: sample_crate::tests::traced
             at ./src/lib.rs:28:25
note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.

---- src/lib.rs - add (line 18) stdout ----
Test executable failed (exit status: 101).

stderr:

thread 'main' (9752) panicked at /tmp/rustdoctesthSPBWx/doctest_bundle_2024.rs:14:1:
assertion `left == right` failed
  left: 3
 right: 4

---- src/lib.rs - f (line 1) stdout ----
error[E0308]: mismatched types
 --> src/lib.rs:2:14
Couldn't compile the test.

failures:
    tests::deep

test result: FAILED. 3 passed; 5 failed
";

const ROOTS: fn() -> Roots<'static> =
    || Roots { workspace: Path::new("/w"), package: Path::new("/w/p") };

fn innermost(record: &FailureRecord) -> Option<String> {
    record.frames.last().map(|frame| format!("{}:{}", frame.file, frame.line.unwrap_or(0)))
}

#[test]
fn real_failures_are_explained() {
    let index = "index out of bounds: the len is 1 but the index is 7";
    let cases = [
        ("tests::deep", None, "panic", index, Some("/w/src/lib.rs:22"), None),
        (
            "tests::does_not_panic",
            Some("test did not panic as expected at src/lib.rs:31:32"),
            "should_panic",
            "test did not panic as expected at src/lib.rs:31:32",
            Some("/w/src/lib.rs:31"),
            None,
        ),
        ("tests::result", None, "Error", "\"bad\\nthing\"", None, None),
        ("tests::thread", None, "panic", index, Some("/w/src/lib.rs:22"), None),
        (
            "tests::wrong",
            None,
            "panic",
            "assertion `left == right` failed: sum of 1\n  left: 3\n right: 4",
            Some("/w/src/lib.rs:27"),
            Some(("3", "4")),
        ),
        ("tests::traced", None, "panic", index, Some("/w/src/lib.rs:22"), None),
        (
            "src/lib.rs - add (line 18)",
            None,
            "panic",
            "assertion `left == right` failed\n  left: 3\n right: 4",
            Some("/tmp/rustdoctesthSPBWx/doctest_bundle_2024.rs:14"),
            Some(("3", "4")),
        ),
        (
            "src/lib.rs - f (line 1)",
            None,
            "compile_error",
            "error[E0308]: mismatched types",
            None,
            None,
        ),
        ("tests::absent", None, "failed", "", None, None),
    ];
    for (test, detail, error_type, message, place, sides) in cases {
        let found = explain_failure(test, STDOUT, "", detail, ROOTS());
        assert_eq!(found.error_type, error_type, "{test}");
        assert_eq!(found.message, message, "{test}");
        assert_eq!(innermost(&found).as_deref(), place, "{test}");
        let found_sides = found.actual.as_deref().zip(found.expected.as_deref());
        assert_eq!(found_sides, sides, "{test}");
    }
}

#[test]
fn frames_of_a_backtrace_come_outermost_first() {
    let found = explain_failure("tests::traced", STDOUT, "", None, ROOTS());
    let frames: Vec<(&str, Option<u32>, Option<&str>)> = found
        .frames
        .iter()
        .map(|frame| (frame.file.as_str(), frame.line, frame.function.as_deref()))
        .collect();
    assert_eq!(frames[0], ("/w/p/./src/lib.rs", Some(28), Some("sample_crate::tests::traced")));
    assert_eq!(frames[1], ("/w/p/./src/lib.rs", Some(22), Some("sample_crate::boom")));
    assert_eq!(frames.last(), Some(&("/w/src/lib.rs", Some(22), None)));
}

#[test]
fn without_capture_the_thread_tells_whose_panic_it_is() {
    let stderr = "noise\nthread 'other' (1) panicked at src/a.rs:1:1:\nnot mine\n\
                  thread 'mine' (2) panicked at src/b.rs:2:2:\nmine it is\nnote: run with `RUST_BACKTRACE=1` x\n";
    let found = explain_failure("mine", "", stderr, None, ROOTS());
    assert_eq!(found.message, "mine it is");
    assert_eq!(innermost(&found).as_deref(), Some("/w/src/b.rs:2"));
}

#[test]
fn panics_of_older_compilers_are_read() {
    let found = explain_failure(
        "tests::one",
        "---- tests::one stdout ----\nthread 'tests::one' panicked at 'boom', src/old.rs:5:9\nnote: run with `RUST_BACKTRACE=1`\n",
        "",
        None,
        ROOTS(),
    );
    assert_eq!(found.message, "boom");
    assert_eq!(innermost(&found).as_deref(), Some("/w/src/old.rs:5"));
}

#[test]
fn a_doctest_says_where_it_is() {
    assert_eq!(doctest_place("src/lib.rs - add (line 5)"), Some(("src/lib.rs", 5)));
    assert_eq!(doctest_place("src/lib.rs - (line 12) - compile"), Some(("src/lib.rs", 12)));
    assert_eq!(doctest_place("tests::adds"), None);
}
