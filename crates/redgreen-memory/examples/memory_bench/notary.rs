//! The key of a benchmark: in the folder where a redgreen with the same environment looks for its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use redgreen_evidence::Key;
use redgreen_memory::{Memory, Notary, SEALED_AS, Settings, sealed_digest};
use redgreen_model::debug_memory::{Record, Seal};

use crate::Outcome;

/// One key, which is the only one that counts.
pub struct OneKey {
    key: Key,
    text: String,
}

impl OneKey {
    /// The key, made if there is none.
    pub fn find() -> Outcome<Self> {
        let key = Key::open_or_make(&state()?)?;
        let text = key.public().to_base64();
        Ok(Self { key, text })
    }

    /// Seals a record as a memory does that writes it.
    pub fn seal(&self, record: &mut Record) -> Outcome<()> {
        let metadata = record.metadata.get_or_insert_default();
        metadata.seal = None;
        let digest = sealed_digest(&serde_json::to_value(&*record)?).ok_or("no digest")?;
        let signature = self.key.sign_as(SEALED_AS, &digest);
        let seal = Seal { version: 1, by: self.text.clone(), signature };
        record.metadata.get_or_insert_default().seal = Some(seal);
        Ok(())
    }
}

/// Where a redgreen with the same environment has its state.
fn state() -> Outcome<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").ok_or("XDG_STATE_HOME is not set")?;
    Ok(Path::new(&state).join("redgreen"))
}

/// The memory in a folder, with that key; its index is where such a redgreen looks for it.
pub fn memory(folder: &Path) -> Outcome<Memory> {
    let (indexes, key) = (state()?.join("memory"), OneKey::find()?);
    Ok(Memory::new(folder, Ok(&indexes), Settings::default(), Arc::new(key)))
}

impl Notary for OneKey {
    fn sign(&self, digest: &[u8; 32]) -> Result<(String, String), String> {
        Ok((self.text.clone(), self.key.sign_as(SEALED_AS, digest)))
    }

    fn has_signed(&self, key: &str, signature: &str, digest: &[u8; 32]) -> bool {
        key == self.text && self.key.has_signed_as(SEALED_AS, digest, signature)
    }

    fn knows(&self, key: &str) -> bool {
        key == self.text
    }

    fn own_key(&self) -> Option<String> {
        Some(self.text.clone())
    }

    fn stamp(&self) -> i64 {
        1
    }

    fn take_problem(&self) -> Option<String> {
        None
    }
}
