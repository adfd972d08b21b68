//! The same mistake in more than one place is a habit: offered while mending it helps, and never told by others.

use redgreen_memory::{BriefRequest, Habit, Memory, Recollection, SeenHabit};
use redgreen_model::debug_memory::{Record, SourceLocation};
use redgreen_model::report::{Failure, FailureKind};

use crate::common::{Trouble, day, memory_of, troubled};

const NULL: &str = "'NoneType' object has no attribute 'strip'";

/// A session in which a check for null was put before something that failed in this function, in vain or not.
fn checked(number: u64, function: &str, worked: bool) -> Record {
    let file = format!("shop/{function}.py");
    let diff = format!(
        "--- a/{file}\n+++ b/{file}\n@@ -1,2 +1,4 @@\n def {function}(text):\n+    if text is None:\n+        return ''\n     return text.strip()\n"
    );
    let trouble = Trouble {
        fingerprint: &format!("v1:{function}"),
        test: &format!("tests/test_{function}.py::test_none"),
        message: NULL,
        fix: "Check it",
        diff: &diff,
    };
    let mut record = troubled(number, &file, day(i64::try_from(number).unwrap()), &trouble, worked);
    for failure in record.executions.iter_mut().flat_map(|run| &mut run.failures) {
        failure.error_name = Some("AttributeError".to_owned());
        failure.source_location = Some(SourceLocation {
            file: Some(file.clone()),
            line: Some(2),
            function: Some(function.to_owned()),
        });
    }
    record
}

fn only_habit(memory: &mut Memory) -> SeenHabit {
    let [habit] = memory.habits().unwrap().try_into().unwrap();
    assert_eq!(habit.habit, Habit::MissingValue);
    habit
}

#[test]
fn the_same_mistake_in_two_functions_is_told_before_the_third() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = memory_of(folder.path(), &[checked(1, "name", true)]);
    assert!(!only_habit(&mut memory).offered, "once is no habit");
    // A second time in the same place is the same mistake.
    memory.write(&checked(2, "name", true), day(2)).unwrap();
    assert!(!only_habit(&mut memory).offered, "one place");
    memory.write(&checked(3, "street", true), day(3)).unwrap();
    let habit = only_habit(&mut memory);
    assert_eq!((habit.offered, habit.places, habit.occurrences, habit.worked), (true, 2, 3, 3));

    // Before work on a file that nobody knows.
    let request = BriefRequest { files: vec!["web/form.py".to_owned()], ..BriefRequest::default() };
    let brief = memory.brief(&request).unwrap().text(400);
    let told = "Check for null (None, undefined, nil) before you use a value that may be missing.";
    let (_, first) = brief.split_once('\n').unwrap();
    assert!(first.starts_with(told), "{brief}");
    assert!(first.contains("(2 places; mending it like that worked 3 of 3 times)"), "{brief}");
    // At a failure of the same kind in another function, and at no other.
    let at = |memory: &mut Memory, message: &str| {
        let failure = Failure::new(FailureKind::TestFailure, "AttributeError", message);
        Recollection::text(&memory.at_failure(&[failure], None).unwrap(), 350)
    };
    assert!(at(&mut memory, "'NoneType' object has no attribute 'x'").contains(told));
    assert!(!at(&mut memory, "no such thing").contains(told));

    // Into the record of the session that met it, and into the file of patterns.
    let learned = memory.learnings(&checked(3, "street", true)).unwrap();
    let general = learned.patterns_identified.iter().find(|it| it.frequency == 3).unwrap();
    assert_eq!(general.category.as_deref(), Some("null_undefined_access"));
    assert_eq!(learned.recommendations, std::slice::from_ref(&habit.advice));
    assert!(memory.update_patterns().unwrap());
    assert!(!memory.write_patterns().unwrap().changed, "both say the same");
    let path = folder.path().join("patterns/learned-patterns.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(&habit.id) && text.contains(&habit.advice), "{text}");

    // It stops helping: two in vain are too many of five.
    memory.write(&checked(4, "town", false), day(4)).unwrap();
    assert!(only_habit(&mut memory).offered);
    memory.write(&checked(5, "country", false), day(5)).unwrap();
    let habit = only_habit(&mut memory);
    assert_eq!((habit.offered, habit.failed), (false, 2));
    assert!(!memory.brief(&request).unwrap().text(400).contains(told));
    assert!(memory.update_patterns().unwrap());
    assert!(!memory.write_patterns().unwrap().changed);
}

#[test]
fn what_others_tell_is_no_habit() {
    let folder = tempfile::tempdir().unwrap();
    let told = ["a", "b", "c"].iter().zip(1..).map(|(function, number)| {
        let mut record = checked(number, function, true);
        record.metadata.as_mut().unwrap().recorded_by = Some("somebody".to_owned());
        record
    });
    let told: Vec<Record> = told.collect();
    assert_eq!(memory_of(folder.path(), &told).habits().unwrap(), []);
}
