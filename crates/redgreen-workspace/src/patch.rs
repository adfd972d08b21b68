//! Reads the patch that git makes of two trees: which lines changed.

use redgreen_model::tree::LineRange;

/// One `diff --git` section.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) added: u32,
    pub(crate) removed: u32,
    /// The changed lines in the new file.
    pub(crate) hunks: Vec<LineRange>,
}

/// Reads a patch without context lines (`-U0`), section by section, in order. Every line of a file
/// starts with `+` or `-` in it, so none can pass for a header.
pub(crate) fn sections(patch: &[u8]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in patch.split(|byte| *byte == b'\n') {
        if line.starts_with(b"diff --git ") {
            sections.push(Section::default());
        } else if let (Some((removed, range)), Some(section)) = (hunk(line), sections.last_mut()) {
            section.removed = section.removed.saturating_add(removed);
            section.added = section.added.saturating_add(range.count);
            section.hunks.push(range);
        }
    }
    sections
}

/// `@@ -12,3 +14,2 @@`: how many lines went, and which are new.
fn hunk(line: &[u8]) -> Option<(u32, LineRange)> {
    let text = std::str::from_utf8(line.get(..line.len().min(80))?)
        .or_else(|error| std::str::from_utf8(&line[..error.valid_up_to()]))
        .ok()?;
    let mut fields = text.strip_prefix("@@ -")?.split(' ');
    let old = range(fields.next()?)?;
    let new = range(fields.next()?.strip_prefix('+')?)?;
    Some((old.count, new))
}

fn range(text: &str) -> Option<LineRange> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    Some(LineRange { start: start.parse().ok()?, count: count.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_look_like_headers_are_lines() {
        let patch = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@ fn f()\n-a\n\
            \\ No newline at end of file\n+diff --git a/y b/y\n+@@ -1 +1 @@\n@@ -9,2 +9,0 @@\n-p\n-q\n\
            diff --git a/z b/z\nBinary files a/z and b/z differ\n";
        let sections = sections(patch);
        assert_eq!(sections.len(), 2);
        assert_eq!((sections[0].added, sections[0].removed), (2, 3));
        let hunks = [LineRange { start: 1, count: 2 }, LineRange { start: 9, count: 0 }];
        assert_eq!(sections[0].hunks, hunks);
        assert_eq!(sections[1], Section::default());
    }
}
