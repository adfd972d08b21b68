//! What the ids of one class begin with.

use super::case::Case;
use crate::identity::{ID_CHARS, any_byte, is_hidden, is_simple};

/// The beginning of the ids of a class. The cases of a class come together, so most of an id is
/// what it was for the case before, and only the name has to be looked at.
#[derive(Default)]
pub(super) struct Stem<'text> {
    class: &'text str,
    /// What stands before the class, the class, and a point; empty where nothing is known.
    text: String,
}

impl<'text> Stem<'text> {
    /// Remembers the beginning of the ids of a class that has no file; `before` stands before it.
    pub(super) fn remember(&mut self, before: &str, class: &'text str) {
        self.text.clear();
        if is_bare(class) && is_simple(before) {
            self.class = class;
            self.text.extend([before, class, "."]);
        }
    }

    /// The cases that follow are of another suite.
    pub(super) fn forget(&mut self) {
        self.text.clear();
    }

    /// The two parts of the id of a case of the same class, the first up to the last point; none
    /// where the id has to be composed.
    #[inline]
    pub(super) fn parts(&self, case: &Case<'text>) -> Option<(&str, &'text str)> {
        let short = self.text.len() + case.name.len() <= ID_CHARS;
        let same = case.class.is_some_and(|class| self.is_of(class)) && case.file.is_none();
        let known = short && same && !self.text.is_empty() && !case.name.is_empty();
        // Clean, without entities, and without a point: the last one is that before the name.
        let bare = || !any_byte(case.name, |byte| is_hidden(byte) | matches!(byte, b'&' | b'.'));
        (known && bare() && case.name != self.class).then_some((&*self.text, case.name))
    }

    /// Whether it is the class that is remembered; most often it is the very same text.
    fn is_of(&self, class: &str) -> bool {
        std::ptr::eq(class, self.class) || class == self.class
    }
}

/// Whether a raw value is clean, and means what it says: without entities.
fn is_bare(raw: &str) -> bool {
    is_simple(raw) && !raw.as_bytes().contains(&b'&')
}

/// What a class says beside its file: `tests.test_a.TestB` in `tests/test_a.py` is `TestB`.
pub(super) fn without_file<'class>(class: &'class str, file: &str) -> &'class str {
    if class == file {
        return "";
    }
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let mut dotted = stem.split('/');
    let mut rest = class;
    loop {
        let Some(part) = dotted.next() else {
            return rest.strip_prefix('.').unwrap_or(if rest.is_empty() { "" } else { class });
        };
        let Some(behind) = rest.trim_start_matches('.').strip_prefix(part) else { return class };
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{Places, junit::read_xml};

    fn ids(text: &str) -> Vec<String> {
        let places = Places { root: Path::new("/home/me/project"), folder: Path::new("") };
        read_xml(text.as_bytes(), places).tests.into_iter().map(|test| test.id).collect()
    }

    /// Whatever stood before it, a case is called as it is called alone.
    #[test]
    fn what_was_remembered_changes_no_id() {
        let long = format!(r#"<testcase classname="a.B" name="{}"/>"#, "x".repeat(460));
        let cases = [
            r#"<testcase classname="a.B" name="one"/>"#,
            r#"<testcase classname="a.B" name="two"/>"#,
            r#"<testcase classname="a.B" name="half 0.5"/>"#,
            r#"<testcase classname="a.B" name="x &lt; y"/>"#,
            r#"<testcase classname="a.B" name="a.B"/>"#,
            r#"<testcase classname="a.B" name=""/>"#,
            r#"<testcase classname="a.B" name="prüft"/>"#,
            r#"<testcase classname="B" name="B"/>"#,
            r#"<testcase classname="a&amp;B" name="three"/>"#,
            r#"<testcase classname="" name="four"/>"#,
            r#"<testcase name="five"/>"#,
            r#"<testcase classname="a.B" file="a/B.py" name="six"/>"#,
            &long,
        ];
        let suites = [r#"<testsuite name="s">"#, r#"<testsuite name="s" file="a/c.py">"#];
        for (first, second) in cases.iter().flat_map(|one| cases.map(|two| (*one, two))) {
            for [outer, inner] in [suites, [suites[1], suites[0]]] {
                let wrapped = |inside: &str| format!("{outer}{inside}</testsuite>");
                let below = format!("{inner}{second}</testsuite>");
                same_as_alone(&[first, second].map(wrapped), &wrapped(&[first, second].concat()));
                same_as_alone(
                    &[first, &below, second].map(wrapped),
                    &wrapped(&[first, &below, second].concat()),
                );
            }
        }
    }

    fn same_as_alone(alone: &[String], together: &str) {
        let mut unique = crate::unique::Unique::default();
        let wanted: Vec<_> =
            alone.iter().flat_map(|text| ids(text)).map(|id| unique.id(id)).collect();
        assert_eq!(ids(together), wanted, "{together}");
    }
}
