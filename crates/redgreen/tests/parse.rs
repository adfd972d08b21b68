//! `redgreen parse` with the real binary, outside of any repository.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::{Ended, events};
use serde_json::Value;

/// A folder that is no repository.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path().join(name), content).expect("a file");
    }

    fn parse(&self, arguments: &[&str]) -> Ended {
        self.command(arguments).output().expect("redgreen").into()
    }

    fn parse_json(&self, arguments: &[&str]) -> (Option<i32>, Vec<Value>) {
        let ended = self.parse(&[&["--json"], arguments].concat());
        assert_eq!(ended.stderr, "", "{}", ended.stdout);
        (ended.code, events(&ended.stdout))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_redgreen"));
        command.arg("parse").args(arguments).current_dir(self.path()).stdin(Stdio::null());
        command
    }
}

/// A log of a real program, from the tests of the readers.
fn log(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../redgreen-frameworks/tests/logs");
    let path: PathBuf = folder.join(name);
    path.to_str().expect("a path in UTF-8").to_owned()
}

#[test]
fn a_log_of_pytest_is_one_document() {
    let (code, runs) = Folder::new().parse_json(&[&log("pytest/verbose.log")]);
    assert_eq!(code, Some(1));
    let [run] = runs.as_slice() else { panic!("{runs:?}") };
    assert_eq!(run["framework"], "pytest");
    assert_eq!(run["format"], "console");
    assert_eq!(run["status"], "failed");
    let counts = &run["test_results"];
    assert_eq!(
        (
            &counts["total"],
            &counts["passed"],
            &counts["failed"],
            &counts["errors"],
            &counts["skipped"]
        ),
        (&11.into(), &2.into(), &5.into(), &2.into(), &2.into()),
        "{counts}"
    );
    assert_eq!(run["tests"][0]["id"], "tests/test_price.py::test_empty");
    assert_eq!(run["tests"][0]["status"], "passed");
    let failure = &run["failures"][0];
    for (field, wanted) in [
        ("test_name", "tests/test_price.py::test_total"),
        ("test_file", "tests/test_price.py"),
        ("error_type", "AssertionError"),
        ("expected", "3"),
        ("actual", "4"),
        ("kind", "test_failure"),
    ] {
        assert_eq!(failure[field], wanted, "{failure}");
    }
    assert_eq!(failure["line_number"], 11);
    assert!(failure["stack_trace"].as_str().is_some_and(|stack| stack.contains("def test_total")));
    assert!(failure["fingerprint"].as_str().is_some_and(|print| !print.is_empty()), "{failure}");
}

#[test]
fn several_files_and_standard_input_each_name_their_source() {
    let folder = Folder::new();
    folder.write("green.log", "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n");
    let mut child = folder
        .command(&["--json", "green.log", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("redgreen");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(b"==== 2 passed in 0.10s ====\n")
        .expect("written");
    let output = child.wait_with_output().expect("its output");
    let runs = events(&String::from_utf8(output.stdout).expect("text"));
    let shown: Vec<_> =
        runs.iter().map(|run| (&run["source"], &run["framework"], &run["status"])).collect();
    assert_eq!(shown.len(), 2, "{runs:?}");
    assert_eq!(shown[0], (&"green.log".into(), &"cargo_test".into(), &"passed".into()));
    assert_eq!(shown[1], (&"-".into(), &"pytest".into(), &"passed".into()));
    assert_eq!(runs[1]["test_results"]["total"], 0, "only tests that are named are counted");
    assert_eq!(runs[1]["diagnostics"][0], "2 passed are not named in the log");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_log_that_is_cut_is_inconclusive() {
    let folder = Folder::new();
    folder.write("cut.log", "running 2 tests\ntest a ... ok\n");
    let (code, runs) = folder.parse_json(&["cut.log"]);
    assert_eq!((code, &runs[0]["status"]), (Some(1), &"inconclusive".into()));
    assert_eq!(runs[0]["diagnostics"][0], "nothing shows that the run was complete");
}

#[test]
fn a_job_that_failed_after_its_tests_is_no_pass() {
    let folder = Folder::new();
    let green = "running 1 test\ntest adds ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n";
    folder.write("green.log", green);
    folder.write("red.log", format!("{green}##[error]Process completed with exit code 1.\n"));
    let (code, runs) = folder.parse_json(&["green.log"]);
    assert_eq!((code, &runs[0]["status"]), (Some(0), &"passed".into()), "{runs:?}");
    let (code, runs) = folder.parse_json(&["red.log"]);
    assert_eq!((code, &runs[0]["status"]), (Some(1), &"failed".into()), "{runs:?}");
    let failure = &runs[0]["failures"][0];
    assert_eq!(failure["error_message"], "Process completed with exit code 1.");
    assert!(failure["test_name"].is_null(), "{failure}");
}

#[test]
fn people_get_a_short_summary() {
    let ended = Folder::new().parse(&[&log("cargo/workspace.log")]);
    assert_eq!(ended.code, Some(1));
    for words in [
        "prices::tests::adds (src/lib.rs:22)\n    panic: assertion `left == right` failed: the sum\n    expected: 3\n    actual: 4",
        "failed: 2 passed, 6 failed, 1 skipped in 0.7 s (cargo, ",
    ] {
        assert!(ended.stdout.contains(words), "{}", ended.stdout);
    }
}

#[test]
fn wrong_use_is_named_with_what_to_do() {
    let folder = Folder::new();
    folder.write("a.log", "x");
    for (arguments, code, words) in [
        (&["nowhere.log"][..], 2, "there is no file nowhere.log\nhint: name a report or a log"),
        (&["."], 2, ". is a folder\nhint: "),
        (&["--framework", "jasmine", "a.log"], 2, "there are: pytest, cargo_test, go_test"),
        (&[], 2, "<FILE>"),
    ] {
        let ended = folder.parse(arguments);
        assert_eq!(ended.code, Some(code), "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(words), "{arguments:?}: {}", ended.stderr);
        assert_eq!(ended.stdout, "");
    }
}

#[test]
fn input_that_holds_nothing_is_inconclusive_and_says_why() {
    let folder = Folder::new();
    let garbage: Vec<u8> =
        (0..200_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for (content, words) in [
        (Vec::new(), "the input is empty"),
        (b"\n \n".to_vec(), "the input is empty"),
        (garbage, "the input is not text"),
        (b"hello\nworld\n".to_vec(), "no report and no run of a known program was found in it"),
    ] {
        folder.write("input", content);
        let (code, runs) = folder.parse_json(&["input"]);
        assert_eq!(code, Some(1));
        assert_eq!(runs[0]["status"], "inconclusive");
        assert_eq!(runs[0]["format"], "unknown");
        assert_eq!(runs[0]["diagnostics"][0], words);
    }
    let (_, runs) = folder.parse_json(&["input", "--framework", "go_test"]);
    assert_eq!(runs[0]["diagnostics"][0], "no run of go_test was found in it");
}

#[test]
fn a_reader_that_goes_away_is_no_reason_to_panic() {
    let folder = Folder::new();
    let mut child = folder
        .command(&["--json", &log("cargo/workspace.log")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("redgreen");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("its end");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn every_format_is_recognised_by_its_content() {
    let folder = Folder::new();
    let here = folder.path().canonicalize().expect("a folder");
    let eslint = format!(
        r#"[{{"filePath":"{}/a.js","messages":[{{"ruleId":"semi","severity":2,"message":"Missing semicolon.","line":3}},{{"ruleId":"eqeqeq","severity":1,"message":"x","line":4}}]}}]"#,
        here.display()
    );
    let cases = [
        (
            "junit_xml",
            "junit",
            "failed",
            r#"<testsuite><testcase classname="shop.A" name="b"><failure message="no"/></testcase></testsuite>"#,
        ),
        ("tap", "other", "failed", "TAP version 13\n1..2\nok 1 - a\nnot ok 2 - b\n"),
        (
            "ctrf",
            "other",
            "failed",
            r#"{"results":{"tool":{"name":"x"},"summary":{"tests":1},"tests":[{"name":"b","status":"failed","duration":1}]}}"#,
        ),
        (
            "go_json",
            "go_test",
            "failed",
            "{\"Action\":\"run\",\"Package\":\"p\",\"Test\":\"TestB\"}\n{\"Action\":\"fail\",\"Package\":\"p\",\"Test\":\"TestB\"}\n{\"Action\":\"fail\",\"Package\":\"p\"}\n",
        ),
        (
            "libtest_json",
            "cargo_test",
            "failed",
            "{ \"type\": \"suite\", \"event\": \"started\", \"test_count\": 1 }\n{ \"type\": \"test\", \"event\": \"started\", \"name\": \"b\" }\n{ \"type\": \"test\", \"name\": \"b\", \"event\": \"failed\", \"stdout\": \"\\nthread 'b' panicked at src/lib.rs:3:5:\\nno\\n\" }\n{ \"type\": \"suite\", \"event\": \"failed\", \"passed\": 0, \"failed\": 1 }\n",
        ),
        (
            "cargo_json",
            "cargo_test",
            "failed",
            "{\"reason\":\"compiler-message\",\"message\":{\"level\":\"error\",\"message\":\"mismatched types\",\"code\":{\"code\":\"E0308\"},\"spans\":[{\"is_primary\":true,\"file_name\":\"src/lib.rs\",\"line_start\":3}],\"rendered\":\"error\"}}\n{\"reason\":\"build-finished\",\"success\":false}\n",
        ),
        ("eslint_json", "other", "failed", &eslint),
        (
            "ruff_json",
            "other",
            "failed",
            r#"[{"code":"F401","message":"unused","filename":"a.py","location":{"row":1},"end_location":{"row":1}}]"#,
        ),
        (
            "redgreen_stream",
            "other",
            "passed",
            "{\"event\":\"hello\",\"run\":\"r\"}\n{\"event\":\"end\",\"run\":\"r\",\"test\":\"b\",\"outcome\":\"passed\"}\n{\"event\":\"bye\",\"run\":\"r\"}\n",
        ),
    ];
    for (format, framework, status, content) in cases {
        folder.write("input", content);
        let (_, runs) = folder.parse_json(&["input"]);
        let [run] = runs.as_slice() else { panic!("{format}: {runs:?}") };
        assert_eq!(
            (&run["format"], &run["framework"], &run["status"]),
            (&format.into(), &framework.into(), &status.into()),
            "{run}"
        );
        if status == "failed" {
            assert_eq!(run["failures"].as_array().map(Vec::len), Some(1), "{run}");
        }
    }
}

#[test]
fn a_log_in_utf_16_is_read_too() {
    let folder = Folder::new();
    let text = fs::read_to_string(log("unittest/verbose.log")).expect("a log");
    let wide: Vec<u8> =
        [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    folder.write("wide.log", wide);
    let (_, runs) = folder.parse_json(&["wide.log"]);
    assert_eq!(
        (&runs[0]["program"], &runs[0]["test_results"]["failed"]),
        (&"unittest".into(), &3.into())
    );
}

/// A project whose only check prints a log and ends with an exit code.
fn printing(log_name: &str, code: i32) -> crate::common::Project {
    let project = crate::common::Project::empty();
    project.write("printed.log", fs::read(log(log_name)).expect("a log"));
    project.write(
        "redgreen.toml",
        format!("[[checks]]\nname = \"unit\"\ncommand = \"cat printed.log; exit {code}\"\nframework = \"other\"\n"),
    );
    project.commit();
    project
}

fn tested(project: &crate::common::Project) -> (Option<i32>, Value) {
    let ended = project.redgreen(&["test", "--json"]);
    let result = events(&ended.stdout).into_iter().find(|event| event["result"] == "test");
    (ended.code, result.unwrap_or_else(|| panic!("{}{}", ended.stdout, ended.stderr)))
}

#[test]
fn what_an_unknown_command_prints_explains_that_it_failed() {
    let (code, result) = tested(&printing("rspec/progress.log", 1));
    assert_eq!((code, &result["verdict"]), (Some(1), &"failed".into()), "{result}");
    let failures = result["failures"].as_array().expect("failures");
    let names: Vec<&str> =
        failures.iter().filter_map(|failure| failure["failure"]["test"].as_str()).collect();
    assert_eq!(
        names,
        [
            "spec/price_spec.rb > total adds",
            "spec/price_spec.rb > total nested shows a diff",
            "spec/price_spec.rb > total nested throws ünï",
        ]
    );
    assert!(
        failures.iter().all(|failure| failure["failure"]["kind"] == "test_failure"),
        "{result}"
    );
    assert_eq!(result["test_results"]["passed"], 0, "a log never makes a pass: {result}");
}

#[test]
fn what_an_unknown_command_prints_never_makes_a_pass() {
    for log_name in ["rspec/progress.log", "pytest/verbose.log", "mypy/clean.log"] {
        let (code, result) = tested(&printing(log_name, 0));
        assert_eq!((code, &result["verdict"]), (Some(1), &"inconclusive".into()), "{log_name}");
        assert_eq!(result["test_results"]["total"], 0, "{log_name}: {result}");
    }
}

#[test]
fn a_program_that_is_missing_stays_an_error_of_the_tools() {
    let (code, result) = tested(&printing("rspec/progress.log", 127));
    assert_eq!((code, &result["verdict"]), (Some(3), &"tooling_error".into()), "{result}");
}
