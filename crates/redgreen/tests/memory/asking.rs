//! What is asked of a memory: brief, search, show, patterns, stats.

use std::fs;

use crate::common::Project;
use crate::memory::records::{FOLDER, index, passing, remember, remembering, session, troubled};
use crate::memory::{document, ends};
use insta::assert_snapshot;

#[test]
fn a_brief_says_what_helped_first_and_is_short() {
    let project = remembering();
    // Two of three is not enough to be offered; three of four is.
    let unoffered = document(&project, &["memory", "brief", "--json", "shop/cart.py"], 0);
    assert!(unoffered["pattern"].is_null(), "{unoffered}");
    remember(&project, &[troubled(5, 4, "smith", true)]);
    let ended = ends(&project, &["memory", "brief", "shop/cart.py"], 0);
    assert_snapshot!(project.plain(&ended.stdout), @"
    From the debug memory of this project:
    Known failure: TypeError: unsupported operand: None (seen in 4 sessions, in total, last in shop/cart.py)
      A fix worked 3 of 4 times; the smallest: edit of shop/cart.py; the agent said: Return 0 for an empty cart
        -return None
        +return 0
    Earlier sessions on these files:
    - 3 sessions, last [date]: shop/cart.py, passed after 2 attempts
      the known failure above
    - [date] shop/cart.py, escalated after 2 attempts
      the known failure above
        this did NOT work: edit of shop/cart.py
          -return None
          +return 0
    ");
    assert!(ended.stdout.len() < 1_600, "{}", ended.stdout);

    let brief = document(&project, &["memory", "brief", "--json", "shop/cart.py"], 0);
    assert_eq!(brief["looked_at"], 5);
    assert_eq!(brief["pattern"]["worked"], 3);
    assert_eq!(brief["sessions"][0]["scope"], "file");
    assert_eq!(brief["sessions"][0]["session"], session(3));
    assert_eq!(brief["text"].as_str().unwrap(), ended.stdout);
}

#[test]
fn files_are_named_from_where_one_stands() {
    let project = remembering();
    project.write("shop/basket/a.py", "");
    let brief = |file: &str| {
        let mut command = project.redgreen_command(&["memory", "brief", "--json", file]);
        let output = command.current_dir(project.root().join("shop/basket")).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), stderr)
    };
    let (code, stdout, stderr) = brief("../cart.py");
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains(r#""files":["shop/cart.py"]"#), "{stdout}");
    // The whole path, by a link to the project.
    let link = project.outside().join("link");
    std::os::unix::fs::symlink(project.root(), &link).unwrap();
    project.write("shop/cart.py", "");
    let (code, stdout, stderr) = brief(link.join("shop/cart.py").to_str().unwrap());
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains(r#""files":["shop/cart.py"]"#), "{stdout}");
    let (code, _, stderr) = brief("../../../elsewhere.py");
    assert_eq!(code, Some(2));
    assert_snapshot!(project.plain(&stderr), @"
    error: ../../../elsewhere.py is not in this work tree
    hint: the work tree is [folder]/project
    ");
}

#[test]
fn asking_an_empty_memory_says_so_and_leaves_no_traces() {
    let project = Project::empty();
    let ended = ends(&project, &["memory", "brief", "a.py"], 0);
    assert_eq!(ended.stdout, "");
    assert!(ended.stderr.starts_with("nothing is known"), "{}", ended.stderr);
    let brief = document(&project, &["memory", "brief", "--json"], 0);
    assert!(brief["pattern"].is_null() && brief["looked_at"] == 0 && brief["text"] == "");
    assert!(ends(&project, &["memory", "stats"], 0).stdout.starts_with("no data: "));
    assert!(ends(&project, &["memory", "patterns"], 0).stderr.starts_with("no data: "));
    assert_eq!(ends(&project, &["memory", "search", "anything"], 1).stdout, "");
    assert_eq!(ends(&project, &["memory", "export"], 0).stdout, "");
    assert!(
        ends(&project, &["memory", "prune", "--dry-run"], 0).stdout.starts_with("would move 0")
    );
    let left: Vec<_> =
        fs::read_dir(project.root()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left, [".git"]);
}

#[test]
fn records_are_found_by_their_words() {
    let project = remembering();
    let ended = ends(&project, &["memory", "search", "unsupported", "operand"], 0);
    assert_snapshot!(project.plain(&ended.stdout), @"
    00000003-0000-7000-8000-000000000000  [date]  passed  shop/cart.py
        TypeError unsupported operand: None
    00000002-0000-7000-8000-000000000000  [date]  passed  shop/cart.py
        TypeError unsupported operand: None
    00000001-0000-7000-8000-000000000000  [date]  escalated  shop/cart.py
        TypeError unsupported operand: None
    ");
    let hits = document(&project, &["memory", "search", "--json", "--limit", "1", "empty cart"], 0);
    assert_eq!(hits["hits"].as_array().unwrap().len(), 1);
    assert_eq!(hits["hits"][0]["session"], session(3));
    // What was said on several lines stands on one.
    let ended = ends(&project, &["memory", "search", "--limit", "1", "cart", "number"], 0);
    assert_snapshot!(project.plain(&ended.stdout), @"
    00000003-0000-7000-8000-000000000000  [date]  passed  shop/cart.py
        The total is None where the cart is empty Return a number in every case, also the empty one
    ");
    let brief = ends(&project, &["memory", "brief"], 0).stdout;
    assert_snapshot!(project.plain(&brief), @"
    From the debug memory of this project:
    In this project:
    - 2 sessions, last [date]: shop/cart.py, passed after 2 attempts
      tests/test_cart.py::test_total: TypeError: unsupported operand: None
        this worked: edit of shop/cart.py; the agent said: Return 0 for an empty cart
          -return None
          +return 0
    - [date] shop/cart.py, escalated after 2 attempts
      tests/test_cart.py::test_total: TypeError: unsupported operand: None
        this did NOT work: edit of shop/cart.py
          -return None
          +return 0
    ");
    let none = ends(&project, &["memory", "search", "\" OR *", "zebra"], 1);
    assert_snapshot!(project.plain(&none.stderr), @r#"no record says `" OR * zebra`"#);
    let wordless = ends(&project, &["memory", "search", "\"*"], 2);
    assert_snapshot!(project.plain(&wordless.stderr), @r#"
    error: there is no word to search for in `"*`
    hint: name words of a test, a file, a message, an analysis or a fix
    "#);
}

#[test]
fn a_record_is_shown_by_the_beginning_of_its_id() {
    let project = remembering();
    let ended = ends(&project, &["memory", "show", "00000001"], 0);
    assert_snapshot!(project.plain(&ended.stdout), @"
    session 00000001-0000-7000-8000-000000000000 escalated
      file     shop/cart.py
      started  [date]
      written  [date]
      agent    smith
      with     pytest, python, linux
      seen by  redgreen itself
      record   .aiwg/ralph/debug-memory/sessions/session-00000001-0000-7000-8000-000000000000.json

    attempt 1, [date]: 7 passed, 1 failed
      FAIL tests/test_cart.py::test_total: TypeError: unsupported operand: None (shop/cart.py:12)
      why: The total is None where the cart is empty
      plan: Return a number in every case, also the empty one
      change: edit of shop/cart.py, +1/-1 lines: failed
      the agent says about it: Return 0 for an empty cart

    attempt 2, [date]: 7 passed, 1 failed
      FAIL tests/test_cart.py::test_total: TypeError: unsupported operand: None (shop/cart.py:12)
    ");
    let record = document(&project, &["memory", "show", "--json", &session(4)], 0);
    assert_eq!(record["session_id"], session(4));
    assert!(record["metadata"]["imported_from"].is_null());
    project.write("shown.json", record.to_string());
    let valid = ends(&project, &["validate", "shown.json"], 0);
    assert_snapshot!(project.plain(&valid.stdout), @"shown.json: valid (debug-memory record)");
    let several = ends(&project, &["memory", "show", "0000000"], 2);
    assert_snapshot!(several.stderr, @"
    error: 4 sessions begin with 0000000: 00000004-0000-7000-8000-000000000000, 00000003-0000-7000-8000-000000000000, 00000002-0000-7000-8000-000000000000, 00000001-0000-7000-8000-000000000000
    hint: name more of the id
    ");
    let unknown = ends(&project, &["memory", "show", "ffffffff"], 2);
    assert_snapshot!(unknown.stderr, @"
    error: there is no record of a session ffffffff
    hint: `redgreen memory search TEXT` and `redgreen memory brief --json` name sessions
    ");
}

#[test]
fn patterns_are_shown_and_written_down() {
    let project = remembering();
    let file = project.root().join(FOLDER).join("patterns/learned-patterns.yaml");
    ends(&project, &["memory", "rebuild"], 0);
    let written = fs::read_to_string(&file).unwrap();
    assert!(written.contains("Return 0 for an empty cart"), "{written}");
    fs::remove_file(&file).unwrap();
    let patterns = document(&project, &["memory", "patterns", "--json"], 0);
    let pattern = &patterns["patterns"][0];
    assert_eq!((pattern["occurrences"].as_u64(), pattern["worked"].as_u64()), (Some(3), Some(2)));
    assert_eq!((&pattern["offered"], &pattern["failed"]), (&false.into(), &1.into()));
    assert_eq!(pattern["told"], 0, "sessions in which it is unverified: {pattern}");
    assert_eq!(patterns["recurring"][0]["test"], "tests/test_cart.py::test_total");
    assert_eq!(patterns["recurring"][0]["resolution"], "resolved");
    assert_eq!(fs::read_to_string(&file).unwrap(), written);
    let ended = ends(&project, &["memory", "patterns"], 0);
    assert_snapshot!(project.plain(&ended.stdout), @"
    1 pattern, 0 offered
    watched rg-[hash]  TypeError in total: unsupported operand: None
        seen in 3 sessions, last [date] in shop/cart.py
        a fix worked 2 of 3 times: edit of shop/cart.py; the agent said: Return 0 for an empty cart

    tests that failed in more than one session
      resolved  3 sessions, last [date]: tests/test_cart.py::test_total
    ");
}

#[test]
fn an_index_that_is_gone_or_garbage_costs_a_rebuild() {
    let project = remembering();
    let index = index(&project);
    assert!(index.starts_with(project.home()), "{}", index.display());
    let before = ends(&project, &["memory", "brief", "shop/cart.py"], 0);
    fs::remove_file(&index).unwrap();
    let gone = ends(&project, &["memory", "brief", "shop/cart.py"], 0);
    assert_eq!((gone.stdout, gone.stderr), (before.stdout.clone(), String::new()));
    for name in ["index.sqlite3-wal", "index.sqlite3-shm"] {
        let _ = fs::remove_file(index.with_file_name(name));
    }
    fs::write(&index, "this is no database at all, whatever its name says ".repeat(200)).unwrap();
    let garbage = ends(&project, &["memory", "brief", "shop/cart.py"], 0);
    assert_eq!(garbage.stdout, before.stdout);
    assert_snapshot!(project.plain(&garbage.stderr), @"the index of the debug memory was rebuilt: file is not a database");
    assert_eq!(ends(&project, &["memory", "brief", "shop/cart.py"], 0).stderr, "");
    assert_eq!(document(&project, &["memory", "rebuild", "--json"], 0)["records"], 4);
}

#[test]
fn what_a_record_says_cannot_play_with_the_terminal() {
    let project = Project::empty();
    let mut record = troubled(1, 1, "smith\u{1b}[2J", true);
    record["executions"][0]["failures"][0]["error_message"] =
        "operand \u{1b}]0;owned\u{7}\u{1b}[31mNone".into();
    let sessions = project.root().join(FOLDER).join("sessions");
    fs::create_dir_all(&sessions).unwrap();
    fs::write(sessions.join("session-1.json"), record.to_string()).unwrap();
    for words in [
        &["memory", "show", "00000001"] as &[&str],
        &["memory", "search", "operand"],
        &["memory", "patterns"],
        &["memory", "brief"],
        &["metrics"],
        &["metrics", "--prometheus"],
    ] {
        let ended = ends(&project, words, 0);
        assert!(!ended.stdout.contains('\u{1b}'), "{words:?}: {:?}", ended.stdout);
    }
}

#[test]
fn what_cannot_be_read_is_named_in_the_stats() {
    let project = remembering();
    project.write(&format!("{FOLDER}/sessions/session-torn.json"), r#"{"session_id": "#);
    let mut unverified = passing(9, 1, "other");
    unverified["metadata"] = serde_json::json!({ "agent": "other" });
    project.write(&format!("{FOLDER}/session-flat.json"), unverified.to_string());
    let ended = ends(&project, &["memory", "stats"], 0);
    assert_snapshot!(project.plain(&ended.stdout), @"
    records   5: 4 seen by redgreen, 1 without a seal
    written   [date] to [date]
    failures  1 different cause
    offered   0 patterns
    index     [size] bytes in [folder]/home/.local/state/redgreen/memory/[hash]/index.sqlite3
    folder    .aiwg/ralph/debug-memory
    own key   [key]
    ");
    assert!(
        ended.stderr.starts_with(&format!("skipped {FOLDER}/sessions/session-torn.json: ")),
        "{}",
        ended.stderr
    );
    let stats = document(&project, &["memory", "stats", "--json"], 0);
    assert_eq!(stats["records"], 5);
    assert_eq!(stats["unreadable"][0]["path"], format!("{FOLDER}/sessions/session-torn.json"));
}
