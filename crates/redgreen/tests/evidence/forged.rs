//! Row 11 of the escapes: an agent writes evidence, edits the store, replays evidence of another tree.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use super::{assert_code, assert_says, green};
use crate::common::Project;

/// What is put in the place of a file, and what is said of it.
type Forgery = (fn(&Path), &'static str);

/// Evidence of a green tree, and then a red one in the work tree.
fn red_after_green() -> (Project, String) {
    let project = green();
    assert_code(&project.redgreen(&["test"]), 0);
    let passed = project.tree();
    project.write("value.sh", "first=ok\nsecond=bad\n");
    (project, passed)
}

#[test]
fn evidence_of_another_tree_under_this_ones_name_is_refused() {
    let (project, passed) = red_after_green();
    let trees = project.root().join(".redgreen/evidence/trees");
    let copied = trees.join(project.tree());
    fs::create_dir(&copied).expect("a folder");
    for file in fs::read_dir(trees.join(passed)).expect("a folder").flatten() {
        fs::copy(file.path(), copied.join(file.file_name())).expect("a copy");
    }
    let shown = project.redgreen(&["evidence", "show"]);
    assert_code(&shown, 1);
    assert_says(&shown, "it is the evidence of another tree");
    assert_says(&shown, "no evidence of tree");
}

#[test]
fn what_is_written_by_hand_edited_or_cut_is_refused_and_said() {
    let forgeries: [Forgery; 5] = [
        (|path| fs::write(path, "{\"result\":\"PASSED\"}\n").expect("it"), "not a DSSE envelope"),
        (
            |path| {
                let text = fs::read_to_string(path).expect("it").replacen("eyJfd", "eyJgd", 1);
                fs::write(path, text).expect("it");
            },
            "does not fit its content",
        ),
        (
            |path| {
                let text = fs::read(path).expect("it");
                fs::write(path, &text[..text.len() - 200]).expect("it");
            },
            "not a DSSE envelope",
        ),
        (|path| fs::write(path, vec![b'['; 50 << 20]).expect("it"), "not a DSSE envelope"),
        (
            |path| {
                fs::remove_file(path).expect("it");
                symlink("/etc/passwd", path).expect("a link");
            },
            "a symbolic link",
        ),
    ];
    let project = green();
    for (forge, words) in forgeries {
        assert_code(&project.redgreen(&["test"]), 0);
        for path in project.kept(".jsonl") {
            forge(&path);
        }
        let shown = project.redgreen(&["evidence", "show"]);
        assert_code(&shown, 1);
        assert_says(&shown, words);
        let exported = project.redgreen(&["evidence", "export"]);
        assert_code(&exported, 1);
        assert_eq!(exported.stdout, "");
    }
}

#[test]
fn a_forged_execution_is_said_and_run_again() {
    let project = green();
    assert_code(&project.redgreen(&["test"]), 0);
    for path in project.kept("executions") {
        let text = fs::read_to_string(&path).expect("it");
        fs::write(&path, text.replacen("eyJfd", "eyJgd", 1)).expect("it");
    }
    let done = project.run("printf 'first=ok\\nsecond=ok\\nthird=ok\\n' >value.sh\n", &[]);
    done.assert_ended(0, "passed", "");
    assert!(done.text().contains("does not fit its content"), "{}", done.text());
    assert!(!done.text().contains("seen to pass before"), "{}", done.text());
}

#[test]
fn evidence_of_somebody_elses_key_is_refused() {
    let project = green();
    assert_code(&project.redgreen(&["test"]), 0);
    // An agent that has redgreen sign with a key of its own.
    let mut own = project.redgreen_command(&["test"]);
    let own = own.env("XDG_STATE_HOME", project.outside()).output().expect("redgreen");
    assert!(own.status.success());
    let shown = project.redgreen(&["evidence", "show"]);
    assert_says(&shown, "signed with another key");
}

#[test]
fn a_key_that_is_not_safe_is_said_and_changes_no_verdict() {
    let wrong: [Forgery; 5] = [
        (|key| fs::create_dir(key).expect("a folder"), "it is a folder"),
        (|key| symlink("/etc/passwd", key).expect("a link"), "it is a symbolic link"),
        (|key| drop(std::process::Command::new("mkfifo").arg(key).status()), "it is a pipe"),
        (|key| fs::write(key, "short").expect("it"), "others may use it"),
        (
            |key| {
                fs::write(key, "short").expect("it");
                fs::set_permissions(key, fs::Permissions::from_mode(0o600)).expect("a mode");
            },
            "cut short",
        ),
    ];
    let project = green();
    assert_code(&project.redgreen(&["test"]), 0);
    for (put, words) in wrong {
        let key = project.key();
        let _ = fs::remove_dir(&key).or_else(|_| fs::remove_file(&key));
        put(&key);
        let tested = project.redgreen(&["test"]);
        assert_code(&tested, 0);
        assert_says(&tested, "no evidence is signed");
        assert_says(&tested, words);
        let shown = project.redgreen(&["evidence", "show"]);
        assert_code(&shown, 3);
        assert_says(&shown, words);
    }
}

#[test]
fn a_key_in_the_work_tree_is_not_used() {
    let project = green();
    let mut command = project.redgreen_command(&["test"]);
    let tested = command.env("XDG_STATE_HOME", project.root().join("state")).output();
    let tested = tested.expect("redgreen").into();
    assert_code(&tested, 0);
    assert_says(&tested, "the key would be inside of the work tree");
    assert!(!project.root().join("state").exists());
}

#[test]
fn a_store_that_cannot_be_written_is_said_and_changes_no_verdict() {
    let project = green();
    fs::create_dir(project.root().join(".redgreen")).expect("a folder");
    project.write(".redgreen/evidence", "in the way");
    let tested = project.redgreen(&["test"]);
    assert_code(&tested, 0);
    assert_says(&tested, "this execution is not recorded");
    assert_says(&tested, "the evidence of this verdict is not kept");
    assert_eq!(project.read(".redgreen/evidence"), "in the way");
}

#[test]
fn a_journal_that_was_edited_is_not_taken_up() {
    let project = Project::shell();
    let done = project.run("printf 'first=ok\\nsecond=ok\\n' >value.sh\n", &[]);
    done.assert_ended(0, "passed", "");
    let folder = project.root().join(".redgreen/sessions").join(project.session());
    let again = |code: i32| {
        let _ = fs::remove_file(folder.join("report.md"));
        let _ = fs::remove_dir_all(project.root().join(".redgreen/evidence"));
        let resumed = project.redgreen(&["resume"]);
        assert_code(&resumed, code);
        resumed
    };
    let memory = format!(".aiwg/ralph/debug-memory/sessions/session-{}.json", project.session());
    let is_sealed = || project.read(&memory).contains("\"seal\"");
    let (journal, seal) = (folder.join("journal.jsonl"), folder.join("journal.seal"));
    let text = fs::read_to_string(&journal).expect("a journal");
    let (before, last) = text.trim_end().rsplit_once('\n').expect("lines");
    let (before, _) = before.rsplit_once('\n').expect("lines");
    // As it was: what is missing is made up for. What is not sealed did not happen.
    for tail in ["", "{\"at\":\"2026", last, &format!("{last}\n")] {
        fs::write(&journal, format!("{text}{tail}")).expect("it");
        again(0);
        assert_eq!((project.evidence().0, is_sealed()), (Some(0), true), "{tail}");
        assert_eq!(fs::read_to_string(&journal).expect("it"), text);
    }
    assert!(!project.redgreen(&["report"]).stderr.contains("unverified: "));
    let refused = |what: &str| {
        let record = project.read(&memory);
        assert_says(&again(2), "is not as redgreen wrote it with your key");
        assert!(project.evidence().0 != Some(0) && !folder.join("report.md").exists(), "{what}");
        assert_eq!(project.read(&memory), record, "{what}");
    };
    assert!(text.contains("\"duration_ms\":"));
    let edited = text.replacen("\"duration_ms\":", "\"duration_ms\":1", 1);
    for forged in [&edited, &format!("{before}\n"), &text.replacen("value", "other", 1)] {
        fs::write(&journal, forged).expect("it");
        refused(forged);
    }
    assert_says(&project.redgreen(&["report"]), "unverified: ");
    fs::write(&journal, &text).expect("it");
    let good = fs::read(&seal).expect("a seal");
    fs::write(&seal, "{}").expect("it");
    refused("a seal of somebody");
    fs::remove_file(&seal).expect("it");
    refused("no seal");
    // Nor can a journal be taken from another session, with its seal.
    fs::write(&seal, good).expect("it");
    let other = folder.with_file_name("ffffffff-ffff-7fff-bfff-ffffffffffff");
    fs::rename(&folder, &other).expect("renamed");
    let resumed = project.redgreen(&["resume"]);
    assert_code(&resumed, 2);
    assert_says(&resumed, "is not as redgreen wrote it with your key");
}
