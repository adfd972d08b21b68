//! Who saw what a record says.
//!
//! Records lie where whoever works in the tree can write, and a field that says who wrote one is written as easily
//! as all the others. So a record that redgreen writes carries a seal (`metadata.seal`): a public key, and its
//! signature over the SHA-256 of the [`canonical`] document, which is all of it but the seal. The private key lies
//! outside of every work tree. What a key seals that a [`Notary`] knows counts as seen; everything else is unverified: it is
//! shown, marked, and no success of redgreen's.
//!
//! The session's id is under the seal, and a session counts once: a copy under another name adds nothing. What a
//! seal does not keep out:
//!
//! - Records can be deleted, and an earlier state of a record be put back, for that was sealed, too. Neither makes a
//!   success that nobody saw.
//! - A seal names no project. A record that is copied into another one counts there as it did where it was seen; who
//!   may run redgreen with the key can let it see a session elsewhere and bring its record. `import` seals
//!   nothing: what it brings counts if a seal that holds came with it, as if somebody had copied the file.
//! - A program that reads the key itself with its owner's rights, or writes the index: that is not sealed, so it is
//!   kept where the key is, and no nearer to the records.

mod canonical;

use redgreen_model::debug_memory::{Metadata, Record, Seal};
use serde::Serialize;
use serde_json::Value;

/// What a signature of ours says that it is on: the digest of a record of this version.
pub const SEALED_AS: &str = "application/vnd.redgreen.debug-memory.v1";

/// The version of the seals that are made and understood.
const VERSION: u32 = 1;

/// Signs records, and knows whose signatures count. Every question but that for the stamp may cost reading a key; so
/// they are asked only when a record is written or taken in.
pub trait Notary: Send + Sync {
    /// The own key and its signature on the digest of a record ([`SEALED_AS`]), both in base64; why there is none,
    /// in words.
    fn sign(&self, digest: &[u8; 32]) -> Result<(String, String), String>;

    /// Whether a key has signed the digest of a record.
    fn has_signed(&self, key: &str, signature: &str, digest: &[u8; 32]) -> bool;

    /// Whether what a key seals was seen by redgreen.
    fn knows(&self, key: &str) -> bool;

    /// The own key, in base64; none if there is none.
    fn own_key(&self) -> Option<String>;

    /// A number that is another one when other keys may count. Asked for every question to the memory.
    fn stamp(&self) -> i64;

    /// What is wrong with the keys, in words, once.
    fn take_problem(&self) -> Option<String>;
}

/// Where a record comes from, as far as it can be shown; the numbers are in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// From somebody: it has no seal.
    #[serde(rename = "told")]
    Unverified = 0,
    /// From redgreen: its seal holds, and its key is known.
    Seen = 1,
    /// From whoever has a key that is not known, or with a seal of a later version.
    Unknown = 2,
    /// Its seal does not fit: it was changed, or never sealed with that key.
    Broken = 3,
}

impl Origin {
    /// Whether redgreen saw what the record says.
    pub fn is_seen(self) -> bool {
        self == Self::Seen
    }
}

/// The digest that a seal of a document is made on; none for what cannot be sealed.
pub fn sealed_digest(document: &Value) -> Option<[u8; 32]> {
    canonical::digest(document).ok()
}

/// The same of a document in JSON.
pub(crate) fn sealed_digest_of_json(text: &str) -> Option<[u8; 32]> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let digest = canonical::digest(&mut reader).ok()?;
    reader.end().ok().map(|()| digest)
}

/// Seals a record, in the place of whatever seal it has; why it has none now, in words.
pub(crate) fn seal(record: &mut Record, notary: &dyn Notary) -> Result<Provenance, String> {
    record.metadata.get_or_insert_with(Metadata::default).seal = None;
    let document = serde_json::to_value(&*record).map_err(|error| error.to_string())?;
    let digest = sealed_digest(&document).ok_or("it cannot be written down in one way")?;
    let (by, signature) = notary.sign(&digest)?;
    let provenance = Provenance { origin: Origin::Seen, key: Some(by.clone()) };
    record.metadata.get_or_insert_with(Metadata::default).seal =
        Some(Seal { version: VERSION, by, signature });
    Ok(provenance)
}

/// Where a document comes from, and the key that sealed it, if one did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Provenance {
    pub(crate) origin: Origin,
    pub(crate) key: Option<String>,
}

impl Provenance {
    /// From somebody.
    pub(crate) fn unverified() -> Self {
        Self { origin: Origin::Unverified, key: None }
    }

    /// What the seal of a document with this digest shows.
    pub(crate) fn by(
        seal: Option<&Seal>,
        digest: impl FnOnce() -> Option<[u8; 32]>,
        notary: &dyn Notary,
    ) -> Self {
        let by_nobody = |origin| Self { origin, key: None };
        let Some(seal) = seal else { return Self::unverified() };
        if seal.version != VERSION {
            return by_nobody(Origin::Unknown);
        }
        let signed = |digest| notary.has_signed(&seal.by, &seal.signature, &digest);
        if !digest().is_some_and(signed) {
            return by_nobody(Origin::Broken);
        }
        let is_known = notary.knows(&seal.by);
        let origin = if is_known { Origin::Seen } else { Origin::Unknown };
        Self { origin, key: Some(seal.by.clone()) }
    }
}

#[cfg(test)]
mod tests;
