//! Where the debug memory is: no tree has what it writes, and nothing hides in it.

use serde_json::Value;

use crate::common::Project;
use crate::memory::loops::records_in;

const FIX: &str = "sed -i '6s/a + b/a - b/' calc.py";

/// The pytest project with its memory at a place.
fn remembering_at(location: &str) -> Project {
    let project = Project::pytest();
    let rules = project.read("redgreen.toml");
    project.write("redgreen.toml", format!("{rules}\n[memory]\nlocation = \"{location}\"\n"));
    project
}

/// The tree that the gate sees.
fn tree(project: &Project) -> Value {
    let ended = project.redgreen(&["gate", "--no-execute", "--json"]);
    let last = ended.stdout.lines().last().unwrap_or_default();
    serde_json::from_str::<Value>(last).expect("JSON")["tree"].clone()
}

#[test]
fn a_memory_elsewhere_is_no_part_of_a_tree_either() {
    let project = remembering_at("notes/memory");
    project.commit();
    let done = project.run(FIX, &[]);
    done.assert_ended(0, "passed", "");
    assert_eq!(done.count("notice"), 0, "{}", done.text());
    assert_eq!(records_in(&project, "notes/memory").len(), 1);
    let (seen, executions) = (tree(&project), project.executions());
    assert_eq!(seen, done.last("finished")["tree"]);
    project.redgreen(&["gate", "--no-execute"]).assert_code(0);
    // Records that come later, by hand or by git, change nothing.
    project.write("notes/memory/sessions/session-1.json", "{}");
    project.git(&["add", "--force", "notes"]);
    project.redgreen(&["gate", "--no-execute"]).assert_code(0);
    assert_eq!((tree(&project), project.executions()), (seen, executions));
}

#[test]
fn a_folder_with_code_in_it_is_refused() {
    let project = remembering_at("tests");
    let ended = project.redgreen(&["test"]);
    ended.assert_code(2);
    assert!(ended.stderr.contains("tests/test_calc.py is there"), "{}", ended.stderr);
    let agent = project.agent(FIX);
    project.redgreen(&["run", "--agent-command", &agent, "fix it"]).assert_code(2);
}

#[test]
fn who_is_judged_does_not_say_where_it_is() {
    let project = Project::pytest();
    project.write("lib/data.json", "1");
    project.commit();
    let rules = project.read("redgreen.toml");
    project.write("redgreen.toml", format!("{rules}\n[memory]\nlocation = \"lib\"\n"));
    let before = tree(&project);
    project.write("lib/sessions/session-1.json", "2");
    assert_ne!(tree(&project), before, "the last commit knows of no such place");
}

#[test]
fn code_that_hides_among_the_records_is_not_believed() {
    let project = Project::pytest();
    let done = project.run(
        "mkdir -p .aiwg/ralph/debug-memory; printf 'def right(a, b):\\n    return a - b\\n' > .aiwg/ralph/debug-memory/hidden.py
         sed -i '6s/return a + b/import sys; sys.path.insert(0, \".aiwg\\/ralph\\/debug-memory\"); import hidden; return hidden.right(a, b)/' calc.py",
        &["--max-attempts", "1"],
    );
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    assert!(done.text().contains("debug-memory/hidden.py is in the folder of the debug memory"));
}

#[test]
fn code_that_reads_what_no_tree_has_is_seen_without_it() {
    // What lies beside the records is part of the tree, and what lies among them is in no corner. A document names it.
    let note = ".aiwg/ralph/debug-memory/note.txt";
    let record = ".aiwg/ralph/debug-memory/sessions/session-1.json";
    let read = "return a - b if \"ok\" in open(open(\"where.txt\").read()).read() else 0";
    for (file, ends) in
        [(note, (0, "passed", "")), (record, (1, "escalated", "bounded_attempts_exceeded"))]
    {
        let project = Project::pytest();
        let done = project.run(
            &format!("mkdir -p $(dirname {file}); echo '\"ok\"' > {file}; printf {file} > where.txt; sed -i '6s/return a + b/{read}/' calc.py"),
            &["--max-attempts", "1"],
        );
        done.assert_ended(ends.0, ends.1, ends.2);
        assert!(done.text().contains("names the folder of the debug memory"), "{}", done.text());
        if file == note {
            let before = tree(&project);
            project.write(note, "wrong");
            assert_ne!(tree(&project), before);
            project.redgreen(&["gate", "--no-execute"]).assert_code(1);
        }
    }
}

#[test]
fn nothing_is_written_behind_a_link_that_comes_while_the_agent_works() {
    let project = Project::pytest();
    let done = project.run(
        &format!("rm -rf .aiwg/ralph/debug-memory/sessions; ln -s \"$OUTSIDE\" .aiwg/ralph/debug-memory/sessions; {FIX}"),
        &[],
    );
    done.assert_ended(0, "passed", "");
    assert!(done.text().contains("debug-memory/sessions is a link"), "{}", done.text());
    let outside = std::fs::read_dir(project.outside()).expect("a folder");
    let names = outside.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    assert!(names.into_iter().all(|name| !name.starts_with("session-")));
}

#[test]
fn who_asks_goes_through_the_same_door_as_a_loop() {
    let project = Project::pytest();
    let outside = project.outside().join("elsewhere");
    std::fs::create_dir_all(&outside).unwrap();
    project.write(".aiwg/ralph/notes.md", "");
    let link = project.root().join(".aiwg/ralph/debug-memory");
    std::os::unix::fs::symlink(&outside, &link).unwrap();
    for words in [&["memory", "stats"] as &[&str], &["memory", "brief"], &["metrics"]] {
        let ended = project.redgreen(words);
        ended.assert_code(2);
        let wanted = ".aiwg/ralph/debug-memory is a link; make it a folder of its own";
        assert!(ended.stderr.contains(wanted), "{words:?}: {}", ended.stderr);
    }
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0, "nothing is written there");
    std::fs::remove_file(&link).unwrap();
    let rules = project.read("redgreen.toml");
    let at = |location: &str| format!("{rules}\n[memory]\nlocation = \"{location}\"\n");
    for (location, wanted) in [
        ("tests", "tests/test_calc.py is there"),
        (".git", "lies in git's own folder"),
        (".git/memory", "lies in git's own folder"),
        ("../elsewhere", "leads out of the work tree"),
    ] {
        project.write("redgreen.toml", at(location));
        let ended = project.redgreen(&["memory", "stats"]);
        ended.assert_code(2);
        assert!(ended.stderr.contains(wanted), "{location}: {}", ended.stderr);
    }
    assert!(!project.root().join("tests/index.sqlite3").exists());
    assert!(!project.root().join(".git/index.sqlite3").exists());
}
