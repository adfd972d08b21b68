use super::{PlanFile, read};
use crate::workflow::CodeType;

const CHECKLIST: &str = "# Calculator

All functions live in `calc.py`.

- [ ] Add `multiply`
  with a test for zero
  - kind: new_function
  - accept: `python -m pytest tests/test_multiply.py`
  - mind the sign: minus times minus
- [x] Add `add`

## Later
* [ ] Fix [the sign](https://example.org)
      - accept: ./check.sh
      - accept: `a` and `b`

Not an item.
";

fn titles(plan: &PlanFile) -> Vec<(&str, usize, bool)> {
    plan.items.iter().map(|item| (item.title(), item.line, item.done)).collect()
}

#[test]
fn a_checklist_is_read_with_what_belongs_to_each_item() {
    let plan = read(CHECKLIST, "plan.md").expect("a plan");
    assert_eq!(
        titles(&plan),
        [
            ("Add `multiply`", 5, false),
            ("Add `add`", 10, true),
            ("Fix [the sign](https://example.org)", 13, false)
        ]
    );
    let [multiply, _, fix] = &plan.items[..] else { panic!("three items") };
    assert_eq!(plan.about, "# Calculator\n\nAll functions live in `calc.py`.");
    let task = "Add `multiply`\nwith a test for zero\n- mind the sign: minus times minus";
    assert_eq!(multiply.task, task);
    assert_eq!(multiply.kind, Some(CodeType::NewFunction));
    assert_eq!(multiply.accept, ["python -m pytest tests/test_multiply.py"]);
    assert_eq!(fix.accept, ["./check.sh", "`a` and `b`"]);
    assert_eq!(fix.kind, None);
}

#[test]
fn code_in_a_plan_is_text() {
    let text = "```\n- [ ] not this\n```\n1. [ ] this\n   ~~~\n   - [ ] nor this\n   ~~~\n";
    let plan = read(text, "plan").expect("a plan");
    assert_eq!(titles(&plan), [("this", 4, false)]);
    assert!(plan.items[0].task.contains("nor this"));
}

#[test]
fn yaml_and_json_say_the_same() {
    let yaml = "about: all of it is in calc.py\nitems:\n  - task: |\n      Add multiply\n      with a test\n    kind: new_function\n    accept: ./check.sh\n  - task: Fix it\n    accept: [a, b]\n    done: true\n";
    let json = r#"{"about": "all of it is in calc.py", "items": [
        {"task": "Add multiply\nwith a test", "kind": "new_function", "accept": "./check.sh"},
        {"task": "Fix it", "accept": ["a", "b"], "done": true}]}"#;
    let plan = read(yaml, "plan.yaml").expect("a plan");
    assert_eq!(titles(&plan), [("Add multiply", 3, false), ("Fix it", 8, true)]);
    assert_eq!(plan.items[1].accept, ["a", "b"]);
    let same = read(json, "plan.json").expect("a plan");
    let tasks =
        |plan: &PlanFile| plan.items.iter().map(|item| item.task.clone()).collect::<Vec<_>>();
    assert_eq!((tasks(&plan), &plan.about), (tasks(&same), &same.about));
}

#[test]
fn what_is_wrong_names_the_line_the_reason_and_what_to_do() {
    for (name, text, line, reason, advice) in [
        ("p.md", "", 1, "no item", "checklist"),
        ("p.md", "# A\n- add a thing\n", 1, "no item", "- [ ]"),
        ("p.md", "- [ ] a\n- [y] b\n", 2, "`[y]` is neither open nor done", "[x]"),
        ("p.md", "- [ ] a\n- [ ]\n", 2, "the task is empty", "say what"),
        ("p.md", "- [ ] a\n  - kind: bugfix\n", 2, "did you mean `bug_fix`", "leave `kind` out"),
        ("p.md", "- [ ] a\n  - kind: refactor\n  - kind: bug_fix\n", 3, "a second", "keep one"),
        ("p.md", "- [ ] a\n  - accept:\n", 2, "is empty", "the command that must pass"),
        ("p.md", "- [ ] a\n  - [ ] b\n", 2, "a checkbox inside", "move it to the left"),
        ("p.yaml", "items:\n  - task: a\n    knid: x\n", 3, "knid", "`task:`"),
        ("p.yaml", "items:\n  - task: a\n    kind: x\n", 3, "is not a code type", "leave `kind`"),
        ("p.yaml", "items: []\n", 1, "no item", "`items:`"),
        ("p.yaml", "items:\n  - task: a\n    accept: ['']\n", 3, "is empty", "must pass"),
        ("p.yaml", "items:\n  - task: ''\n", 2, "the task is empty", "say what"),
        ("p.yaml", "items:\n  - [\n", 2, "not valid YAML", "`items:`"),
        ("p.yaml", "- task: a\n", 1, "", "`items:`"),
        ("p.toml", "a = 1", 1, "TOML", "Markdown"),
    ] {
        let error = read(text, name).expect_err(text);
        assert_eq!(error.line, line, "{text}: {error}");
        assert!(error.reason.contains(reason), "{text}: {error}");
        assert!(error.advice.contains(advice), "{text}: {}", error.advice);
    }
    let long = "- [ ] a\n".repeat(501);
    assert_eq!(read(&long, "p.md").expect_err("too long").line, 501);
}

proptest::proptest! {
    #[test]
    fn whatever_the_text_there_is_an_answer(text in "(?s)[-*+ \\[\\]x`a:\n#~]{0,80}") {
        for name in ["p.md", "p.yaml"] {
            if let Ok(plan) = read(&text, name) {
                assert!(!plan.items.is_empty());
                assert!(plan.items.iter().all(|item| !item.task.trim().is_empty()));
            }
        }
    }
}
