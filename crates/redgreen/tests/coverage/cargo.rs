//! cargo test.

use super::{Row, play, untested, verdict};
use crate::common::Project;
use crate::common::edits::Edits;

const LIB: &str = "//! A shop.\n\nmod gift;\npub mod price;\n\n/// What a number of things costs.\npub fn total(number: i64) -> i64 {\n    if number > 9 {\n        return price::of(number) - 1;\n    }\n    price::of(number)\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn totals() {\n        assert_eq!((super::total(2), super::total(10)), (6, 29));\n    }\n}\n";

/// A workspace of a library, and of a program that uses it and that its tests start without any variable.
fn project(command: &str) -> Project {
    let project = Project::empty();
    let check = format!(
        "[[checks]]\nname = \"unit\"\ncommand = \"{command}\"\nframework = \"cargo_test\"\n"
    );
    project.write("redgreen.toml", check);
    project.write("Cargo.toml", "[workspace]\nmembers = [\"shop\", \"till\"]\nresolver = \"2\"\n");
    let manifest = |name: &str, rest: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{rest}")
    };
    project.write(".gitignore", "/target\n");
    project.write("shop/Cargo.toml", manifest("shop", ""));
    project.write("shop/src/lib.rs", LIB);
    project.write("shop/src/price.rs", "pub fn of(number: i64) -> i64 {\n    3 * number\n}\n");
    project.write("shop/src/gift.rs", "//! Gifts.\n");
    project.write(
        "till/Cargo.toml",
        manifest("till", "\n[dependencies]\nshop = { path = \"../shop\" }\n"),
    );
    project.write("till/src/main.rs", "fn main() {\n    println!(\"{}\", shop::total(3));\n}\n");
    project.write("till/tests/it.rs", "#[test]\nfn prints() {\n    let till = std::process::Command::new(env!(\"CARGO_BIN_EXE_till\")).env_clear().output().unwrap();\n    assert_eq!(till.stdout, b\"9\\n\");\n}\n");
    project.commit();
    project
}

fn with_discount(project: &Project) {
    project.append(
        "shop/src/price.rs",
        "\npub fn discount(total: i64) -> i64 {\n    if total > 100 {\n        let tenth = total / 10;\n        return tenth;\n    }\n    0\n}\n",
    );
}

fn asks(project: &Project, condition: &str) {
    project.append(
        "shop/src/lib.rs",
        &format!("\n#[test]\nfn more() {{\n    assert!({condition});\n}}\n"),
    );
}

const ROWS: &[Row] = &[
    Row {
        name: "a new function and no test",
        change: with_discount,
        untested: &["shop/src/price.rs:6-10"],
    },
    Row {
        name: "a new function and its test",
        change: |project| {
            with_discount(project);
            asks(project, "price::discount(200) == 20 && price::discount(5) == 0");
        },
        untested: &[],
    },
    Row {
        name: "a test that calls it in one of two ways",
        change: |project| {
            with_discount(project);
            asks(project, "price::discount(5) == 0");
        },
        untested: &["shop/src/price.rs:7-8"],
    },
    Row {
        name: "a file that nothing names",
        change: |project| {
            project.write("shop/src/wrap.rs", "pub fn wrap(a: i64) -> i64 {\n    a + 1\n}\n");
        },
        untested: &["shop/src/wrap.rs:2"],
    },
    Row {
        name: "a generic function that only another crate uses",
        change: |project| {
            project.append(
                "shop/src/price.rs",
                "\npub fn shown<T: std::fmt::Display>(what: T) -> String {\n    let what = what.to_string();\n    what\n}\n",
            );
            project.replace(
                "till/src/main.rs",
                "shop::total(3)",
                "shop::price::shown(shop::total(3))",
            );
        },
        untested: &[],
    },
    Row {
        name: "functions that the examples in their documentation run, a generic one and what they call",
        change: |project| {
            project.append(
                "shop/src/price.rs",
                "\n/// ```\n/// assert_eq!(shop::price::cut(3), \"2\");\n/// ```\npub fn cut(a: i64) -> String {\n    less(a)\n}\n\n/// ```\n/// assert_eq!(shop::price::twice(\"a\"), \"aa\");\n/// ```\npub fn twice<T: AsRef<str>>(what: T) -> String {\n    let what = what.as_ref();\n    what.repeat(2)\n}\n\nfn less(a: i64) -> String {\n    (a - 1).to_string()\n}\n",
            );
        },
        untested: &[],
    },
    Row {
        name: "an example that is built and not run",
        change: |project| {
            project.append(
                "shop/src/price.rs",
                "\n/// ```no_run\n/// shop::price::never(3);\n/// ```\npub fn never(a: i64) -> i64 {\n    a * 9\n}\n",
            );
        },
        untested: &["shop/src/price.rs:9"],
    },
    Row {
        name: "moved, laid out anew and commented",
        change: |project| {
            project.remove("shop/src/gift.rs");
            project.write("shop/src/gift/mod.rs", "//! Gifts.\n// None yet.\n");
            project.replace(
                "shop/src/price.rs",
                "    3 * number\n",
                "    // Three each.\n    3\n        * number\n",
            );
        },
        untested: &[],
    },
    Row {
        name: "for another platform, and types alone",
        change: |project| {
            project.append(
                "shop/src/price.rs",
                "\n#[cfg(windows)]\npub fn drive(a: i64) -> i64 {\n    a + 1\n}\n",
            );
            project.append(
                "shop/src/gift.rs",
                "\n#[derive(Debug, Clone)]\npub struct Gift {\n    pub name: String,\n}\n",
            );
        },
        untested: &[],
    },
];

#[test]
fn what_tests_run_of_a_change_in_rust() {
    let work = project("cargo test --workspace --offline");
    play(&work, ROWS);
    // What is counted lies beside what the project builds, and nothing in the work tree.
    assert_eq!(work.git(&["status", "--porcelain", "--ignored"]).matches("!!").count(), 2);
}

#[test]
fn where_somebody_else_counts_it_is_said() {
    let work = project("RUSTFLAGS='-C instrument-coverage' cargo test --workspace --offline");
    with_discount(&work);
    let named = ["square", "--base", "HEAD", "--json", "--code-type", "new_function"];
    let ended = work.redgreen(&named);
    assert_eq!((verdict(&ended).as_str(), untested(&ended)), ("inconclusive", Vec::new()));
    assert!(ended.stdout.contains("is counted by the command itself"), "{}", ended.stdout);
}
