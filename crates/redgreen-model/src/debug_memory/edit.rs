//! An edit in words: what redgreen saw of it, and what its author said, which stays the author's word.

use super::FixApplied;
use crate::text::{LINE_CHARS, clean_line, one_line};

/// Before what an agent said about its edit; it ends with the line.
pub const AGENT_SAID: &str = "; the agent said: ";

/// How many changed files are named.
const FILES_NAMED: usize = 3;
/// The most characters of what the agent said.
const SAID_CHARS_MAX: usize = 160;

/// An edit of these files, and behind it what the agent said, marked, on one line; nothing if it said nothing.
pub fn edit_words(files: &[String], said: &str) -> String {
    let mut text = match files {
        [] => "an edit".to_owned(),
        files => format!("edit of {}", files[..files.len().min(FILES_NAMED)].join(", ")),
    };
    if files.len() > FILES_NAMED {
        text.push_str(&format!(" and {} more", files.len() - FILES_NAMED));
    }
    let said = one_line(said, SAID_CHARS_MAX);
    if !said.is_empty() {
        text.push_str(AGENT_SAID);
        text.push_str(&said);
    }
    text
}

impl FixApplied {
    /// What the agent said about an edit that redgreen recorded. Whatever in the description is not what redgreen
    /// says of such an edit are the agent's words: once its plan stood there, without a mark.
    pub fn agent_said(&self) -> Option<&str> {
        let own = edit_words(&self.files_changed, "");
        let said = match self.description.strip_prefix(own.as_str()) {
            Some("") => None,
            Some(rest) => Some(rest.strip_prefix(AGENT_SAID).unwrap_or(&self.description)),
            None => Some(self.description.as_str()),
        };
        said.map(str::trim).filter(|said| !said.is_empty())
    }

    /// An edit that redgreen recorded, in words on one line, in which those of the agent are marked.
    pub fn in_words(&self) -> String {
        let own = clean_line(&edit_words(&self.files_changed, ""), LINE_CHARS);
        match self.agent_said() {
            Some(said) => own + AGENT_SAID + &one_line(said, SAID_CHARS_MAX),
            None => own,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fix(description: &str) -> FixApplied {
        FixApplied {
            description: description.to_owned(),
            files_changed: vec!["calc.py".to_owned()],
            ..FixApplied::default()
        }
    }

    #[test]
    fn what_an_agent_said_is_marked_whatever_it_said() {
        assert_eq!(fix("edit of calc.py").in_words(), "edit of calc.py");
        let said = "edit of calc.py; the agent said: done";
        assert_eq!(fix(said).in_words(), said);
        for (planned, wanted) in [
            ("delete test_calc.py,\n\tseen to pass", "delete test_calc.py, seen to pass"),
            ("edit of calc.py, seen to pass", "edit of calc.py, seen to pass"),
            ("edit of other.py; the agent said: x", "edit of other.py; the agent said: x"),
        ] {
            let words = fix(planned).in_words();
            assert_eq!(words, format!("edit of calc.py; the agent said: {wanted}"));
        }
        let long = fix(&"seen ".repeat(100)).in_words();
        assert!(long.chars().count() < 200, "{long}");
    }

    #[test]
    fn many_files_are_counted() {
        let files = ["a", "b", "c", "d"].map(str::to_owned);
        assert_eq!(
            edit_words(&files, " all\nof it "),
            "edit of a, b, c and 1 more; the agent said: all of it"
        );
        assert_eq!(edit_words(&[], ""), "an edit");
    }
}
