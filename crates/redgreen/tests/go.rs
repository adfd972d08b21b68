//! go test through the shim: what users type, what they see, and what is left alone.

use std::fs;

use crate::common::{Project, Tested};
use serde_json::Value;

const CALC: &str = "package calc\n\nfunc Add(a, b int) int { return a + b }\n\nfunc Sub(a, b int) int { return a + b }\n";
const CALC_TEST: &str = "package calc\n\nimport (\n\t\"fmt\"\n\t\"testing\"\n)\n\nfunc TestAdd(t *testing.T) {\n\tfmt.Println(\"adding\")\n}\n\nfunc TestSub(t *testing.T) {\n\tif got := Sub(5, 3); got != 2 {\n\t\tt.Errorf(\"Sub(5, 3) = %d, want 2\", got)\n\t}\n}\n";

/// A module with a test that passes and one that fails.
fn module(command: &str, framework: &str) -> Project {
    let project = Project::empty();
    project.write("go.mod", "module example.org/calc\n\ngo 1.21\n");
    project.write("calc.go", CALC);
    project.write("calc_test.go", CALC_TEST);
    configure(&project, command, framework);
    project
}

fn configure(project: &Project, command: &str, framework: &str) {
    let command = Value::from(command);
    project.write(
        "redgreen.toml",
        format!("[[checks]]\nname = \"unit\"\ncommand = {command}\nframework = \"{framework}\"\n"),
    );
    project.commit();
}

/// The code without its mistake.
fn right() -> String {
    CALC.replace("Sub(a, b int) int { return a + b", "Sub(a, b int) int { return a - b")
}

/// What was seen of one execution.
struct Seen {
    verdict: String,
    report: Value,
    log: String,
    text: String,
}

impl Seen {
    fn tests(&self) -> Vec<String> {
        let mut tests: Vec<String> = self.report["tests"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|test| {
                let word = |name: &str| test[name].as_str().unwrap_or_default().to_owned();
                format!("{} {}", word("id"), word("outcome"))
            })
            .collect();
        tests.sort();
        tests
    }

    fn errors(&self) -> Vec<String> {
        let word = |error: &Value, name: &str| error[name].as_str().unwrap_or_default().to_owned();
        let errors = self.report["errors"].as_array().into_iter().flatten();
        errors.map(|error| format!("{}: {}", word(error, "kind"), word(error, "message"))).collect()
    }
}

fn test(project: &Project) -> Seen {
    let Tested { ended, record } = project.tested(&[]);
    let check = &record["execution"]["checks"][0];
    let log = project.root().join(check["log"].as_str().expect("a log"));
    Seen {
        verdict: record["verdict"].as_str().unwrap_or_default().to_owned(),
        report: check["report"].clone(),
        log: fs::read_to_string(log).expect("a log"),
        text: format!("{}\n{}\n{record:#}", ended.stdout, ended.stderr),
    }
}

const BOTH: [&str; 2] = ["example.org/calc.TestAdd passed", "example.org/calc.TestSub failed"];

#[test]
fn what_users_type_is_seen() {
    let commands = [
        ("go test ./...", "go_test"),
        ("go test", "go_test"),
        ("cd . && GOFLAGS=-v go test -timeout 60s -shuffle on -failfast=false .", "go_test"),
        ("go test -run 'TestAdd|TestSub' ./... -args x y", "go_test"),
        ("go test -exec env ./...", "go_test"),
        ("go test calc.go calc_test.go", "other"),
        ("make test", "other"),
        ("go generate ./... && go vet ./... && go test -cover ./... | cat", "other"),
    ];
    for (command, framework) in commands {
        let project = module(command, framework);
        project.write("Makefile", "test:\n\t@go build ./...\n\tgo test ./...\n");
        project.commit();
        let seen = test(&project);
        let tests: Vec<String> = seen
            .tests()
            .iter()
            .map(|test| test.replace("command-line-arguments", "example.org/calc"))
            .collect();
        assert_eq!(tests, BOTH, "{command}: {}", seen.text);
        assert_eq!(seen.verdict, "failed", "{command}");
        let failure = &seen.report["tests"].as_array().expect("tests").iter();
        let failure = failure.clone().find(|test| !test["failure"].is_null()).expect("one");
        let place = &failure["failure"]["location"];
        assert_eq!(place["file"], "calc_test.go", "{command}: {place}");
        assert_eq!(place["line"], 14, "{command}: {place}");
    }
}

#[test]
fn users_see_what_they_would_have_seen() {
    let quiet = test(&module("go test ./...", "go_test")).log;
    let wanted = "    calc_test.go:14: Sub(5, 3) = 8, want 2\n--- FAIL: TestSub (0.00s)\nFAIL\nFAIL\texample.org/calc";
    assert!(quiet.starts_with(wanted), "{quiet}");
    let verbose = test(&module("go test -v ./...", "go_test")).log;
    let wanted = "=== RUN   TestAdd\nadding\n--- PASS: TestAdd (0.00s)\n=== RUN   TestSub\n";
    assert!(verbose.starts_with(wanted), "{verbose}");
    let json = test(&module("go test -json ./...", "go_test"));
    assert_eq!(json.tests(), BOTH, "{}", json.text);
    for line in json.log.lines().filter(|line| !line.is_empty()) {
        let event: Value = serde_json::from_str(line).expect("what go wrote");
        assert!(event["Action"].is_string(), "{line}");
    }
    assert!(json.log.contains("adding"), "{}", json.log);
}

#[test]
fn everything_but_running_tests_is_left_alone() {
    let project = module("", "other");
    let commands = [
        "go version",
        "go env GOOS GOFLAGS",
        "go list ./...",
        "go vet ./...",
        "go test -list .",
        "go test -c -o /dev/null . && echo built",
        "go nonsense",
    ];
    for command in commands {
        let plain = project.command("sh").args(["-c", command]).output().expect("sh");
        configure(&project, command, "other");
        let seen = test(&project);
        let wanted = format!(
            "{}{}",
            String::from_utf8_lossy(&plain.stdout),
            String::from_utf8_lossy(&plain.stderr)
        );
        // go tells how long a listing took.
        let untimed = |text: &str| {
            let words: Vec<&str> =
                text.split_whitespace().filter(|word| !word.ends_with('s')).collect();
            words.join(" ")
        };
        assert_eq!(untimed(&seen.log), untimed(&wanted), "{command}");
        let ended = format!("\"code\": {}", plain.status.code().expect("a code"));
        assert!(seen.text.contains(&ended), "{command}: {}", seen.text);
        assert_eq!(seen.tests(), [""; 0], "{command}");
        assert_ne!(seen.verdict, "passed", "{command}");
    }
}

#[test]
fn packages_without_tests_are_no_failure_and_no_pass() {
    let project = module("go test ./...", "go_test");
    project.write("none/none.go", "package none\n");
    project.write("calc_test.go", "package calc\n");
    project.commit();
    let seen = test(&project);
    assert_eq!(seen.verdict, "inconclusive", "{}", seen.text);
    assert_eq!(seen.errors(), [""; 0]);
    project.write("calc_test.go", CALC_TEST);
    project.write("calc.go", right());
    project.commit();
    assert_eq!(test(&project).verdict, "passed");
}

#[test]
fn what_fails_around_tests_is_named() {
    let test_main = |body: &str| {
        format!(
            "package calc\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) {{\n\t{body}\n}}\n"
        )
    };
    let cases = [
        (
            test_main("m.Run(); println(\"no disk\"); os.Exit(3)"),
            "runtime_error: example.org/calc failed outside of its tests: no disk",
        ),
        (
            test_main("panic(os.Args[0][:1])"),
            "runtime_error: example.org/calc failed outside of its tests: ",
        ),
        (
            "package calc\n\nimport _ \"example.org/nowhere\"\n".to_owned(),
            "compile_error: no required module provides package example.org/nowhere",
        ),
        (
            "package calc\n\nimport \"fmt\"\n\nfunc init() { fmt.Printf(\"%d\\n\", \"x\") }\n"
                .to_owned(),
            "compile_error: fmt.Printf format %d has arg \"x\" of wrong type string",
        ),
    ];
    for (source, wanted) in cases {
        let project = module("go test ./...", "go_test");
        project.write("calc.go", right());
        project.write("main_test.go", source);
        project.commit();
        let seen = test(&project);
        assert_eq!(seen.verdict, "failed", "{}", seen.text);
        let errors = seen.errors();
        assert!(errors.len() == 1 && errors[0].starts_with(wanted), "{errors:?}, not {wanted}");
    }
}

#[test]
fn a_limit_of_gos_own_is_a_time_out() {
    let project = module("go test -timeout 1s ./...", "go_test");
    project.write(
        "hang_test.go",
        "package calc\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestHang(t *testing.T) {\n\tt.Run(\"part\", func(t *testing.T) { time.Sleep(time.Hour) })\n}\n",
    );
    project.commit();
    let seen = test(&project);
    let hang = seen.report["tests"].as_array().into_iter().flatten();
    let hang = hang.clone().find(|test| test["id"] == "example.org/calc.TestHang/part");
    let failure = &hang.expect("the test")["failure"];
    assert_eq!(failure["kind"], "timeout", "{}", seen.text);
    assert_eq!(failure["location"]["line"], 9, "{failure}");
    assert_eq!(seen.report["unfinished"], Value::Null, "{}", seen.text);
}

#[test]
fn two_modules_of_one_path_stay_two() {
    let project = Project::empty();
    for folder in ["one", "two"] {
        project.write(&format!("{folder}/go.mod"), "module app\n\ngo 1.21\n");
        project.write(
            &format!("{folder}/app_test.go"),
            "package app\n\nimport \"testing\"\n\nfunc TestApp(t *testing.T) {}\n",
        );
    }
    configure(&project, "for each in one two; do (cd $each && go test ./...); done", "other");
    let seen = test(&project);
    assert_eq!(seen.tests(), ["one:app.TestApp passed", "two:app.TestApp passed"]);
    assert_eq!(seen.verdict, "passed");
    project.write("go.work", "go 1.21\n\nuse ./one\n");
    configure(&project, "go -C one test .", "go_test");
    assert_eq!(test(&project).tests(), ["one:app.TestApp passed"]);
}

#[test]
fn a_go_that_cannot_work_is_a_tool_that_fails() {
    let project = module("go test ./...", "go_test");
    project.write("go.mod", "module example.org/calc\n\ngo 1.999\n");
    project.commit();
    let seen = test(&project);
    assert_eq!(seen.verdict, "tooling_error", "{}", seen.text);
    let project = module("go test -nonsense", "go_test");
    assert_eq!(test(&project).verdict, "tooling_error");
    let project = module("go test ./...", "go_test");
    let more = "environment = { PATH = \"/usr/bin:/bin\" }\n";
    project.write("redgreen.toml", project.read("redgreen.toml") + more);
    project.commit();
    let seen = test(&project);
    assert_eq!(seen.verdict, "tooling_error", "{}", seen.text);
}

/// A package is built as a whole, but what is only declared in a new file does nothing to its tests.
#[test]
fn a_new_file_in_the_package_of_a_test_that_was_red_before() {
    for (body, verdict) in [
        ("func Double(a int) int { return a * 2 }\n", "passed_but_for_red_before"),
        ("func init() {}\n", "failed"),
    ] {
        let project = module("go test ./...", "go_test");
        project.write("double.go", format!("package calc\n\n{body}"));
        if body.contains("Double") {
            let test = "package calc\n\nimport \"testing\"\n\nfunc TestDouble(t *testing.T) {\n\tif Double(2) != 4 {\n\t\tt.Fail()\n\t}\n}\n";
            project.write("double_test.go", test);
        }
        let ended = project.redgreen(&["square", "--base", "HEAD", "--json"]);
        assert!(
            ended.stdout.contains(&format!("\"{verdict}\"")),
            "{body}: {} {}",
            ended.stdout,
            ended.stderr
        );
    }
}
