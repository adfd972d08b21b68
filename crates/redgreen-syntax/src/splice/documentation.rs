//! Examples in documentation.

/// What begins and ends an example of Rust.
const FENCES: [&str; 2] = ["```", "~~~"];
/// What stands before the text of a line of documentation.
const MARKERS: [&str; 4] = ["///", "//!", "/**", "/*!"];

/// Whether documentation of Rust holds an example.
pub(super) fn has_example(documentation: &str) -> bool {
    let lines = documentation.lines().map(content);
    lines
        .into_iter()
        .any(|line| is_fence(line) || line.starts_with("    ") && !line.trim().is_empty())
}

/// The documentation without its examples; what is prose stays.
pub(super) fn without_examples(documentation: &str) -> String {
    let mut open: Option<&str> = None;
    let mut kept: Vec<String> = Vec::new();
    for line in documentation.lines() {
        let text = content(line);
        let fence = FENCES.into_iter().find(|fence| text.trim_start().starts_with(fence));
        let closes = line.trim_end().ends_with("*/");
        match (open, fence) {
            (None, Some(fence)) => open = Some(fence),
            (Some(began), Some(fence)) if began == fence => open = None,
            (Some(_), _) => {}
            (None, None) if text.starts_with("    ") => {}
            (None, None) => {
                kept.push(line.to_owned());
                continue;
            }
        }
        if closes && !kept.is_empty() {
            kept.push("*/".to_owned());
        }
    }
    if kept.is_empty() {
        // What has to be documented still is.
        let line = documentation.lines().next().unwrap_or_default();
        let indent: String = line.chars().take_while(|letter| letter.is_whitespace()).collect();
        let marker = if line.trim_start().starts_with("//!") || line.trim_start().starts_with("/*!")
        {
            "//!"
        } else {
            "///"
        };
        kept.push(format!("{indent}{marker}"));
    }
    let mut text = kept.join("\n");
    if documentation.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// A line without its marker and the one blank after that.
fn content(line: &str) -> &str {
    let line = line.trim_start();
    let marker = MARKERS.into_iter().find(|marker| line.starts_with(marker));
    let text = match marker {
        Some(marker) => &line[marker.len()..],
        None => line.strip_prefix('*').unwrap_or(line),
    };
    text.strip_prefix(' ').unwrap_or(text)
}

fn is_fence(line: &str) -> bool {
    FENCES.iter().any(|fence| line.trim_start().starts_with(fence))
}

/// A docstring of Python without its examples.
pub(super) fn without_doctests(docstring: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut in_example = false;
    for line in docstring.lines() {
        let text = line.trim();
        let begins = text.trim_start_matches(['"', '\'', 'r', 'R']).starts_with(">>>");
        let blank = text.is_empty();
        let ends = text.ends_with("\"\"\"") || text.ends_with("'''");
        in_example = begins || (in_example && !blank);
        if !in_example || blank {
            kept.push(line);
        } else if ends && !kept.is_empty() {
            // The quotes that end the text stay.
            kept.push(&text[text.len() - 3..]);
        }
    }
    kept.join("\n")
}
