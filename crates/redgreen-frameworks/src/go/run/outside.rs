//! Errors outside of tests.

use redgreen_model::report::FailureKind;
use redgreen_model::text::bound_middle;

use super::GoRun;
use crate::go::build::{BuildError, build_errors};
use crate::go::failure::{EVENT_MESSAGE_CHARS, EVENT_STACK_CHARS};
use crate::stream::{Frame, Outside, StreamEvent};

/// Where an error is.
#[derive(Debug, Default)]
pub(super) struct ErrorLocation {
    pub(super) file: Option<String>,
    pub(super) line: Option<u32>,
    pub(super) frames: Vec<Frame>,
}

impl GoRun {
    /// A package does not build.
    pub(super) fn build_failed(&mut self, build: &str) {
        let text = self.builds.remove(build).map(|output| output.text()).unwrap_or_default();
        for error in build_errors(&text) {
            self.explained.insert(build.to_owned());
            self.build_error(error, &text);
        }
    }

    /// Writes what the compiler or go complained about.
    pub(super) fn build_error(&mut self, error: BuildError, text: &str) {
        let file = error.file.map(|file| self.modules.compiled(&file));
        let place = ErrorLocation { file, line: error.line, frames: Vec::new() };
        self.outside(error.kind, error.error_type, &error.message, text, place);
    }

    /// Writes an error that has no place.
    pub(super) fn error(
        &mut self,
        kind: FailureKind,
        error_type: &str,
        message: &str,
        stack: &str,
    ) {
        self.outside(kind, error_type, message, stack, ErrorLocation::default());
    }

    /// Writes an error.
    pub(super) fn outside(
        &mut self,
        kind: FailureKind,
        error_type: &str,
        message: &str,
        stack: &str,
        place: ErrorLocation,
    ) {
        self.red = true;
        self.out.push(StreamEvent::Error(Box::new(Outside {
            run: self.run.clone(),
            kind,
            error_type: error_type.to_owned(),
            message: bound_middle(message, EVENT_MESSAGE_CHARS),
            file: place.file,
            line: place.line,
            stack: Some(bound_middle(stack, EVENT_STACK_CHARS)).filter(|stack| !stack.is_empty()),
            frames: place.frames,
            test: None,
        })));
    }
}
