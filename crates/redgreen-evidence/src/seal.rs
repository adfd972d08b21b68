//! A seal on a file that grows where the agent works: up to here, redgreen itself has written it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::envelope::Envelope;
use crate::file::{Opened, open_regular, read_at_most, write_whole};
use crate::key::Key;
use crate::public_key::PublicKey;

/// What an envelope with a seal says that it holds.
const SEAL_TYPE: &str = "application/vnd.redgreen.seal+json";
/// The most bytes of a seal's file: it is a few hundred.
const BYTES_MAX: u64 = 16 * 1024;

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seal {
    /// Whose file it is: the seal of another one says nothing.
    pub of: String,
    /// How long it is.
    pub bytes: u64,
    /// The SHA-256 of all of it.
    pub sha256: String,
}

impl Seal {
    /// Writes the seal; it is on disk when this returns.
    pub fn write(&self, key: &Key, path: &Path) -> std::io::Result<()> {
        let payload = serde_json::to_vec(self)?;
        let line = Envelope::sign_bytes(key, SEAL_TYPE, &payload).to_line()?;
        write_whole(path, line.as_bytes())
    }

    /// Whether the file at `path` is this very seal, signed.
    pub fn holds(&self, key: &PublicKey, path: &Path) -> bool {
        let Ok(Some(Opened { file, .. })) = open_regular(path) else { return false };
        let Ok(Some(text)) = read_at_most(file, BYTES_MAX) else { return false };
        let payload = Envelope::parse(&text).and_then(|it| it.verified_as(SEAL_TYPE, key));
        payload
            .is_ok_and(|bytes| serde_json::from_slice(&bytes).is_ok_and(|seal: Self| seal == *self))
    }
}
