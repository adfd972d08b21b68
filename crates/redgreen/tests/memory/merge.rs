//! Two teams' memories, merged by git.

use std::fs;
use std::path::PathBuf;

use crate::common::Project;
use crate::memory::records::{FOLDER, passing, remember, session, troubled};
use crate::memory::{document, ends};

fn folder(project: &Project) -> PathBuf {
    project.root().join(FOLDER)
}

#[test]
fn two_teams_memories_merged_by_git_are_their_union() {
    let project = Project::empty();
    let records = [
        troubled(1, 9, "smith", true),
        troubled(2, 8, "smith", true),
        troubled(3, 7, "jones", false),
        troubled(4, 6, "jones", true),
        passing(5, 5, "jones"),
    ];
    let learn = || ends(&project, &["memory", "patterns"], 0);
    remember(&project, &records[..1]);
    learn();
    let commit = |message: &str| {
        project.git(&["add", "--all"]);
        project.git(&["commit", "--quiet", "--message", message]);
    };
    commit("base");
    project.git(&["branch", "theirs"]);
    project.git(&["switch", "--quiet", "--create", "ours"]);
    remember(&project, &records[1..3]);
    learn();
    commit("ours");
    project.git(&["switch", "--quiet", "theirs"]);
    remember(&project, &records[3..]);
    learn();
    commit("theirs");
    project.git(&["merge", "--quiet", "--no-edit", "ours"]);

    let patterns = document(&project, &["memory", "patterns", "--json"], 0);
    let pattern = &patterns["patterns"][0];
    assert_eq!(pattern["occurrences"], 4, "{patterns}");
    assert_eq!((&pattern["worked"], &pattern["failed"]), (&3.into(), &1.into()));
    assert_eq!((&pattern["success_rate"], &pattern["offered"]), (&0.75.into(), &true.into()));
    assert_eq!(document(&project, &["memory", "stats", "--json"], 0)["seen"], 5);
    ends(&project, &["memory", "show", &session(5)], 0);
    // The file of patterns is what all records together teach, and nothing was put aside.
    let file = folder(&project).join("patterns/learned-patterns.yaml");
    let merged = fs::read_to_string(&file).unwrap();
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
    fs::remove_file(&file).unwrap();
    ends(&project, &["memory", "rebuild"], 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), merged);
}
