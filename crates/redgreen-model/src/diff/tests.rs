//! What is read of diffs, and what is kept of them.

use super::*;
use crate::debug_memory::SourceLocation;

const DIFF: &str = "diff --git a/calc.py b/calc.py
index 1..2 100644
--- a/calc.py
+++ b/calc.py
@@ -4,4 +4,5 @@ def total(values):
 one
-two
-three
+TWO
+--- not a header
+THREE
 four
--- a/no_numbers.py
+++ b/no_numbers.py
-x
+y
";

#[test]
fn every_line_has_its_place_on_both_sides() {
    let found: Vec<(&str, u32, u32, &str)> =
        lines(DIFF).iter().map(|line| (line.file, line.old, line.new, line.text)).collect();
    assert_eq!(
        found,
        [
            ("calc.py", 4, 4, " one"),
            ("calc.py", 5, 5, "-two"),
            ("calc.py", 6, 6, "-three"),
            ("calc.py", 5, 5, "+TWO"),
            ("calc.py", 6, 6, "+--- not a header"),
            ("calc.py", 7, 7, "+THREE"),
            ("calc.py", 7, 8, " four"),
            ("no_numbers.py", 0, 0, "-x"),
            ("no_numbers.py", 0, 0, "+y"),
        ]
    );
}

fn failing_at(file: &str, line: u32) -> Failure {
    Failure {
        test_file: Some("tests/test_cart.py".to_owned()),
        stack_trace: Some("tests/test_cart.py:3\nsrc/called.py:9\n".to_owned()),
        source_location: Some(SourceLocation {
            file: Some(file.to_owned()),
            line: Some(line),
            function: None,
        }),
        ..Failure::default()
    }
}

#[test]
fn files_come_in_the_order_in_which_they_are_guilty() {
    let failure = failing_at("src/place.py", 3);
    let focus = Focus::default().and(Side::New, [&failure]);
    let order = [
        "src/place.py",
        "src/called.py",
        "src/cart.py",
        "src/other.py",
        "tests/test_cart.py",
        "README.md",
    ];
    let ranks: Vec<u8> = order.iter().map(|file| focus.rank(file)).collect();
    assert_eq!(ranks, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn a_diff_that_is_cut_keeps_what_failed() {
    let mut diff = String::from("--- a/a.py\n+++ b/a.py\n@@ -0,0 +1,400 @@\n");
    for number in 1..=400 {
        diff.push_str(&format!("+line {number}\n"));
    }
    diff.push_str("--- a/b.py\n+++ b/b.py\n@@ -1,400 +1,400 @@\n");
    for number in 1..=200 {
        diff.push_str(&format!(" same {number}\n"));
    }
    diff.push_str("-    return a + b\n+    return a - b\n");
    for number in 202..=400 {
        diff.push_str(&format!(" same {number}\n"));
    }
    let failure = failing_at("b.py", 201);
    let focus = Focus::default().and(Side::New, [&failure]);
    let cut = bounded(&diff, &focus, 600);
    assert!(cut.contains("-    return a + b\n+    return a - b\n"), "{cut}");
    assert!(cut.chars().count() <= 600 && cut.contains(" more lines …]"), "{cut}");
    let changed = |diff: &str| -> Vec<(u32, u32)> {
        let lines = lines(diff);
        let return_lines = lines.iter().filter(|line| line.text.contains("return"));
        return_lines.map(|line| (line.old, line.new)).collect()
    };
    assert_eq!(changed(&cut), changed(&diff), "the numbers stay right:\n{cut}");
    assert_eq!(bounded(DIFF, &focus, 1_000), DIFF, "what fits stays as it is");
    // Somebody cut it before: the next file is still one.
    let torn =
        "--- a/a.py\n+++ b/a.py\n@@ -1,9 +1,9 @@\n-x\n--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-y\n";
    let files: Vec<(&str, &str)> = lines(torn).iter().map(|line| (line.file, line.text)).collect();
    assert_eq!(files, [("a.py", "-x"), ("b.py", "-y")]);
    let one = format!("+{}\n", "x".repeat(50));
    assert!(bounded(&one, &focus, 40).starts_with("[…"), "what does not fit at all is counted");
}
