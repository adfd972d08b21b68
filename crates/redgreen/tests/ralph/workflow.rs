//! Workflow documents as input: the guide's quick start and the examples of the schema, as they stand.

use serde_json::Value;

use crate::common::{Project, events};

/// The guide's quick start.
const QUICK_START: &str = "# 1. Generate code\ncode_artifact:\n  path: \"src/utils/validate.ts\"\n  language: typescript\n  code_type: new_function\n\n# 2. Generate tests\ntest_files:\n  - \"test/unit/utils/validate.test.ts\"\n\n# 3. Execute\nexecution_config:\n  test_framework: jest\n  test_command: \"npx jest test/unit/utils/validate.test.ts\"\n\n# 4. Retry on failure (max 3 attempts)\nretry_policy:\n  max_attempts: 3\n  escalation_on_max: true\n";

/// The schema's first example.
const SIMPLE_FUNCTION: &str = r#"workflow_id: "ef-001"
agent:
  name: "software-implementer"
  type: software_implementer
code_artifact:
  path: "src/utils/validate.ts"
  language: typescript
  code_type: new_function
  test_files: ["test/unit/utils/validate.test.ts"]
execution_config:
  test_framework: jest
  test_command: "npx jest test/unit/utils/validate.test.ts"
  timeout_seconds: 30
retry_policy:
  max_attempts: 3
  escalation_on_max: true
coverage_requirements:
  new_function:
    minimum_coverage: 80
    required_tests: [happy_path, edge_cases, error_handling]
loop_state:
  phase: complete
  attempt_number: 2
  status: passed
  test_results:
    total: 8
    passed: 8
    failed: 0
    errors: 0
    skipped: 0
    duration_ms: 450
    coverage_percent: 92
  attempts:
    - attempt_number: 1
      timestamp: "2026-01-25T10:00:00Z"
      phase: execute_tests
      test_results: {total: 8, passed: 6, failed: 2, errors: 0, skipped: 0}
      failures:
        - test_name: "should reject empty string"
          error_type: "TypeError"
          error_message: "Cannot read property 'length' of null"
      analysis:
        root_cause: "Missing null check in validateInput()"
        fix_strategy: "Add null/undefined guard at function entry"
        confidence: 0.95
      fix_applied:
        description: "Added null check: if (!input) return { valid: false }"
        diff_summary: "+3/-0 lines"
    - attempt_number: 2
      timestamp: "2026-01-25T10:00:30Z"
      phase: verify_fix
      test_results: {total: 8, passed: 8, failed: 0, errors: 0, skipped: 0}
"#;

/// The schema's second example.
const BUG_FIX_ESCALATED: &str = "workflow_id: \"ef-002\"\nagent:\n  name: \"debugger\"\n  type: debugger\ncode_artifact:\n  path: \"src/auth/token.ts\"\n  language: typescript\n  code_type: bug_fix\nexecution_config:\n  test_framework: jest\n  test_command: \"npx jest test/unit/auth/token.test.ts\"\nretry_policy:\n  max_attempts: 3\n  escalation_on_max: true\nloop_state:\n  phase: escalated\n  attempt_number: 3\n  status: escalated\n";

/// Writes a validator that misses the guard at first, with its tests; of the token's bug it never finds the cause.
const AGENT: &str = r#"cp "$REDGREEN_PROMPT_FILE" "$OUTSIDE/prompt-$REDGREEN_ATTEMPT"
if grep -q token.ts "$REDGREEN_PROMPT_FILE"; then
    printf "module.exports = { age: (token) => token.now - token.then + $REDGREEN_ATTEMPT };\n" >src/auth/token.ts
    exit 0
fi
mkdir -p src/utils test/unit/utils
guard=
[ "$REDGREEN_ATTEMPT" = 1 ] || guard='  if (!input) return { valid: false };\n'
printf "function validateInput(input) {\n$guard  return { valid: input.length > 2 };\n}\nmodule.exports = { validateInput };\n" >src/utils/validate.ts
cat >test/unit/utils/validate.test.ts <<'END'
const { validateInput } = require('../../../src/utils/validate');
test('accepts a name', () => expect(validateInput('anna')).toEqual({ valid: true }));
test('rejects what is short', () => expect(validateInput('ab')).toEqual({ valid: false }));
test('accepts three letters', () => expect(validateInput('abc')).toEqual({ valid: true }));
test('rejects null', () => expect(validateInput(null)).toEqual({ valid: false }));
END
"#;

fn project() -> Project {
    let project = Project::javascript("jest", "current");
    project.write("src/auth/token.ts", "module.exports = { age: (token) => token.now };\n");
    project.write("test/unit/auth/token.test.ts", "const { age } = require('../../../src/auth/token');\ntest('age', () => expect(age({ now: 5, then: 3 })).toBe(2));\n");
    let agent = project.agent(AGENT).replace('\'', "");
    let config = format!(
        "[agents.software-implementer]\ncommand = \"{agent}\"\n\n[agents.debugger]\ncommand = \"{agent}\"\n\n[agent]\ncommand = \"{agent}\"\n"
    );
    project.write("redgreen.toml", config);
    project.commit();
    project
}

/// Runs a document that lies beside the project.
fn run(project: &Project, document: &str) -> (Option<i32>, Vec<Value>, String) {
    let file = project.outside().join("workflow.yaml");
    std::fs::write(&file, document).expect("a document");
    let ended = project.redgreen(&["run", "--json", "--workflow", &file.display().to_string()]);
    let text = format!("{}\n{}", ended.stdout, ended.stderr);
    (ended.code, events(&ended.stdout), text)
}

#[test]
fn the_quick_start_and_the_first_example_run_as_they_stand() {
    for document in [QUICK_START, SIMPLE_FUNCTION] {
        let project = project();
        let (code, events, text) = run(&project, document);
        assert_eq!(code, Some(0), "{text}");
        let finished = events.last().expect("an event");
        assert_eq!(
            (&finished["status"], &finished["attempts"]),
            (&"passed".into(), &2.into()),
            "{text}"
        );
        let prompt = project.notes("prompt-1");
        for part in ["src/utils/validate.ts", "typescript", "test/unit/utils/validate.test.ts"] {
            assert!(prompt.contains(part), "{prompt}");
        }
        let taken_over = text.contains("loop_state is not taken over");
        assert_eq!(taken_over, document == SIMPLE_FUNCTION, "{text}");
        assert_eq!(prompt.contains("happy path, edge cases"), document == SIMPLE_FUNCTION);
    }
}

#[test]
fn the_second_example_escalates_after_three_attempts() {
    let project = project();
    let (code, events, text) = run(&project, BUG_FIX_ESCALATED);
    assert_eq!(code, Some(1), "{text}");
    let finished = events.last().expect("an event");
    let seen = (&finished["status"], &finished["reason"], &finished["attempts"]);
    assert_eq!(
        seen,
        (&"escalated".into(), &"bounded_attempts_exceeded".into(), &3.into()),
        "{text}"
    );
    let document: Value =
        serde_json::from_str(&project.session_file("workflow.json")).expect("JSON");
    assert_eq!(document["agent"]["name"], "debugger");
    assert_eq!(document["code_artifact"]["code_type"], "bug_fix");
}

#[test]
fn what_cannot_be_followed_is_refused_by_name_before_anything_begins() {
    let project = project();
    for (change, named) in [
        ("agent: {name: nobody, type: debugger}", "[agents.nobody]"),
        ("agent: {name: debugger, type: code_reviewer}", "agent.type"),
        ("debugger_port: 7", "debugger_port"),
        (
            "escalation_policy: {notification: {channel: slack}}",
            "escalation_policy.notification.channel",
        ),
        (
            "escalation_policy: {triggers: [{condition: max_attempts_reached, action: senior_agent}]}",
            "needs a second agent",
        ),
        (
            "escalation_policy: {triggers: [{condition: unknown_error_type, action: human_review}, {condition: unknown_error_type, action: flag_and_continue}]}",
            "can never fire",
        ),
        (
            "ralph_integration: {execution_gate: {allow_skip: true}}",
            "ralph_integration.execution_gate.allow_skip",
        ),
    ] {
        let (code, _, text) = run(&project, &format!("{QUICK_START}{change}\n"));
        assert_eq!(code, Some(2), "{change}: {text}");
        assert!(text.contains(named), "no {named} in {text}");
    }
    let hash = QUICK_START.replace("  code_type: new_function", "  content_hash: abc");
    let (code, _, text) = run(&project, &hash);
    assert!(code == Some(2) && text.contains("content_hash"), "{text}");
    assert!(project.notes("prompt-1").is_empty(), "an agent was asked");
    let file = project.outside().join("workflow.yaml").display().to_string();
    std::fs::write(&file, format!("{SIMPLE_FUNCTION}debugger_port: 7\n")).expect("a document");
    let validated = project.redgreen(&["validate", &file]);
    for line in ["loop_state not taken over", "debugger_port refused"] {
        assert!(validated.stdout.contains(line), "no {line} in {}", validated.stdout);
    }
}
