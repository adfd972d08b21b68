//! What somebody else can check, with the public key and the tree alone.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::{assert_code, assert_says, green};
use crate::common::{Ended, Project};

/// Somebody who has a clone, the public key and what was exported, and nothing else.
struct Reader {
    folder: tempfile::TempDir,
}

impl Reader {
    fn of(project: &Project) -> Self {
        let reader = Self { folder: tempfile::tempdir().expect("a folder") };
        let (evidence, key) = (reader.path("evidence.jsonl"), reader.path("key.pem"));
        let [evidence, key] = [&evidence, &key].map(|path| path.to_str().expect("UTF-8"));
        let exported =
            project.redgreen(&["evidence", "export", "-o", evidence, "--public-key", key]);
        assert_code(&exported, 0);
        assert_says(&exported, "(PEM)");
        let clone = reader.path("clone");
        project.git(&["clone", "-q", ".", clone.to_str().expect("UTF-8")]);
        reader
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn verify(&self, more: &[&str]) -> Ended {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(env!("CARGO_BIN_EXE_redgreen"));
        command.current_dir(self.path("clone")).env_clear().env("PATH", path);
        command.env("HOME", self.path("home"));
        command.args(["evidence", "verify", "../evidence.jsonl", "--key", "../key.pem"]).args(more);
        command.output().expect("redgreen").into()
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("a file");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file")
    }
}

/// A filter of git's makes another text the one that passed.
#[test]
fn what_git_keeps_must_be_what_lies_there() {
    let project = green();
    assert_code(&project.redgreen(&["test"]), 0);
    let reader = Reader::of(&project);
    assert_code(&reader.verify(&[]), 0);
    let configured = "\n[filter \"x\"]\n\tclean = sed s/=no/=ok/\n";
    let config = fs::read_to_string(reader.path("clone/.git/config")).expect("a configuration");
    reader.write("clone/.git/config", config + configured);
    fs::create_dir_all(reader.path("clone/.git/info")).expect("a folder");
    reader.write("clone/.git/info/attributes", "value.sh filter=x\n");
    reader.write("clone/value.sh", "first=ok\nsecond=no\n");
    let verified = reader.verify(&[]);
    assert_code(&verified, 1);
    assert_says(&verified, "git keeps another text of value.sh");
}

#[test]
fn a_pass_is_verified_with_the_public_key_and_the_tree_alone() {
    let project = green();
    assert_code(&project.redgreen(&["test"]), 0);
    let reader = Reader::of(&project);
    let valid = reader.verify(&[]);
    assert_code(&valid, 0);
    assert_says(&valid, &format!("valid: PASSED tree {}", project.tree()));
    assert_says(&valid, "`sh tests/run.sh` exit code 0, 3 passed");
    assert_says(&valid, "compared with nothing");
    assert!(!reader.path("home").exists(), "a reader needs no key and makes none");

    let other = reader.verify(&["--tree", &"1".repeat(40)]);
    assert_code(&other, 1);
    assert_says(&other, "it is about another tree");
    assert_code(&reader.verify(&["--tree", "HEAD"]), 0);
    assert_code(&reader.verify(&["--tree", "no-such-thing"]), 2);
    let base = reader.verify(&["--base", "HEAD"]);
    assert_code(&base, 1);
    assert_says(&base, "compared with nothing");
    let json = reader.verify(&["--json"]);
    let json: Value = serde_json::from_str(json.stdout.trim()).expect("JSON");
    assert_eq!((&json["valid"], &json["evidence"]["counts"]["passed"]), (&true.into(), &3.into()));

    assert_eq!((&json["exact"], &json["differs"]), (&true.into(), &serde_json::json!([])));

    // What redgreen takes for no code is another tree all the same: it has to be asked for, and is named.
    reader.write("clone/NOTES.md", "# Notes\n");
    let documents = reader.verify(&[]);
    assert_code(&documents, 1);
    assert_says(&documents, "1 file that is no code differs: NOTES.md (--same-code accepts that)");
    let accepted = reader.verify(&["--same-code"]);
    assert_code(&accepted, 0);
    assert_says(&accepted, "1 file that is no code differs: NOTES.md");
    let json = reader.verify(&["--same-code", "--json"]);
    let json: Value = serde_json::from_str(json.stdout.trim()).expect("JSON");
    assert_eq!(json["exact"], false);
    assert_eq!(json["differs"], serde_json::json!(["NOTES.md"]));
    assert_code(&reader.verify(&["--same-code", "--tree", "HEAD"]), 2);
    reader.write("clone/value.sh", "first=ok\nsecond=ok\nthird=ok\n");
    let edited = reader.verify(&[]);
    assert_code(&edited, 1);
    assert_says(&edited, "it is about another tree:");
    assert_code(&reader.verify(&["--same-code"]), 1);
}

#[test]
fn what_is_not_signed_with_that_key_or_cannot_be_read_is_distinguished() {
    let project = green();
    assert_code(&project.redgreen(&["test"]), 0);
    let reader = Reader::of(&project);
    let (evidence, key) = (reader.read("evidence.jsonl"), reader.read("key.pem"));
    let stranger = green();
    assert_code(&stranger.redgreen(&["test"]), 0);
    let strangers = Reader::of(&stranger);

    reader.write("key.pem", strangers.read("key.pem"));
    let foreign = reader.verify(&[]);
    assert_code(&foreign, 1);
    assert_says(&foreign, "signed with another key");
    reader.write("key.pem", &key);

    let lines: Vec<&str> = evidence.lines().collect();
    assert_eq!(lines.len(), 2, "a test result, and ours");
    for (broken, words) in [
        (lines[0].to_owned(), "its second half is missing"),
        (lines[1].to_owned(), "its first half is missing"),
        (format!("{}\n{}", lines[0], &lines[1][..lines[1].len() / 2]), "not a DSSE envelope"),
        (evidence.replace("in-toto+json", "in-toto+yaml"), "its payload has another type"),
        (
            evidence.replacen("\"payload\":\"eyJfd", "\"payload\":\"eyJgd", 1),
            "does not fit its content",
        ),
    ] {
        reader.write("evidence.jsonl", broken);
        let refused = reader.verify(&[]);
        assert_code(&refused, 1);
        assert_says(&refused, words);
        assert_says(&refused, "not valid");
    }
    for (broken, words) in [
        ("", "there is no evidence in it"),
        ("{\"result\":\"PASSED\"}\n", "not a DSSE envelope"),
        ("# Notes\n\nNo evidence at all.\n", "not a DSSE envelope"),
        ("\u{0}\u{1}", "not a DSSE envelope"),
    ] {
        reader.write("evidence.jsonl", broken);
        let refused = reader.verify(&[]);
        assert_code(&refused, 3);
        assert_says(&refused, words);
        assert_says(&refused, "not valid");
    }
    // What others added does not spoil it.
    reader.write("evidence.jsonl", format!("garbage\n{evidence}"));
    assert_code(&reader.verify(&[]), 0);

    fs::remove_file(reader.path("evidence.jsonl")).expect("a file");
    assert_code(&reader.verify(&[]), 3);
    fs::create_dir(reader.path("evidence.jsonl")).expect("a folder");
    assert_code(&reader.verify(&[]), 3);
    reader.write("key.pem", "no key");
    assert_code(&reader.verify(&[]), 2);
    fs::remove_file(reader.path("key.pem")).expect("a file");
    assert_code(&reader.verify(&[]), 3);
}

#[test]
fn a_pass_by_other_checks_is_none() {
    // Red, and `true` is green.
    let project = Project::shell();
    assert_code(&project.redgreen(&["test", "--trust-exit-code", "--", "true"]), 0);
    let reader = Reader::of(&project);
    let refused = reader.verify(&[]);
    assert_code(&refused, 1);
    assert_says(&refused, "judged by other checks than redgreen.toml has here: `true`");
    let accepted = reader.verify(&["--any-checks"]);
    assert_code(&accepted, 0);
    assert_says(&accepted, "`true` exit code 0, judged by the exit code alone");
}

#[test]
fn a_change_is_verified_against_its_base_with_the_tests_it_brought() {
    let project = green();
    let base = project.tree();
    project.write("value.sh", "first=ok\nsecond=ok\nthird=ok\n");
    project.case("third", ". ./value.sh; [ \"$third\" = ok ]");
    project.commit();
    let squared = project.redgreen(&["square"]);
    assert_code(&squared, 0);
    let reader = Reader::of(&project);
    let valid = reader.verify(&["--base", "HEAD~1"]);
    assert_code(&valid, 0);
    assert_says(&valid, &format!("compared with tree {base}"));
    assert_says(&valid, "3 tests were there before; 1 new: third");
    let other = reader.verify(&["--base", "HEAD"]);
    assert_code(&other, 1);
    assert_says(&other, &format!("compared with {base}"));
}

#[test]
fn what_was_compared_with_itself_says_so() {
    let project = green();
    assert_code(&project.redgreen(&["square", "--base", "HEAD"]), 0);
    let shown = project.redgreen(&["evidence", "show"]);
    assert_says(&shown, "compared with itself: no change was judged");
    let valid = Reader::of(&project).verify(&[]);
    assert_code(&valid, 0);
    assert_says(&valid, "compared with itself: no change was judged");
}

#[test]
fn a_file_that_becomes_part_of_the_tree_is_reported() {
    let project = green();
    let export = |more: &[&str]| {
        let ended = project.redgreen(&[&["evidence", "export"], more].concat());
        assert_code(&ended, 0);
        ended
    };
    project.write(".gitignore", "*.ignored\n");
    let key = project.outside().join("too-early.pub");
    let early = ["evidence", "export", "--public-key", key.to_str().expect("UTF-8")];
    assert_code(&project.redgreen(&early), 1);
    assert!(!key.exists(), "a key alone proves nothing");
    assert_code(&project.redgreen(&["test"]), 0);
    let outside = project.outside().join("evidence.jsonl");
    export(&["-o", outside.to_str().expect("UTF-8")]);
    let quiet = export(&["-o", "evidence.ignored"]);
    assert!(!quiet.stderr.contains("part of the work tree"), "{}", quiet.stderr);
    let exported = export(&["-o", "evidence.jsonl", "--public-key", "tests/redgreen.pub"]);
    for file in ["evidence.jsonl", "tests/redgreen.pub"] {
        assert_says(&exported, &format!("{file} is now part of the work tree"));
    }
    assert_says(&exported, "write it somewhere else, or have git ignore it");
}

#[test]
fn the_envelope_is_what_in_toto_says() {
    let project = green();
    assert_code(&project.redgreen(&["test"]), 0);
    let exported = project.redgreen(&["evidence", "export"]);
    let payloads: Vec<Value> = exported
        .stdout
        .lines()
        .map(|line| {
            let envelope: Value = serde_json::from_str(line).expect("JSON");
            assert_eq!(envelope["payloadType"], "application/vnd.in-toto+json");
            assert_eq!(envelope["signatures"].as_array().expect("signatures").len(), 1);
            let decoded = Command::new("python3")
                .args([
                    "-c",
                    "import base64,sys;sys.stdout.buffer.write(base64.b64decode(sys.argv[1]))",
                ])
                .arg(envelope["payload"].as_str().expect("a payload"))
                .output()
                .expect("python3");
            serde_json::from_slice(&decoded.stdout).expect("a statement")
        })
        .collect();
    let types =
        ["https://in-toto.io/attestation/test-result/v0.1", "https://redgreen.dev/execution/v1"];
    for (statement, predicate_type) in payloads.iter().zip(types) {
        assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
        assert_eq!(statement["predicateType"], predicate_type);
        assert_eq!(statement["subject"][0]["digest"]["gitTree"], project.tree().as_str());
    }
    let result = &payloads[0]["predicate"];
    assert_eq!(result["result"], "PASSED");
    assert_eq!(
        result["passedTests"],
        serde_json::json!(["unit: always", "unit: first", "unit: second"])
    );
    let configuration = &result["configuration"][0];
    assert_eq!(configuration["annotations"]["unit"]["command"], "sh tests/run.sh");
    assert_eq!(configuration["digest"]["sha256"], payloads[1]["predicate"]["rules"]);
}

#[test]
fn a_declared_expectation_is_a_warning_that_names_who_owns_it() {
    let project = Project::pytest();
    project.write(
        "calc.py",
        "def add(a, b):\n    return a + b + 1\n\n\ndef subtract(a, b):\n    return a - b\n",
    );
    let tests = project.read("tests/test_calc.py").replace("== 4", "== 5");
    project.write("tests/test_calc.py", tests);
    assert_code(&project.redgreen(&["square"]), 1);
    assert_code(&project.redgreen(&["evidence", "show"]), 1);
    let test = "tests/test_calc.py::test_add";
    assert_code(&project.redgreen(&["declare", test, "--reason", "asked for"]), 0);
    assert_code(&project.redgreen(&["square"]), 0);
    let (code, evidence) = project.evidence();
    assert_eq!(code, Some(0), "{evidence:#}");
    let verdict = &evidence["verdicts"][0];
    assert_eq!(verdict["test_result"]["result"], "WARNED");
    assert_eq!(verdict["test_result"]["warnedTests"], serde_json::json!([format!("unit: {test}")]));
    let passed = serde_json::json!(["unit: tests/test_calc.py::test_subtract"]);
    assert_eq!(verdict["test_result"]["passedTests"], passed);
    let declared = &verdict["evidence"]["declared"][0];
    assert_eq!((&declared["reason"], &declared["kind"]), (&"asked for".into(), &"changed".into()));
    let shown = project.redgreen(&["evidence", "show"]);
    assert_says(&shown, "WARNED tree");
    assert_says(&shown, "asked for");
}
