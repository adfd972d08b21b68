//! What stands between the marks: encodings, entities, names.

use std::borrow::Cow;

use memchr::memchr;

/// The longest name of an entity that is looked for, such as `#x10FFFF`.
const ENTITY_BYTES: usize = 10;

/// The name without a namespace's prefix.
pub fn local(name: &str) -> &str {
    if !name.as_bytes().contains(&b':') {
        return name;
    }
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// The text with its entities resolved; one that is not known stays as it is.
pub fn unescaped(raw: &str) -> Cow<'_, str> {
    let Some(first) = memchr(b'&', raw.as_bytes()) else { return Cow::Borrowed(raw) };
    let (head, mut rest) = raw.split_at(first);
    let mut out = String::with_capacity(raw.len());
    out.push_str(head);
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        let (plain, entity) = rest.split_at(at);
        out.push_str(plain);
        let name = entity.bytes().take(ENTITY_BYTES).position(|byte| byte == b';');
        let resolved =
            name.and_then(|end| Some((resolve(entity.get(1..end)?)?, entity.get(end + 1..)?)));
        rest = match resolved {
            Some((character, behind)) => {
                out.push(character);
                behind
            }
            None => {
                out.push('&');
                entity.get(1..).unwrap_or_default()
            }
        };
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn resolve(name: &str) -> Option<char> {
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let number = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(number)?
        }
    })
}

/// The text of a document, and what is to be said about its encoding.
pub fn decoded(bytes: &[u8]) -> (Cow<'_, str>, Option<String>) {
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return (Cow::Owned(utf16(rest, u16::from_le_bytes)), None);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return (Cow::Owned(utf16(rest, u16::from_be_bytes)), None);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (Cow::Borrowed(text), None);
    }
    if declares_latin(bytes) {
        return (Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect()), None);
    }
    let note = "some bytes are not in the encoding that the file declares";
    (String::from_utf8_lossy(bytes), Some(note.to_owned()))
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks().0.iter().map(|pair| unit(*pair));
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

fn declares_latin(bytes: &[u8]) -> bool {
    let head = bytes.get(..bytes.len().min(200)).unwrap_or_default();
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let declaration = head.split("?>").next().unwrap_or_default();
    ["iso-8859-1", "latin", "windows-1252", "cp1252", "us-ascii"]
        .iter()
        .any(|encoding| declaration.contains(encoding))
}
