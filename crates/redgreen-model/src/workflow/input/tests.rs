use super::{Effect, read_input};

/// The guide's quick start.
const QUICK_START: &str = r#"# 1. Generate code
code_artifact:
  path: "src/utils/validate.ts"
  language: typescript
  code_type: new_function

# 2. Generate tests
test_files:
  - "test/unit/utils/validate.test.ts"

# 3. Execute
execution_config:
  test_framework: jest
  test_command: "npx jest test/unit/utils/validate.test.ts"

# 4. Retry on failure (max 3 attempts)
retry_policy:
  max_attempts: 3
  escalation_on_max: true
"#;

#[test]
fn the_quick_start_of_the_guide_is_enough_also_without_its_indentation() {
    let flat: Vec<&str> = QUICK_START.lines().map(str::trim_start).collect();
    for text in [QUICK_START, &flat.join("\n")] {
        let input = read_input(text, None).expect("a document");
        let task = input.task();
        for part in ["src/utils/validate.ts", "typescript", "test/unit/utils/validate.test.ts"] {
            assert!(task.contains(part), "{task}");
        }
        assert_eq!(input.workflow.retry_policy.as_ref().map(|it| it.max_attempts), Some(3));
        assert!(!input.names_agent && input.refused().count() == 0);
        assert!(
            input.fields.iter().all(|field| field.effect == Effect::Acts),
            "{:?}",
            input.fields
        );
    }
}

#[test]
fn every_field_acts_or_is_named() {
    let text = QUICK_START.to_owned()
        + "workflow_id: ef-001\nagent: {name: a, type: code_reviewer, version: '2'}\nloop_state: {phase: complete, attempt_number: 2, status: passed}\nralph_integration: {loop_id: l, execution_gate: {allow_skip: true, require_passing_tests: true}}\nserver: {port: 1}\n";
    let text = text.replace("  test_framework: jest", "  test_framework: jest\n  fail_fast: true");
    let input = read_input(&text, None).expect("a document");
    let refused: Vec<&str> = input.refused().map(|it| it.field.as_str()).collect();
    let mut expected = [
        "agent.type",
        "agent.version",
        "execution_config.fail_fast",
        "ralph_integration.execution_gate.allow_skip",
        "server.port",
    ];
    expected.sort_unstable();
    let mut found = refused.clone();
    found.sort_unstable();
    assert_eq!(found, expected);
    let seen = |it: &&super::FieldEffect| it.effect == Effect::Seen;
    assert_eq!(input.fields.iter().filter(seen).count(), 1, "{:?}", input.fields);
}

#[test]
fn what_a_run_needs_and_lacks_is_said_by_name() {
    let errors = read_input("execution_config: {test_framework: jest}\n", None).expect_err("lacks");
    let paths: Vec<&str> = errors.iter().map(|it| it.path.as_str()).collect();
    // What a mapping lacks is said before what is wrong in it.
    assert_eq!(paths, ["code_artifact", "execution_config.test_command"], "{errors:?}");
    assert!(read_input("- a\n", None).is_err() && read_input("", None).is_err());
}
