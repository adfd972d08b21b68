//! What is old moves to the archive, and what is in use does not.

use std::fs;

use crate::common::{Trouble, day, memory_of, memory_with, passing, session, troubled};
use jiff::SignedDuration;
use redgreen_memory::{Memory, OldRecord, Origin, Pruned, Retention, Settings, Shown};
use redgreen_model::debug_memory::{Learnings, RecordStatus};

const CART: &str = "shop/cart.py";

fn numbers(records: &[OldRecord]) -> Vec<u64> {
    let number = |record: &OldRecord| u64::from_str_radix(&record.session[24..], 16).unwrap();
    records.iter().map(number).collect()
}

/// Three of each age: ordinary, with learnings, escalated.
fn history(folder: &std::path::Path) -> Memory {
    let mut records = Vec::new();
    for (number, age) in [(10, 29), (20, 31), (30, 61), (40, 91)] {
        let on = day(100 - age);
        records.push(passing(number, CART, on));
        let mut learned = passing(number + 1, CART, on);
        learned.learnings =
            Some(Learnings { recommendations: vec!["Less".to_owned()], ..Learnings::default() });
        records.push(learned);
        records.push(troubled(number + 2, CART, on, &Trouble::default(), false));
    }
    memory_of(folder, &records)
}

#[test]
fn each_is_kept_for_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = history(folder.path());
    let wanted = [40, 41, 42, 30, 31, 20];
    let files = || fs::read_dir(folder.path().join("sessions")).unwrap().count();
    let dry = memory.prune(day(100), true).unwrap();
    assert_eq!(numbers(&dry.moved), wanted);
    assert_eq!((dry.kept, files()), (6, 12), "a dry run moves nothing");
    assert!(!folder.path().join(".in-use").exists(), "and makes nothing");
    let pruned = memory.prune(day(100), false).unwrap();
    assert_eq!(pruned, dry);
    assert_eq!(files(), 6);
    let archived = folder.path().join(format!("archive/session-{}.json", session(40)));
    assert!(archived.exists());
    assert_eq!(memory.prune(day(100), false).unwrap(), Pruned { kept: 6, ..Pruned::default() });
}

#[test]
fn what_is_held_is_never_moved_and_the_archive_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory =
        memory_of(folder.path(), &[passing(1, CART, day(0)), passing(2, CART, day(0))]);
    let held = memory.hold(&session(1)).unwrap();
    let dry = memory.prune(day(100), true).unwrap();
    let pruned = memory.prune(day(100), false).unwrap();
    assert_eq!((numbers(&pruned.moved), numbers(&pruned.in_use)), (vec![2], vec![1]));
    assert_eq!(dry, pruned, "a dry run sees who works on what");
    drop(held);
    assert_eq!(numbers(&memory.prune(day(100), false).unwrap().moved), [1]);
    // The same session once more: both are kept.
    memory.write(&passing(1, "shop/other.py", day(0)), day(0)).unwrap();
    memory.prune(day(100), false).unwrap();
    assert_eq!(fs::read_dir(folder.path().join("archive")).unwrap().count(), 3);
}

#[test]
fn what_nobody_holds_any_more_leaves_no_file_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory =
        memory_of(folder.path(), &[passing(1, CART, day(0)), passing(2, CART, day(0))]);
    let locks = || fs::read_dir(folder.path().join(".in-use")).unwrap().count();
    drop(memory.hold(&session(1)).unwrap());
    // The next one takes it away, and what is held stays.
    let second = memory.hold(&session(2)).unwrap();
    assert_eq!(locks(), 1);
    let third = memory.hold(&session(3)).unwrap();
    assert_eq!(locks(), 2);
    drop(third);
    let pruned = memory.prune(day(100), false).unwrap();
    assert_eq!((numbers(&pruned.in_use), locks()), (vec![2], 1));
    drop(second);
    memory.prune(day(100), false).unwrap();
    assert_eq!(locks(), 0);
}

#[test]
fn what_is_in_progress_is_left_alone_while_it_is_young() {
    let folder = tempfile::tempdir().unwrap();
    let retention = Retention { days: 0, learned_days: 0, escalated_days: 0 };
    let settings = Settings { retention, ..Settings::default() };
    let mut memory = memory_with(folder.path(), settings);
    let mut running = passing(1, CART, day(0));
    running.status = Some(RecordStatus::InProgress);
    memory.write(&running, day(0)).unwrap();
    let after = |hours| day(0) + SignedDuration::from_hours(hours);
    assert_eq!(numbers(&memory.prune(after(23), false).unwrap().in_use), [1]);
    assert_eq!(numbers(&memory.prune(after(25), false).unwrap().moved), [1]);
}

#[test]
fn what_is_in_the_archive_can_still_be_shown() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory =
        memory_of(folder.path(), &[passing(1, CART, day(0)), passing(2, CART, day(0))]);
    memory.prune(day(100), false).unwrap();
    let mut show = |id: &str| memory.show(id).unwrap();
    let Shown::Archived(path, record, Origin::Seen) = show(&session(1)) else {
        panic!("it is archived")
    };
    assert_eq!(
        (path.parent().unwrap(), record.session_id),
        (folder.path().join("archive").as_path(), session(1))
    );
    let wanted = Shown::Several(vec![session(1), session(2)], 2);
    assert_eq!(show("00000000"), wanted);
    assert_eq!(show("ffff"), Shown::Nothing);
    // A record that is remembered comes first, and one under another name is recognised by what is in it.
    let archive = folder.path().join("archive");
    fs::rename(archive.join(format!("session-{}.json", session(2))), archive.join("old.json"))
        .unwrap();
    assert!(matches!(show(&session(2)), Shown::Archived(..)));
    memory.write(&passing(2, CART, day(0)), day(0)).unwrap();
    assert!(matches!(memory.show(&session(2)).unwrap(), Shown::Record(..)));
}
