//! `redgreen clean`: what old sessions left behind goes, what somebody needs stays.

use std::fs;

use crate::common::Project;

fn names(project: &Project, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(project.root().join(".redgreen").join(folder)).into_iter().flatten();
    entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

fn refs(project: &Project) -> String {
    project.git(&["for-each-ref", "--format=%(refname)", "refs/redgreen"])
}

#[test]
fn what_is_old_goes_and_evidence_stays() {
    let project = Project::pytest();
    project
        .run("sed -i '/def subtract/,$s/a + b/a - b/' calc.py", &[])
        .assert_ended(0, "passed", "");
    let session = project.session();
    project.redgreen(&["test"]);
    // Of a session that is gone, as old as its id says: from 2020.
    let orphan = "refs/redgreen/016f5e66-e800-7000-8000-000000000000/start";
    project.git(&["update-ref", orphan, "HEAD"]);
    let foreign = "refs/redgreen/mine";
    project.git(&["update-ref", foreign, "HEAD"]);

    let young = project.redgreen(&["clean", "--dry-run"]);
    assert_eq!(young.code, Some(0), "{}", young.stderr);
    assert!(young.stdout.contains("would remove: 0 sessions, 0 single runs"), "{}", young.stdout);
    assert!(young.stdout.contains("1 trees under refs/redgreen"), "{}", young.stdout);
    assert!(refs(&project).contains(orphan), "nothing was removed");

    let all = project.redgreen(&["clean", "--older-than", "0"]);
    assert_eq!(all.code, Some(0), "{}", all.stderr);
    assert!(all.stdout.starts_with("removed: 1 sessions, 1 single runs"), "{}", all.stdout);
    assert!(!names(&project, "sessions").contains(&session));
    assert_eq!((names(&project, "runs").len(), refs(&project).trim()), (0, foreign));
    assert!(!names(&project, "evidence").is_empty());
    let seen = project.redgreen(&["gate", "--no-execute"]);
    assert_eq!(seen.code, Some(0), "{}{}", seen.stdout, seen.stderr);
    let again = project.redgreen(&["clean", "--older-than", "0"]);
    assert_eq!(again.stdout, "nothing is older than 0 days\n");
}

#[test]
fn a_loop_that_can_go_on_stays() {
    let project = Project::pytest();
    project.run("true", &["--max-attempts", "1"]);
    let session = project.session();
    // As if redgreen had been killed before its last word.
    let report = project.root().join(format!(".redgreen/sessions/{session}/report.md"));
    fs::remove_file(report).expect("a report");
    project.redgreen(&["clean", "--older-than", "0"]);
    assert_eq!(names(&project, "sessions"), [session]);
}

#[test]
fn cases_that_nobody_can_answer_any_more_leave_the_inbox() {
    let project = Project::pytest();
    project.run("true", &["--max-attempts", "1"]);
    assert!(project.redgreen(&["inbox"]).stdout.contains("make the tests pass"));
    let young = project.redgreen(&["clean"]);
    assert_eq!(young.stdout, "nothing is older than 30 days\n");
    // One of a project that is gone, and one of another project that is there.
    let cases = project.home().join(".local/state/redgreen/escalations");
    let session = project.session();
    let here = cases.join(&session).with_extension("json");
    let text = fs::read_to_string(&here).expect("a case");
    let root = project.root().display().to_string();
    let old = ["016f5e66-e800-7000-8000-000000000001", "016f5e66-e800-7000-8000-000000000002"];
    for (id, folder) in
        old.iter().zip([format!("{root}-gone"), project.outside().display().to_string()])
    {
        let text = text.replace(&session, id).replace(&root, &folder);
        fs::write(cases.join(id).with_extension("json"), text).expect("a case");
    }
    let cleaned = project.redgreen(&["clean", "--older-than", "0"]);
    assert!(cleaned.stdout.trim_end().ends_with(", 2 cases in the inbox"), "{}", cleaned.stdout);
    let inbox = project.redgreen(&["inbox"]).stdout;
    assert!(inbox.contains(old[1]) && !inbox.contains(old[0]), "{inbox}");
    assert!(!inbox.contains(&session), "{inbox}");
}
