//! Records come in, go out, and move to the archive.

use std::fs;

use crate::common::Project;
use crate::memory::records::{FOLDER, other_project, passing, remembering, session, troubled};
use crate::memory::{document, ends};
use insta::assert_snapshot;

#[test]
fn an_import_names_what_it_cannot_read_and_adds_nothing_twice() {
    let project = Project::empty();
    let other = other_project(&project, &[troubled(1, 2, "smith", true), passing(2, 1, "smith")]);
    let garbage = other.join(FOLDER).join("sessions/session-garbage.json");
    fs::write(&garbage, "{ not a record").unwrap();
    let folder = other.to_str().unwrap();
    let ended = ends(&project, &["memory", "import", folder], 0);
    assert_eq!(
        ended.stdout,
        "imported 2 records (0 sealed, 2 unverified: 2 without a seal), 1 skipped\n"
    );
    let named = format!("skipped {}: ", garbage.canonicalize().unwrap().display());
    assert!(ended.stderr.starts_with(&named), "{}", ended.stderr);
    assert!(ended.stderr.trim_end().len() > named.len(), "{}", ended.stderr);
    assert_eq!(fs::read_to_string(&garbage).unwrap(), "{ not a record");
    // It is said where they came from, and that nobody here saw them.
    let shown = ends(&project, &["memory", "show", "00000001"], 0);
    assert_snapshot!(project.plain(&shown.stdout), @"
    session 00000001-0000-7000-8000-000000000000 passed
      file     shop/cart.py
      started  [date]
      written  [date]
      agent    smith
      from     other
      with     pytest, python, linux
      seen by  somebody else: unverified
      record   .aiwg/ralph/debug-memory/sessions/session-00000001-0000-7000-8000-000000000000.json

    attempt 1, [date]: 7 passed, 1 failed
      FAIL tests/test_cart.py::test_total: TypeError: unsupported operand: None (shop/cart.py:12)
      why: The total is None where the cart is empty
      plan: Return a number in every case, also the empty one
      change: Return 0 for an empty cart, +1/-1 lines in shop/cart.py: passed

    attempt 2, [date]: 8 passed
    ");
    let again = document(&project, &["memory", "import", "--json", folder], 0);
    assert_eq!((again["added"].as_u64(), again["known"].as_u64()), (Some(0), Some(2)));
    assert_eq!(again["unreadable"].as_array().unwrap().len(), 1);
    assert_eq!(document(&project, &["memory", "stats", "--json"], 0)["records"], 2);
}

#[test]
fn an_import_of_nothing_says_what_is_wrong() {
    let project = Project::empty();
    let outside = project.outside();
    fs::write(outside.join("file.json"), "{}").unwrap();
    fs::create_dir_all(outside.join("empty")).unwrap();
    fs::create_dir_all(project.root().join(FOLDER)).unwrap();
    let other = other_project(&project, &[]);
    fs::write(other.join(FOLDER).join("sessions/a.json"), "garbage: [").unwrap();
    for (name, code, wanted) in [
        ("nowhere", 2, "nowhere\nhint: name the folder"),
        ("file.json", 1, "file.json:1: it has neither session_id nor executions"),
        ("empty", 2, "error: there is no record in "),
        ("project", 2, "is this project's own debug memory"),
        ("other", 1, "sessions/a.json: "),
    ] {
        let path = if name == "project" { project.root() } else { outside.join(name) };
        let ended = ends(&project, &["memory", "import", path.to_str().unwrap()], code);
        assert!(ended.stderr.contains(wanted), "{name}: {}", ended.stderr);
    }
}

#[test]
fn every_record_is_exported_as_a_line() {
    let project = remembering();
    let ended = ends(&project, &["memory", "export"], 0);
    let ids = |text: &str| -> Vec<String> {
        let id = |line: &str| {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            record["session_id"].as_str().unwrap().to_owned()
        };
        text.lines().map(id).collect()
    };
    assert_eq!(ids(&ended.stdout), [1, 2, 3, 4].map(session));
    let file = project.outside().join("records.jsonl");
    let exported = ends(&project, &["memory", "export", "-o", file.to_str().unwrap()], 0);
    assert!(exported.stderr.starts_with("4 records in "), "{}", exported.stderr);
    assert_eq!(fs::read_to_string(&file).unwrap(), ended.stdout);
    let known = ends(&project, &["memory", "import", file.to_str().unwrap()], 0);
    assert_eq!(known.stdout, "imported 0 records, 4 known before\n");
    let nowhere = project.outside().join("none/records.jsonl");
    ends(&project, &["memory", "export", "-o", nowhere.to_str().unwrap()], 2);
}

/// Nobody has to ask for it: a loop that ends leaves nothing behind that is too old.
#[test]
fn what_is_old_moves_to_the_archive_by_itself() {
    let project = Project::pytest();
    let folder = project.root().join(FOLDER);
    fs::create_dir_all(folder.join("sessions")).unwrap();
    for (number, days) in [(1_u32, 400), (2, 1)] {
        let record = passing(number, days, "smith").to_string();
        let name = format!("sessions/session-{}.json", session(number));
        fs::write(folder.join(name), record).unwrap();
    }
    project.run("sed -i '6s/a + b/a - b/' calc.py", &[]).assert_ended(0, "passed", "");
    let is_in = |shelf: &str, number: u32| {
        folder.join(shelf).join(format!("session-{}.json", session(number))).is_file()
    };
    assert!(is_in("archive", 1) && !is_in("sessions", 1));
    assert!(is_in("sessions", 2) && !is_in("archive", 2));
}

#[test]
fn what_is_old_moves_to_the_archive_and_a_dry_run_moves_nothing() {
    let project = remembering();
    let record = format!("sessions/session-{}.json", session(1));
    let path = project.root().join(FOLDER).join(&record);
    let ended = ends(&project, &["memory", "prune", "--dry-run"], 0);
    let wanted = format!(
        "would move 1 record to the archive, 3 kept\n  would move {record}: 100 days old, kept for 90\n"
    );
    assert_eq!(ended.stdout, wanted);
    assert!(path.is_file());
    let pruned = document(&project, &["memory", "prune", "--json"], 0);
    assert_eq!((pruned["dry_run"].as_bool(), pruned["kept"].as_u64()), (Some(false), Some(3)));
    assert_eq!(pruned["moved"][0]["session"], session(1));
    assert!(!path.exists());
    let archived = format!("archive/session-{}.json", session(1));
    assert!(project.root().join(FOLDER).join(archived).is_file());
    let shown = ends(&project, &["memory", "show", &session(1)], 0);
    assert!(shown.stdout.contains("debug-memory/archive/session-00000001"), "{}", shown.stdout);
    assert!(shown.stderr.starts_with("this record is in the archive"), "{}", shown.stderr);
    assert_eq!(document(&project, &["memory", "stats", "--json"], 0)["records"], 3);
}

#[test]
fn the_settings_say_where_how_and_how_long() {
    let project = Project::empty();
    project.write(
        "redgreen.toml",
        "[memory]\nlocation = \"notes/memory\"\nformat = \"yaml\"\nretention_days = 5\n",
    );
    let other = other_project(&project, &[passing(1, 6, "smith"), passing(2, 4, "smith")]);
    ends(&project, &["memory", "import", other.to_str().unwrap()], 0);
    let sessions = project.root().join("notes/memory/sessions");
    assert!(sessions.join(format!("session-{}.yaml", session(1))).is_file());
    assert!(!project.root().join(".aiwg").exists());
    let pruned = document(&project, &["memory", "prune", "--dry-run", "--json"], 0);
    assert_eq!(pruned["moved"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&pruned["moved"][0]["session"], pruned["kept"].as_u64()),
        (&session(1).into(), Some(1))
    );
    project.write("redgreen.toml", "[memory]\nlocaton = \"x\"\n");
    let wrong = ends(&project, &["memory", "stats"], 2);
    assert_snapshot!(project.plain(&wrong.stderr), @"
    error: redgreen.toml:2:1: unknown key `locaton` in [memory]
    hint: did you mean `location`?
    ");
}

#[test]
fn outside_of_a_work_tree_it_says_so() {
    let project = Project::empty();
    let mut command = project.redgreen_command(&["memory", "stats"]);
    let output = command.current_dir(project.outside()).output().unwrap();
    assert_snapshot!(project.shown(&output.into()), @"
    exit 2
    --- stderr
    error: [folder]/agent is not in a git work tree
    hint: go to the project, or make it a repository: `git init`
    ");
}
