//! A diff line by line, and beside each new line whether a test ran it.

use std::collections::BTreeMap;

use redgreen_model::coverage::Coverage;
use serde::Serialize;

/// One file of a diff.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct DiffFile {
    pub(crate) path: String,
    pub(crate) lines: Vec<DiffLine>,
}

/// One line of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct DiffLine {
    /// `add`, `del`, `hunk` or `same`.
    pub(crate) kind: &'static str,
    /// Its number in the new file; none where it is not there.
    pub(crate) number: Option<u32>,
    /// `ran`, `missed`, or nothing where nobody counted.
    pub(crate) ran: &'static str,
    pub(crate) text: String,
}

/// Which lines of which files ran.
pub(crate) type Ran = BTreeMap<String, BTreeMap<u32, u64>>;

/// What several checks counted.
pub(crate) fn ran<'a>(all: impl Iterator<Item = &'a Coverage>) -> Ran {
    let mut ran = Ran::new();
    for (path, file) in all.flat_map(|coverage| &coverage.files) {
        let lines = ran.entry(path.clone()).or_default();
        for (line, hits) in &file.lines {
            let known = lines.entry(*line).or_default();
            *known = (*known).max(*hits);
        }
    }
    ran
}

/// Reads a diff as git writes it. What was cut out of it, and anything else, is shown as it is.
pub(crate) fn read(diff: &str, ran: &Ran) -> Vec<DiffFile> {
    let mut files: Vec<DiffFile> = Vec::new();
    let mut next = None;
    for text in diff.lines() {
        if let Some(names) = text.strip_prefix("diff --git ") {
            let path = names.rsplit_once(" b/").map_or(names, |(_, path)| path);
            files.push(DiffFile { path: path.to_owned(), lines: Vec::new() });
            next = None;
            continue;
        }
        if files.is_empty() {
            files.push(DiffFile::default());
        }
        let Some(file) = files.last_mut() else { continue };
        if let Some(first) = hunk(text) {
            next = Some(first);
            file.lines.push(DiffLine {
                kind: "hunk",
                text: text.to_owned(),
                ..DiffLine::default()
            });
            continue;
        }
        let Some(number) = next else {
            if let Some(path) = text.strip_prefix("+++ b/") {
                path.clone_into(&mut file.path);
            } else if !is_head(text) {
                file.lines.push(DiffLine {
                    kind: "same",
                    text: text.to_owned(),
                    ..DiffLine::default()
                });
            }
            continue;
        };
        let (kind, is_new) = match text.as_bytes().first() {
            Some(b'+') => ("add", true),
            Some(b'-') => ("del", false),
            Some(b' ') | None => ("same", true),
            // Something was cut out: from here on, no line has a number.
            Some(_) => ("hunk", false),
        };
        if kind == "hunk" && !text.starts_with('\\') {
            next = None;
        }
        let hits =
            ran.get(&file.path).and_then(|lines| lines.get(&number)).filter(|_| kind == "add");
        file.lines.push(DiffLine {
            kind,
            number: is_new.then_some(number),
            ran: match hits {
                Some(0) => "missed",
                Some(_) => "ran",
                None => "",
            },
            text: text.to_owned(),
        });
        if is_new {
            next = Some(number.saturating_add(1));
        }
    }
    files
}

/// Where a hunk begins in the new file.
fn hunk(text: &str) -> Option<u32> {
    let (_, new) = text.strip_prefix("@@ ")?.split_once(" +")?;
    new.split([',', ' ']).next()?.parse().ok()
}

/// What stands above the hunks and says nothing to people.
fn is_head(text: &str) -> bool {
    const HEADS: [&str; 3] = ["index ", "--- ", "+++ "];
    HEADS.iter().any(|head| text.starts_with(head))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "diff --git a/src/a.py b/src/a.py\nindex 1..2 100644\n--- a/src/a.py\n+++ b/src/a.py\n\
        @@ -1,3 +1,4 @@ def f():\n one\n-two\n+deux\n+trois\n four\n\
        diff --git a/b b/b\nnew file mode 100644\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+x\n";

    #[test]
    fn each_new_line_has_its_number_and_whether_it_ran() {
        let ran = Ran::from([("src/a.py".to_owned(), BTreeMap::from([(1, 5), (2, 1), (3, 0)]))]);
        let files = read(DIFF, &ran);
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["src/a.py", "b"]);
        let lines: Vec<_> = files[0].lines.iter().map(|it| (it.kind, it.number, it.ran)).collect();
        assert_eq!(
            lines,
            [
                ("hunk", None, ""),
                ("same", Some(1), ""),
                ("del", None, ""),
                ("add", Some(2), "ran"),
                ("add", Some(3), "missed"),
                ("same", Some(4), ""),
            ]
        );
        assert_eq!(files[1].lines.last().map(|line| line.number), Some(Some(1)));
    }

    #[test]
    fn behind_what_was_cut_out_no_line_has_a_number() {
        let cut = format!("{}\n… 90 lines …\n+after\n", &DIFF[..DIFF.find("+trois").unwrap()]);
        let files = read(&cut, &Ran::new());
        let last = files[0].lines.last().unwrap();
        assert_eq!((last.text.as_str(), last.number), ("+after", None));
        assert_eq!(read("not a diff\n", &Ran::new())[0].lines[0].text, "not a diff");
        assert!(read("", &Ran::new()).is_empty());
    }
}
