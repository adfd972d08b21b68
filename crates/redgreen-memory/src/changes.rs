//! What a fix changed, in the few lines that tell it.

use redgreen_model::diff::{Focus, Line, lines};
use redgreen_model::text::{bound_end, clean_block};

/// So much of a changed line tells it.
const LINE_CHARS: usize = 90;
/// In the place of a tab, which would take more room than it is worth.
const TAB: &str = "    ";

/// The lines that a diff adds and removes; neither its headers nor what stands around them.
pub(crate) fn changes(diff: &str) -> impl Iterator<Item = &str> {
    lines(diff).into_iter().filter(Line::is_change).map(|line| line.text)
}

/// How many lines a diff adds and removes.
pub(crate) fn changed_lines(diff: &str) -> i64 {
    i64::try_from(changes(diff).count()).unwrap_or(i64::MAX)
}

/// The changed lines of a diff that are nearest to what failed, and how many more there are; without the indentation
/// that they share. Those of the guiltiest file come first. Empty where nothing was changed but blanks.
pub(crate) fn excerpt(diff: &str, focus: &Focus<'_>, lines_max: usize) -> String {
    let is_said = |line: &Line<'_>| line.is_change() && !line.text[1..].trim().is_empty();
    let lines: Vec<Line<'_>> = lines(diff).into_iter().filter(is_said).collect();
    let mut near: Vec<usize> = (0..lines.len()).collect();
    near.sort_by_key(|index| focus.nearness(&lines[*index]));
    near.truncate(lines_max);
    // Documents are named where there is nothing else.
    if near.first().is_some_and(|first| !focus.is_document(lines[*first].file)) {
        near.retain(|index| !focus.is_document(lines[*index].file));
    }
    let more = lines.len() - near.len();
    // The order in a file stays.
    near.sort_by_key(|index| (focus.rank(lines[*index].file), *index));
    let shown = near.iter().map(|index| lines[*index].text.trim_end().replace('\t', TAB));
    let shown: Vec<String> = shown.collect();
    let indentation = |line: &str| line[1..].len() - line[1..].trim_start_matches(' ').len();
    let shared = shown.iter().map(|line| indentation(line)).min().unwrap_or(0);
    let mut shown: Vec<String> = shown
        .iter()
        .map(|line| bound_end(&format!("{}{}", &line[..1], &line[1 + shared..]), LINE_CHARS))
        .collect();
    if more > 0 {
        shown.push(format!("({more} more changed line{})", if more == 1 { "" } else { "s" }));
    }
    clean_block(shown.join("\n").as_bytes(), (lines_max + 1) * (LINE_CHARS + 1))
}

#[cfg(test)]
mod tests {
    use redgreen_model::debug_memory::{Failure, SourceLocation};
    use redgreen_model::diff::Side;

    use super::*;

    const DIFF: &str = "diff --git a/a_test.py b/a_test.py
--- a/a_test.py
+++ b/a_test.py
@@ -1 +1,2 @@
 import calc
+import os
diff --git a/calc.py b/calc.py
--- a/calc.py
+++ b/calc.py
@@ -4,2 +4,5 @@ def total(values):
     def total(values):
-        return sum(values)
+        if not values:
+\t        return 0\u{1b}[2J
+
+        return sum(values) / len(values)
";

    fn failing_at(line: u32) -> Failure {
        Failure {
            test_file: Some("a_test.py".to_owned()),
            source_location: Some(SourceLocation {
                file: Some("calc.py".to_owned()),
                line: Some(line),
                function: None,
            }),
            ..Failure::default()
        }
    }

    #[test]
    fn the_lines_that_tell_a_fix_come_first_and_few() {
        let failure = failing_at(5);
        let focus = Focus::default().and(Side::Old, [&failure]);
        let wanted = "-return sum(values)\n+if not values:\n(3 more changed lines)";
        assert_eq!(excerpt(DIFF, &focus, 2), wanted);
        let all = excerpt(DIFF, &focus, 6);
        assert_eq!(
            all,
            "-        return sum(values)\n+        if not values:\n+            return 0\n+        return sum(values) / len(values)\n+import os"
        );
        assert_eq!(changed_lines(DIFF), 6);
    }

    #[test]
    fn the_line_that_failed_is_not_the_one_that_is_cut() {
        let failure = failing_at(8);
        let focus = Focus::default().and(Side::New, [&failure]);
        let wanted = "+return sum(values) / len(values)\n(4 more changed lines)";
        assert_eq!(excerpt(DIFF, &focus, 1), wanted);
    }

    #[test]
    fn what_is_no_change_gives_nothing_and_what_is_long_is_cut() {
        let focus = Focus::default();
        assert_eq!(excerpt("", &focus, 6), "");
        assert_eq!(excerpt("+\n-   \n context\n@@ -1 +1 @@\n", &focus, 6), "");
        let gone = "--- a/x.py\n+++ /dev/null\n-x = 1\n";
        assert_eq!(excerpt(gone, &focus, 1), "-x = 1");
        let long = excerpt(&format!("+{}\n", "ü".repeat(500)), &focus, 6);
        assert!(long.starts_with("+ü") && long.chars().count() == LINE_CHARS, "{long}");
    }
}
