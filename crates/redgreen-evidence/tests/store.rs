//! The store lies where the agent works: what is forged, edited, copied or cut in it is as if it was
//! not there, and is said.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::common::{StoreFolder, asked, by, seen, test, tree};
use redgreen_evidence::{Asked, Content, Key, Seal, Store};
use redgreen_model::evidence::{JudgedBy, Rules};
use redgreen_model::verdict::Verdict;

#[test]
fn a_verdict_is_found_by_its_tree() {
    let place = StoreFolder::new();
    place.keep(&tree('1'), None);
    let (public, by) = (place.public(), by());
    let by_tree = place.store.passed_tree(&public, &tree('1').tree, &asked(&by, None));
    let kept = by_tree.found.expect("a verdict");
    assert_eq!(kept.tree, tree('1'));
    assert_eq!((kept.verdict.counts.passed, kept.verdict.counts.skipped), (1, 1));
    let (bundles, refused) = place.store.bundles(&public, &tree('1').tree);
    assert_eq!((bundles.len(), refused), (1, Vec::new()));
    assert_eq!(place.store.trees(), [tree('1').tree]);
}

#[test]
fn where_nothing_changed_a_pass_counts_whatever_it_was_compared_with() {
    let place = StoreFolder::new();
    place.keep(&tree('1'), Some(tree('2')));
    let (public, same) = (place.public(), by());
    let alone = |of: char, by: &JudgedBy| place.store.passed_alone(&public, &tree(of).tree, by);
    assert_eq!(alone('1', &same).found.expect("a verdict").tree, tree('1'));
    assert_eq!(alone('2', &same).found, None);
    let other = JudgedBy { rules: Rules("6".repeat(64)), ..by() };
    assert_eq!(alone('1', &other).found, None);
    // A copy of it below another tree's name is not about that one.
    let trees = place.folder.path().join(".redgreen/evidence/trees");
    fs::rename(trees.join(&tree('1').tree.0), trees.join(&tree('3').tree.0)).expect("moved");
    let looked = alone('3', &same);
    assert_eq!(looked.found, None);
    assert!(looked.refused.iter().any(|why| why.contains("another tree")), "{looked:?}");
    place.keep(&tree('1'), Some(tree('2')));
    place.store.withdraw(&public, &tree('1').code, &|_| true);
    assert_eq!(alone('1', &same).found, None, "it was taken back");
}

#[test]
fn other_trees_rules_bases_and_versions_are_other_questions() {
    let place = StoreFolder::new();
    place.keep(&tree('1'), Some(tree('2')));
    let (public, same) = (place.public(), by());
    let other = JudgedBy { rules: Rules("6".repeat(64)), ..by() };
    let newer = JudgedBy { redgreen: "0.2.0".to_owned(), ..by() };
    let filtered = JudgedBy { variables: "8".repeat(64), ..by() };
    let (right, wrong) = (tree('2').tree, tree('3').tree);
    let found = |of: char, asked: &Asked<'_>| {
        let by_tree = place.store.passed_tree(&public, &tree(of).tree, asked);
        assert!(by_tree.refused.is_empty(), "{by_tree:?}");
        by_tree.found.is_some()
    };
    assert!(found('1', &asked(&same, Some(&right))));
    assert!(!found('2', &asked(&same, Some(&right))));
    assert!(!found('1', &asked(&same, Some(&wrong))));
    assert!(!found('1', &asked(&same, None)));
    assert!(!found('1', &asked(&other, Some(&right))));
    assert!(!found('1', &asked(&newer, Some(&right))));
    assert!(!found('1', &asked(&filtered, Some(&right))));
}

#[test]
fn a_verdict_is_taken_back_whatever_it_compares_with() {
    let place = StoreFolder::new();
    place.keep(&tree('1'), None);
    place.keep(&tree('1'), Some(tree('2')));
    place.keep(&tree('3'), None);
    let (public, by) = (place.public(), by());
    let (rules, base) = (by.rules.clone(), tree('2').tree);
    let found = |base| place.store.passed_tree(&public, &tree('1').tree, &asked(&by, base)).found;
    place.store.withdraw(&public, &tree('1').code, &|by| by.rules != rules);
    assert!(found(None).is_some() && found(Some(&base)).is_some());
    place.store.withdraw(&public, &tree('1').code, &|by| by.rules == rules);
    assert!(found(None).is_none() && found(Some(&base)).is_none());
    let kept = place.store.passed_tree(&place.public(), &tree('3').tree, &asked(&by, None));
    assert!(kept.found.is_some());
}

/// Puts something in the place of a file of the store.
type Forgery = (&'static str, fn(&Path, &StoreFolder), &'static str);

/// All that has been tried with a file.
const FORGERIES: &[Forgery] = &[
    ("written by hand", |path, _| put(path, b"{\"result\":\"PASSED\"}"), "not a DSSE envelope"),
    ("a byte flipped", |path, _| flip(path), "does not fit its content"),
    ("cut", |path, _| cut(path), "not a DSSE envelope"),
    ("empty", |path, _| put(path, b""), "is not believed"),
    ("50 MB of garbage", |path, _| put(path, &vec![b'{'; 50 << 20]), "is not believed"),
    ("binary", |path, _| put(path, &[0, 0xff, 0x1b]), "is not believed"),
    ("signed by another key", |path, place| other_key(path, place), "another key"),
    ("unsigned", |path, _| unsigned(path), "not signed"),
    ("another payload type", |path, _| other_type(path), "another type: `application/json`"),
    ("a folder", |path, _| folder(path), "it is a folder"),
    ("a link to itself elsewhere", |path, place| link(path, place), "a symbolic link"),
    ("a pipe", |path, _| fifo(path), "it is a pipe"),
];

fn put(path: &Path, content: &[u8]) {
    fs::write(path, content).expect("a file");
}

/// Changes a character in the middle of each payload.
fn flip(path: &Path) {
    let text = fs::read_to_string(path).expect("a file");
    let flipped = |line: &str| {
        let at = line.find("\"payload\":\"").expect("a payload") + 60;
        let other = if &line[at..=at] == "A" { "B" } else { "A" };
        format!("{}{other}{}\n", &line[..at], &line[at + 1..])
    };
    put(path, text.lines().map(flipped).collect::<String>().as_bytes());
}

fn cut(path: &Path) {
    let text = fs::read(path).expect("a file");
    put(path, &text[..text.len() / 2 + 100]);
}

fn unsigned(path: &Path) {
    let text = fs::read_to_string(path).expect("a file");
    let bare = |line: &str| {
        let (head, _) = line.split_once("\"signatures\":").expect("signatures");
        format!("{head}\"signatures\":[]}}\n")
    };
    put(path, text.lines().map(bare).collect::<String>().as_bytes());
}

fn other_type(path: &Path) {
    let text = fs::read_to_string(path).expect("a file");
    put(path, text.replace("application/vnd.in-toto+json", "application/json").as_bytes());
}

/// The same, signed by somebody who has a key of their own.
fn other_key(path: &Path, place: &StoreFolder) {
    let stranger = StoreFolder::new();
    stranger.keep(&tree('1'), None);
    stranger
        .store
        .keep_execution(&stranger.key, &seen(&tree('1'), &[], Verdict::Passed))
        .expect("kept");
    let store = place.folder.path().join(".redgreen");
    let same = path.strip_prefix(store).expect("in the store");
    fs::copy(stranger.folder.path().join(".redgreen").join(same), path).expect("a copy");
}

fn folder(path: &Path) {
    fs::remove_file(path).expect("a file");
    fs::create_dir(path).expect("a folder");
}

fn link(path: &Path, place: &StoreFolder) {
    let elsewhere = place.folder.path().join("elsewhere");
    fs::rename(path, &elsewhere).expect("moved");
    symlink(&elsewhere, path).expect("a link");
}

fn fifo(path: &Path) {
    fs::remove_file(path).expect("a file");
    let made = Command::new("mkfifo").arg(path).status().expect("mkfifo");
    assert!(made.success());
}

#[test]
fn forged_verdicts_are_not_there_and_are_said() {
    for (what, forge, words) in FORGERIES {
        let place = StoreFolder::new();
        place.keep(&tree('1'), None);
        let files = place.files(".verdict.json");
        assert_eq!(files.len(), 2, "{files:?}");
        for path in &files {
            forge(path, &place);
        }
        let (public, by) = (place.public(), by());
        let looked = place.store.passed_tree(&public, &tree('1').tree, &asked(&by, None));
        assert!(looked.found.is_none(), "{what}: believed");
        let said = looked.refused.join("\n");
        assert!(said.contains(words), "{what}: {said:?}");
        assert!(said.starts_with("evidence/"), "{what}: {said:?}");
        // It goes on working: what was seen again is kept again, or it is said that it cannot be.
        let evidence = crate::common::evidence(&tree('1'), None);
        let result = crate::common::test_result(&evidence);
        let kept = place.store.keep(&place.key, &tree('1'), result, evidence);
        assert_eq!(kept.is_err(), *what == "a folder", "{what}: {kept:?}");
    }
}

#[test]
fn forged_statements_and_executions_are_not_there_and_are_said() {
    for (what, forge, words) in FORGERIES {
        let place = StoreFolder::new();
        place.keep(&tree('1'), None);
        place
            .store
            .keep_execution(&place.key, &seen(&tree('1'), &[], Verdict::Passed))
            .expect("kept");
        for path in place.files(".jsonl").iter().chain(&place.files("executions")) {
            forge(path, &place);
        }
        let public = place.public();
        let (bundles, refused) = place.store.bundles(&public, &tree('1').tree);
        assert!(bundles.is_empty(), "{what}: believed");
        // A cut in the second of two lines leaves the first.
        assert!(
            refused.iter().any(|it| it.contains(words)) || *what == "cut" || *what == "empty",
            "{what}: {refused:?}"
        );
        assert!(!refused.is_empty(), "{what}: not said");
        let by = by();
        let looked = place.store.seen_to_pass(&public, (&tree('1').tree, &[]), &by);
        assert!(looked.found.is_none(), "{what}: believed");
        assert!(looked.refused.join("\n").contains(words), "{what}: {:?}", looked.refused);
    }
}

#[test]
fn evidence_of_another_tree_under_this_ones_name_is_refused() {
    let place = StoreFolder::new();
    place.keep(&tree('1'), None);
    place.keep(&tree('2'), None);
    for (one, two) in place.files("1111").iter().zip(&place.files("2222")) {
        fs::copy(two, one).expect("a copy");
    }
    let (public, by) = (place.public(), by());
    let looked = place.store.passed_tree(&public, &tree('1').tree, &asked(&by, None));
    assert!(looked.found.is_none());
    assert!(looked.refused[0].contains("another tree"), "{:?}", looked.refused);
    let (bundles, refused) = place.store.bundles(&public, &tree('1').tree);
    assert!(bundles.is_empty());
    assert!(refused[0].contains("another tree"), "{refused:?}");
}

#[test]
fn evidence_under_another_question_is_refused() {
    let place = StoreFolder::new();
    place.keep(&tree('1'), None);
    let plain = fs::read(&place.files("trees/1111")[1]).expect("a verdict");
    place.keep(&tree('1'), Some(tree('2')));
    for path in place.files(".verdict.json") {
        fs::write(path, &plain).expect("a file");
    }
    let (by, base) = (by(), tree('2').tree);
    let looked =
        place.store.passed_tree(&place.public(), &tree('1').tree, &asked(&by, Some(&base)));
    assert!(looked.found.is_none());
    assert!(looked.refused[0].contains("compares with another tree"), "{:?}", looked.refused);
}

#[test]
fn executions_are_found_by_tree_and_tests_and_only_if_they_passed() {
    let place = StoreFolder::new();
    let (public, by) = (place.public(), by());
    let only = [test("b"), test("a")];
    let keep = |seen| place.store.keep_execution(&place.key, &seen).expect("kept");
    let found = |of: char, only: &[_]| {
        let looked = place.store.seen_to_pass(&public, (&tree(of).tree, only), &by);
        assert!(looked.refused.is_empty(), "{:?}", looked.refused);
        looked.found
    };
    keep(seen(&tree('1'), &[], Verdict::Passed));
    keep(seen(&tree('2'), &only, Verdict::Passed));
    keep(seen(&tree('3'), &[], Verdict::Failed));
    assert_eq!(found('1', &[]).expect("seen"), seen(&tree('1'), &[], Verdict::Passed));
    assert!(found('2', &[test("a"), test("b")]).is_some(), "in any order");
    assert!(found('2', &[]).is_none() && found('1', &only).is_none());
    assert!(found('3', &[]).is_none(), "it was red");
    // What was seen last counts.
    keep(seen(&tree('1'), &[], Verdict::Inconclusive));
    assert!(found('1', &[]).is_none());
}

#[test]
fn an_execution_of_another_tree_under_this_ones_name_is_refused() {
    let place = StoreFolder::new();
    for tree in [tree('1'), tree('2')] {
        place.store.keep_execution(&place.key, &seen(&tree, &[], Verdict::Passed)).expect("kept");
    }
    let files = place.files("executions");
    let (one, two) = (fs::read(&files[0]).expect("it"), fs::read(&files[1]).expect("it"));
    fs::write(&files[0], two).expect("it");
    fs::write(&files[1], one).expect("it");
    for tree in [tree('1'), tree('2')] {
        let looked = place.store.seen_to_pass(&place.public(), (&tree.tree, &[]), &by());
        assert!(looked.found.is_none());
        assert!(looked.refused[0].contains("another tree"), "{:?}", looked.refused);
    }
}

#[test]
fn the_newest_are_kept_and_nothing_of_others_is_removed() {
    let place = StoreFolder::new();
    let folder = place.folder.path().join(".redgreen/evidence/executions");
    for number in 0..205 {
        let mut tree = tree('1');
        tree.tree.0 = format!("{number:040}");
        place.store.keep_execution(&place.key, &seen(&tree, &[], Verdict::Passed)).expect("kept");
        if number == 0 {
            fs::write(folder.join("notes.txt"), "mine").expect("a file");
        }
    }
    assert!(folder.join("notes.txt").exists());
    assert_eq!(place.files("executions").len(), 200 + 1);
    let last = redgreen_model::tree::TreeHash(format!("{:040}", 204));
    let looked = place.store.seen_to_pass(&place.public(), (&last, &[]), &by());
    assert!(looked.found.is_some());
}

#[test]
fn a_store_that_leads_elsewhere_is_not_followed() {
    for part in ["", "trees", "executions", "code"] {
        let place = StoreFolder::new();
        let elsewhere = tempfile::tempdir().expect("a folder");
        fs::write(elsewhere.path().join("a".repeat(40)), "mine").expect("a file");
        let store = place.folder.path().join(".redgreen/evidence");
        if part.is_empty() {
            symlink(elsewhere.path(), &store).expect("a link");
        } else {
            fs::create_dir(&store).expect("a folder");
            symlink(elsewhere.path(), store.join(part)).expect("a link");
        }
        let evidence = crate::common::evidence(&tree('1'), None);
        let result = crate::common::test_result(&evidence);
        let kept = place.store.keep(&place.key, &tree('1'), result, evidence);
        let seen = seen(&tree('1'), &[], Verdict::Passed);
        let kept_execution = place.store.keep_execution(&place.key, &seen);
        assert_eq!(kept.is_err(), part != "executions", "{part}");
        assert_eq!(kept_execution.is_err(), part.is_empty() || part == "executions", "{part}");
        let names: Vec<_> = fs::read_dir(elsewhere.path()).expect("it").flatten().collect();
        assert_eq!(names.len(), 1, "{part}: {names:?}");
    }
}

#[test]
fn a_seal_is_read_as_it_was_signed() {
    let place = StoreFolder::new();
    let path = place.folder.path().join("journal.seal");
    let content = |bytes: u64, digit: &str| Content { bytes, sha256: digit.repeat(64) };
    let before = Some(content(5, "b"));
    let good = Seal { of: "session 1".to_owned(), now: content(10, "a"), before };
    let public = place.public();
    assert_eq!(Seal::read(&public, &path), None, "there is none");
    good.write(&place.key, &path).expect("a seal");
    assert_eq!(Seal::read(&public, &path).as_ref(), Some(&good));
    let stranger = Key::open_or_make(&place.folder.path().join("stranger")).expect("a key");
    assert_eq!(Seal::read(&stranger.public(), &path), None);
    // What is signed as evidence is no seal, and the other way round.
    place.keep(&tree('1'), None);
    fs::copy(&place.files(".verdict.json")[0], &path).expect("a copy");
    assert_eq!(Seal::read(&public, &path), None);
    flip_is_seen(&place, &good, &path);
}

fn flip_is_seen(place: &StoreFolder, seal: &Seal, path: &Path) {
    seal.write(&place.key, path).expect("a seal");
    flip(path);
    assert_eq!(Seal::read(&place.public(), path), None);
}

#[test]
fn an_empty_store_says_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let key = Key::open_or_make(&folder.path().join("home")).expect("a key").public();
    let store = Store::new(folder.path());
    let looked = store.passed_tree(&key, &tree('1').tree, &asked(&by(), None));
    assert!(looked.found.is_none() && looked.refused.is_empty());
    assert!(store.trees().is_empty());
    assert!(!folder.path().join("evidence").exists(), "looking makes nothing");
}
