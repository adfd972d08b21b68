//! What stands for a longer text.

use sha2::{Digest as _, Sha256};

pub use redgreen_redact::{small_digest, small_hash};

/// Bytes in hexadecimal, in small letters.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The first so many bytes of a SHA-256, in hexadecimal.
pub fn sha256(bytes: &[u8], kept: usize) -> String {
    let digest = Sha256::digest(bytes);
    hex(digest.get(..kept).unwrap_or(&digest))
}
