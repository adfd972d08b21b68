use redgreen_model::reach::Reached;

use super::super::tests::Files;
use super::super::{Side, SideCheck, Sides};

const PYTEST: SideCheck<'_> =
    SideCheck { framework: crate::pytest::ID, folder: "", command: "pytest" };

/// File, who named it, and whether that is sure.
type Seen<'seen> = &'seen [(&'seen str, &'seen str, bool)];

fn reached(seen: Seen<'_>) -> Reached {
    let mut reached = Reached::default();
    seen.iter().for_each(|(file, by, is_sure)| reached.add(file, by, *is_sure));
    reached
}

const FILES: &[(&str, &str)] = &[
    ("app.py", "def page(name):\n    return open(name)\n"),
    ("store.py", "X = open('known.json')\n"),
    ("fixtures/__init__.py", ""),
    ("fixtures/lamps.py", "LAMP = 1\n"),
    ("tests/test_app.py", "from app import page\n\ndef test_a():\n    assert page('x')\n"),
    ("tests/test_data.py", "def test_a():\n    assert open('x')\n"),
    ("tests/helper.py", "def load(name):\n    return open(name)\n"),
    ("tests/data/in.txt", ""),
    ("golden", ""),
    ("bin/tool", "#!/usr/bin/env python3\nprint(1)\n"),
    ("tests/data/tool", "#!/bin/sh\necho 1\n"),
    ("page.html", ""),
    ("both", ""),
    ("known.json", ""),
    ("prompt.md", ""),
    ("README.md", ""),
    ("locale.txt", ""),
    ("pytest.ini", ""),
    ("expected.log", ""),
];

#[track_caller]
fn all(baseline: Seen<'_>, run: Seen<'_>, wanted: &[(&str, Side)]) {
    let files = Files::of(FILES);
    let sides = Sides::new(&files, &[PYTEST], &[]).watched(reached(baseline), reached(run));
    for (path, wanted) in wanted {
        assert_eq!(sides.side(path), *wanted, "{path}: {}", sides.reason(path));
    }
}

#[test]
fn data_is_of_those_who_open_it() {
    all(
        &[
            ("golden", "tests/test_app.py", true),
            ("bin/tool", "tests/test_app.py", true),
            ("tests/data/tool", "tests/test_app.py", true),
            ("expected.log", "tests/helper.py", true),
            ("page.html", "app.py", true),
            ("prompt.md", "app.py", true),
            ("both", "app.py", true),
            ("both", "tests/helper.py", true),
            ("README.md", "tests/test_app.py", true),
            ("pytest.ini", "app.py", true),
        ],
        &[],
        &[
            ("golden", Side::Tests),
            ("bin/tool", Side::Code),
            ("tests/data/tool", Side::Tests),
            ("expected.log", Side::Tests),
            ("page.html", Side::Code),
            ("prompt.md", Side::Code),
            ("both", Side::Shared),
            ("README.md", Side::Code),
            ("pytest.ini", Side::Tests),
            ("locale.txt", Side::Code),
        ],
    );
}

#[test]
fn who_opens_a_path_that_it_was_given_leaves_a_doubt() {
    all(
        &[
            ("golden", "app.py", false),
            ("both", "app.py", false),
            ("both", "tests/test_app.py", true),
            ("known.json", "store.py", false),
            ("tests/data/in.txt", "app.py", true),
        ],
        &[],
        &[
            ("golden", Side::Shared),
            ("both", Side::Shared),
            ("known.json", Side::Code),
            ("tests/data/in.txt", Side::Tests),
        ],
    );
}

#[test]
fn tests_that_use_no_code_judge_the_data_itself() {
    all(
        &[("locale.txt", "tests/test_data.py", true), ("golden", "", true)],
        &[],
        &[("locale.txt", Side::Code), ("golden", Side::Code)],
    );
}

#[test]
fn what_the_sources_of_code_name_is_no_judge_of_its_own() {
    all(&[("known.json", "tests/test_app.py", true)], &[], &[("known.json", Side::Shared)]);
}

#[test]
fn a_source_that_code_was_seen_to_load_is_code() {
    let loaded = [("fixtures/lamps.py", "app.py", true), ("tests/helper.py", "app.py", true)];
    all(&[], &[], &[("fixtures/lamps.py", Side::Tests)]);
    all(&loaded, &[], &[("fixtures/lamps.py", Side::Code), ("tests/helper.py", Side::Tests)]);
}

#[test]
fn a_change_moves_no_file_that_was_reached_before() {
    all(
        &[("golden", "tests/test_app.py", true)],
        &[
            ("golden", "app.py", true),
            ("new", "tests/test_app.py", true),
            ("fixtures/lamps.py", "app.py", true),
        ],
        &[("golden", Side::Tests), ("new", Side::Tests), ("fixtures/lamps.py", Side::Tests)],
    );
}
