//! New code that is made for its tests: a finding where no honest code has the like, else a warning.

use redgreen_model::square::{Corner, FindingKind, Warning};

use super::{SquareReader, finding};

impl SquareReader<'_> {
    /// What new code looks for, pleases, or answers.
    pub(super) fn weigh_what_is_made_for_tests(&mut self) {
        for warning in &self.context.facts.warnings {
            if warning.certain {
                self.find_made_for_tests(warning);
            } else {
                self.square.warnings.push(warning.clone());
            }
        }
    }

    fn find_made_for_tests(&mut self, warning: &Warning) {
        let Warning { what, file, line, text, .. } = warning;
        let message = format!("{file}:{line}: new code {what}");
        let mut found = finding(FindingKind::MadeForTests, Corner::Run, message);
        found.file = Some(file.clone());
        found.line = Some(*line);
        found.after.clone_from(text);
        self.add(found, what);
    }
}
