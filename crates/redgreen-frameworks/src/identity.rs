//! Ids of tests: clean and bounded, and still different where they were different.

use redgreen_model::digest::small_hash;
use redgreen_model::text::strip_controls;

/// The most characters of an id before its digest.
pub(crate) const ID_CHARS: usize = 450;

/// An id as it may be stored and shown. Characters that change how text is shown become visible
/// escapes; then, and where the id is too long, a digest of the original keeps it distinct.
pub fn clean_id(id: &str) -> String {
    if is_simple(id) {
        return id.to_owned();
    }
    let plain = strip_controls(id) == id && !id.contains(['\n', '\t', '\r']);
    let short = id.chars().nth(ID_CHARS + 1 + DIGEST_CHARS).is_none();
    if plain && short {
        return id.to_owned();
    }
    let head: String = escape(id).chars().take(ID_CHARS).collect();
    format!("{head}#{:016x}", small_hash(id.bytes()))
}

/// Like [`clean_id`], for an id that nobody else needs; most are clean, and kept as they are.
pub(crate) fn cleaned(id: String) -> String {
    if is_simple(&id) { id } else { clean_id(&id) }
}

/// Whether an id is surely clean: short, and ASCII that is seen.
pub(crate) fn is_simple(id: &str) -> bool {
    id.len() <= ID_CHARS && !any_byte(id, is_hidden)
}

/// Whether a byte is one of a character that is not ASCII, or not seen.
pub(crate) fn is_hidden(byte: u8) -> bool {
    byte.wrapping_sub(b' ') >= 0x5f
}

/// Whether any byte is as sought. Without a branch for each, sixteen at once, and the last sixteen
/// once more where they do not come out even: there may be hundreds of thousands of ids.
#[inline]
pub(crate) fn any_byte(text: &str, sought: impl Fn(u8) -> bool) -> bool {
    let any_in = |bytes: &[u8; 16]| bytes.iter().fold(false, |any, byte| any | sought(*byte));
    match text.as_bytes().last_chunk() {
        Some(last) => {
            let (blocks, _) = text.as_bytes().as_chunks();
            blocks.iter().fold(any_in(last), |any, block| any | any_in(block))
        }
        None => text.bytes().fold(false, |any, byte| any | sought(byte)),
    }
}

const DIGEST_CHARS: usize = 16;

fn escape(id: &str) -> String {
    let mut out = String::with_capacity(id.len() + 8);
    for character in id.chars() {
        let plain = strip_controls(character.encode_utf8(&mut [0; 4])).chars().eq([character]);
        if plain && !matches!(character, '\n' | '\t' | '\r') {
            out.push(character);
        } else {
            out.extend(character.escape_default());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stay_different_and_become_harmless() {
        let long = "x".repeat(2_000);
        let raw = [
            "tests/test_a.py::test_b[a b]",
            "prüft::日本",
            "a\nb",
            "a\\nb",
            "a\tb",
            "red\u{1b}[31m",
            "red\u{1b}[32m",
            "red",
            "\u{202e}evil",
            "evil",
            "mixed\\u{1b}",
            "mixed\u{1b}",
            "\\mixed\u{1b}",
            long.as_str(),
            &format!("{long}y"),
        ];
        let clean: Vec<String> = raw.iter().map(|id| clean_id(id)).collect();
        for (index, id) in clean.iter().enumerate() {
            assert_eq!(&strip_controls(id), id);
            assert!(!id.contains('\n') && id.chars().count() <= 500, "{id}");
            assert!(!clean[..index].contains(id), "{id} twice");
            assert_eq!(&clean_id(id), id, "cleaning twice changes nothing");
        }
        assert_eq!(clean[0], raw[0]);
        assert_eq!(clean[1], raw[1]);
    }
}
