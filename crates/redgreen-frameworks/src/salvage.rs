//! JSON documents that end in the middle: the whole entries of a list are still worth something.

use serde_json::Value;

/// The longest way that a document is searched for its list, in bytes.
const HEAD_BYTES: usize = 1 << 20;

/// The whole objects of the list behind a key, which comes with its quotes.
pub(crate) fn entries(bytes: &[u8], key: &[u8]) -> Vec<Value> {
    let head = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
    let Some(list) = after_key(head, key, b'[') else { return Vec::new() };
    let mut rest = bytes.get(list..).unwrap_or_default();
    let mut entries = Vec::new();
    loop {
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == b',');
        rest = rest.get(blanks.count()..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_slice(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(entry @ Value::Object(_))) => entries.push(entry),
            _ => return entries,
        }
        rest = rest.get(values.byte_offset()..).unwrap_or_default();
    }
}

/// Behind `"key" : [`; the same key may have another value elsewhere.
fn after_key(bytes: &[u8], key: &[u8], opening: u8) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = memchr::memmem::find(bytes.get(from..)?, key) {
        from += at + key.len();
        let rest = bytes.get(from..)?;
        let blank = |byte: &&u8| byte.is_ascii_whitespace() || **byte == b':';
        let skipped = rest.iter().take_while(blank).count();
        if rest.get(skipped) == Some(&opening) {
            return Some(from + skipped + 1);
        }
    }
    None
}
