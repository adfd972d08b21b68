//! What can be read: the report of a loop, and the evidence of the tree.

use serde_json::{Value, json};

use crate::Words;

const REPORT: &str = "redgreen://report";
const EVIDENCE: &str = "redgreen://evidence";
/// The most characters of a session's name.
const SESSION_CHARS_MAX: usize = 100;

pub(crate) fn listed() -> Value {
    json!([
        {
            "uri": REPORT,
            "name": "report",
            "title": "The report of the newest loop",
            "description": "What was asked, what each attempt did, what redgreen saw, and how it ended",
            "mimeType": "text/markdown",
        },
        {
            "uri": EVIDENCE,
            "name": "evidence",
            "title": "The evidence of the tree",
            "description": "What redgreen saw of the tree as it is, signed",
            "mimeType": "application/json",
        },
    ])
}

pub(crate) fn templates() -> Value {
    json!([{
        "uriTemplate": format!("{REPORT}/{{session}}"),
        "name": "report of a session",
        "description": "The report of the loop with this id",
        "mimeType": "text/markdown",
    }])
}

/// The command that shows a resource, and what kind of text that is; none where there is no such resource.
pub fn resource_command(uri: &str) -> Option<(Words, &'static str)> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    if uri == EVIDENCE {
        return Some((words(&["evidence", "show", "--json"]), "application/json"));
    }
    let below = uri.strip_prefix(REPORT)?;
    let session = match below.strip_prefix('/') {
        None if below.is_empty() => return Some((words(&["report"]), "text/markdown")),
        session => session?,
    };
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let is_one =
        !session.is_empty() && session.len() <= SESSION_CHARS_MAX && session.chars().all(fits);
    is_one.then(|| (words(&["report", "--", session]), "text/markdown"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_a_name_and_no_path() {
        let command = |uri| resource_command(uri).map(|(words, _)| words.join(" "));
        assert_eq!(command("redgreen://report").as_deref(), Some("report"));
        assert_eq!(command("redgreen://report/01a-b").as_deref(), Some("report -- 01a-b"));
        assert_eq!(command("redgreen://evidence").as_deref(), Some("evidence show --json"));
        for uri in [
            "redgreen://report/",
            "redgreen://report/../../other",
            "redgreen://report/a/b",
            "redgreen://reports",
            "redgreen://evidence/x",
            "file:///etc/passwd",
            "",
        ] {
            assert_eq!(command(uri), None, "{uri}");
        }
    }
}
