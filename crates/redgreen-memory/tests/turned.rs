//! An edit is judged by the tests that it turned, and by nothing else that was red.

use redgreen_memory::{Memory, Worked};
use redgreen_model::debug_memory::{Failure as Recorded, Record, RecordStatus, Verification};
use redgreen_model::report::{Failure, FailureKind};

use crate::common::{Trouble, day, execution, failure, memory_of, troubled};

const CALC: &str = "calc.py";
const FIRST: Trouble<'static> = Trouble {
    fingerprint: "v1:00000000000000f1",
    test: "tests/test_calc.py::test_add",
    message: "assert 6 == 5",
    fix: "Add",
    diff: "--- a/calc.py\n+++ b/calc.py\n-    return a * b\n+    return a + b\n",
};
const SECOND: Trouble<'static> = Trouble {
    fingerprint: "v1:00000000000000f2",
    test: "tests/test_calc.py::test_subtract",
    message: "assert 5 == 1",
    fix: "Subtract",
    diff: "--- a/calc.py\n+++ b/calc.py\n-    return a + b\n+    return a - b\n",
};

/// Two bugs: the first edit mends the first, the second the second.
fn two_bugs() -> Record {
    let mut record = troubled(1, CALC, day(1), &FIRST, true);
    let mut left = troubled(1, CALC, day(1), &SECOND, true).executions.remove(0);
    left.attempt = 2;
    left.fix_applied.as_mut().unwrap().helped = vec![SECOND.test.to_owned()];
    let both = &mut record.executions[0];
    both.failures.push(failure(&SECOND));
    both.test_results.failed = 2;
    let fix = both.fix_applied.as_mut().unwrap();
    fix.verification = Some(Verification::Failed);
    fix.helped = vec![FIRST.test.to_owned()];
    record.executions.insert(1, left);
    record.executions[2] = execution(3, day(1), 0);
    record
}

/// What is known of a failure with the same cause: what was tried, and all of it in words.
fn known(memory: &mut Memory, trouble: &Trouble<'_>) -> (Vec<Worked>, String) {
    let mut seen = Failure::new(FailureKind::TestFailure, "AssertionError", trouble.message);
    seen.fingerprint = trouble.fingerprint.to_owned();
    let known = memory.at_failure(&[seen], None).unwrap();
    let text = redgreen_memory::Recollection::text(&known, 350);
    let tried = known.first().map(|known| &known.past[0].1.failures[0].tried);
    (tried.into_iter().flatten().map(|tried| tried.worked).collect(), text)
}

#[test]
fn the_right_edit_of_one_bug_is_not_blamed_for_another() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = memory_of(folder.path(), &[two_bugs()]);
    let (tried, text) = known(&mut memory, &FIRST);
    assert_eq!(tried, [Worked::Yes], "{text}");
    assert!(text.contains("this worked: ") && text.contains("+return a + b"), "{text}");
    let (tried, text) = known(&mut memory, &SECOND);
    assert_eq!(tried, [Worked::Yes, Worked::Elsewhere], "{text}");
    assert!(!text.contains("NOT work"), "{text}");
    assert!(
        text.contains("this changed nothing here (it made tests/test_calc.py::test_add pass)"),
        "{text}"
    );
    for pattern in memory.patterns().unwrap() {
        assert_eq!((pattern.worked, pattern.failed), (1, 0), "{pattern:?}");
    }
    memory.rebuild().unwrap();
    assert_eq!(known(&mut memory, &SECOND).0, [Worked::Yes, Worked::Elsewhere]);
}

#[test]
fn what_helped_with_a_change_of_tests_counts_only_where_all_was_looked_at() {
    for (status, tests_changed, warned, wanted) in [
        (RecordStatus::Escalated, false, false, vec![Worked::Yes]),
        (RecordStatus::Escalated, true, false, vec![]),
        (RecordStatus::Passed, true, false, vec![Worked::Yes]),
        (RecordStatus::Passed, false, true, vec![]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut record = two_bugs();
        record.status = Some(status);
        record.executions[0].fix_applied.as_mut().unwrap().tests_changed = tests_changed;
        if warned {
            record.executions[1].fix_applied.as_mut().unwrap().warnings = vec!["odd".to_owned()];
        }
        let (tried, text) = known(&mut memory_of(folder.path(), &[record]), &FIRST);
        assert_eq!(tried, wanted, "{status:?} {tests_changed} {warned}: {text}");
    }
}

#[test]
fn what_helps_one_test_and_breaks_another_is_no_success() {
    let folder = tempfile::tempdir().unwrap();
    let mut record = two_bugs();
    let other = Trouble { fingerprint: "v1:0f", test: "tests/test_calc.py::test_third", ..SECOND };
    record.executions[0].fix_applied.as_mut().unwrap().broke = vec![other.test.to_owned()];
    record.executions[1].failures.push(Recorded { brought_by_edit: true, ..failure(&other) });
    let (tried, text) = known(&mut memory_of(folder.path(), &[record]), &FIRST);
    assert_eq!(tried, [Worked::Broke], "{text}");
    assert!(text.contains("test_third"), "{text}");
}

#[test]
fn an_edit_that_turned_nothing_did_not_work() {
    let folder = tempfile::tempdir().unwrap();
    let mut record = two_bugs();
    record.executions[0].fix_applied.as_mut().unwrap().helped.clear();
    record.executions[1].failures.insert(0, failure(&FIRST));
    let mut memory = memory_of(folder.path(), &[record]);
    assert!(known(&mut memory, &FIRST).1.contains("this did NOT work: "));
}

#[test]
fn a_record_is_found_by_its_test_file_function_error_and_cause() {
    let folder = tempfile::tempdir().unwrap();
    let trouble = Trouble { test: "tests/test_cart.py::test_null_input", ..Trouble::default() };
    let mut memory =
        memory_of(folder.path(), &[troubled(1, "shop/cart.py", day(1), &trouble, true)]);
    for asked in [
        "test_null_input",
        "tests/test_cart.py::test_null_input",
        "shop/cart.py",
        "total",
        "TypeError test_null_input",
        "v1:0000000000000001",
        "unsupported operand",
    ] {
        let hits = memory.search(asked, 5).unwrap();
        assert_eq!(hits.len(), 1, "{asked}");
    }
    assert!(memory.search("test_other", 5).unwrap().is_empty());
}
