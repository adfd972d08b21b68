//! What a user may set: tools that mend alone, and a text of their own.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::common::Project;
use crate::gate::visitor::Visitor;

/// A linter of the project: no line ends with a space. It can mend that itself.
const LINT: &str = "#!/bin/sh\nif grep -n ' $' calc.py; then echo 'calc.py:1:1: W291 trailing whitespace'; exit 1; fi\n";
const MEND: &str = "#!/bin/sh\nsed -i 's/ *$//' calc.py\n";

fn linted(mend: bool) -> Project {
    let project = Project::pytest();
    for (name, text) in [("lint.sh", LINT), ("mend.sh", MEND)] {
        project.write(name, text);
        fs::set_permissions(project.root().join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mend = if mend { "mend = \"./mend.sh\"\n" } else { "" };
    let checks = project.read("redgreen.toml");
    project.write(
        "redgreen.toml",
        format!("{checks}\n[[checks]]\nname = \"style\"\ncommand = \"./lint.sh\"\njudge_by = \"exit_code\"\n{mend}"),
    );
    project.commit();
    project
}

/// The right fix, with spaces behind it.
const UNTIDY: &str = "sed -i '6s/a + b/a - b  /' calc.py";

#[test]
fn what_a_tool_mends_alone_costs_no_attempt() {
    let project = linted(true);
    let done = project.run(UNTIDY, &[]);
    done.assert_ended(0, "passed", "");
    assert_eq!(done.last("finished")["attempts"], 1);
    assert!(project.read("calc.py").ends_with("return a - b\n"));
    assert!(done.text().contains("style was red: `./mend.sh` changed calc.py"), "{}", done.text());
    // What is recorded of the attempt is what came of it.
    let journal = project.journal();
    let ended = journal.iter().find(|it| it["input"] == "agent_ended").unwrap();
    let diff = ended["result"]["diff"].as_str().unwrap();
    assert!(diff.contains("+    return a - b\n"), "{diff}");
}

#[test]
fn nobody_mends_what_the_user_did_not_allow_or_what_is_green() {
    let project = linted(false);
    let done = project.run(&format!("[ $REDGREEN_ATTEMPT = 1 ] || exit 1\n{UNTIDY}"), &[]);
    assert!(project.read("calc.py").contains("a - b  \n"), "{}", done.text());
    let project = linted(true);
    let done = project.run("sed -i '6s/a + b/a - b/' calc.py", &[]);
    done.assert_ended(0, "passed", "");
    assert!(!done.text().contains("./mend.sh"), "{}", done.text());
}

#[test]
fn an_agent_at_the_gate_is_told_of_the_tool_and_its_files_are_left_alone() {
    let visitor = Visitor::of(linted(true));
    let calc = visitor.project.read("calc.py").replacen("a + b", "a + b  ", 1);
    visitor.project.write("calc.py", &calc);
    let said = visitor.event("Stop").0["reason"].as_str().unwrap().to_owned();
    let told = "Some of what style finds can be mended by itself: run `./mend.sh` first.";
    assert!(said.contains(told), "{said}");
    assert_eq!(visitor.project.read("calc.py"), calc);
}

#[test]
fn a_text_of_the_users_own_stands_around_the_parts() {
    let project = Project::pytest();
    project.write("feedback.md", "OURS {{ feedback.attempt }}\n{{ failures }}{{ analysis }}");
    let checks = project.read("redgreen.toml");
    project
        .write("redgreen.toml", format!("[loop]\nfeedback_template = \"feedback.md\"\n{checks}"));
    project.commit();
    let wrong = "sed -i \"6s/return.*/return a + b + $REDGREEN_ATTEMPT/\" calc.py";
    project.run(wrong, &["--max-attempts", "2"]);
    let prompt = project.session_file("agent/2-apply_fix/prompt.md");
    assert!(prompt.starts_with("OURS 2\n## Failing now"), "{prompt}");
    assert!(prompt.contains("test_subtract") && prompt.contains("## Analysis"), "{prompt}");
    assert!(!prompt.contains("## Rules"), "{prompt}");
}

#[test]
fn a_template_that_cannot_be_used_is_said_to_be_so() {
    for (text, problem) in [(Some("{{ failurs }}"), "undefined"), (None, "there is no such file")] {
        let project = Project::pytest();
        if let Some(text) = text {
            project.write("feedback.md", text);
        }
        let checks = project.read("redgreen.toml");
        project.write(
            "redgreen.toml",
            format!("[loop]\nfeedback_template = \"feedback.md\"\n{checks}"),
        );
        project.commit();
        let done = project.run("sed -i '6s/a + b/a * b + 3/' calc.py", &["--max-attempts", "2"]);
        let notice = "the template feedback.md cannot be used, redgreen's own is: ";
        assert!(done.text().contains(notice) && done.text().contains(problem), "{}", done.text());
        let prompt = project.session_file("agent/2-apply_fix/prompt.md");
        assert!(prompt.starts_with("# Attempt 2 of 2"), "{prompt}");
    }
}
