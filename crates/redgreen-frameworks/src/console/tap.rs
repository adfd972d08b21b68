//! TAP in the middle of a log: its lines are put aside and read as a document of their own.

use super::dialects::{Dialect, Reader, Signs, Taken};
use super::run::Run;
use super::words::{indent, number};

pub(crate) const DIALECT: Dialect = Dialect {
    program: "tap",
    runs_tests: true,
    signs: Signs::first("Ton1"),
    begins: |line| line.starts_with("TAP version 1") || is_plan(line) || is_first_test(line),
    reader: || Box::<Tap>::default(),
};

#[derive(Default)]
struct Tap {
    text: String,
    /// In a block of YAML below a test, which may hold any line.
    in_details: bool,
}

impl Reader for Tap {
    fn take(&mut self, line: &str, run: &mut Run<'_>) -> Taken {
        let text = line.trim_ascii_start();
        let again = line.starts_with("TAP version 1") && !self.text.is_empty();
        let is_tap = self.in_details
            || indent(line) >= 4
            || ["ok", "not ok", "#", "TAP version 1", "Bail out!"]
                .iter()
                .any(|start| text.starts_with(start))
            || is_plan(text)
            || text == "---";
        if again || !is_tap {
            return Taken::Not;
        }
        match text {
            "---" => self.in_details = true,
            "..." => self.in_details = false,
            _ => {}
        }
        run.started();
        self.text.push_str(line);
        self.text.push('\n');
        Taken::Mine
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        run.adopt(crate::tap::read(self.text.as_bytes(), run.places));
    }
}

/// `1..12`
fn is_plan(line: &str) -> bool {
    line.strip_prefix("1..")
        .and_then(number)
        .is_some_and(|(_, rest)| rest.is_empty() || rest.starts_with(" #"))
}

/// `ok 1 - adds`: the first test, where nothing announces the document.
fn is_first_test(line: &str) -> bool {
    line.starts_with("ok 1 ") || line.starts_with("not ok 1 ")
}
