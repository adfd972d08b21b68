//! The edit that broke something is named.

use std::fs;

use crate::common::{Trouble, day, execution, memory, memory_of, passing, troubled};
use redgreen_memory::{BriefRequest, Memory, PastFailure, Recollection, Worked};
use redgreen_model::debug_memory::{
    Failure as Recorded, FixApplied, Record, RecordStatus, Verification,
};
use redgreen_model::report::{Failure, FailureKind};

const CALC: &str = "src/calc.py";
const DIFF: &str = "--- a/README.md
+++ b/README.md
@@ -1,2 +1,4 @@
 # calc
+How to
+add
--- a/src/calc.py
+++ b/src/calc.py
@@ -1,9 +1,10 @@
 def add(a, b):
-    return a + b
+    # quicker
+    return a - b

 def more():
";

fn failed(trouble: &Trouble<'_>) -> Recorded {
    Recorded { brought_by_edit: true, ..crate::common::failure(trouble) }
}

/// A green tree, an edit, and what it brought.
fn broken(number: u64, on: i64) -> Record {
    let mut record = passing(number, CALC, day(on));
    let mut before = execution(1, day(on), 0);
    before.fix_applied = Some(FixApplied {
        description: "edit of README.md, src/calc.py".to_owned(),
        files_changed: vec!["README.md".to_owned(), CALC.to_owned()],
        diff: Some(DIFF.to_owned()),
        verification: Some(Verification::Failed),
        ..FixApplied::default()
    });
    let mut after = execution(1, day(on), 1);
    after.failures = vec![Recorded {
        test_file: Some("tests/test_calc.py".to_owned()),
        ..failed(&Trouble { test: "test_add", message: "assert -1 == 3", ..Trouble::default() })
    }];
    record.executions = vec![before, after];
    record.status = Some(RecordStatus::Escalated);
    record
}

fn past(memory: &mut Memory) -> (PastFailure, String) {
    let mut failure = Failure::new(FailureKind::TestFailure, "AssertionError", "assert -1 == 3");
    failure.fingerprint = Trouble::default().fingerprint.to_owned();
    let known = memory.at_failure(&[failure], None).unwrap();
    let text = Recollection::text(&known, 350);
    (known[0].past[0].1.failures[0].clone(), text)
}

#[test]
fn an_edit_that_breaks_a_green_tree_is_named_with_its_lines() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = memory_of(folder.path(), &[broken(1, 1)]);
    let lines = "caused by an edit of src/calc.py, README.md\n      -return a + b\n      +# quicker\n      +return a - b\n      (2 more changed lines)";
    let check = |memory: &mut Memory| {
        let (failure, text) = past(memory);
        assert!(failure.tried.is_empty() && text.contains(lines), "{text}");
        let request = BriefRequest { files: vec![CALC.to_owned()], ..BriefRequest::default() };
        let brief = memory.brief(&request).unwrap();
        assert!(brief.text(400).contains(lines), "{}", brief.text(400));
        // Where there is no room for the lines there is for the words.
        let short = brief.text(55);
        assert!(short.contains("caused by an edit of src/calc.py") && !short.contains("-return"));
    };
    check(&mut memory);
    memory.rebuild().unwrap();
    check(&mut memory);
}

#[test]
fn nobody_is_named_who_was_not_seen_to_do_it() {
    let mut was_red = broken(1, 1);
    was_red.executions[1].failures[0].brought_by_edit = false;
    let mut first = broken(1, 1);
    first.executions.remove(0);
    let mut not_next = broken(1, 1);
    not_next.executions[1].attempt = 3;
    let mut nothing_edited = broken(1, 1);
    let fix = nothing_edited.executions[0].fix_applied.as_mut().unwrap();
    (fix.diff, fix.files_changed) = (None, Vec::new());
    for record in [was_red, first, not_next, nothing_edited] {
        let folder = tempfile::tempdir().unwrap();
        let (failure, text) = past(&mut memory_of(folder.path(), &[record]));
        assert_eq!(failure.brought_by, None, "{text}");
    }
    // What others say is no proof.
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("sessions")).unwrap();
    let text = serde_json::to_string(&broken(1, 1)).unwrap();
    fs::write(folder.path().join("sessions/session-1.json"), text).unwrap();
    assert_eq!(past(&mut memory(folder.path())).0.brought_by, None);
}

#[test]
fn what_came_with_a_fix_is_named_and_what_only_showed_is_distinguished() {
    let known = Trouble::default();
    let others: Vec<String> = (0..4).map(|number| format!("v1:other{number}")).collect();
    let with = |is_brought: &dyn Fn(usize) -> bool| {
        let mut record = troubled(1, CALC, day(1), &known, false);
        let other = |(number, fingerprint): (usize, &String)| {
            let test = format!("test_{number}");
            let trouble = Trouble { fingerprint, test: &test, message: "broken", ..known.clone() };
            Recorded { brought_by_edit: is_brought(number), ..crate::common::failure(&trouble) }
        };
        record.executions[1].failures = others.iter().enumerate().map(other).collect();
        let folder = tempfile::tempdir().unwrap();
        past(&mut memory_of(folder.path(), &[record]))
    };
    // The one that was not there before is named.
    let (failure, text) = with(&|number| number == 2);
    assert_eq!(failure.tried[0].worked, Worked::Broke);
    let wanted =
        "this caused other failures (test_2: TypeError: broken and 3 more): edit of src/calc.py";
    assert!(text.contains(wanted), "{text}");
    let (failure, text) = with(&|_| false);
    assert_eq!(failure.tried[0].worked, Worked::Uncovered);
    let wanted =
        "after this, others failed (test_0: TypeError: broken and 3 more): edit of src/calc.py";
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn every_session_has_the_words_that_it_had() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = memory_of(folder.path(), &[]);
    let saying = |number: u64, message: &str| {
        let mut record = broken(number, i64::try_from(number).unwrap());
        record.executions[1].failures[0].error_message = message.to_owned();
        record
    };
    let mut first = saying(1, "assert -1 == 3");
    // Another edit left it there in other words: those did not come with the first.
    let mut later = first.executions[1].clone();
    later.attempt = 2;
    later.failures[0].error_message = "assert 0 == 3".to_owned();
    later.failures[0].brought_by_edit = false;
    first.executions.push(later);
    memory.write(&first, day(1)).unwrap();
    memory.write(&saying(2, "assert 4 == 3"), day(2)).unwrap();
    let request = BriefRequest { files: vec![CALC.to_owned()], ..BriefRequest::default() };
    let brief = memory.brief(&request).unwrap();
    let said: Vec<&str> =
        brief.sessions.iter().map(|(_, session)| session.failures[0].message.as_str()).collect();
    assert_eq!(said, ["assert 4 == 3", "assert -1 == 3"]);
    let (_, text) = past(&mut memory);
    let other = "it said: TypeError: assert 4 == 3\n    caused by an edit of";
    assert!(text.contains(other) && text.matches("it said").count() == 1, "{text}");
}
