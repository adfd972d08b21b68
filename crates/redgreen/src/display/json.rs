//! Events as JSON lines on standard output.

use redgreen_model::event::Event;
use redgreen_runner::events::{EventSink, Recorded};

/// Writes each event as one line.
pub struct JsonLines;

impl EventSink for JsonLines {
    fn take(&self, event: &Event) {
        super::json_line(&Recorded::now(event));
    }
}
