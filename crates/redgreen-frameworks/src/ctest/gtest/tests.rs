use redgreen_model::report::Report;

use super::*;
use crate::place::Places;
use crate::stream::read_events;

const SAID: &str = "gtest_streaming_protocol_version=1.0
event=TestProgramStart
event=TestIterationStart&iteration=0
event=TestCaseStart&name=Price
event=TestStart&name=Adds
event=TestEnd&passed=1&elapsed_time=7ms
event=TestStart&name=Fails
event=TestPartResult&file=/w/price_test.cpp&line=4&message=Expected equality of these values:%0A  3%0A  add(1, 1)%0A    Which is: 2%0Amore%0Awords
event=TestEnd&passed=0&elapsed_time=0ms
event=TestStart&name=Skips
event=TestPartResult&file=/w/price_test.cpp&line=5&message=not now
event=TestEnd&passed=0&elapsed_time=0ms
event=TestCaseEnd&passed=0&elapsed_time=0ms
event=TestCaseStart&name=Off
event=TestStart&name=Skips
event=TestPartResult&file=/w/price_test.cpp&line=9&message=Expected
event=TestEnd&passed=0&elapsed_time=0ms
event=TestCaseEnd&passed=1&elapsed_time=0ms
event=TestCaseStart&name=Some/P
event=TestStart&name=Positive/0
event=TestEnd&passed=1&elapsed_time=0ms
";

fn read(said: &str, death: Option<&str>, left_out: &[&str]) -> Report {
    let mut program = GtestRun::new("r".to_owned(), "unit");
    let (run, runner) = ("r".to_owned(), "ctest".to_owned());
    let mut events = vec![StreamEvent::Hello { run: run.clone(), runner, version: None }];
    events.extend(said.lines().flat_map(|line| program.take(line)));
    events.extend(program.finish(death, &left_out.iter().map(|name| (*name).to_owned()).collect()));
    events.push(StreamEvent::Bye { run, exit: None });
    let root = std::path::Path::new("/w");
    read_events(events, Vec::new(), Places { root, folder: std::path::Path::new("") })
}

fn outcomes(report: &Report) -> Vec<String> {
    report.tests.iter().map(|test| format!("{} {:?}", test.id, test.outcome)).collect()
}

#[test]
fn every_test_ends_as_the_program_says() {
    let whole = format!("{SAID}event=TestProgramEnd&passed=0\n");
    let report = read(&whole, Some("ended with status 1"), &["Price.Skips", "Price.DISABLED_Off"]);
    let wanted = [
        "unit::Price.Adds Passed",
        "unit::Price.Fails Failed",
        "unit::Price.Skips Skipped",
        "unit::Off.Skips Skipped",
        "unit::Some/P.Positive/0 Passed",
        "unit::Price.Off Skipped",
    ];
    assert_eq!(outcomes(&report), wanted);
    assert_eq!((report.errors.len(), report.unfinished.len()), (0, 0));
    assert_eq!(report.tests[0].duration_ms, 7);
    let failure = report.tests[1].failure.as_ref().unwrap();
    assert_eq!((failure.expected.as_deref(), failure.actual.as_deref()), (Some("3"), Some("2")));
    assert_eq!(failure.location.as_ref().unwrap().to_string(), "price_test.cpp:4");
    // Without its report, a test that did not pass among others that failed is red.
    let report = read(&whole, None, &[]);
    assert_eq!(outcomes(&report)[2], "unit::Price.Skips Failed");
}

#[test]
fn what_the_program_leaves_in_the_middle_is_red() {
    for (death, wanted) in [
        (Some("died of SIGSEGV"), "the program died of SIGSEGV while this test ran"),
        (None, "the program ended with status 0 while this test ran"),
    ] {
        let report = read(&format!("{SAID}event=TestStart&name=Positive/1\n"), death, &[]);
        let last = report.tests.last().unwrap();
        assert_eq!(
            (last.id.as_str(), last.outcome),
            ("unit::Some/P.Positive/1", TestOutcome::Errored)
        );
        assert_eq!(last.failure.as_ref().unwrap().message, wanted);
    }
    let between = read(SAID, None, &[]);
    assert_eq!(between.errors[0].message, "unit ended with status 0 before its tests did");
    assert_eq!(outcomes(&read("gtest_streaming_protocol_version=1.0\n", None, &[])), [""; 0]);
}

#[test]
fn assertions_say_what_they_wanted() {
    let cases = [
        ("Expected equality of these values:\n  a\n    Which is: 1\n  2", Some(("2", "1"))),
        (
            "Expected equality of these values:\n  a\n    Which is: 1\n  b\n    Which is: 2",
            Some(("1", "2")),
        ),
        ("Expected: (a) > (b), actual: 1 vs 2", Some(("(a) > (b)", "1 vs 2"))),
        ("Value of: 1>2\n  Actual: false\nExpected: true", Some(("true", "false"))),
        (
            "Value of: x\nExpected: is equal to 3\n  Actual: 2 (of type int)",
            Some(("is equal to 3", "2 (of type int)")),
        ),
        ("Failed\nno", None),
        ("Expected equality of these values:\n", None),
    ];
    for (message, wanted) in cases {
        let wanted = wanted.map(|(expected, actual)| (expected.to_owned(), actual.to_owned()));
        assert_eq!(compared(message), wanted, "{message}");
    }
    assert_eq!(decoded("a%3Db%0A%zz%"), "a=b\n%zz%");
}
