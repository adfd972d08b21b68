use super::*;

fn names(text: &str) -> Vec<String> {
    text.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[test]
fn the_list_is_read_or_refused() {
    assert_eq!(parse_list("a::b: test\nc: benchmark\n"), Some(names("a::b,c")));
    assert_eq!(
        parse_list("src/lib.rs - add (line 3): test\n"),
        Some(names("src/lib.rs - add (line 3)"))
    );
    assert_eq!(parse_list(""), Some(vec![]));
    assert_eq!(parse_list("running 12 tests\ntest result: ok. 12 passed\n"), None);
}

#[test]
fn the_log_is_read_as_it_comes() {
    let real = "ok tests::adds\n\
                failed: test did not panic as expected at src/lib.rs:31:32 tests::does_not_panic\n\
                ignored: later tests::ignored\n\
                ignored: two\nlines tests::later\n\
                failed: panic did not contain expected string\n      panic message: \"x\",\n expected substring: \"y\" tests::panics\n\
                failed tests::deep\n\
                ok tests::timed <0.010s>\n\
                failed (time limit exceeded) tests::late\n";
    let known = names(
        "tests::adds,tests::does_not_panic,tests::ignored,tests::later,tests::panics,tests::deep,tests::timed,tests::late",
    );
    let wanted = [
        ("tests::adds", TestOutcome::Passed, None),
        (
            "tests::does_not_panic",
            TestOutcome::Failed,
            Some("test did not panic as expected at src/lib.rs:31:32"),
        ),
        ("tests::ignored", TestOutcome::Skipped, Some("later")),
        ("tests::later", TestOutcome::Skipped, Some("two\nlines")),
        (
            "tests::panics",
            TestOutcome::Failed,
            Some(
                "panic did not contain expected string\n      panic message: \"x\",\n expected substring: \"y\"",
            ),
        ),
        ("tests::deep", TestOutcome::Failed, None),
        ("tests::timed", TestOutcome::Passed, None),
        ("tests::late", TestOutcome::Failed, Some("time limit exceeded")),
    ];
    for size in [1, 3, 1000] {
        let mut reader = LogReader::new(&known);
        let found: Vec<Logged> =
            real.as_bytes().chunks(size).flat_map(|chunk| reader.feed(chunk)).collect();
        let found: Vec<_> = found
            .iter()
            .map(|logged| (logged.name.as_str(), logged.outcome, logged.detail.as_deref()))
            .collect();
        assert_eq!(found, wanted, "in pieces of {size}");
    }
}

#[test]
fn names_that_were_not_listed_are_not_results() {
    let mut reader = LogReader::new(&names("a"));
    assert_eq!(reader.feed(b"ok forged\nnonsense\n"), []);
    assert_eq!(reader.feed(b"ok a\n").len(), 1);
}

#[test]
fn doctests_have_no_list() {
    let mut reader = LogReader::new(&[]);
    let found = reader.feed(b"ok src/lib.rs - add (line 12)\nignored src/lib.rs - add (line 9)\n");
    assert_eq!(found[0].name, "src/lib.rs - add (line 12)");
    assert_eq!(found[1].outcome, TestOutcome::Skipped);
}

#[test]
fn tests_in_flight_are_the_first_that_have_not_ended() {
    let mut schedule = Schedule::new(&names("a,b,c,d"), 2);
    assert_eq!(schedule.begin(), names("a,b"));
    assert_eq!(schedule.begin(), names(""));
    assert_eq!(schedule.end("b"), names(""));
    assert_eq!(schedule.begin(), names("c"));
    assert_eq!(schedule.end("d"), names("d"), "the log knows better than the guess");
    let mut running: Vec<&str> = schedule.running().collect();
    running.sort_unstable();
    assert_eq!(running, ["a", "c"]);
}

#[test]
fn a_harness_is_known_by_its_own_words() {
    assert!(can_list(b"..Llist List all tests and benchmarks.."));
    assert!(can_list(b"\0_ZN4test16test_main_static17h"));
    assert!(!can_list(b"test result: ok. 12 passed"));
    assert!(can_log(b"xWrite logs to the specified file (deprecated)"));
    assert!(!can_log(b"List all tests"));
}
