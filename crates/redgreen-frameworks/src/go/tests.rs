use std::path::Path;

use super::*;

struct Files(Vec<String>);

impl ProjectFiles for Files {
    fn paths(&self) -> &[String] {
        &self.0
    }

    fn read(&self, _path: &str) -> Option<String> {
        None
    }
}

#[test]
fn a_module_wants_all_its_packages_tested() {
    let project = |paths: &[&str]| Files(paths.iter().map(|path| (*path).to_owned()).collect());
    let folder = |paths: &[&str]| {
        let check = GoTest.recognises_project(&project(paths))?;
        assert_eq!(check.command, "go test ./...");
        Some(check.folder)
    };
    assert_eq!(folder(&["go.mod", "a/a.go"]).as_deref(), Some(""));
    assert_eq!(folder(&["svc/b/go.mod", "svc/go.mod", "x.py"]).as_deref(), Some("svc"));
    assert_eq!(folder(&["vendor/x/go.mod", "main.py"]), None);
}

fn report(text: &str) -> Report {
    read_json(text.as_bytes(), Places { root: Path::new("/w"), folder: Path::new("") })
}

#[test]
fn a_file_of_events_is_a_report() {
    let text = r#"{"Action":"start","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestX"}
{"Action":"output","Package":"m/a","Test":"TestX","Output":"    a_test.go:3: got 1, want 2\n"}
{"Action":"fail","Package":"m/a","Test":"TestX","Elapsed":0.5}
{"Action":"fail","Package":"m/a","Elapsed":0.6}
go: downloading something
{"Action":"start","Package":"m/b"}
{"Action":"pass","Package":"m/b","Test":"TestY"}
{"Action":"pass","Package":"m/b"}
"#;
    let report = report(text);
    assert!(report.began && report.complete, "{report:?}");
    assert_eq!(report.counts().failed, 1);
    assert_eq!(report.counts().passed, 1);
    assert_eq!(report.tests[0].id, "m/a.TestX");
    assert_eq!(report.tests[0].duration_ms, 500);
    let failure = report.tests[0].failure.as_ref().unwrap();
    assert_eq!(failure.expected.as_deref(), Some("2"));
    assert_eq!(report.errors, []);
    assert_eq!(report.diagnostics, ["go test -json: 1 lines are no events"]);
}

#[test]
fn a_file_that_was_cut_is_not_green() {
    let report = report(
        "{\"Action\":\"start\",\"Package\":\"m/a\"}\n{\"Action\":\"run\",\"Package\":\"m/a\",\"Test\":\"TestX\"}\n{\"Act",
    );
    assert_eq!(report.unfinished, ["m/a.TestX"]);
    assert_eq!(report.errors.len(), 1);
    assert!(report.errors[0].message.contains("before the tests of m/a did"), "{report:?}");
}

#[test]
fn older_go_writes_build_errors_beside_the_events() {
    let report = report(
        "# m/a [m/a.test]\na/a_test.go:3:1: undefined: x\n{\"Action\":\"start\",\"Package\":\"m/a\"}\n{\"Action\":\"output\",\"Package\":\"m/a\",\"Output\":\"FAIL\\tm/a [build failed]\\n\"}\n{\"Action\":\"fail\",\"Package\":\"m/a\"}\n",
    );
    assert_eq!(report.errors.len(), 1, "{report:?}");
    assert_eq!(report.errors[0].kind, FailureKind::CompileError);
    assert_eq!(report.errors[0].location.as_ref().unwrap().to_string(), "a/a_test.go:3");
}

#[test]
fn the_oldest_go_has_no_event_for_a_package_that_does_not_build() {
    let report = report(
        "{\"Action\":\"start\",\"Package\":\"m/a\"}\n{\"Action\":\"run\",\"Package\":\"m/a\",\"Test\":\"TestX\"}\n{\"Action\":\"fail\",\"Package\":\"m/a\",\"Test\":\"TestX\"}\n{\"Action\":\"fail\",\"Package\":\"m/a\"}\nFAIL\tm/b [build failed]\n# m/b [m/b.test]\nb/b_test.go:5:28: undefined: y\n",
    );
    assert_eq!(report.counts().failed, 1, "{report:?}");
    assert_eq!(report.errors.len(), 1, "{report:?}");
    assert_eq!(report.errors[0].message, "undefined: y");
}

#[test]
fn nothing_is_nothing() {
    assert!(!report("").began);
    assert!(!report("hello\n{}\n[1]\n").began);
}
