//! What a test wanted and what it got, as a person compares them.

use redgreen_model::text::clean_line;

/// The widest line of what others wrote.
const WIDTH: usize = 160;
/// The most lines of a value that are shown.
const LINES: usize = 6;

/// Both values, each on its line; those of several lines below their word, from where they differ.
pub fn compared(expected: Option<&str>, actual: Option<&str>) -> Vec<String> {
    let from = match (expected, actual) {
        (Some(expected), Some(actual)) => {
            let same =
                expected.lines().zip(actual.lines()).take_while(|(left, right)| left == right);
            let longest = expected.lines().count().max(actual.lines().count());
            if longest > LINES { same.count().saturating_sub(1) } else { 0 }
        }
        _ => 0,
    };
    let mut lines = Vec::new();
    for (word, value) in [("expected", expected), ("actual", actual)] {
        if let Some(value) = value {
            lines.extend(described(word, value.trim_end(), from));
        }
    }
    lines
}

fn described(word: &str, value: &str, from: usize) -> Vec<String> {
    let count = value.lines().count();
    if count <= 1 {
        return vec![format!("    {word}: {}", clean_line(value, WIDTH))];
    }
    let mut lines = vec![format!("    {word}:")];
    let shown = value.lines().skip(from).take(LINES);
    if from > 0 {
        lines.push(format!("      … {from} more"));
    }
    lines.extend(shown.map(|line| format!("      {}", clean_line(line, WIDTH))));
    let more = count.saturating_sub(from + LINES);
    if more > 0 {
        lines.push(format!("      … {more} more"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_several_lines_are_shown_as_lines_from_where_they_differ() {
        assert_eq!(compared(Some("1"), Some("2")), ["    expected: 1", "    actual: 2"]);
        assert_eq!(
            compared(Some("{\n  a: 1\n}\n"), None),
            ["    expected:", "      {", "        a: 1", "      }"]
        );
        let long = |last: &str| {
            let same: String = (0..20).map(|number| format!("line {number}\n")).collect();
            format!("{same}{last}\n")
        };
        assert_eq!(
            compared(Some(&long("a")), Some(&long("b"))),
            [
                "    expected:",
                "      … 19 more",
                "      line 19",
                "      a",
                "    actual:",
                "      … 19 more",
                "      line 19",
                "      b",
            ]
        );
        let all = compared(Some(&long("a")), Some("b\nc"));
        assert_eq!(all.len(), 1 + LINES + 1 + 3, "{all:?}");
    }
}
