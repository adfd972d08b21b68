//! The licence header of a project's files, for the file that redgreen adds to them: some projects refuse files without.

use redgreen_frameworks::ProjectFiles;

/// Files whose header is looked at, by their endings, and how their comments begin.
const ENDINGS: &[&str] = &[
    ".toml",
    ".yml",
    ".yaml",
    ".properties",
    ".py",
    ".sh",
    ".rb",
    ".java",
    ".kt",
    ".go",
    ".rs",
    ".js",
    ".ts",
    ".c",
    ".cc",
    ".cpp",
    ".h",
    ".gradle",
];
/// The most files that are looked at, and lines of a header.
const LOOKED_AT: usize = 60;
const LINES: usize = 30;
/// Words that make a comment a licence's.
const SIGNS: &[&str] = &["SPDX-License-Identifier", "Licensed to", "Licensed under"];

/// The header that most of the project's files have, as comments of TOML; empty where they have none.
pub fn header(project: &dyn ProjectFiles) -> String {
    let sources = project.paths().iter().filter(|path| {
        ENDINGS.iter().any(|ending| path.ends_with(ending)) && !path.starts_with('.')
    });
    let (mut files, mut found) = (0, Vec::new());
    // Spread over the project: the first folder may be somebody else's.
    let step = (sources.clone().count() / LOOKED_AT).max(1);
    for path in sources.step_by(step) {
        let Some(text) = project.read(path) else { continue };
        files += 1;
        found.extend(licence(&text));
    }
    if found.len() * 2 <= files {
        return String::new();
    }
    let times = |header: &String| found.iter().filter(|other| *other == header).count();
    found.iter().max_by_key(|header| times(header)).cloned().unwrap_or_default()
}

/// The comment at the head of a file, if it is a licence's.
fn licence(text: &str) -> Option<String> {
    let lines = text.lines().skip_while(|line| line.starts_with("#!") || line.trim().is_empty());
    let mut comment = Vec::new();
    for line in lines.take(LINES) {
        let line = line.trim();
        let words = ["/*", "*/", "//", "*", "#"].iter().find_map(|mark| line.strip_prefix(mark));
        let Some(words) = words else { break };
        let words = words.trim_start_matches(['*', '!', '/']).trim_end_matches("*/").trim_end();
        comment.push(format!("#{words}").trim_end().to_owned());
        if line.ends_with("*/") {
            break;
        }
    }
    let blank = |line: &String| line == "#";
    while comment.first().is_some_and(blank) {
        comment.remove(0);
    }
    while comment.last().is_some_and(blank) {
        comment.pop();
    }
    let text = comment.join("\n") + "\n\n";
    SIGNS.iter().any(|sign| text.contains(sign)).then_some(text)
}
