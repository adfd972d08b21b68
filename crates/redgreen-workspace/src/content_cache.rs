//! What was read before. An object's content never changes, and neither does what two trees have apart; the same few things are
//! asked for again and again: a configuration, a file of tests in several trees, the change that is judged.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The most bytes of all of them.
const BYTES_MAX: usize = 8 * 1024 * 1024;

/// Contents by the id of their object, answers by what was asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContentCache(Arc<Mutex<HashMap<String, Vec<u8>>>>);

impl ContentCache {
    pub(crate) fn get(&self, object: &str) -> Option<Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(object).cloned()
    }

    /// Keeps a content, as long as there is room.
    pub(crate) fn keep(&self, object: &str, content: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: usize = kept.values().map(Vec::len).sum();
        if bytes.saturating_add(content.len()) <= BYTES_MAX {
            kept.insert(object.to_owned(), content.to_vec());
        }
    }
}
