//! An unchanged tree is answered for at a glance: without git, and never when something did change.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use insta::assert_snapshot;
use serde_json::Value;

use super::FIX;
use super::visitor::{Visitor, reason};
use crate::common::Project;

/// A session whose tree passed, and was looked at since.
fn settled() -> Visitor {
    let visitor = Visitor::new();
    visitor.project.write("calc.py", FIX);
    assert_eq!(visitor.stop(), Value::Null);
    settle(&visitor);
    visitor
}

/// Asks until the answers come without git. Files that are as young as the look at them are not trusted,
/// and git must have nothing to write down any more.
fn settle(visitor: &Visitor) {
    visitor.project.git(&["status"]);
    for _ in 0..100 {
        visitor.project.redgreen(&["gate"]).assert_code(0);
        assert_eq!(visitor.stop(), Value::Null);
        let _gone = NoGit::in_project(&visitor.project);
        if visitor.project.redgreen(&["gate"]).code == Some(0) && visitor.stop() == Value::Null {
            return;
        }
    }
    panic!("git is still asked");
}

/// While this lives, git cannot be run.
struct NoGit(PathBuf);

impl NoGit {
    fn in_project(project: &Project) -> Self {
        let git = project.programs().join("git");
        fs::create_dir_all(project.programs()).expect("a folder");
        fs::write(&git, "#!/bin/sh\nexit 99\n").expect("a program");
        fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).expect("a program");
        Self(git)
    }
}

impl Drop for NoGit {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn nothing_changed_and_git_is_not_asked() {
    let visitor = settled();
    let executions = visitor.project.executions();
    let _gone = NoGit::in_project(&visitor.project);
    let allowed = visitor.project.redgreen(&["gate"]);
    assert_snapshot!(visitor.project.shown(&allowed), @"
    exit 0
    --- stdout
    ALLOWED: tree [tree], seen to pass at [date]
    ");
    assert_eq!(visitor.stop(), Value::Null);
    assert_eq!(visitor.project.executions(), executions);
    // Another question is another answer.
    assert_ne!(visitor.project.redgreen(&["gate", "--base", "HEAD"]).code, Some(0));
    let other = Visitor { session: "s-2", ..visitor };
    assert_ne!(other.stop(), Value::Null);
}

#[test]
fn an_edit_of_the_same_length_and_with_the_old_date_is_seen() {
    let visitor = settled();
    let path = visitor.project.root().join("calc.py");
    let old = fs::metadata(&path).and_then(|found| found.modified()).expect("a date");
    visitor.project.write("calc.py", FIX.replace("a - b", "b - a"));
    let file = File::options().write(true).open(&path).expect("opened");
    file.set_times(FileTimes::new().set_modified(old)).expect("dated");
    visitor.project.redgreen(&["gate", "--no-execute"]).assert_code(1);
    assert!(reason(&visitor.stop()).contains("test_subtract"));
}

#[test]
fn evidence_that_is_gone_or_bent_is_no_evidence() {
    let visitor = settled();
    let evidence = visitor.project.root().join(".redgreen/evidence");
    let kept = visitor.project.outside().join("evidence");
    fs::rename(&evidence, &kept).expect("moved");
    visitor.project.redgreen(&["gate", "--no-execute"]).assert_code(1);
    fs::rename(&kept, &evidence).expect("moved back");
    visitor.project.redgreen(&["gate", "--no-execute"]).assert_code(0);
    visitor
        .shell("find .redgreen/evidence -name '*.verdict.json' -exec sed -i 's/.\"}/x\"}/' {} +");
    let refused = visitor.project.redgreen(&["gate", "--no-execute"]);
    assert_snapshot!(visitor.project.shown(&refused), @r#"
    exit 1
    --- stdout
    BLOCKED: Execution Evidence Required
    ======================================

    Tree: [tree]

    redgreen has not seen this tree pass.

    Actions:
      1. Run the checks: redgreen gate (it runs python -m pytest -q)

    Skip (with reason): redgreen skip "why"
    ======================================
    --- stderr
    evidence/trees/[hash]/[hash]-[hash].verdict.json is not believed: its signature does not fit its content: it was changed, or never signed with this key
    "#);
}

/// What was kept of the look is no secret, and not where the agent works; torn, it is of no use.
#[test]
fn what_was_kept_may_be_torn() {
    let visitor = settled();
    visitor.shell(
        "find ../home -name glance -exec sh -c 'head -c 300 \"$1\" > x && mv x \"$1\"' sh {} \\;",
    );
    visitor.project.redgreen(&["gate", "--no-execute"]).assert_code(0);
    visitor.shell("find ../home -name glance -exec cp /bin/sh {} \\;");
    visitor.project.redgreen(&["gate", "--no-execute"]).assert_code(0);
    assert_eq!(visitor.stop(), Value::Null);
}
