//! Tables of Rust.

use crate::{Strength, outline};

use Strength::{Exact, Loose, Vacuous};

#[test]
fn assertions_are_as_strong_as_what_they_accept() {
    for (statement, expected) in [
        ("assert_eq!(add(1, 2), 3);", Exact),
        ("assert_eq!(1, 1);", Vacuous),
        ("assert_eq!(x, x);", Vacuous),
        ("assert_eq!(f(1), f(1));", Exact),
        ("assert_ne!(x, 3);", Loose),
        ("assert!(true);", Vacuous),
        ("assert!(x);", Loose),
        ("assert!(x == 3);", Exact),
        ("assert!(x == x);", Vacuous),
        ("assert!((x == 3));", Exact),
        ("assert!(x == 3 || true);", Vacuous),
        ("assert!(x == 3 || y == 4);", Loose),
        ("assert!(x.is_ok());", Loose),
        ("assert!(x >= 3, \"{x}\");", Loose),
        ("assert!(x.len() >= 0);", Vacuous),
        ("assert!((x - 1.5).abs() < 1e-9);", Exact),
        ("assert!((x - 1.5).abs() < 1e9);", Loose),
        ("assert!(matches!(x, A::B(_)));", Loose),
        ("assert_matches!(x, A::B(_));", Loose),
        ("panic!(\"no\");", Exact),
        ("insta::assert_snapshot!(x);", Exact),
        ("approx::assert_relative_eq!(x, 1.0, epsilon = 1e-9);", Exact),
        ("assert_abs_diff_eq!(x, 1.0, epsilon = 100.0);", Loose),
        ("debug_assert_eq!(f(), 3);", Exact),
    ] {
        let source = format!("#[test]\nfn a() {{ {statement} }}\n");
        let outline = outline(crate::RUST, &source);
        let found: Vec<_> = outline.tests[0].assertions.iter().map(|it| it.strength).collect();
        assert_eq!(found, [expected], "{statement}");
    }
}

#[test]
fn what_is_not_reached_or_not_heard_is_said() {
    for (body, expected) in [
        ("let x = f(); assert_eq!(x, 1);", true),
        ("return; assert_eq!(f(), 1);", false),
        ("if slow() { return; } assert_eq!(f(), 1);", true),
        ("if false { assert_eq!(f(), 1); }", false),
        ("if true { } else { assert_eq!(f(), 1); }", false),
        ("if x { assert_eq!(f(), 1); }", true),
        ("while false { assert_eq!(f(), 1); }", false),
        ("fn inner() { assert_eq!(f(), 1); }", false),
        ("fn inner() { assert_eq!(f(), 1); } inner();", true),
        ("let later = || { assert_eq!(f(), 1); };", false),
        ("let later = || { assert_eq!(f(), 1); }; later();", true),
        ("let _ = std::panic::catch_unwind(|| { assert_eq!(f(), 1); });", false),
        ("let r = std::panic::catch_unwind(|| { assert_eq!(f(), 1); }); check(r);", true),
        ("std::process::exit(0); assert_eq!(f(), 1);", false),
    ] {
        let source = format!("#[test]\nfn a() {{ {body} }}\n");
        let outline = outline(crate::RUST, &source);
        let found: Vec<_> = outline.tests[0].assertions.iter().map(|it| it.reachable).collect();
        assert_eq!(found, [expected], "{body}");
    }
}

const FILE: &str = r#"
use super::*;

fn sample() -> Cart { Cart::new() }

#[test]
fn plain() { assert_eq!(sample().total(), 0); }

#[tokio::test(flavor = "current_thread")]
async fn later() { assert_eq!(load().await, 3); }

#[test]
#[ignore = "slow"]
fn slow() { assert!(f()); }

#[test]
#[should_panic(expected = "no")]
fn panics() { f(); }

#[test]
#[should_panic]
fn panics_anyhow() { f(); }

#[rstest]
#[case(1, 2)]
#[case::named(3, 4)]
fn rows(#[case] a: i32, #[case] b: i32) { assert_eq!(f(a), b); }

mod deep {
    mod deeper {
        #[test]
        fn inner() { for (a, b) in [(1, 2), (3, 4)] { assert_eq!(f(a), b); } }
    }
}
"#;

#[test]
fn a_file_has_the_tests_that_its_attributes_make() {
    let outline = outline(crate::RUST, FILE);
    let mut lines = Vec::new();
    for test in &outline.tests {
        let skipped = if test.skipped { " skipped" } else { "" };
        let failing = if test.expected_failure { " failing" } else { "" };
        let (rows, asks) = (test.parameters.len(), test.assertions.len());
        lines.push(format!("{} {rows} {asks}{skipped}{failing}", test.path.join("::")));
    }
    let expected = [
        "plain 0 1",
        "later 0 1",
        "slow 0 1 skipped",
        "panics 0 1",
        "panics_anyhow 0 1 failing",
        "rows 2 1",
        "deep::deeper::inner 2 1",
    ];
    assert_eq!(lines, expected);
    assert_eq!(outline.tests[0].calls, ["assert_eq", "sample", "total"]);
    assert_eq!(outline.tests[2].line, 12);
    assert_eq!(outline.helpers[0].name, "sample");
}

#[test]
fn functions_of_the_product_are_no_helpers() {
    let source = "fn with_capacity(n: usize) { if n > 9 { panic!(\"no\") } }\n\
        #[cfg(test)]\nmod tests {\n    fn sample() {}\n    #[test]\n    fn a() { with_capacity(3); }\n}\n";
    let outline = outline(crate::RUST, source);
    let helpers: Vec<_> = outline.helpers.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(helpers, ["sample"]);
}
