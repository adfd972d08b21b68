//! What an input is, told from its beginning.

use serde_json::Value;

/// How much of an input is looked at, in bytes.
const HEAD_BYTES: usize = 64 * 1024;

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// redgreen's own report stream.
    Stream,
    /// What programs print.
    Console,
}

impl Format {
    /// The name in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stream => "redgreen_stream",
            Self::Console => "console",
        }
    }
}

/// The format of an input; what is nothing else is a log.
pub fn recognise(bytes: &[u8]) -> Format {
    let head = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
    let first = head.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    let object = first.and_then(|line| serde_json::from_slice::<Value>(line).ok());
    match object {
        Some(Value::Object(fields))
            if fields.contains_key("event") && fields.contains_key("run") =>
        {
            Format::Stream
        }
        _ => Format::Console,
    }
}
