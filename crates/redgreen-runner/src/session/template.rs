//! The user's own template for what an agent is told of a red run.

use std::path::Path;

use redgreen_engine::feedback::check_template;
use redgreen_files::{open_regular, read_at_most};
use redgreen_model::event::Event;

use crate::events::Events;
use crate::plan::Plan;

/// A longer file is no template.
const BYTES_MAX: u64 = 64 * 1024;

/// The template, as it is when the session begins; one that cannot be used is said to be so.
pub(super) fn own(root: &Path, plan: &Plan, events: &Events<'_>) -> Option<String> {
    let file = plan.config.loop_settings.feedback_template.as_ref()?;
    match read(&root.join(file)).and_then(|text| check_template(&text).map(|()| text)) {
        Ok(text) => Some(text),
        Err(problem) => {
            let text = format!("the template {file} cannot be used, redgreen's own is: {problem}");
            events.say(&Event::Notice { text });
            None
        }
    }
}

fn read(path: &Path) -> Result<String, String> {
    let opened = open_regular(path).map_err(|error| error.to_string())?;
    let opened = opened.ok_or("there is no such file")?;
    let bytes = read_at_most(opened.file, BYTES_MAX).map_err(|error| error.to_string())?;
    let bytes = bytes.ok_or("it is too long")?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}
