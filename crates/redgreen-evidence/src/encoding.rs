//! Base64 and the few fixed bytes that Ed25519 keys have around them in PEM files.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

/// What stands before the 32 bytes of a private key in PKCS #8 (RFC 8410).
const PRIVATE_PREFIX: [u8; 16] =
    [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];
/// What stands before the 32 bytes of a public key in its `SubjectPublicKeyInfo` (RFC 8410).
const PUBLIC_PREFIX: [u8; 12] = [0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0];

/// Which of the two a PEM file holds.
#[derive(Clone, Copy)]
pub(crate) enum Pem {
    Private,
    Public,
}

impl Pem {
    fn label(self) -> &'static str {
        match self {
            Self::Private => "PRIVATE KEY",
            Self::Public => "PUBLIC KEY",
        }
    }

    fn prefix(self) -> &'static [u8] {
        match self {
            Self::Private => &PRIVATE_PREFIX,
            Self::Public => &PUBLIC_PREFIX,
        }
    }

    /// Whether a text is a PEM file of this kind.
    pub(crate) fn is_in(self, text: &str) -> bool {
        text.contains(&format!("-----BEGIN {}-----", self.label()))
    }

    /// A key in DER.
    pub(crate) fn der(self, key: &[u8; 32]) -> Vec<u8> {
        [self.prefix(), key].concat()
    }

    /// A key as a PEM file.
    pub(crate) fn write(self, key: &[u8; 32]) -> String {
        let label = self.label();
        // At most 48 bytes: one line of base64.
        let body = STANDARD.encode(self.der(key));
        format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
    }

    /// The key of a PEM file.
    pub(crate) fn read(self, text: &str) -> Option<[u8; 32]> {
        let label = self.label();
        let (_, rest) = text.split_once(&format!("-----BEGIN {label}-----"))?;
        let (body, _) = rest.split_once(&format!("-----END {label}-----"))?;
        self.read_der(&from_base64(&body.split_whitespace().collect::<String>())?)
    }

    /// The key of its DER.
    pub(crate) fn read_der(self, der: &[u8]) -> Option<[u8; 32]> {
        der.strip_prefix(self.prefix())?.try_into().ok()
    }
}

/// Bytes as base64.
pub(crate) fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The bytes of a base64 text, in either alphabet, as DSSE has it.
pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).or_else(|_| URL_SAFE.decode(text)).ok()
}
