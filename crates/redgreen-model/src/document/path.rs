//! Places in a document.

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
