//! Expected and actual, from a diff with a legend.

use super::words::{trim, trim_start};

/// Which side the lines that begin with `-` and with `+` are on.
#[derive(Clone, Copy)]
struct Legend {
    minus_is_expected: bool,
    /// How many characters stand before the values on each line.
    width: usize,
}

/// The two values of a diff: `(expected, actual)`, each with the lines that they share.
pub(super) fn sides(lines: &[&str]) -> Option<(String, String)> {
    let (at, legend) =
        lines.iter().enumerate().find_map(|(at, line)| Some((at, legend(trim(line))?)))?;
    let after = lines.get(at + 1..)?;
    let blank = |line: &&&str| trim(line).is_empty() || is_legend(trim(line));
    let skipped = after.iter().take_while(blank).count();
    let ends = |line: &&&str| {
        !trim(line).is_empty() && !is_frame(trim_start(line)) && !is_legend(trim(line))
    };
    let mut body: Vec<&str> = after.iter().skip(skipped).take_while(ends).copied().collect();
    if !body.iter().any(|line| trim_start(line).starts_with(['-', '+'])) {
        // bun puts the legend below.
        let above = lines.get(..at)?.iter().rev();
        body = above.skip_while(blank).take_while(ends).copied().collect();
        body.reverse();
    }
    split(&body, legend)
}

fn split(body: &[&str], legend: Legend) -> Option<(String, String)> {
    let margin = body.iter().map(|line| line.len() - trim_start(line).len()).min()?;
    let (mut minus, mut plus) = (Vec::new(), Vec::new());
    let (mut removed, mut added) = (false, false);
    for line in body {
        let line = line.get(margin..).unwrap_or(line);
        if line.starts_with("@@") {
            continue;
        }
        let value = |mark: char| {
            let rest = line.strip_prefix(mark)?;
            Some(if legend.width == 2 { rest.strip_prefix(' ').unwrap_or(rest) } else { rest })
        };
        if let Some(value) = value('-') {
            minus.push(value);
            removed = true;
        } else if let Some(value) = value('+') {
            plus.push(value);
            added = true;
        } else {
            let blank = line.get(..legend.width).is_some_and(|start| start.trim().is_empty());
            let shared = if blank { line.get(legend.width..).unwrap_or(line) } else { line };
            minus.push(shared);
            plus.push(shared);
        }
    }
    let (minus, plus) = (minus.join("\n"), plus.join("\n"));
    (removed || added).then_some(if legend.minus_is_expected {
        (minus, plus)
    } else {
        (plus, minus)
    })
}

fn legend(line: &str) -> Option<Legend> {
    let legend = |minus_is_expected, width| Some(Legend { minus_is_expected, width });
    match line {
        "--- Expected" => legend(true, 1),
        "+ expected - actual" => legend(false, 1),
        "+ actual - expected" => legend(true, 2),
        _ if line.starts_with("- Expected") => legend(true, 2),
        _ => None,
    }
}

fn is_legend(line: &str) -> bool {
    legend(line).is_some() || line.starts_with("+ Received") || line == "+++ Actual"
}

fn is_frame(line: &str) -> bool {
    line.starts_with("at ") || line.starts_with("❯ ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_are_whole() {
        let cases = [
            ("- Expected\n+ Received\n\n- 3\n+ 4\n", "3", "4"),
            (
                "- Expected  - 1\n+ Received  + 1\n\n  {\n-   1,\n+   2,\n  }\n",
                "{\n  1,\n}",
                "{\n  2,\n}",
            ),
            ("      + expected - actual\n\n      -4\n      +3\n", "3", "4"),
            ("+ actual - expected\n\n  [\n+   2\n-   3\n  ]\n", "[\n  3\n]", "[\n  2\n]"),
            ("x\n\n-     3,\n+     2,\n\n- Expected  - 1\n+ Received  + 1\n", "    3,", "    2,"),
        ];
        for (text, expected, actual) in cases {
            let lines: Vec<&str> = text.lines().collect();
            let found = sides(&lines).expect(text);
            assert_eq!((found.0.as_str(), found.1.as_str()), (expected, actual), "{text}");
        }
        assert_eq!(sides(&["no", "diff"]), None);
    }
}
