//! A seal on a file that grows where the agent works: up to here, redgreen itself has written it. It is written before
//! what it is on, so that nothing is ever there without one; so a file may also be what it was before.

use std::path::Path;

use redgreen_files::{Opened, open_regular, read_at_most, write_cache, write_whole};
use serde::{Deserialize, Serialize};

use crate::envelope::Envelope;
use crate::key::Key;
use crate::public_key::PublicKey;

/// What an envelope with a seal says that it holds.
const SEAL_TYPE: &str = "application/vnd.redgreen.seal+json";
/// The most bytes of a seal's file: it is a few hundred.
const BYTES_MAX: u64 = 16 * 1024;

/// A seal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seal {
    /// Whose file it is: the seal of another one says nothing.
    pub of: String,
    /// What is in it.
    #[serde(flatten)]
    pub now: Content,
    /// What was in it before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Content>,
}

/// What is in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// How long it is.
    pub bytes: u64,
    /// The SHA-256 of all of it.
    pub sha256: String,
}

impl Seal {
    /// Writes the seal; it is on disk when this returns.
    pub fn write(&self, key: &Key, path: &Path) -> std::io::Result<()> {
        write_whole(path, self.signed(key)?.as_bytes())
    }

    /// The same for a file that nobody comes back to after a failure of the machine.
    pub fn write_for_now(&self, key: &Key, path: &Path) -> std::io::Result<()> {
        write_cache(path, self.signed(key)?.as_bytes())
    }

    fn signed(&self, key: &Key) -> std::io::Result<String> {
        let payload = serde_json::to_vec(self)?;
        Ok(Envelope::sign_bytes(key, SEAL_TYPE, &payload).to_line()?)
    }

    /// The seal in the file at `path`, if this key signed it.
    pub fn read(key: &PublicKey, path: &Path) -> Option<Self> {
        let Opened { file, .. } = open_regular(path).ok()??;
        let text = read_at_most(file, BYTES_MAX).ok()??;
        let payload = Envelope::parse(&text).and_then(|it| it.verified_as(SEAL_TYPE, key)).ok()?;
        serde_json::from_slice(&payload).ok()
    }
}
