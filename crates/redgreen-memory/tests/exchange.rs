//! Records come in and go out, are searched, shown and counted.

use std::fs;

use crate::common::{
    Trouble, day, memory, memory_knowing, memory_of, memory_with, passing, sealed, session,
    troubled,
};
use redgreen_memory::{Format, Imported, Memory, Origin, Settings, Shown};
use redgreen_model::debug_memory::Learnings;

const CART: &str = "shop/cart.py";
const FOREIGN: &str = "session_id: abc\nfile_path: src/a.ts\nstatus: passed\nexecutions:\n  - attempt: 1\n    test_results: {passed: 1, failed: 1}\n    failures:\n      - {test: t1, error: 'TypeError: nothing to measure'}\n    fix_applied: Measure first\n";

#[test]
fn an_import_takes_every_layout_and_adds_nothing_twice() {
    let (project, here) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let there = project.path().join(".aiwg/ralph/debug-memory");
    drop(memory_of(&there, &[troubled(1, CART, day(1), &Trouble::default(), true)]));
    fs::write(there.join("session-abc.yaml"), FOREIGN).unwrap();
    fs::write(there.join("sessions/session-broken.json"), "{").unwrap();
    let mut memory = memory_of(here.path(), &[passing(1, CART, day(2))]);
    let imported = memory.import(project.path(), day(3)).unwrap();
    assert_eq!((imported.added, imported.known), (1, 1), "what is here stays");
    assert_eq!(imported.unreadable.len(), 1);
    assert!(imported.unreadable[0].path.ends_with("sessions/session-broken.json"));
    let again = memory.import(&there, day(4)).unwrap();
    assert_eq!(again, Imported { added: 0, known: 2, ..imported });
    assert_eq!(fs::read_to_string(there.join("sessions/session-broken.json")).unwrap(), "{");
    let hits = memory.search("nothing MEASURE", 10).unwrap();
    assert_eq!((hits.len(), hits[0].file.as_str()), (1, "src/a.ts"));
    assert!(memory.import(&project.path().join("nowhere"), day(4)).is_err());
}

#[test]
fn an_export_is_one_line_for_each_record_and_the_oldest_first() {
    let folder = tempfile::tempdir().unwrap();
    let records = [passing(2, CART, day(2)), passing(1, CART, day(1))];
    let mut memory = memory_of(folder.path(), &records);
    let mut out = Vec::new();
    assert_eq!(memory.export(&mut out).unwrap(), 2);
    let lines: Vec<redgreen_model::debug_memory::Record> = String::from_utf8(out)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let texts = |record| serde_json::from_str(&sealed(record)).unwrap();
    assert_eq!(lines, [texts(&records[1]), texts(&records[0])]);
}

#[test]
fn what_was_exported_can_be_imported_and_is_unverified_where_its_key_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let (there, here) = (folder.path().join("there"), folder.path().join("here"));
    let records: Vec<_> =
        (1..=3).map(|n| troubled(n, CART, day(1), &Trouble::default(), true)).collect();
    let mut out = Vec::new();
    memory_of(&there, &records).export(&mut out).unwrap();
    out.extend(b"\n{ torn\n");
    let file = folder.path().join("records.txt");
    fs::write(&file, &out).unwrap();
    let mut memory = memory_knowing(&here, &[]);
    let imported = memory.import(&file, day(3)).unwrap();
    assert_eq!((imported.added, imported.unreadable.len()), (3, 1));
    assert!(imported.unreadable[0].path.to_string_lossy().ends_with("records.txt:4"));
    // It was redgreen that saw them, and somewhere else.
    let stats = memory.stats().unwrap();
    assert_eq!((stats.records, stats.seen, stats.offered), (3, 0, 0));
    assert_eq!(memory.metrics(None, day(9)).unwrap().sessions, 0);
    let pattern = &memory.patterns().unwrap()[0];
    assert_eq!((pattern.occurrences, pattern.unverified), (0, 3));
    // One record by itself, on many lines.
    let alone = folder.path().join("one.yaml");
    fs::write(&alone, FOREIGN).unwrap();
    assert_eq!(memory.import(&alone, day(3)).unwrap().added, 1);
    assert_eq!(memory.import(&alone, day(3)).unwrap().known, 1);
    fs::write(&alone, "").unwrap();
    assert_eq!(memory.import(&alone, day(3)).unwrap().unreadable.len(), 1);
}

#[test]
fn links_and_empty_files_are_named_and_no_link_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory");
    let outside = folder.path().join("outside.json");
    let record = troubled(2, CART, day(1), &Trouble::default(), true);
    fs::write(&outside, serde_json::to_string(&record).unwrap()).unwrap();
    let mut memory = memory_of(&path, &[passing(1, CART, day(1))]);
    for (link, to) in [("sessions/out.json", outside), ("sessions/gone.json", "nowhere".into())] {
        std::os::unix::fs::symlink(to, path.join(link)).unwrap();
    }
    fs::write(path.join("sessions/zero.json"), "").unwrap();
    let stats = memory.stats().unwrap();
    assert_eq!(stats.records, 1);
    let reasons: Vec<&str> = stats.unreadable.iter().map(|file| file.reason.as_str()).collect();
    let link = "it is a symbolic link: only files are read";
    assert_eq!(reasons, [link, link, "it is empty"]);
}

#[test]
fn a_session_that_is_here_under_another_name_does_not_come_again() {
    let folder = tempfile::tempdir().unwrap();
    let (there, here) = (folder.path().join("there"), folder.path().join("here"));
    let record = troubled(1, CART, day(1), &Trouble::default(), true);
    drop(memory_of(&there, std::slice::from_ref(&record)));
    fs::create_dir_all(here.join("sessions")).unwrap();
    fs::write(here.join("sessions/by-hand.json"), sealed(&record)).unwrap();
    let mut memory = memory(&here);
    let imported = memory.import(&there, day(2)).unwrap();
    assert_eq!((imported.added, imported.known), (0, 1));
    assert_eq!(memory.stats().unwrap().seen, 1, "what was seen here stays seen");
    assert!(memory.import(&here, day(2)).is_err(), "nothing is taken over from itself");
}

#[test]
fn secrets_do_not_come_in_with_what_redgreen_is_said_to_have_written() {
    let folder = tempfile::tempdir().unwrap();
    let key = format!("AKIA{}", "IOSFODNN7EXAMPLE");
    let mut record = troubled(1, CART, day(1), &Trouble::default(), true);
    record.executions[0].failures[0].error_message = format!("denied for {key}");
    record.learnings = Some(Learnings {
        recommendations: vec![format!("Do not print {key}")],
        ..Learnings::default()
    });
    let file = folder.path().join("records.jsonl");
    fs::write(&file, serde_json::to_string(&record).unwrap()).unwrap();
    let here = folder.path().join("here");
    assert_eq!(memory(&here).import(&file, day(2)).unwrap().added, 1);
    let path = here.join(format!("sessions/session-{}.json", session(1)));
    let text = fs::read_to_string(path).unwrap();
    assert!(!text.contains(&key) && text.contains("denied for"), "{text}");
}

#[test]
fn a_session_in_two_files_counts_once_and_the_newest_says_what_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory =
        memory_of(folder.path(), &[troubled(1, CART, day(2), &Trouble::default(), true)]);
    let path = |name: &str| folder.path().join(name);
    let write = |name: &str, on: i64, worked: bool| {
        let record = troubled(1, CART, day(on), &Trouble::default(), worked);
        fs::write(path(name), sealed(&record)).unwrap();
    };
    let found = |memory: &mut Memory| {
        let (stats, pattern) = (memory.stats().unwrap(), memory.patterns().unwrap().remove(0));
        assert_eq!((stats.records, stats.unreadable.len()), (1, 0));
        assert_eq!(pattern.occurrences, 1);
        (stats.doubled, pattern.worked, pattern.failed)
    };
    write("session-older.json", 1, false);
    assert_eq!(found(&mut memory), (1, 1, 0));
    write("sessions/newer.json", 3, false);
    assert_eq!(found(&mut memory), (2, 0, 1));
    memory.rebuild().unwrap();
    assert_eq!(found(&mut memory), (2, 0, 1), "in whatever order they came");
    // What was in its shadow counts again, at once.
    fs::remove_file(path("sessions/newer.json")).unwrap();
    assert_eq!(found(&mut memory), (1, 1, 0));
    fs::remove_file(path(&format!("sessions/session-{}.json", session(1)))).unwrap();
    assert_eq!(found(&mut memory), (0, 0, 1));
}

#[test]
fn a_session_stays_in_its_file_when_the_format_changes() {
    let folder = tempfile::tempdir().unwrap();
    drop(memory_of(folder.path(), &[passing(1, CART, day(1))]));
    let settings = Settings { format: Format::Yaml, ..Settings::default() };
    let mut memory = memory_with(folder.path(), settings);
    for number in [1, 2] {
        memory.write(&passing(number, CART, day(2)), day(2)).unwrap();
    }
    let mut names: Vec<_> = fs::read_dir(folder.path().join("sessions"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let wanted = [format!("session-{}.json", session(1)), format!("session-{}.yaml", session(2))];
    assert_eq!(names, wanted);
}

#[test]
fn records_are_found_by_words_and_by_the_beginning_of_their_id() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = memory_of(
        folder.path(),
        &[
            troubled(1, CART, day(1), &Trouble::default(), true),
            troubled(
                2,
                CART,
                day(2),
                &Trouble { message: "naïve Größe 'x'", ..Trouble::default() },
                true,
            ),
            passing(3, CART, day(3)),
        ],
    );
    let found = |memory: &mut Memory, text: &str| -> Vec<String> {
        memory.search(text, 10).unwrap().into_iter().map(|hit| hit.session).collect()
    };
    assert_eq!(found(&mut memory, "operand"), [session(1)]);
    assert_eq!(found(&mut memory, "GRÖSSE"), [] as [String; 0]);
    assert_eq!(found(&mut memory, "größe naïve"), [session(2)]);
    assert_eq!(found(&mut memory, "empty cart"), [session(2), session(1)]);
    for strange in ["", "\" OR \"", "NEAR(a b)", "* ^ :", "क्ष", "\u{0}"] {
        assert_eq!(found(&mut memory, strange), [] as [String; 0], "{strange:?}");
    }
    assert!(memory.take_notes().is_empty(), "no query breaks the index");
    let Shown::Record(path, record, origin) = memory.show(&session(3)).unwrap() else { panic!() };
    assert_eq!((record.session_id, origin), (session(3), Origin::Seen));
    assert!(path.ends_with(format!("sessions/session-{}.json", session(3))));
    let all = vec![session(3), session(2), session(1)];
    assert_eq!(memory.show("0000").unwrap(), Shown::Several(all, 3), "the newest first");
    assert_eq!(memory.show("ffff").unwrap(), Shown::Nothing);
    assert_eq!(memory.show("").unwrap(), Shown::Nothing);
}

#[test]
fn what_is_there_is_counted_and_a_rebuild_counts_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let records: Vec<_> =
        (1..=3).map(|n| troubled(n, CART, day(1), &Trouble::default(), true)).collect();
    let mut memory = memory_of(folder.path(), &records);
    fs::write(folder.path().join("session-x.json"), "[]").unwrap();
    let stats = memory.stats().unwrap();
    assert_eq!((stats.records, stats.seen, stats.causes, stats.offered), (3, 3, 1, 1));
    assert_eq!(stats.unreadable.len(), 1);
    assert!(stats.unreadable[0].reason.contains("not a mapping"), "{:?}", stats.unreadable);
    let rebuilt = memory.rebuild().unwrap();
    assert_eq!(rebuilt.unreadable, stats.unreadable);
    assert_eq!((rebuilt.records, rebuilt.causes, rebuilt.offered), (3, 1, 1));
    assert!(crate::common::memory(&folder.path().join("none")).stats().unwrap().records == 0);
    drop(memory);
    let _ = memory_of(folder.path(), &[]);
    assert!(memory_is_ignored(folder.path()));
}

fn memory_is_ignored(folder: &std::path::Path) -> bool {
    let text = fs::read_to_string(folder.join(".gitignore")).unwrap();
    let _ = memory(folder);
    text.lines().any(|line| line == ".drafts/")
}

#[test]
fn a_seal_that_holds_comes_with_its_record() {
    let records = [1, 2].map(|number| troubled(number, CART, day(1), &Trouble::default(), true));
    let there = tempfile::tempdir().unwrap();
    let mut out = Vec::new();
    memory_of(there.path(), &records).export(&mut out).unwrap();
    let lines = String::from_utf8(out).unwrap();
    let (edited, stranger) = (session(3), troubled(4, CART, day(1), &Trouble::default(), true));
    let first = lines.lines().next().unwrap();
    let stranger = serde_json::to_value(&stranger).unwrap().to_string();
    let others = [first.replace(&session(1), &edited), stranger].join("\n");
    let file = there.path().join("all.jsonl");
    fs::write(&file, format!("{lines}{others}\n")).unwrap();
    for format in [Format::Json, Format::Yaml] {
        let here = tempfile::tempdir().unwrap();
        let settings = Settings { format, ..Settings::default() };
        let mut memory = memory_with(here.path(), settings);
        let imported = memory.import(&file, day(3)).unwrap();
        let seals = (imported.sealed, imported.by_unknown_keys, imported.broken_seals);
        assert_eq!((imported.added, seals), (4, (2, 0, 1)));
        assert_eq!(memory.patterns().unwrap()[0].worked, 2);
        let mut again = Vec::new();
        memory.export(&mut again).unwrap();
        let again = String::from_utf8(again).unwrap();
        assert!(lines.lines().all(|line| again.contains(line)), "{again}");
        // A key that does not count here makes no difference.
        let here = tempfile::tempdir().unwrap();
        let imported = memory_knowing(here.path(), &["another"]).import(&file, day(3)).unwrap();
        assert_eq!((imported.sealed, imported.by_unknown_keys, imported.broken_seals), (0, 2, 1));
    }
}
