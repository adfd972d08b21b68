//! What ctest and GoogleTest write at their end.

use std::collections::BTreeSet;

use redgreen_model::report::TestOutcome;
use redgreen_xml::{InTag, Token, decoded, unescaped};

use crate::console::ctest::why;
use crate::junit::Scanner;
use crate::stream::FailureRecord;

/// What ctest says of a test that its own properties leave out, at the beginning.
const SKIPPED: &str = "SKIP_RE";

/// One test, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Its name.
    pub name: String,
    class: String,
    status: String,
    skipped: Option<String>,
    failure: Option<String>,
    output: String,
    seconds: String,
}

/// Reads the file. Never fails: what is cut is left out, and whether it has an end is said.
pub fn read(bytes: &[u8]) -> (Vec<Written>, bool) {
    let (text, _) = decoded(bytes);
    let mut scanner = Scanner::new(&text);
    let (mut found, mut open, mut said) = (Vec::new(), None, false);
    let mut ended = false;
    while let Some(token) = scanner.next_token() {
        match token {
            Token::Open("testcase") => {
                let (case, whole) = attributes(&mut scanner);
                if whole { found.push(case) } else { open = Some(case) }
            }
            Token::Open(tag @ ("skipped" | "failure")) => {
                let mut message = String::new();
                while let InTag::Attribute(name, value) = scanner.attribute() {
                    if name == "message" {
                        message = unescaped(value).into_owned();
                    }
                }
                if let Some(case) = open.as_mut() {
                    let place =
                        if tag == "skipped" { &mut case.skipped } else { &mut case.failure };
                    place.get_or_insert(message);
                }
            }
            Token::Open("system-out") => said = true,
            Token::Close("system-out") => said = false,
            Token::Text(text) if said => {
                if let Some(case) = open.as_mut() {
                    case.output.push_str(&unescaped(text));
                }
            }
            Token::Close("testcase") => found.extend(open.take()),
            Token::Close("testsuite" | "testsuites") => ended = true,
            _ => {}
        }
    }
    (found, ended)
}

/// The attributes of a test, and whether that is all of it.
fn attributes(scanner: &mut Scanner<'_>) -> (Written, bool) {
    let mut case = Written::default();
    loop {
        match scanner.attribute() {
            InTag::Attribute(name, value) => {
                let place = match name {
                    "name" => &mut case.name,
                    "classname" => &mut case.class,
                    "time" => &mut case.seconds,
                    // GoogleTest says with both that a test was left out.
                    "status" | "result" if !is_left_out(&case.status) => &mut case.status,
                    _ => continue,
                };
                *place = unescaped(value).into_owned();
            }
            InTag::Closed => return (case, true),
            InTag::Opened | InTag::Cut => return (case, false),
        }
    }
}

fn is_left_out(status: &str) -> bool {
    matches!(status, "notrun" | "disabled" | "skipped" | "suppressed")
}

/// The tests of GoogleTest that were skipped or are not to run: `Suite.Name`.
pub fn left_out(bytes: &[u8]) -> BTreeSet<String> {
    let (cases, _) = read(bytes);
    let left_out = cases.into_iter().filter(|case| is_left_out(&case.status));
    left_out.map(|case| format!("{}.{}", case.class, case.name)).collect()
}

impl Written {
    /// How ctest says that it ended. What could not be run is no skip.
    pub fn outcome(&self) -> TestOutcome {
        match self.status.as_str() {
            "run" => TestOutcome::Passed,
            "disabled" => TestOutcome::Skipped,
            "notrun" if self.skipped.as_ref().is_some_and(|why| why.starts_with(SKIPPED)) => {
                TestOutcome::Skipped
            }
            "notrun" => TestOutcome::Errored,
            _ => TestOutcome::Failed,
        }
    }

    /// How long it took.
    pub fn milliseconds(&self) -> Option<u64> {
        let seconds: f64 = self.seconds.parse().ok()?;
        // A float becomes the nearest number that there is.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
        Some((seconds * 1000.0) as u64)
    }

    /// Why it is red; `was_ended` where it did not come to its own end.
    pub fn failure(&self, was_ended: bool) -> FailureRecord {
        if was_ended {
            return FailureRecord {
                error_type: "Timeout".to_owned(),
                message: "ctest ended it at its time limit".to_owned(),
                phase: Some("timeout".to_owned()),
                ..FailureRecord::default()
            };
        }
        let said = self.failure.iter().chain(&self.skipped).find(|said| !said.is_empty());
        let otherwise = said.map_or("ctest says no more than that it failed", String::as_str);
        why(&self.output, otherwise)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF_CTEST: &str = r#"<?xml version="1.0"?>
<testsuite name="(empty)" tests="5">
	<testcase name="a" classname="a" time="0.25" status="run"><system-out>1 &lt; 2</system-out></testcase>
	<testcase name="missing" classname="missing" time="0" status="notrun">
		<skipped message="Unable to find executable"/><system-out>Unable to find executable: /no</system-out>
	</testcase>
	<testcase name="skip" classname="skip" time="0" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>
	<testcase name="off" classname="off" time="0" status="disabled"/>
	<testcase name="bad" classname="bad" time="0" status="fail"><failure message=""/><system-out>x
calc.c:3: assertion failed: a == b
bye
</system-out></testcase>
</testsuite>
"#;

    #[test]
    fn what_ctest_says_is_what_its_tests_are() {
        let (cases, ended) = read(OF_CTEST.as_bytes());
        assert!(ended);
        let outcomes: Vec<_> =
            cases.iter().map(|case| (case.name.as_str(), case.outcome())).collect();
        use TestOutcome::{Errored, Failed, Passed, Skipped};
        let wanted = [
            ("a", Passed),
            ("missing", Errored),
            ("skip", Skipped),
            ("off", Skipped),
            ("bad", Failed),
        ];
        assert_eq!(outcomes, wanted);
        assert_eq!(cases[0].milliseconds(), Some(250));
        let failure = cases[4].failure(false);
        assert_eq!(failure.message, "calc.c:3: assertion failed: a == b");
        assert_eq!((failure.frames[0].file.as_str(), failure.frames[0].line), ("calc.c", Some(3)));
        assert!(cases[1].failure(false).message.contains("Unable to find executable"));
        assert_eq!(cases[4].failure(true).phase.as_deref(), Some("timeout"));
        let half = OF_CTEST.split("</testcase>").next().unwrap();
        assert_eq!(read(half.as_bytes()), (Vec::new(), false));
    }

    #[test]
    fn what_googletest_left_out_is_known() {
        let text = r#"<testsuites><testsuite name="P">
<testcase name="Adds" status="run" result="completed" classname="P" />
<testcase name="Skips" status="run" result="skipped" classname="P"><skipped message="x"/></testcase>
<testcase name="DISABLED_Off" status="notrun" result="suppressed" classname="P" />
</testsuite></testsuites>"#;
        let wanted = ["P.DISABLED_Off", "P.Skips"].map(str::to_owned);
        assert_eq!(left_out(text.as_bytes()), BTreeSet::from(wanted));
    }
}
