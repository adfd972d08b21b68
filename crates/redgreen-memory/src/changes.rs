//! What a fix changed, in the few lines that tell it.

use redgreen_model::text::{bound_end, clean_block};

/// So much of a changed line tells it.
const LINE_CHARS: usize = 90;
/// In the place of a tab, which would take more room than it is worth.
const TAB: &str = "    ";

/// The lines that a diff adds and removes; neither its headers nor what stands around them.
pub(crate) fn changes(diff: &str) -> impl Iterator<Item = &str> {
    diff.lines().filter(|line| is_change(line))
}

/// How many lines a diff adds and removes.
pub(crate) fn changed_lines(diff: &str) -> i64 {
    i64::try_from(changes(diff).count()).unwrap_or(i64::MAX)
}

fn is_change(line: &str) -> bool {
    (line.starts_with('+') && !line.starts_with("+++"))
        || (line.starts_with('-') && !line.starts_with("---"))
}

/// The first changed lines of a diff, those of the files with the least `rank` first, and how many more there
/// are; without the indentation that they share. Empty where nothing was changed but blanks.
pub(crate) fn excerpt(diff: &str, rank: impl Fn(&str) -> u8, lines_max: usize) -> String {
    let mut lines: Vec<(u8, String)> = Vec::new();
    let mut here = u8::MAX;
    for line in diff.lines() {
        if let Some(file) = file_of_header(line) {
            here = rank(file);
        } else if is_change(line) && !line[1..].trim().is_empty() {
            lines.push((here, line.trim_end().replace('\t', TAB)));
        }
    }
    // The order in a file stays.
    lines.sort_by_key(|(rank, _)| *rank);
    let more = lines.len().saturating_sub(lines_max);
    lines.truncate(lines_max);
    let indentation = |line: &str| line[1..].len() - line[1..].trim_start_matches(' ').len();
    let shared = lines.iter().map(|(_, line)| indentation(line)).min().unwrap_or(0);
    let mut shown: Vec<String> = lines
        .iter()
        .map(|(_, line)| bound_end(&format!("{}{}", &line[..1], &line[1 + shared..]), LINE_CHARS))
        .collect();
    if more > 0 {
        shown.push(format!("({more} more changed line{})", if more == 1 { "" } else { "s" }));
    }
    clean_block(shown.join("\n").as_bytes(), (lines_max + 1) * (LINE_CHARS + 1))
}

/// The file that a header of a diff names: the new one comes last, and counts where it is there.
fn file_of_header(line: &str) -> Option<&str> {
    let file = line.strip_prefix("--- ").or_else(|| line.strip_prefix("+++ "))?;
    let file = file.trim_end();
    let own = file.strip_prefix("a/").or_else(|| file.strip_prefix("b/")).unwrap_or(file);
    (own != "/dev/null").then_some(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "diff --git a/a_test.py b/a_test.py
--- a/a_test.py
+++ b/a_test.py
@@ -1,2 +1,3 @@
 import calc
+import os
diff --git a/calc.py b/calc.py
--- a/calc.py
+++ b/calc.py
@@ -4,3 +4,4 @@ def total(values):
     def total(values):
-        return sum(values)
+        if not values:
+\t        return 0\u{1b}[2J
+
+        return sum(values) / len(values)
";

    fn code_first(file: &str) -> u8 {
        u8::from(file != "calc.py")
    }

    #[test]
    fn the_lines_that_tell_a_fix_come_first_and_few() {
        let wanted = "-return sum(values)\n+if not values:\n(3 more changed lines)";
        assert_eq!(excerpt(DIFF, code_first, 2), wanted);
        let all = excerpt(DIFF, code_first, 6);
        assert_eq!(
            all,
            "-        return sum(values)\n+        if not values:\n+            return 0\n+        return sum(values) / len(values)\n+import os"
        );
        assert_eq!(changed_lines(DIFF), 6);
    }

    #[test]
    fn what_is_no_change_gives_nothing_and_what_is_long_is_cut() {
        assert_eq!(excerpt("", code_first, 6), "");
        assert_eq!(excerpt("+\n-   \n context\n@@ -1 +1 @@\n", code_first, 6), "");
        let gone = "--- a/x.py\n+++ /dev/null\n-x = 1\n";
        assert_eq!(excerpt(gone, |file| u8::from(file != "x.py"), 1), "-x = 1");
        let long = excerpt(&format!("+{}\n", "ü".repeat(500)), code_first, 6);
        assert!(long.starts_with("+ü") && long.chars().count() == LINE_CHARS, "{long}");
    }
}
