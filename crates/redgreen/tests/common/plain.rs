//! What a user sees, made the same on every machine and in every run, for snapshots.

use std::sync::LazyLock;

use regex::Regex;

use super::{Ended, Project};

/// What differs from run to run, and the mark that stands for it; the first that fits wins.
static MARKS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let row = |(pattern, mark)| (Regex::new(pattern).expect("a pattern"), mark);
    [
        // Those made in our decades; a test's own, such as 00000003-…, stay.
        (r"\b01[0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b", "[id]"),
        (r"\b20\d\d-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z| UTC)?)?", "[date]"),
        (r"\bF-[0-9a-f]{6,}\b", "F-[finding]"),
        (r"\b([Tt]ree:? )[0-9a-f]{10}\b", "${1}[tree]"),
        (r"\b([0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32}|[0-9a-f]{16})\b", "[hash]"),
        (r"\b[A-Za-z0-9+/]{43}=", "[key]"),
        (r"\b\d{4,} bytes\b", "[size] bytes"),
        (r"\bredgreen \d+\.\d+\.\d+\b", "redgreen [version]"),
        (r"\buid \d+\b", "uid [number]"),
        // Python before 3.11 does not mark the part of a line that failed.
        (r"(?m)^ *\^+\n", ""),
        // Each shell has its own words.
        (r"/bin/sh: (line )?\d+: (\S+): (command )?not found", "/bin/sh: $2: not found"),
        (r"\b\d+(\.\d+)? (ms|s|min)\b", "[time]"),
    ]
    .map(row)
    .into()
});

impl Project {
    /// A text as every run shows it: this project's folders, ids, dates, hashes and durations are marks.
    pub fn plain(&self, text: &str) -> String {
        let folder = self.home().parent().expect("a folder").to_owned();
        let mut text = text.replace(env!("CARGO_BIN_EXE_redgreen"), "[redgreen]");
        for folder in [folder.canonicalize().unwrap_or_default(), folder] {
            let named = folder.to_string_lossy();
            text = text.replace(&*named, "[folder]").replace(&named.replace('/', "-"), "-[folder]");
        }
        for (pattern, mark) in &*MARKS {
            text = pattern.replace_all(&text, *mark).into_owned();
        }
        text
    }

    /// All that a command showed, with its exit code.
    pub fn shown(&self, ended: &Ended) -> String {
        let code = ended.code.map_or("a signal".to_owned(), |code| code.to_string());
        let part = |name: &str, text: &str| match text {
            "" => String::new(),
            text => format!("\n--- {name}\n{}", text.trim_end()),
        };
        let out = part("stdout", &ended.stdout);
        self.plain(&format!("exit {code}{out}{}", part("stderr", &ended.stderr)))
    }
}
