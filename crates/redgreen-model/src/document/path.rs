//! Places in a document.

use serde_json::Value;

use super::show_text;

/// One step down into a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// To the value of a key.
    Key(String),
    /// To an item of a list.
    Index(usize),
}

/// A path as people read it: `loop_state.attempts[0].timestamp`.
pub(crate) fn shown_path(path: &[Step]) -> String {
    let mut shown = String::new();
    for step in path {
        match step {
            Step::Index(index) => shown.push_str(&format!("[{index}]")),
            Step::Key(key) if is_plain(key) => {
                if !shown.is_empty() {
                    shown.push('.');
                }
                shown.push_str(&show_text(key));
            }
            Step::Key(key) => shown.push_str(&format!("[\"{}\"]", show_text(key))),
        }
    }
    shown
}

fn is_plain(key: &str) -> bool {
    !key.is_empty()
        && key.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-$".contains(letter))
}

/// The steps of a JSON pointer into `document`, and their ranks: which entry of its list or mapping
/// each step takes. Sorted by rank, problems come in the order of the document.
pub(super) fn steps_of(pointer: &str, document: &Value) -> (Vec<Step>, Vec<usize>) {
    let mut place = Some(document);
    let mut steps = Vec::new();
    let mut ranks = Vec::new();
    for segment in pointer.split('/').skip(1) {
        let key = segment.replace("~1", "/").replace("~0", "~");
        match (place, key.parse::<usize>()) {
            (Some(Value::Array(items)), Ok(index)) => {
                place = items.get(index);
                ranks.push(index);
                steps.push(Step::Index(index));
            }
            (Some(Value::Object(entries)), _) => {
                ranks.push(entries.keys().position(|name| *name == key).unwrap_or(usize::MAX));
                place = entries.get(&key);
                steps.push(Step::Key(key));
            }
            _ => {
                place = None;
                steps.push(Step::Key(key));
            }
        }
    }
    (steps, ranks)
}
