use super::*;

fn explained(name: &str, output: &[&str]) -> Explanation {
    let mut transcript = Transcript::default();
    for piece in output {
        transcript.push(piece);
    }
    let folder = Path::new("/w/calc");
    FailedTest { package: "m.org/calc", folder, name, output: &transcript }.explain()
}

#[test]
fn the_line_that_complains_is_the_failure() {
    let found = explained(
        "TestAdd/two",
        &[
            "=== RUN   TestAdd/two\n",
            "    calc_test.go:7: seed 4711\n",
            "    calc_test.go:9: Add(2, 2) = 5, want 4\n",
            "        second line\n",
            "    calc_test.go:10: done\n",
            "--- FAIL: TestAdd/two (0.00s)\n",
        ],
    );
    assert_eq!(found.failure.error_type, "FAIL");
    assert_eq!(found.failure.message, "Add(2, 2) = 5, want 4\nsecond line");
    assert_eq!(found.place, Some(("/w/calc/calc_test.go".to_owned(), 9)));
    let stack = found.failure.stack.unwrap();
    assert!(stack.starts_with("    calc_test.go:7") && stack.ends_with("done"), "{stack}");
    let plain = explained("TestX", &["    a_test.go:1: one\n", "    a_test.go:2: two\n"]);
    assert_eq!(plain.failure.message, "two");
}

#[test]
fn sides_are_found() {
    let found = explained("TestX", &["    h.go:3: got 1, want 2\n"]);
    assert_eq!(found.failure.actual.as_deref(), Some("1"));
    assert_eq!(found.failure.expected.as_deref(), Some("2"));
    assert_eq!(found.place, None, "a helper's file is not the test's");
    assert_eq!(found.failure.frames[0].file, "/w/calc/h.go");
    let example = explained(
        "ExampleAdd",
        &["--- FAIL: ExampleAdd (0.00s)\n", "got:\n", "5\n", "want:\n", "4\n"],
    );
    assert_eq!(example.failure.actual.as_deref(), Some("5"));
    assert_eq!(example.failure.expected.as_deref(), Some("4"));
}

#[test]
fn a_test_that_says_nothing_has_a_message() {
    let silent = explained("TestX", &["=== RUN   TestX\n", "--- FAIL: TestX (0.00s)\n"]);
    assert_eq!(silent.failure.message, "the test failed and said nothing");
    assert_eq!(silent.failure.stack, None);
    let printed = explained("TestX", &["hello\n", "world\n"]);
    assert_eq!(printed.failure.message, "world");
}

#[test]
fn what_only_looks_like_a_log_is_none() {
    for line in ["calc_test.go:7: x", "    a b.go:7: x", "    calc.go:x: y", "    calc.go:7"] {
        assert!(entry_start(line).is_none(), "{line}");
    }
    assert_eq!(entry_start("    /w/a.go:7: x"), Some(("/w/a.go", 7, "x")));
    assert_eq!(entry_start("        a.go:7: "), Some(("a.go", 7, "")));
}
