//! What an agent makes of the settings that have redgreen's hook in them.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::common::Project;
use crate::gate::FIX;
use crate::gate::visitor::{Visitor, reason};

const SETTINGS: &str = ".claude/settings.json";
const OFF: &str = "{\"disableAllHooks\": true}";

/// A session in a project with the hooks of Claude Code, in which the bug is mended.
fn hooked() -> Visitor {
    let project = Project::pytest();
    project.redgreen(&["hooks", "install", "claude"]).assert_code(0);
    project.write(
        ".gitignore",
        format!("{}\n.claude/settings.local.json\n", project.read(".gitignore")),
    );
    project.commit();
    let visitor = Visitor::of(project);
    visitor.project.write("calc.py", FIX);
    visitor
}

#[test]
fn a_permission_or_a_hook_of_somebody_else_is_nobodys_business() {
    let visitor = hooked();
    let mut settings: Value = serde_json::from_str(&visitor.project.read(SETTINGS)).expect("JSON");
    settings["permissions"] = json!({"allow": ["Bash(pytest:*)"]});
    settings["model"] = json!("opus");
    settings["hooks"]["PostToolUse"] = json!([{"hooks": [{"type": "command", "command": "fmt"}]}]);
    visitor.project.write(SETTINGS, settings.to_string());
    let user = visitor.project.home().join(SETTINGS);
    fs::create_dir_all(user.parent().expect("a folder")).expect("a folder");
    fs::write(user, "{\"permissions\": {\"allow\": [\"Bash\"]}}").expect("settings");
    assert_eq!(visitor.stop(), Value::Null);
}

#[test]
fn what_turns_the_hook_off_holds_wherever_it_is() {
    let visitor = hooked();
    let project = &visitor.project;
    // Where no tree has it: the user's, and what git ignores.
    let user = project.home().join(SETTINGS);
    fs::create_dir_all(user.parent().expect("a folder")).expect("a folder");
    for file in [user, project.root().join(".claude/settings.local.json")] {
        fs::write(&file, OFF).expect("settings");
        let answer = visitor.stop();
        let said = reason(&answer);
        let said =
            project.plain(said).replace(&project.plain(&file.display().to_string()), "[file]");
        let said = said.replace("(1 of 2)", "(once more)").replace("(2 of 2)", "(once more)");
        insta::allow_duplicates! {
            assert_snapshot!(said, @r#"
            redgreen could not run the checks, so nothing is verified: [file]: `disableAllHooks`: true turns hooks off; only a person may change that, so put it back as it was

            If your change broke this, repair it. If it needs a person, say so and end your turn again (once more), or run `redgreen give-up "why"`.
            "#);
        }
        fs::remove_file(&file).expect("removed");
    }
    // Its own command for it is a person's.
    let mut uninstall = project.redgreen_command(&["hooks", "uninstall", "--user"]);
    let ended = uninstall.env("CLAUDECODE", "1").output().expect("redgreen");
    assert_snapshot!(project.shown(&ended.into()), @"
    exit 2
    --- stderr
    error: only a person may remove hooks, and CLAUDECODE says that an agent runs this
    ");
    // In the tree it is a finding like any other change of the rules.
    let original = project.read(SETTINGS);
    let mut settings: Value = serde_json::from_str(&original).expect("JSON");
    settings["disableAllHooks"] = json!(true);
    project.write(SETTINGS, settings.to_string());
    let answer = visitor.stop();
    assert!(reason(&answer).contains(".claude/settings.json changed: only a person"), "{answer}");
    project.write(SETTINGS, original);
    assert_eq!(visitor.stop(), Value::Null);
}
