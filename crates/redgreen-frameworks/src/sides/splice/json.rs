//! The entries of a JSON object, as they are written.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::{Body, Group, Judges};

/// The object of a text, by what its keys are.
pub(crate) fn read(text: &str, judges: fn(&str) -> Judges) -> Result<Group, String> {
    let (mark, json) = match text.strip_prefix('\u{feff}') {
        Some(json) => ("\u{feff}", json),
        None => ("", text),
    };
    // What is written here relies on the text being JSON.
    serde_json::from_str::<IgnoredAny>(json).map_err(|error| format!("not JSON ({error})"))?;
    let open = json.find('{').filter(|at| json[..*at].trim().is_empty());
    let open = open.ok_or_else(|| "not a JSON object".to_owned())? + 1;
    let (ends, closing) = commas(json, open);
    let mut pieces = Vec::new();
    let mut start = open;
    let last = json.get(..closing).unwrap_or_default().trim_end().len().max(open);
    for end in ends.into_iter().chain([last]) {
        let member = json.get(start..end).unwrap_or_default();
        if let Some(piece) = piece(member, judges) {
            pieces.push(piece);
        }
        start = end + 1;
    }
    let (head, tail) = (json.get(..open), json.get(last..));
    Ok(Group::new(pieces, ",")
        .around(format!("{mark}{}", head.unwrap_or_default()), tail.unwrap_or_default()))
}

/// Where the commas between the entries of the object are, and its brace.
fn commas(json: &str, open: usize) -> (Vec<usize>, usize) {
    let mut commas = Vec::new();
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for (at, byte) in json.bytes().enumerate().skip(open) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return (commas, at),
            b'}' | b']' => depth -= 1,
            b',' if depth == 0 => commas.push(at),
            _ => {}
        }
    }
    (commas, json.len())
}

fn piece(member: &str, judges: fn(&str) -> Judges) -> Option<(String, Body)> {
    // A single entry between braces is an object again, and says what its key means.
    let object: Value = serde_json::from_str(&format!("{{{member}}}")).ok()?;
    let (key, value) = object.as_object()?.iter().next()?;
    let body = Body::whole(judges(key), member.to_owned(), || value.to_string());
    Some((key.clone(), body))
}
