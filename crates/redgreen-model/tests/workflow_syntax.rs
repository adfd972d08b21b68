//! Texts that are not what they should be: every one gets an answer, none does harm.

use redgreen_model::document::{
    DocumentKind, MAX_DOCUMENT_BYTES, MAX_PROBLEMS, Syntax, Validation, read_workflow, validate,
};

const YAML: &str = "\
# one run
workflow_id: 0190a0b1-2c3d-7e4f-8a5b-6c7d8e9f0a1b
agent: {name: no, type: debugger}
code_artifact: &artifact
  path: src/sum.py
  language: python
execution_config:
  test_framework: pytest
  test_command: |
    pytest -q
  environment: {CI: '1'}
loop_state:
  phase: complete
  attempt_number: 1
  status: passed
  attempts:
    - attempt_number: 1
      timestamp: 2026-02-03T04:05:06Z
      phase: execute_tests
      test_results: {total: 3, duration_ms: 1e3}
";

fn only_error(text: &str, hint: Option<Syntax>) -> String {
    let Validation { kind, errors, .. } = validate(text, hint);
    assert_eq!(kind, DocumentKind::Unknown);
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors[0].to_string()
}

#[test]
fn yaml_is_read_as_yaml_1_2() {
    for text in [YAML.to_owned(), format!("---\n{YAML}...\n"), format!("\u{feff}{YAML}")] {
        let (workflow, warnings) = read_workflow(&text, None).unwrap();
        assert_eq!(warnings, []);
        assert_eq!(workflow.agent.name, "no", "a word, not a truth value");
        assert_eq!(workflow.execution_config.test_command, "pytest -q\n");
        assert_eq!(workflow.loop_state.attempts[0].timestamp, "2026-02-03T04:05:06Z");
    }
    assert_eq!(validate(&YAML.replace('\n', "\r\n"), Some(Syntax::Yaml)).errors, []);
}

#[test]
fn flow_mappings_of_yaml_are_read_although_they_start_like_json() {
    let text = "{workflow_id: a, agent: {name: b, type: debugger}, code_artifact: {path: c, \
                language: go}, execution_config: {test_framework: go_test, test_command: d}, \
                loop_state: {phase: complete, attempt_number: 1, status: passed}}";
    assert_eq!(validate(text, None).errors, []);
    assert!(only_error(text, Some(Syntax::Json)).starts_with("line 1, column 2: not valid JSON:"));
}

#[test]
fn a_syntax_error_has_its_line_and_column() {
    assert_eq!(
        only_error("{\n  \"workflow_id\": \"a\",\n  \"agent\" 7\n}", Some(Syntax::Json)),
        "line 3, column 11: not valid JSON: expected `:`"
    );
    assert_eq!(
        only_error("{\"workflow_id\": [1, 2", None),
        "line 1, column 21: not valid JSON: EOF while parsing a list"
    );
    assert_eq!(
        only_error("workflow_id: a\nagent: \"x\ny\n", None),
        "line 3, column 1: not valid YAML: invalid indentation in multiline quoted scalar"
    );
    assert_eq!(
        only_error("workflow_id: a\nagent: [1, 2}\n", Some(Syntax::Yaml)),
        "line 2, column 8: not valid YAML: mismatched bracket '[' closed by '}'"
    );
}

#[test]
fn keys_that_come_twice_or_are_no_strings_are_errors() {
    assert_eq!(
        only_error("{\"workflow_id\": \"a\",\n \"workflow_id\": \"b\"}", None),
        "line 2, column 14: not valid JSON: the key `workflow_id` comes twice"
    );
    for (text, place, words) in [
        ("workflow_id: a\nagent: b\nworkflow_id: c\n", "line 3", "workflow_id"),
        ("workflow_id: a\nenvironment:\n  1: b\n", "line 3", "the key 1 is not a string"),
        ("workflow_id: a\nenvironment:\n  [x]: b\n", "line 3", "is not a string"),
        ("workflow_id: a\ntrue: b\n", "line 2", "the key true is not a string"),
        ("workflow_id: a\n~: b\n", "line 2", "the key null is not a string"),
    ] {
        let error = only_error(text, None);
        assert!(error.starts_with(place) && error.contains(words), "{error}");
    }
}

#[test]
fn what_is_no_document_is_reported_with_what_was_expected() {
    let expected = "expected a workflow document (a mapping with workflow_id, code_artifact, \
                    execution_config, loop_state), a debug-memory record (a mapping with \
                    session_id, executions, learnings), or a redgreen.toml";
    for (text, found) in [
        ("", "the document is empty"),
        ("   \n\n", "the document is empty"),
        ("# only a comment\n", "the document is empty"),
        ("---\n", "the document is empty"),
        ("null", "the document is empty"),
        ("- a\n- b\n", "the document is a list"),
        ("[1, 2]", "the document is a list"),
        ("just words", "the document is a single value"),
        ("42", "the document is a single value"),
        ("{}", "this is not a document that redgreen knows"),
        ("session_name: a\nsteps: []\n", "this is not a document that redgreen knows"),
    ] {
        assert_eq!(only_error(text, None), format!("{found}: {expected}"), "{text:?}");
    }
    assert!(only_error("", Some(Syntax::Json)).starts_with("the document is empty"));
    let errors = read_workflow("[loop]\nmax_attempts = 2\n", None).unwrap_err();
    assert_eq!(errors[0].message, "this is a redgreen.toml: expected a workflow document");
}

#[test]
fn several_documents_in_one_text_are_refused() {
    let error = only_error(&format!("{YAML}---\n{YAML}"), None);
    assert!(error.contains("document"), "{error}");
}

#[test]
fn numbers_that_json_does_not_have_are_refused() {
    for number in [".nan", ".inf", "-.inf", "1e999"] {
        let text = YAML.replace("1e3", number);
        let validation = validate(&text, None);
        assert!(!validation.is_valid(), "{number}");
    }
}

#[test]
fn aliases_are_read_and_bombs_are_refused() {
    let text = YAML.replace("loop_state:\n", "more: [*artifact, *artifact]\nloop_state:\n");
    assert_eq!(validate(&text, None).errors, []);

    let mut bomb = "workflow_id: a\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    let refused = only_error(&bomb, None);
    let wanted = ": not read, because it stands for more than 250000 values, its aliases counted";
    assert!(refused.ends_with(wanted), "{refused}");
    let deep = format!("workflow_id: {}{}\n", "[".repeat(200), "]".repeat(200));
    let refused = only_error(&deep, Some(Syntax::Yaml));
    assert!(refused.contains("nested more than 64 levels deep"), "{refused}");
    assert!(!validate("a: &a [*a]\nworkflow_id: b\n", None).is_valid());
    assert!(!validate("workflow_id: *nowhere\n", None).is_valid());
}

#[test]
fn depth_is_bounded_in_every_syntax() {
    const DEPTH: usize = 200_000;
    for (text, hint) in [
        ("[".repeat(DEPTH), Some(Syntax::Json)),
        (format!("{{\"workflow_id\": {}", "[".repeat(DEPTH)), None),
        (format!("{{\"workflow_id\": {}1{}}}", "[".repeat(DEPTH), "]".repeat(DEPTH)), None),
        ("{\"a\":".repeat(DEPTH), None),
        (format!("workflow_id: {}", "[".repeat(DEPTH)), None),
        (format!("workflow_id: {}", "{a: ".repeat(DEPTH)), None),
        ("- ".repeat(DEPTH), Some(Syntax::Yaml)),
        ("? ".repeat(DEPTH), Some(Syntax::Yaml)),
        ((0..2_000).map(|n| format!("{}a:\n", " ".repeat(n))).collect(), None),
        (format!("a = {}", "[".repeat(DEPTH)), Some(Syntax::Toml)),
        (format!("a = {}1{}", "[".repeat(DEPTH), "]".repeat(DEPTH)), Some(Syntax::Toml)),
        (format!("a = {}", "{ a = ".repeat(DEPTH)), Some(Syntax::Toml)),
        (format!("[{}a]", "a.".repeat(DEPTH)), Some(Syntax::Toml)),
        (format!("{}a = 1", "a.".repeat(DEPTH)), Some(Syntax::Toml)),
    ] {
        assert!(!validate(&text, hint).is_valid(), "{}…", &text[..20]);
    }
}

#[test]
fn size_and_number_of_problems_are_bounded() {
    let long = " ".repeat(MAX_DOCUMENT_BYTES + 1);
    for hint in [None, Some(Syntax::Json), Some(Syntax::Yaml), Some(Syntax::Toml)] {
        assert!(only_error(&long, hint).contains("at most 16777216 are allowed"));
    }

    let entries: String = (0..20_000).map(|n| format!("\"K{n}\": {n}, ")).collect();
    let text = format!(
        "{{\"workflow_id\": \"a\", \"execution_config\": {{\"environment\": {{{entries}\"Z\": 0}}}}}}"
    );
    let errors = validate(&text, None).errors;
    assert!(errors.len() <= MAX_PROBLEMS + 1);
    assert_eq!(errors.last().unwrap().message, "only 500 problems are shown: there are more");

    let keys: String = (0..20_000).map(|n| format!("k{n} = {n}\n")).collect();
    let errors = validate(&keys, Some(Syntax::Toml)).errors;
    assert_eq!(errors.len(), MAX_PROBLEMS + 1);
}

#[test]
fn what_is_shown_of_a_document_is_short_and_harmless() {
    let evil = format!("\u{1b}[31m\u{202e}{}", "x".repeat(100_000));
    let document = serde_json::json!({
        "workflow_id": "a", "loop_state": {"phase": evil, "attempts": {"\u{1b}[2J": 1}},
        "execution_config": {"environment": {evil.clone(): 7}},
    });
    let validation = validate(&document.to_string(), None);
    for problem in validation.errors {
        let shown = problem.to_string();
        assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown:?}");
        assert!(shown.chars().count() < 400, "{shown}");
    }
}

#[test]
fn what_a_parser_says_of_a_document_is_short_and_harmless() {
    let key = format!("\u{202e}{}", "k".repeat(100_000));
    for text in [
        format!("{{\"{key}\": 1, \"{key}\": 2}}"),
        format!("\"{key}\": 1\n\"{key}\": 2\n"),
        format!("\"{key}\" = 1\n\"{key}\" = 2\n"),
    ] {
        for error in validate(&text, None).errors {
            let shown = error.to_string();
            assert!(shown.chars().count() < 500 && !shown.contains('\u{202e}'), "{shown}");
        }
    }
}

#[test]
fn the_syntax_is_guessed_from_the_text() {
    for (text, kind) in [
        ("[loop]\nmax_attempts = 3\n", DocumentKind::Configuration),
        ("# redgreen\n\n[[checks]] # one\ncommand = \"pytest\"\n", DocumentKind::Configuration),
        ("agent.name = \"a\"\n", DocumentKind::Configuration),
        (YAML, DocumentKind::Workflow),
        ("workflow_id: a = b\n", DocumentKind::Workflow),
    ] {
        assert_eq!(validate(text, None).kind, kind, "{text}");
    }
    assert_eq!(Syntax::of_file_name("a/b.workflow.YML"), Some(Syntax::Yaml));
    assert_eq!(Syntax::of_file_name("redgreen.toml"), Some(Syntax::Toml));
    assert_eq!(Syntax::of_file_name("run.json"), Some(Syntax::Json));
    assert_eq!(Syntax::of_file_name("README"), None);
}
