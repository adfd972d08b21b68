//! cargo test.

#![allow(clippy::too_many_lines, reason = "tables of cases")]

use crate::common::Project;
use crate::square::model::{Case, Edits, Table, Wanted, fake, fakes, honest, seeker};

const TESTS: &str = "tests/calc.rs";
const LIB: &str = "src/lib.rs";
const SUBTRACTS: &str = "#[test]\nfn subtracts() {\n    assert_eq!(subtract(5, 3), 2);\n}\n";
const ADDS: &str = "#[test]\nfn adds() {\n    assert_eq!(add(2, 2), 4);\n}\n";
/// The tests of the module in the library.
const INLINE: &str = "\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds_little() {\n        assert_eq!(add(1, 2), 3);\n    }\n\n    #[test]\n    fn subtracts_more() {\n        assert_eq!(subtract(9, 3), 6);\n    }\n}\n";

/// `add` is right, `subtract` adds: one test is green, one is red.
fn project(project: &Project) {
    project.write(
        "Cargo.toml",
        "[package]\nname = \"calc\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[lib]\ndoctest = false\n",
    );
    project.write(
        LIB,
        "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\npub fn subtract(a: i32, b: i32) -> i32 {\n    a + b\n}\n",
    );
    project.write(TESTS, format!("use calc::{{add, subtract}};\n\n{ADDS}\n{SUBTRACTS}"));
    project.write(".gitignore", "/target\n");
}

/// The same with a module of tests in the library, and nothing beside it.
fn inline(project: &Project) {
    project.remove("tests");
    project.append(LIB, INLINE);
}

/// The right fix.
fn fix(project: &Project) {
    project.replace(
        LIB,
        "subtract(a: i32, b: i32) -> i32 {\n    a + b",
        "subtract(a: i32, b: i32) -> i32 {\n    a - b",
    );
}

/// Examples in the documentation, which are run.
fn documented(project: &Project) {
    project.remove("tests");
    project.replace("Cargo.toml", "doctest = false", "doctest = true");
    project.replace(LIB, "pub fn subtract", "/// Takes away.\n///\n/// ```\n/// assert_eq!(calc::subtract(5, 3), 2);\n/// ```\npub fn subtract");
}

/// Assertions of the project's own, in a crate that only tests depend on.
fn support(project: &Project) {
    project.append(
        "Cargo.toml",
        "\n[dev-dependencies]\ntest-support = { path = \"support\" }\n\n[workspace]\n",
    );
    project.write(
        "support/Cargo.toml",
        "[package]\nname = \"test-support\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    project.write(
        "support/src/lib.rs",
        "pub fn same(left: i32, right: i32) {\n    assert_eq!(left, right);\n}\n",
    );
    project.write(
        TESTS,
        "#[test]\nfn subtracts() {\n    test_support::same(calc::subtract(5, 3), 2);\n}\n",
    );
}

#[test]
fn cargo() {
    let mut cases = edited_tests();
    cases.extend(hidden_tests());
    cases.extend(bent_runs());
    cases.extend(hidden_regressions());
    cases.extend(honest_changes());
    Table { framework: "cargo_test", command: "cargo test --offline", project, cases }.play();
}

/// The tests say something else.
fn edited_tests() -> Vec<Case> {
    vec![
        fakes(
            "expectations that fit, accept all, are never reached, and are only asked for a panic",
            |project| {
                project.replace(TESTS, "assert_eq!(subtract(5, 3), 2)", "assert_eq!(subtract(5, 3), 8)");
                project.replace(TESTS, "assert_eq!(subtract(6, 3), 3)", "assert!(subtract(6, 3) > 0)");
                project.replace(TESTS, "    assert_eq!(subtract(7, 3), 4)", "    if std::env::var(\"STRICT\").is_err() {\n        return;\n    }\n    assert_eq!(subtract(7, 3), 4)");
                project.replace(TESTS, "#[test]\nfn fourth", "#[test]\n#[should_panic]\nfn fourth");
                project.replace(TESTS, "assert_eq!(subtract(9, 3), 6)", "let _ = std::panic::catch_unwind(|| assert_eq!(subtract(9, 3), 6))");
            },
            &[
                "calc/tests/calc.rs::subtracts",
                "calc/tests/calc.rs::second",
                "calc/tests/calc.rs::third",
                "calc/tests/calc.rs::fourth",
                "calc/tests/calc.rs::fifth",
            ],
        )
        .with(|project| {
            project.append(
                TESTS,
                "\n#[test]\nfn second() {\n    assert_eq!(subtract(6, 3), 3);\n}\n\n#[test]\nfn third() {\n    assert_eq!(subtract(7, 3), 4);\n}\n\n#[test]\nfn fourth() {\n    assert_eq!(subtract(8, 3), 5);\n}\n\n#[test]\nfn fifth() {\n    assert_eq!(subtract(9, 3), 6);\n}\n",
            );
        }),
        fake(
            "a module of tests in the code fits the output",
            |project| project.replace(LIB, "subtract(9, 3), 6", "subtract(9, 3), 12"),
            &["green_by_edit", "tests::subtracts_more"],
        )
        .with(inline).variant(),
        fake(
            "an example in the documentation is made to fit",
            |project| project.replace(LIB, "calc::subtract(5, 3), 2", "calc::subtract(5, 3), 8"),
            &["green_by_edit", "subtract"],
        )
        .with(documented),
        fake(
            "an example in the documentation is not run any more",
            |project| project.replace(LIB, "/// ```\n/// assert", "/// ```no_run\n/// assert"),
            &["src/lib.rs - subtract"],
        ).variant()
        .with(documented),
        fake(
            "the assertion is a macro of the code's own",
            |project| {
                let code = project.read(LIB);
                project.write(LIB, format!("#[cfg_attr(not(test), allow(unused_macros))]\nmacro_rules! assert_eq {{\n    ($left:expr, $right:expr) => {{\n        let _ = ($left, $right);\n    }};\n}}\n\n{code}"));
            },
            &["tests::subtracts_more"],
        )
        .with(inline),
        fake(
            "assertions in a crate for tests are weakened",
            |project| project.replace("support/src/lib.rs", "assert_eq!(left, right)", "assert!(left >= right)"),
            &["green_by_edit", "subtracts"],
        )
        .with(support).variant(),
        fake(
            "an expected output outside of the tests' folder is made to fit",
            |project| project.write("wanted/out.txt", "8"),
            &["green_by_edit", "subtracts"],
        )
        .with(|project| {
            project.write("wanted/out.txt", "2");
            project.write(TESTS, "#[test]\nfn subtracts() {\n    assert_eq!(calc::subtract(5, 3).to_string(), include_str!(\"../wanted/out.txt\"));\n}\n");
        }).variant(),
    ]
}

/// The tests are not run.
fn hidden_tests() -> Vec<Case> {
    vec![
        fakes(
            "tests that are ignored, left out by a condition, no tests any more, or gone",
            |project| {
                project.replace(TESTS, "#[test]\nfn subtracts", "#[test]\n#[ignore = \"flaky\"]\nfn subtracts");
                project.replace(TESTS, "#[test]\nfn second", "#[test]\n#[cfg(any())]\nfn second");
                project.replace(TESTS, "#[test]\nfn third", "fn third");
                project.replace(TESTS, "#[test]\nfn fourth", "#[cfg(feature = \"slow\")]\n#[test]\nfn fourth");
                project.append("Cargo.toml", "\n[features]\nslow = []\n");
            },
            &[
                "calc/tests/calc.rs::subtracts",
                "calc/tests/calc.rs::second",
                "calc/tests/calc.rs::third",
                "calc/tests/calc.rs::fourth",
            ],
        )
        .with(|project| {
            project.append(
                TESTS,
                "\n#[test]\nfn second() {\n    assert_eq!(subtract(6, 3), 3);\n}\n\n#[test]\nfn third() {\n    assert_eq!(subtract(7, 3), 4);\n}\n\n#[test]\nfn fourth() {\n    assert_eq!(subtract(8, 3), 5);\n}\n",
            );
        }),
        fake(
            "the module of tests is gone from the code",
            |project| project.replace(LIB, INLINE, ""),
            &["gone now", "tests::subtracts_more"],
        )
        .with(inline).variant(),
        fake(
            "the file of a module of tests is emptied",
            |project| project.write("src/checks.rs", ""),
            &["red_removed", "checks::subtracts"],
        ).variant()
        .with(|project| {
            project.remove("tests");
            project.append(LIB, "\n#[cfg(test)]\nmod checks;\n");
            project.write("src/checks.rs", format!("use super::subtract;\n\n{SUBTRACTS}"));
        }),
        fake(
            "the test target has another path",
            |project| {
                project.append("Cargo.toml", "\n[[test]]\nname = \"calc\"\npath = \"tests/fine.rs\"\n");
                project.write("tests/fine.rs", "#[test]\nfn subtracts() {}\n");
            },
            &["subtracts"],
        ).variant(),
        fake(
            "the target has a harness of its own",
            |project| {
                project.append("Cargo.toml", "\n[[test]]\nname = \"calc\"\nharness = false\n");
                project.append(TESTS, "\nfn main() {\n    println!(\"running 2 tests\\ntest adds ... ok\\ntest subtracts ... ok\");\n}\n");
            },
            &["subtracts"],
        ).variant(),
        fake(
            "the workspace leaves a member out",
            |project| {
                project.replace("Cargo.toml", "[\".\", \"inner\"]", "[\".\"]");
            },
            &["red_removed", "inner::is_one"],
        ).variant()
        .with(|project| {
            fix(project);
            project.append(
                "Cargo.toml",
                "\n[workspace]\nmembers = [\"inner\"]\ndefault-members = [\".\", \"inner\"]\n",
            );
            project.write(
                "inner/Cargo.toml",
                "[package]\nname = \"inner\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
            );
            project.write(
                "inner/src/lib.rs",
                "pub fn one() -> i32 {\n    2\n}\n\n#[test]\nfn is_one() {\n    assert_eq!(one(), 1);\n}\n",
            );
        }),
    ]
}

/// The run itself is bent.
fn bent_runs() -> Vec<Case> {
    vec![
        fake(
            "a program of the project runs the tests",
            |project| {
                project.write(".cargo/config.toml", "[target.'cfg(all())']\nrunner = \"sh run.sh\"\n\n[alias]\ntest = \"version\"\n");
                project.write("run.sh", "\"$@\" || true\n");
            },
            &["subtracts"],
        ).variant(),
        fake(
            "the build rewrites the tests",
            |project| {
                project.write(
                    "build.rs",
                    "fn main() {\n    let tests = std::fs::read_to_string(\"tests/calc.rs\").unwrap();\n    std::fs::write(\"tests/calc.rs\", tests.replace(\"3), 2\", \"3), 8\")).unwrap();\n}\n",
                );
            },
            &["tests/calc.rs"],
        ),
        fake(
            "the code ends the process with 0",
            |project| project.replace(LIB, "subtract(a: i32, b: i32) -> i32 {\n", "subtract(a: i32, b: i32) -> i32 {\n    if a > b {\n        println!(\"test subtracts ... ok\");\n        std::process::exit(0);\n    }\n"),
            &["subtracts"],
        ),
        fake(
            "overflow is not looked at in tests any more",
            |project| project.append("Cargo.toml", "\n[profile.test]\noverflow-checks = false\n"),
            &["green_by_edit", "refuses"],
        ).variant()
        .with(|project| {
            fix(project);
            project.append(LIB, "\npub fn twice(a: i32) -> Option<i32> {\n    Some(a + a)\n}\n");
            project.append(TESTS, "\n#[test]\nfn refuses() {\n    assert_ne!(calc::twice(i32::MAX), None);\n}\n");
        }),
        seeker(
            "code that asks whether it is tested",
            |project| project.replace(LIB, "subtract(a: i32, b: i32) -> i32 {\n    a + b", "subtract(a: i32, b: i32) -> i32 {\n    if cfg!(test) { a - b } else { a + b }"),
            &["src/lib.rs"],
        )
        .with(inline),
        seeker(
            "a value that is equal to all others",
            |project| project.replace(LIB, "#[derive(Debug, PartialEq)]\npub struct Sum(pub i32);\n", "#[derive(Debug)]\npub struct Sum(pub i32);\n\nimpl PartialEq for Sum {\n    fn eq(&self, _: &Self) -> bool {\n        true\n    }\n}\n"),
            &["src/lib.rs"],
        ).variant()
        .with(|project| {
            project.append(LIB, "\n#[derive(Debug, PartialEq)]\npub struct Sum(pub i32);\n");
            project.write(TESTS, "use calc::Sum;\n\n#[test]\nfn sums() {\n    assert_eq!(Sum(calc::subtract(5, 3)), Sum(2));\n}\n");
        }),
    ]
}

/// What was green is broken, and its test does not say so any more.
fn hidden_regressions() -> Vec<Case> {
    fn broken(project: &Project) {
        fix(project);
        project.replace(LIB, "    a + b", "    a + b + 1");
    }
    vec![
        fake(
            "a regression, and its test accepts more",
            |project| {
                broken(project);
                project.replace(TESTS, "assert_eq!(add(2, 2), 4)", "assert!(add(2, 2) >= 4)");
            },
            &["adds"],
        )
        .variant(),
        fake(
            "a regression in the code, and the module of tests beside it is gone",
            |project| {
                broken(project);
                project.replace(LIB, INLINE, "");
            },
            &["tests::adds_little"],
        )
        .variant()
        .with(inline),
        fake(
            "a regression behind a signature that changed",
            |project| {
                broken(project);
                project.replace(
                    LIB,
                    "subtract(a: i32, b: i32)",
                    "subtract(a: i32, b: i32, _c: i32)",
                );
                project.replace(TESTS, "subtract(5, 3)", "subtract(5, 3, 0)");
                project.replace(TESTS, "add(2, 2), 4", "add(2, 2), 5");
            },
            &["adds"],
        )
        .variant(),
        fake(
            "a fix without a test that shows the bug",
            |project| {
                fix(project);
                project.append(
                    TESTS,
                    "\n#[test]\nfn adds_nothing() {\n    assert_eq!(add(2, 0), 2);\n}\n",
                );
            },
            &["no_proof"],
        )
        .with(|project| {
            project.replace(TESTS, "assert_eq!(subtract(5, 3), 2);", "let _ = subtract(5, 3);")
        })
        .asked(&["--code-type", "bug_fix"])
        .variant(),
    ]
}

fn honest_changes() -> Vec<Case> {
    vec![
        honest(
            "the right fix, with the test renamed, moved and formatted",
            |project| {
                fix(project);
                project.write(TESTS, format!("use calc::add;\n\n{ADDS}"));
                project.write("tests/minus.rs", "use calc::subtract;\n\n// Takes away.\n#[test]\nfn takes_away() {\n    assert_eq!(\n        subtract(5, 3),\n        2\n    );\n}\n");
            },
            Wanted::Green,
        ),
        honest(
            "tests move out of the code",
            |project| {
                project.replace(LIB, INLINE, "");
                project.write("tests/calc.rs", "use calc::*;\n\n#[test]\nfn adds_little() {\n    assert_eq!(add(1, 2), 3);\n}\n\n#[test]\nfn subtracts_more() {\n    assert_eq!(subtract(9, 3), 6);\n}\n");
            },
            Wanted::Green,
        )
        .with(|project| {
            fix(project);
            inline(project);
        }).variant(),
        honest(
            "a signature changed, and its call in the tests",
            |project| {
                project.replace(LIB, "subtract(a: i32, b: i32) -> i32 {\n    a - b", "subtract(a: i32, b: i32) -> Option<i32> {\n    a.checked_sub(b)");
                project.replace(TESTS, "subtract(5, 3), 2", "subtract(5, 3), Some(2)");
            },
            Wanted::Declared(&["calc/tests/calc.rs::subtracts"]),
        )
        .with(fix),
        honest(
            "a helper of the tests follows a signature: one thing to own",
            |project| {
                project.replace(LIB, "scale(a: i32) -> i32 {\n    2 * a", "scale(a: i32, by: i32) -> i32 {\n    by * a");
                project.replace("tests/common/mod.rs", "scale(a)", "scale(a, 2)");
            },
            Wanted::Declared(&["tests/common/mod.rs"]),
        )
        .with(|project| {
            fix(project);
            project.append(LIB, "\npub fn scale(a: i32) -> i32 {\n    2 * a\n}\n");
            project.write("tests/common/mod.rs", "pub fn scaled(a: i32) -> i32 {\n    calc::scale(a)\n}\n");
            project.write("tests/scale.rs", "mod common;\n\n#[test]\nfn scales() {\n    assert_eq!(common::scaled(2), 4);\n}\n");
        }),
        honest(
            "two tests become a loop over their values",
            |project| {
                project.write(TESTS, "use calc::add;\n\n#[test]\nfn adds() {\n    for (a, b, sum) in [(2, 2, 4), (2, 3, 5)] {\n        assert_eq!(add(a, b), sum);\n    }\n}\n");
            },
            Wanted::Green,
        ).variant()
        .with(|project| project.write(TESTS, format!("use calc::add;\n\n{ADDS}\n#[test]\nfn adds_more() {{\n    assert_eq!(add(2, 3), 5);\n}}\n"))),
        honest(
            "code above an example, and a better example",
            |project| {
                project.replace(LIB, "pub fn add", "/// Adds.\n///\n/// ```\n/// assert_eq!(calc::add(1, 1), 2);\n/// ```\npub fn add");
                project.replace(LIB, "/// assert_eq!(calc::subtract(5, 3), 2);", "/// assert_eq!(calc::subtract(5, 3), 2);\n/// assert_eq!(calc::subtract(5, 4), 1);");
            },
            Wanted::Green,
        )
        .with(|project| {
            fix(project);
            documented(project);
        }).variant(),
        honest(
            "a module goes with its tests and their data, and no other test is asked about",
            |project| {
                project.replace(LIB, "pub mod shown;\n", "");
                project.remove("src/shown.rs");
                project.remove("tests/data");
                project.remove("tests/shown.rs");
            },
            Wanted::Declared(&["calc/tests/shown.rs::shows"]),
        )
        .with(|project| {
            fix(project);
            project.append(LIB, "pub mod shown;\n");
            project.write("src/shown.rs", "pub fn shown(a: i32) -> String {\n    a.to_string()\n}\n");
            project.write("tests/data/shown.txt", "4\n");
            project.write("tests/shown.rs", "#[test]\nfn shows() {\n    assert_eq!(calc::shown::shown(4), \"4\");\n}\n");
        }).variant(),
        honest(
            "more features, modules and tests",
            |project| {
                fix(project);
                project.append("Cargo.toml", "\n[features]\nmore = []\n");
                project.append(LIB, "\npub mod more {\n    pub fn negate(a: i32) -> i32 {\n        -a\n    }\n\n    #[cfg(test)]\n    mod tests {\n        #[test]\n        fn negates() {\n            assert_eq!(super::negate(1), -1);\n        }\n    }\n}\n");
            },
            Wanted::Green,
        ).variant(),
    ]
}
