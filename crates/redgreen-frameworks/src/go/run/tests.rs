use super::*;

/// Plays lines `action package[.test][|output]`.
fn play(lines: &[&str]) -> Vec<String> {
    let mut run = GoRun::new("r".to_owned(), Modules::default());
    let mut events = Vec::new();
    for line in lines {
        let (action, rest) = line.split_once(' ').unwrap();
        let (name, output) = rest.split_once('|').unwrap_or((rest, ""));
        let (package, test) = name.split_once('.').unwrap_or((name, ""));
        let text = serde_json::json!({
            "Action": action, "Package": package, "Test": test, "Output": output,
        });
        events.extend(run.take(&GoEvent::parse(text.to_string().as_bytes()).unwrap()));
    }
    events.extend(run.finish(1, ""));
    events.iter().map(shown).collect()
}

fn shown(event: &StreamEvent) -> String {
    match event {
        StreamEvent::Start { test, .. } => format!("start {test}"),
        StreamEvent::Paused { test, parts, .. } => {
            format!("{} {test}", if *parts { "parts" } else { "paused" })
        }
        StreamEvent::End { test, outcome, failure, .. } => {
            let why = failure.as_ref().map(|failure| {
                let phase = failure.phase.as_deref().unwrap_or("");
                format!(" {phase} {}: {}", failure.error_type, failure.message)
            });
            format!("end {test} {outcome:?}{}", why.unwrap_or_default())
        }
        StreamEvent::Failure { test, failure, .. } => {
            format!("why {test} {}: {}", failure.error_type, failure.message)
        }
        StreamEvent::Error(outside) => {
            format!("error {} {}: {}", outside.kind, outside.error_type, outside.message)
        }
        StreamEvent::Note { message, .. } => format!("note {message}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn subtests_are_the_tests() {
    let events = play(&[
        "start m",
        "run m.TestA",
        "run m.TestA/x/y",
        "fail m.TestA/x/y",
        "run m.TestA/z",
        "pass m.TestA/z",
        "fail m.TestA",
        "fail m",
    ]);
    let wanted = [
        "start m.TestA",
        "parts m.TestA",
        "start m.TestA/x/y",
        "end m.TestA/x/y Failed call FAIL: the test failed and said nothing",
        "start m.TestA",
        "parts m.TestA",
        "start m.TestA/z",
        "end m.TestA/z Passed",
        "start m.TestA",
        "parts m.TestA",
    ];
    assert_eq!(events, wanted);
}

#[test]
fn a_parent_that_fails_by_itself_is_red() {
    let events = play(&[
        "run m.TestA",
        "run m.TestA/x",
        "pass m.TestA/x",
        "output m.TestA|    a_test.go:9: own\n",
        "fail m.TestA",
        "fail m",
    ]);
    assert_eq!(events.last().unwrap(), "end m.TestA Failed call FAIL: own");
}

#[test]
fn the_trace_of_a_part_is_the_parts() {
    let events = play(&[
        "run m.TestA",
        "run m.TestA/x",
        "fail m.TestA/x",
        "output m.TestA|panic: boom [recovered]\n",
        "output m.TestA|\n",
        "output m.TestA|goroutine 7 [running]:\n",
        "fail m.TestA",
        "fail m",
    ]);
    assert!(events.contains(&"why m.TestA/x panic: boom".to_owned()), "{events:?}");
    assert!(!events.iter().any(|event| event.starts_with("end m.TestA F")), "{events:?}");
}

#[test]
fn an_exit_with_0_in_the_middle_is_no_pass() {
    let events = play(&[
        "start m",
        "run m.TestA",
        "output m.TestA|=== RUN   TestA\n",
        "output m.TestA|ok  \tm\t0.003s\n",
        "pass m.TestA",
    ]);
    assert_eq!(events, ["start m.TestA", "note the process ended with 0 before TestA did"]);
}

#[test]
fn a_death_is_charged_to_the_test_it_belongs_to() {
    let trace = [
        "output m.TestB|panic: boom\n",
        "output m.TestB|\n",
        "output m.TestB|goroutine 7 [running]:\n",
        "output m.TestB|m.worker()\n",
        "output m.TestB|\t/w/a.go:3 +0x1\n",
        "output m.TestB|created by m.TestA in goroutine 6\n",
        "output m.TestB|\t/w/a_test.go:4 +0x2\n",
        "output m.TestB|exit status 2\n",
        "fail m",
    ];
    let events = play(&[&["run m.TestA", "run m.TestB"], &trace[..]].concat());
    assert_eq!(events[2..], ["end m.TestA Errored crash panic: boom"]);
    let unclear =
        play(&["run m.TestA", "run m.TestB", "output m.TestB|signal: killed\n", "fail m"]);
    assert_eq!(
        unclear[2..],
        [
            "error runtime_error crash: the test binary died (signal: killed) while one of 2 tests was running: m.TestA, m.TestB"
        ]
    );
    let alone = play(&[
        "run m.TestP",
        "pause m.TestP",
        "run m.TestA",
        "output m.TestA|signal: killed\n",
        "fail m",
    ]);
    assert_eq!(
        alone[3..],
        [
            "end m.TestA Errored crash crash: the test binary ended while this test ran: signal: killed"
        ]
    );
}

#[test]
fn time_limits_are_time_outs() {
    let events = play(&[
        "run m.TestA",
        "run m.TestB",
        "output m.TestB|panic: test timed out after 2s\n",
        "output m.TestB|\trunning tests:\n",
        "output m.TestB|\t\tTestA (2s)\n",
        "fail m",
    ]);
    assert_eq!(events[2..], ["end m.TestA Errored timeout timeout: test timed out after 2s"]);
}

#[test]
fn a_package_that_fails_without_a_test_is_an_error() {
    let events = play(&[
        "start m",
        "run m.TestA",
        "pass m.TestA",
        "output m|bad teardown\n",
        "output m|exit status 3\n",
        "output m|FAIL\tm\t0.1s\n",
        "fail m",
    ]);
    assert_eq!(
        events[2..],
        ["error runtime_error exit: m failed outside of its tests: exit status 3"]
    );
    let endless = play(&["start m"]);
    assert_eq!(endless, ["error runtime_error crash: go ended before the tests of m did"]);
    let swallowed = play(&["start m", "output m|ok  \tm\t0.1s\n", "pass m"]);
    assert_eq!(
        swallowed,
        ["note m exited with 0 and had not begun a test", "end m.TestMain Skipped"]
    );
    let none = play(&["start m", "output m|ok  \tm\t0.1s [no tests to run]\n", "pass m"]);
    assert_eq!(none, [""; 0]);
    let covered = play(&["start m", "output m|\tm\t\tcoverage: 0.0% of statements\n", "pass m"]);
    assert_eq!(covered, [""; 0]);
    let quiet = play(&["start m", "output m|?   \tm\t[no test files]\n", "skip m"]);
    assert_eq!(quiet, [""; 0]);
}

#[test]
fn a_death_that_a_test_explains_is_not_reported_again() {
    let events = play(&[
        "run m.TestA",
        "run m.TestB",
        "output m.TestB|panic: boom\n",
        "fail m.TestB",
        "fail m",
    ]);
    assert_eq!(events[2..], ["end m.TestB Failed crash panic: boom"]);
}

#[test]
fn a_benchmark_has_ended_when_it_has_its_figures() {
    let events = play(&[
        "run m.BenchmarkA",
        "output m.BenchmarkA|=== RUN   BenchmarkA\n",
        "output m.BenchmarkA|BenchmarkA\n",
        "output m.BenchmarkA|BenchmarkA-2  \t",
        "output m.BenchmarkA|       5\t       117.0 ns/op\n",
        "run m.BenchmarkB",
        "output m.BenchmarkB|BenchmarkB\n",
        "output m.BenchmarkB|signal: killed\n",
        "fail m",
    ]);
    assert_eq!(events[..2], ["start m.BenchmarkA", "end m.BenchmarkA Passed"]);
    assert!(events[3].starts_with("end m.BenchmarkB Errored"), "{events:?}");
    let group = play(&[
        "run m.BenchmarkA",
        "run m.BenchmarkA/x",
        "output m.BenchmarkA/x|BenchmarkA/x-2\t5\t1 ns/op\n",
        "pass m",
    ]);
    assert_eq!(
        group[3..],
        ["end m.BenchmarkA/x Passed", "start m.BenchmarkA", "parts m.BenchmarkA"]
    );
}

#[test]
fn a_flood_in_a_message_stays_below_what_the_stream_takes() {
    let flood = "\u{1}\u{1b}[31m".repeat(10_000);
    let mut run = GoRun::new("r".to_owned(), Modules::default());
    let mut events = Vec::new();
    for (action, output) in [("run", ""), ("output", flood.as_str()), ("fail", "")] {
        let said = format!("    a_test.go:1: got {output}, want {output}\n");
        let text = serde_json::json!({
            "Action": action, "Package": "m", "Test": "TestA", "Output": said,
        });
        events.extend(run.take(&GoEvent::parse(text.to_string().as_bytes()).unwrap()));
    }
    let longest = events.iter().map(|event| event.to_line().len()).max().unwrap();
    assert!((8_000..1 << 19).contains(&longest), "{longest}");
}
