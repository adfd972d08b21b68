//! Stack frames in text, as languages print them; outermost first.

use super::words::{number, place};
use crate::stream::Frame;

/// How many frames of one stack are looked at.
pub(super) const FRAMES: usize = 200;

/// `  File "a.py", line 3, in f`, and pytest's `a.py:3: in f` and `a.py:3: ValueError`.
pub(super) fn python(text: &str) -> Vec<Frame> {
    text.lines().filter_map(python_frame).take(FRAMES).collect()
}

fn python_frame(line: &str) -> Option<Frame> {
    if let Some(rest) = line.trim_start().strip_prefix("File \"") {
        let (file, rest) = rest.split_once("\", line ")?;
        let (line, rest) = number(rest)?;
        return Some(frame(file, line, rest.strip_prefix(", in ")));
    }
    let (file, line, rest) = place(line)?;
    let rest = rest.strip_prefix(": ").or_else(|| rest.strip_prefix(':'))?;
    file.ends_with(".py").then(|| frame(file, line, rest.strip_prefix("in ")))
}

fn frame(file: &str, line: u32, function: Option<&str>) -> Frame {
    let function = function.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    Frame { file: file.to_owned(), line: Some(line), function }
}
