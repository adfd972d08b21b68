//! The public key: all that is needed to check evidence.

use std::fmt;

use ed25519_dalek::{Signature, VerifyingKey};
use redgreen_model::digest::sha256;

use crate::encoding::{Pem, from_base64, to_base64};
use crate::envelope::signed_bytes;

/// A text that is no public key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is not an Ed25519 public key: {0}")]
pub struct NotAPublicKey(&'static str);

/// An Ed25519 public key.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    pub(crate) fn of(key: VerifyingKey) -> Self {
        Self(key)
    }

    /// Reads a PEM file (`BEGIN PUBLIC KEY`, as openssl has it), or base64 of the 32 bytes.
    pub fn parse(text: &str) -> Result<Self, NotAPublicKey> {
        if Pem::Private.is_in(text) {
            return Err(NotAPublicKey("it is a private key: do not give it to anybody"));
        }
        let bytes = if Pem::Public.is_in(text) {
            Pem::Public.read(text)
        } else {
            let bytes = from_base64(text.trim());
            bytes.and_then(|bytes| bytes.try_into().ok())
        };
        let wanted = "expected PEM (BEGIN PUBLIC KEY) or base64 of 32 bytes";
        let bytes = bytes.ok_or(NotAPublicKey(wanted))?;
        let key = VerifyingKey::from_bytes(&bytes)
            .map_err(|_| NotAPublicKey("its 32 bytes are not a valid key"))?;
        if key.is_weak() {
            return Err(NotAPublicKey("it is a weak key that anybody can sign for"));
        }
        Ok(Self(key))
    }

    /// The key as a PEM file.
    pub fn to_pem(&self) -> String {
        Pem::Public.write(self.0.as_bytes())
    }

    /// The key as one line of base64.
    pub fn to_base64(&self) -> String {
        to_base64(self.0.as_bytes())
    }

    /// Its name in envelopes: the SHA-256 of its DER. A hint, never a proof.
    pub fn id(&self) -> String {
        sha256(&Pem::Public.der(self.0.as_bytes()), usize::MAX)
    }

    /// Whether this key has signed bytes as what they are said to be ([`Key::sign_as`](crate::Key::sign_as)).
    pub fn has_signed_as(&self, payload_type: &str, payload: &[u8], signature: &str) -> bool {
        let message = signed_bytes(payload_type, payload);
        from_base64(signature).is_some_and(|signature| self.has_signed(&message, &signature))
    }

    /// Whether a signature is this key's, with none of the tolerance that lets one signature have
    /// several forms.
    pub(crate) fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        let signature = Signature::from_slice(signature);
        signature.is_ok_and(|signature| self.0.verify_strict(message, &signature).is_ok())
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PublicKey({})", self.to_base64())
    }
}
