use std::path::Path;

use redgreen_model::report::TestOutcome;

use super::*;

fn read_text(text: &str) -> Vec<ConsoleRun> {
    read(
        text.as_bytes(),
        Places { root: Path::new("/home/me/project"), folder: Path::new("") },
        None,
    )
}

fn outcomes(run: &ConsoleRun) -> Vec<(&str, TestOutcome)> {
    run.report.tests.iter().map(|test| (test.id.as_str(), test.outcome)).collect()
}

const NEXTEST: &str = "\
------------
 Nextest run ID 1f79aa0d-4ec8-4a5c-aa83-5e8dc2f36573 with nextest profile: default
    Starting 3 tests across 2 binaries (1 test skipped)
        PASS [   0.004s] (1/3) prices tests::empty
  TRY 1 FAIL [   0.005s] (2/3) prices tests::flaky
  TRY 2 PASS [   0.005s] (2/3) prices tests::flaky
        FAIL [   0.005s] (3/3) prices tests::adds
  stdout ───

    running 1 test
    test tests::adds ... FAILED

  stderr ───

    thread 'tests::adds' panicked at src/lib.rs:22:9:
    assertion `left == right` failed
      left: 4
     right: 3

------------
     Summary [   0.010s] 3 tests run: 2 passed (1 flaky), 1 failed, 1 skipped
        FAIL [   0.005s] (3/3) prices tests::adds
error: test run failed
";

#[test]
fn nextest_is_read_with_its_retries() {
    let runs = read_text(NEXTEST);
    let [run] = runs.as_slice() else { panic!("{runs:?}") };
    assert_eq!((run.program, run.report.complete, run.duration_ms), ("cargo nextest", true, 10));
    assert_eq!(
        outcomes(run),
        [
            ("prices tests::empty", TestOutcome::Passed),
            ("prices tests::flaky", TestOutcome::Passed),
            ("prices tests::adds", TestOutcome::Failed),
        ]
    );
    let failure = run.report.tests[2].failure.as_ref().unwrap();
    assert_eq!(failure.location.as_ref().unwrap().to_string(), "src/lib.rs:22");
    assert_eq!((failure.actual.as_deref(), failure.expected.as_deref()), (Some("4"), Some("3")));
    assert_eq!(run.report.diagnostics, ["1 test ended more than once: the last end counts"]);
}

#[test]
fn a_run_that_is_tried_again_counts_by_its_last_end_and_says_so() {
    let try_once = |word: &str| {
        format!(
            "running 2 tests\ntest a ... ok\ntest b ... {word}\n\ntest result: x. 1 passed; 0 failed; 0 ignored\n"
        )
    };
    let runs = read_text(&(try_once("FAILED") + &try_once("ok")));
    let [run] = runs.as_slice() else { panic!("{runs:?}") };
    assert_eq!(outcomes(run), [("a", TestOutcome::Passed), ("b", TestOutcome::Passed)]);
    assert_eq!(run.report.diagnostics, ["2 tests ended more than once: the last end counts"]);
}

#[test]
fn a_summary_that_counts_what_is_not_named_is_reported() {
    let runs = read_text("==== 2 failed, 10 passed, 1 skipped in 1.50s ====\n");
    let [run] = runs.as_slice() else { panic!("{runs:?}") };
    assert_eq!((run.report.tests.len(), run.unnamed_passes, run.duration_ms), (0, 10, 1500));
    assert_eq!(run.report.errors[0].error_type, UNNAMED);
    assert_eq!(run.report.errors[0].message, "pytest counts 2 failed, and the log names none");
    assert_eq!(
        run.report.diagnostics,
        [
            "10 passed are not named in the log",
            "2 failed are not named in the log",
            "1 skipped is not named in the log",
        ]
    );
}

#[test]
fn tap_in_the_middle_of_a_log_is_read() {
    let log = "2026-01-02T03:04:05.1Z building\n\
               2026-01-02T03:04:05.1Z TAP version 13\n\
               2026-01-02T03:04:05.1Z ok 1 - fine\n\
               2026-01-02T03:04:05.1Z not ok 2 - adds\n\
               2026-01-02T03:04:05.1Z   ---\n\
               2026-01-02T03:04:05.1Z   message: 4 is not 3\n\
               2026-01-02T03:04:05.1Z   ...\n\
               2026-01-02T03:04:05.1Z 1..2\n\
               2026-01-02T03:04:05.1Z done\n";
    let runs = read_text(log);
    let [run] = runs.as_slice() else { panic!("{runs:?}") };
    assert_eq!((run.program, run.report.complete, run.report.began), ("tap", true, false));
    let red: Vec<bool> = run.report.tests.iter().map(|test| test.outcome.is_red()).collect();
    assert_eq!(red, [false, true], "{run:?}");
}

#[test]
fn programs_that_share_a_log_each_have_their_result() {
    let log = "api-1  | running 2 tests\n\
               web-1  | ============================= test session starts ====\n\
               api-1  | test a ... ok\n\
               web-1  | tests/test_a.py::test_a FAILED                    [100%]\n\
               api-1  | test b ... FAILED\n\
               api-1  | test result: FAILED. 1 passed; 1 failed; 0 ignored; finished in 0.01s\n\
               web-1  | ==== 1 failed in 0.10s ====\n";
    let runs: Vec<_> = read_text(log)
        .iter()
        .map(|run| {
            (
                run.lane.clone().unwrap(),
                run.program,
                run.report.counts().failed,
                run.report.complete,
            )
        })
        .collect();
    assert_eq!(runs, [("api-1".into(), "cargo", 1, true), ("web-1".into(), "pytest", 1, true)]);
}

#[test]
fn noise_makes_no_run() {
    let noise = "Compiling the list of things to do\nerror: no such thing\nrunning late\nok then\n\
                 3 passed the door in time\nhttp://host:80/x: error: y\n[12] done (3 failed)\n\
                 12:30:11 error: clock\nFAIL whale\nTests: none\n> quote\n1.. 2.. 3\n";
    assert_eq!(read_text(noise), []);
}

/// However far apart: in one line after the other, or with hundreds of tests between them.
#[test]
fn of_a_test_that_ended_more_than_once_the_last_end_counts() {
    for distance in [1, 2, 50, 127, 128, 129, 1_000] {
        let mut log = String::from("running 3000 tests\n");
        let (mut wanted, mut ends) = (Vec::<(String, TestOutcome)>::new(), 0);
        for number in 0..1_500 {
            let (word, outcome) = match number % 7 {
                0 => ("FAILED", TestOutcome::Failed),
                1 => ("ignored", TestOutcome::Skipped),
                _ => ("ok", TestOutcome::Passed),
            };
            let again = if number % 3 == 0 { number - number.min(distance) } else { number };
            let id = format!("tests::number_{again}");
            log.push_str(&format!("test {id} ... {word}\n"));
            ends += 1;
            match wanted.iter_mut().find(|(known, _)| *known == id) {
                Some((_, known)) => *known = outcome,
                None => wanted.push((id, outcome)),
            }
        }
        let runs = read_text(&log);
        let [run] = runs.as_slice() else { panic!("{runs:?}") };
        let wanted: Vec<_> = wanted.iter().map(|(id, outcome)| (id.as_str(), *outcome)).collect();
        assert_eq!(outcomes(run), wanted, "{distance} apart");
        let note =
            format!("{} tests ended more than once: the last end counts", ends - wanted.len());
        assert!(run.report.diagnostics.contains(&note), "{note} {:?}", run.report.diagnostics);
    }
}
