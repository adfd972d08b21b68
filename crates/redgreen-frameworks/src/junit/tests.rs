use std::path::Path;

use redgreen_model::report::{Failure, FailureKind, TestOutcome};

use super::*;

fn read(text: &str) -> Report {
    read_bytes(text.as_bytes())
}

fn read_bytes(bytes: &[u8]) -> Report {
    let root = Path::new("/home/me/project");
    read_xml(bytes, Places { root, folder: Path::new("") })
}

fn outcomes(report: &Report) -> Vec<(&str, TestOutcome)> {
    report.tests.iter().map(|test| (test.id.as_str(), test.outcome)).collect()
}

fn failure(report: &Report, index: usize) -> &Failure {
    report.tests[index].failure.as_deref().unwrap()
}

/// Surefire 3, shortened.
const SUREFIRE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="3.0.2" name="shop.PriceTest" time="0.014" tests="6" errors="1" skipped="1" failures="2">
  <properties>
    <property name="testcase" value="&lt;testcase name=&quot;no&quot;/>"/>
  </properties>
  <testcase name="params(String)[1]" classname="shop.PriceTest" time="0.093"/>
  <testcase name="adds" classname="shop.PriceTest" time="1,234.5">
    <failure message="sum ==&gt; expected: &lt;a&#10;b&gt; but was: &lt;-1&gt;" type="org.opentest4j.AssertionFailedError"><![CDATA[org.opentest4j.AssertionFailedError: sum ==> expected: <a
b> but was: <-1>
	at org.junit.jupiter.api.AssertEquals.failNotEqual(AssertEquals.java:197)
	at shop.Price.check(Price.java:40)
	at shop.PriceTest.adds(PriceTest.java:7)
	at java.base/java.lang.reflect.Method.invoke(Method.java:569)
]]></failure>
  </testcase>
  <testcase name="passes" classname="shop.PriceTest" time="0.003">
    <system-out><![CDATA[Tests run: 99 ]]]]><![CDATA[> <failure/>
]]></system-out>
  </testcase>
  <testcase name="throwsDeep" classname="shop.PriceTest">
    <error message="wrapped" type="shop.Errors$Broken"><![CDATA[shop.Errors$Broken: wrapped
	at shop.PriceTest.throwsDeep(PriceTest.java:8)
	at java.base/java.util.ArrayList.forEach(ArrayList.java:1511)
Caused by: java.lang.IllegalArgumentException: negative
	at com.vendor.Library.call(Library.java:3)
	at shop.parts.Deep.deep(Deep.java:2)
	... 3 more
]]></error>
    <system-err>text &amp; more</system-err>
  </testcase>
  <testcase name="later" classname="shop.PriceTest" time="0.0"><skipped message="later"/></testcase>
  <testcase name="again" classname="shop.PriceTest$Inner" time="0,006"><failure/></testcase>
</testsuite>"#;

#[test]
fn surefire_is_read_with_types_sides_and_places() {
    use TestOutcome::{Errored, Failed, Passed, Skipped};
    let report = read(SUREFIRE);
    assert_eq!(
        outcomes(&report),
        [
            ("shop.PriceTest.params(String)[1]", Passed),
            ("shop.PriceTest.adds", Failed),
            ("shop.PriceTest.passes", Passed),
            ("shop.PriceTest.throwsDeep", Errored),
            ("shop.PriceTest.later", Skipped),
            ("shop.PriceTest$Inner.again", Failed),
        ]
    );
    assert!(report.began && report.complete);
    assert_eq!(report.diagnostics, [""; 0]);
    let times: Vec<u64> = report.tests.iter().map(|test| test.duration_ms).collect();
    assert_eq!(times, [93, 1_234_500, 3, 0, 0, 6]);
    let adds = failure(&report, 1);
    assert_eq!(
        (adds.kind, adds.error_type.as_str()),
        (FailureKind::TestFailure, "AssertionFailedError")
    );
    assert_eq!(adds.message, "sum ==> expected: <a\nb> but was: <-1>");
    assert_eq!((adds.expected.as_deref(), adds.actual.as_deref()), (Some("a\nb"), Some("-1")));
    assert_eq!(adds.location.as_ref().unwrap().to_string(), "src/main/java/shop/Price.java:40");
    assert_eq!(
        adds.test_location.as_ref().unwrap().to_string(),
        "src/test/java/shop/PriceTest.java:7"
    );
    assert!(adds.stack.contains("at shop.Price.check"));
    let deep = failure(&report, 3);
    assert_eq!((deep.kind, deep.error_type.as_str()), (FailureKind::RuntimeError, "Broken"));
    let place = deep.location.as_ref().unwrap();
    assert_eq!((place.file.as_str(), place.line), ("src/main/java/shop/parts/Deep.java", Some(2)));
    assert_eq!(failure(&report, 5).message, "the runner gave no message");
}

#[test]
fn reports_of_other_tools_are_read() {
    use TestOutcome::{Errored, ExpectedFailure, Failed, Passed, Skipped};
    let cases: &[(&str, &[(&str, TestOutcome)])] = &[
        (
            // pytest, xunit1 and xunit2
            r#"<testsuites><testsuite name="pytest" errors="0" failures="0" tests="3">
               <testcase classname="tests.test_a" name="test_x[a b]" file="tests/test_a.py" line="3" time="0.1"/>
               <testcase classname="tests.test_a.TestB" name="test_x" file="tests/test_a.py"/>
               <testcase classname="tests.test_a" name="test_later"><skipped type="pytest.xfail" message="x"/></testcase>
               </testsuite></testsuites>"#,
            &[
                ("tests/test_a.py::test_x[a b]", Passed),
                ("tests/test_a.py::TestB.test_x", Passed),
                ("tests.test_a.test_later", ExpectedFailure),
            ],
        ),
        (
            // jest: names only; nested suites
            r#"<testsuites name="jest tests"><testsuite name="sum"><testsuite name="inner">
               <testcase name="adds"><failure>Error: no</failure></testcase></testsuite>
               <testcase classname="sum adds" name="sum adds"/></testsuite></testsuites>"#,
            &[("jest tests > sum > inner.adds", Failed), ("sum adds", Passed)],
        ),
        (
            // gtest and ctest
            r#"<testsuite><testcase name="a" status="notrun" result="suppressed" classname="S"/>
               <testcase name="b" status="run" result="completed" classname="S"/>
               <testcase name="c" status="fail" classname="S"/></testsuite>"#,
            &[("S.a", Skipped), ("S.b", Passed), ("S.c", Failed)],
        ),
        (
            // Surefire's repetitions
            r#"<testsuite><testcase name="a" classname="S"><flakyFailure type="E"><stackTrace>x</stackTrace><system-out>y</system-out></flakyFailure></testcase>
               <testcase name="b" classname="S"><error type="a.B">first</error><rerunError type="a.C"><stackTrace>again</stackTrace></rerunError></testcase></testsuite>"#,
            &[("S.a", Passed), ("S.b", Errored)],
        ),
        (
            // The same name twice; no name; no class; a set-up of a class; two roots in one file
            "\u{feff}<testsuite name='s'><testcase name='a' classname='C'/><testcase name='a' classname='C'/>\
             <testcase name='' classname='C'><error/></testcase><testcase/></testsuite>\n\
             <?xml version='1.0'?><testsuite><testcase name='a' classname='C'/><testcase name='a'/></testsuite>",
            &[
                ("C.a", Passed),
                ("C.a#2", Passed),
                ("C", Errored),
                ("s", Passed),
                ("C.a#3", Passed),
                ("a", Passed),
            ],
        ),
        (
            // Files are from the folder of the check, never absolute
            r#"<testsuite file="/home/me/project/web/a.test.js"><testcase name="a"/></testsuite>
               <testsuite file="/elsewhere/work/web/a.test.js"><testcase name="a"/></testsuite>"#,
            &[("web/a.test.js::a", Passed), ("web/a.test.js::a#2", Passed)],
        ),
    ];
    for (text, wanted) in cases {
        let report = read(text);
        assert_eq!(outcomes(&report), *wanted, "{text}");
        assert!(report.began && report.complete, "{text}: {:?}", report.diagnostics);
    }
}

#[test]
fn traces_of_other_languages_have_places() {
    let python = "def test_x():\n>   helper()\n\ntests/test_a.py:5: \n_ _ _\nsrc/app.py:9: in helper\n\
                  src/app.py:12: AssertionError";
    let traceback = "Traceback (most recent call last):\n  File \"/home/me/project/tests/test_a.py\", line 5, in test_x\n    f()\n\
                     File \"/home/me/project/src/app.py\", line 12, in f\nValueError: no";
    let javascript = "Error: no\n    at Object.f (/home/me/project/src/app.js:12:5)\n    \
                      at x (/home/me/project/node_modules/jest/i.js:1:1)\n    at /home/me/project/tests/a.test.js:5:1";
    let cases = [
        ("tests/test_a.py", python, "src/app.py:12"),
        ("tests/test_a.py", traceback, "src/app.py:12"),
        ("tests/a.test.js", javascript, "src/app.js:12"),
        ("a_test.go", "    a_test.go:12: got 3", "a_test.go:12"),
    ];
    for (file, text, place) in cases {
        let text = text.replace('<', "&lt;");
        let xml = format!(
            "<testsuite><testcase file='{file}' name='x'><failure>{text}</failure></testcase></testsuite>"
        );
        let report = read(&xml);
        let failure = failure(&report, 0);
        assert_eq!(failure.location.as_ref().map(ToString::to_string).as_deref(), Some(place));
    }
}

#[test]
fn headers_are_not_believed_and_what_they_say_wrong_is_said() {
    let report = read(
        r#"<testsuites tests="9"><testsuite name="s" tests="12" failures="0" errors="0">
           <testcase name="a"><failure/></testcase></testsuite></testsuites>"#,
    );
    assert_eq!(report.counts().total, 1);
    let said = report.diagnostics.join("\n");
    assert!(said.contains("s says 12 tests, 1 are there"), "{said}");
    assert!(said.contains("s says 0 red, 1 are there"), "{said}");
    assert!(said.contains("says 9 tests, 1 are there"), "{said}");
    assert!(report.complete);
}

/// Wherever a report is cut, whole cases are kept, the one in the middle never passes, and it is
/// said.
#[test]
fn a_cut_report_is_salvaged() {
    let whole = read(SUREFIRE);
    let end = SUREFIRE.len();
    for at in (0..end).filter(|at| SUREFIRE.is_char_boundary(*at)) {
        let report = read(&SUREFIRE[..at]);
        assert!(!report.complete, "cut at {at}");
        assert!(!report.diagnostics.is_empty(), "cut at {at}");
        for (index, test) in report.tests.iter().enumerate() {
            assert_eq!(test.id, whole.tests[index].id, "cut at {at}");
            assert_eq!(test.outcome, whole.tests[index].outcome, "cut at {at}");
        }
        for id in &report.unfinished {
            assert!(whole.tests.iter().any(|test| test.id == *id), "{id} cut at {at}");
        }
    }
    let at = SUREFIRE.find("<system-err>").unwrap();
    let report = read(&SUREFIRE[..at]);
    assert_eq!(report.tests.len(), 4, "the one in the middle was seen to fail");
    let at = SUREFIRE.find("<system-out>").unwrap();
    assert_eq!(read(&SUREFIRE[..at]).unfinished, ["shop.PriceTest.passes"]);
}

#[test]
fn malformed_reports_keep_what_can_be_read() {
    let cases = [
        ("<testsuite><testcase name='a'><testcase name='b'/></testsuite>", 1, 1),
        ("<testsuite><testcase name=a classname='C' bad></testcase></testsuite>", 1, 0),
        ("<testsuite><testcase name='a<b> & c'/></testsuite", 1, 0),
        ("<testsuite><testcase name='a'/> < > </testsuite>", 1, 0),
        ("<testsuite></testcase><testcase name='a'/></testsuite>", 1, 0),
        ("<html><body>502</body></html>", 0, 0),
        ("", 0, 0),
        ("not xml", 0, 0),
    ];
    for (text, tests, unfinished) in cases {
        let report = read(text);
        let found = (report.tests.len(), report.unfinished.len());
        assert_eq!(found, (tests, unfinished), "{text}");
        assert!(!report.complete && !report.diagnostics.is_empty(), "{text}");
    }
    let odd = "<testsuite><testcase name='a<b> & c &unknown; &amp;lt;'/></testsuite>";
    assert_eq!(read(odd).tests[0].id, "a<b> & c &unknown; &lt;");
}

#[test]
fn other_encodings_are_read() {
    let text =
        "<?xml version='1.0' encoding='ENC'?><testsuite><testcase name='prüft'/></testsuite>";
    let latin: Vec<u8> = text.replace("ENC", "ISO-8859-1").chars().map(|c| c as u8).collect();
    let wide = |unit: fn(u16) -> [u8; 2], mark: [u8; 2]| -> Vec<u8> {
        mark.into_iter().chain(text.encode_utf16().flat_map(unit)).collect()
    };
    let little = wide(u16::to_le_bytes, [0xff, 0xfe]);
    let big = wide(u16::to_be_bytes, [0xfe, 0xff]);
    for bytes in [latin, little, big, text.as_bytes().to_vec()] {
        let report = read_bytes(&bytes);
        assert_eq!(report.tests[0].id, "prüft");
        assert!(report.complete);
    }
    let report = read_bytes(b"<testsuite><testcase name='a\xff'/></testsuite>");
    assert_eq!(report.tests[0].id, "a\u{fffd}");
    assert!(report.diagnostics[0].contains("encoding"), "{:?}", report.diagnostics);
}

#[test]
fn a_failure_of_a_whole_suite_is_an_error() {
    let report =
        read("<testsuite name='s'><error type='x.Boom' message='no database'/></testsuite>");
    assert_eq!(report.errors[0].message, "s: no database");
    assert_eq!(report.errors[0].error_type, "Boom");
    assert_eq!(report.tests, []);
}

#[test]
fn a_million_open_suites_are_no_danger() {
    let report = read(&"<testsuite name='s'>".repeat(200_000));
    assert!(!report.complete);
    let deep = "<testsuite name='s'>".repeat(20) + "<testcase name='a'/>";
    assert!(read(&deep).tests[0].id.len() < 100);
}

fn live(
    console: &str,
    ended: redgreen_model::execution::Ended,
    files: &[crate::ReportFile],
) -> Report {
    Junit.read(&RunMaterial {
        stream: b"",
        console,
        command: "mvn -B test",
        ended: &ended,
        root: Path::new("/home/me/project"),
        folder: Path::new(""),
        work_tree: crate::WorkTree {
            reports: files,
            has_file: &|path| path == "core/src/main/java/shop/Price.java",
        },
    })
}

fn exited(code: i32) -> redgreen_model::execution::Ended {
    redgreen_model::execution::Ended::Exited { code }
}

fn file(path: &str, text: &str) -> crate::ReportFile {
    crate::ReportFile { path: path.to_owned(), bytes: text.as_bytes().to_vec() }
}

#[test]
fn modules_are_part_of_the_ids_and_only_files_that_are_there_are_places() {
    let case = "<testsuite><testcase classname='shop.PriceTest' name='adds'><error type='x.E'>\
                x.E: no\n\tat com.vendor.Shop.call(Shop.java:3)\n\tat shop.Price.total(Price.java:7)\n\
                </error></testcase></testsuite>";
    let report = live(
        "",
        exited(1),
        &[
            file("api/target/surefire-reports/TEST-shop.PriceTest.xml", case),
            file("core/build/test-results/test/TEST-shop.PriceTest.xml", case),
            file("target/failsafe-reports/TEST-shop.PriceTest.xml", case),
        ],
    );
    let ids: Vec<&str> = report.tests.iter().map(|test| test.id.as_str()).collect();
    assert_eq!(ids, ["api/shop.PriceTest.adds", "core/shop.PriceTest.adds", "shop.PriceTest.adds"]);
    let place = failure(&report, 0).location.as_ref().unwrap();
    assert_eq!(place.to_string(), "core/src/main/java/shop/Price.java:7");
    assert!(report.complete);
}

#[test]
fn a_compiler_says_where() {
    let cases = [
        (
            "[ERROR] COMPILATION ERROR :\n[INFO] BUILD FAILURE\n[ERROR] Failed to execute goal x\n[ERROR] /home/me/project/src/A.java:[3,5] cannot find symbol\n[ERROR]   symbol:   class Foo\n[ERROR]   location: class A\n",
            "src/A.java:3",
            "cannot find symbol\nsymbol:   class Foo\nlocation: class A",
        ),
        (
            "/home/me/project/src/A.java:4: error: ';' expected\n        int x\n",
            "src/A.java:4",
            "';' expected",
        ),
        (
            "e: file:///home/me/project/src/A.kt:5:9 Unresolved reference: foo\n",
            "src/A.kt:5",
            "Unresolved reference: foo",
        ),
    ];
    for (console, place, message) in cases {
        let report = live(console, exited(1), &[]);
        let error = &report.errors[0];
        assert_eq!(error.kind, FailureKind::CompileError, "{console}");
        assert_eq!(error.location.as_ref().unwrap().to_string(), place);
        assert_eq!(error.message, message);
        assert!(!report.began);
        assert_eq!(live(console, exited(0), &[]).errors, [], "an exit code of 0 is not doubted");
    }
}

#[test]
fn classes_in_flight_are_named_and_words_of_tests_are_not_believed() {
    use redgreen_model::execution::Ended;
    let crashed = "[ERROR] Crashed tests:\n[ERROR] shop.Forged\n[INFO] BUILD FAILURE\n\
                   [ERROR] Failed to execute goal x\n\
                   [ERROR] The forked VM terminated without properly saying goodbye.\n\
                   [ERROR] Process Exit Code: 0\n[ERROR] Crashed tests:\n[ERROR] shop.PriceTest\n";
    let report = live(crashed, exited(1), &[]);
    assert_eq!(report.unfinished, ["shop.PriceTest"]);
    assert!(report.began && !report.complete);
    assert!(report.errors[0].message.ends_with("Process Exit Code: 0"));
    let running = "[INFO] Running shop.ATest\n[INFO] Tests run: 1, Time elapsed: 1 s -- in shop.ATest\n\
                   [INFO] Running shop.HangTest\n";
    let report = live(running, Ended::TimedOut { limit_seconds: 9 }, &[]);
    assert_eq!(report.unfinished, ["shop.HangTest"]);
    assert_eq!(live(running, exited(0), &[]).unfinished, [""; 0]);
    // A test that ends Maven's own process with 0: what ran before it has its report.
    let report = live(running, exited(0), &[crate::ReportFile {
        path: "target/surefire-reports/TEST-shop.ATest.xml".to_owned(),
        bytes: b"<testsuite name='shop.ATest' tests='1'><testcase classname='shop.ATest' name='a'/></testsuite>".to_vec(),
    }]);
    assert_eq!(
        (report.unfinished.as_slice(), report.complete),
        (&["shop.HangTest".to_owned()][..], false)
    );
    assert!(!live(running, exited(0), &[]).began, "a console never shows that tests ran");
}

#[test]
fn results_of_an_old_run_are_not_whole() {
    let files =
        [file("build/test-results/test/TEST-a.xml", "<testsuite><testcase name='a'/></testsuite>")];
    assert!(live("> Task :test\n", exited(0), &files).complete);
    let cached = live("> Task :core:test FROM-CACHE\n", exited(0), &files);
    assert!(
        !cached.complete && cached.diagnostics[0].contains("cache"),
        "{:?}",
        cached.diagnostics
    );
    let reasons =
        [("> Task :test UP-TO-DATE", "up to date"), ("[INFO] Tests are skipped.", "skipTests")];
    for (console, words) in reasons {
        let report = live(console, exited(0), &[]);
        assert!(report.diagnostics[0].contains(words), "{:?}", report.diagnostics);
    }
}

#[test]
fn single_tests_are_asked_for_as_maven_takes_them() {
    let properties = |ids: &[&str]| {
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        only::maven_properties(&ids)
            .map(|text| text.split_whitespace().next().unwrap_or("").to_owned())
    };
    let cases: [(&[&str], Option<&str>); 6] = [
        (
            &["shop.PriceTest.adds", "shop.PriceTest.subtracts"],
            Some("-Dtest=shop.PriceTest#adds+subtracts"),
        ),
        (&["core/shop.PriceTest$Inner.adds(int)[2]"], Some("-Dtest=shop.PriceTest$Inner#adds")),
        (&["shop.PriceTest.prüft", "shop.PriceTest.adds"], Some("-Dtest=shop.PriceTest")),
        (&["shop.PriceTest.adds#2"], Some("-Dtest=shop.PriceTest#adds")),
        (&["something else"], None),
        (&[], None),
    ];
    for (ids, wanted) in cases {
        assert_eq!(properties(ids).as_deref(), wanted, "{ids:?}");
    }
}

#[test]
fn in_a_corner_a_red_module_does_not_hide_others_and_an_exit_code_that_counts_stays() {
    let options = |corner: bool, by_exit_code: bool| {
        let request = InjectionRequest {
            run_folder: Path::new("/run"),
            program: Path::new("/bin/redgreen"),
            measure: &[],
            only: None,
            corner,
            by_exit_code,
            inherited: &|name| (name == "MAVEN_OPTS").then(|| "-Xmx1g".to_owned()),
        };
        let injection = Junit.inject(&request);
        let found = injection.env.into_iter().find(|(name, _)| name == "MAVEN_OPTS");
        found.map(|(_, value)| value)
    };
    let to_the_end = "-Xmx1g -Dmaven.test.failure.ignore=true";
    assert_eq!(options(true, false).as_deref(), Some(to_the_end));
    assert_eq!(options(true, true), None);
    assert_eq!(options(false, false), None);
}
