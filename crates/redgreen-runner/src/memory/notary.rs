//! The keys that the debug memory is sealed with: the user's own, which signs evidence, too, and those in the file
//! beside it. They are for a person to name, so not for anything in the work tree.
//!
//! A key is read when something is sealed or a seal is looked at, and never made here: a loop has one because it signs
//! evidence, and who only asks leaves no traces.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use redgreen_evidence::{Key, PublicKey};
use redgreen_memory::{Notary, SEALED_AS};
use redgreen_model::text::{LINE_CHARS, clean_line};
use sha2::{Digest as _, Sha256};

use crate::evidence::key_folder;
use crate::layout::home_state;

/// The public keys of others whose records count, beside the own key: one on each line, as `redgreen memory stats`
/// says it there; what follows a `#` is for people.
const KNOWN: &str = "known_keys";
const KNOWN_BYTES_MAX: u64 = 1024 * 1024;

/// The keys that count in a work tree.
pub(super) struct Keyring {
    /// The top of the work tree: no key lies in it.
    root: PathBuf,
    /// What was read of them, until there are others.
    read: Mutex<Read>,
}

#[derive(Default)]
struct Read {
    stamp: i64,
    keys: Option<Arc<Keys>>,
    problem: Option<String>,
}

/// Keys that were read.
#[derive(Default)]
struct Keys {
    /// The own one, and its text.
    own: Option<(String, Key)>,
    /// Why the own one cannot be used.
    problem: Option<String>,
    /// Those of others that count, by their texts.
    known: BTreeMap<String, PublicKey>,
}

impl Keyring {
    /// The user's own key, and those that the user names.
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), read: Mutex::default() }
    }

    fn keys(&self) -> Arc<Keys> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(keys) = &read.keys {
            return Arc::clone(keys);
        }
        let (keys, problem) = self.look();
        read.problem = problem;
        Arc::clone(read.keys.insert(Arc::new(keys)))
    }

    /// The keys, and what is wrong with them.
    fn look(&self) -> (Keys, Option<String>) {
        let mut keys = Keys::default();
        let mut problems = Vec::new();
        let folder = key_folder(&self.root);
        for text in folder.iter().flat_map(|folder| named_in(&folder.join(KNOWN))) {
            match PublicKey::parse(&text) {
                Ok(key) => drop(keys.known.insert(key.to_base64(), key)),
                Err(error) => {
                    let text = clean_line(&text, LINE_CHARS);
                    problems.push(format!("{text} in {KNOWN}: {error}"));
                }
            }
        }
        let opened =
            folder.and_then(|folder| Key::open(&folder).map_err(|error| error.to_string()));
        match opened {
            Ok(key) => keys.own = key.map(|key| (key.public().to_base64(), key)),
            Err(problem) => {
                problems.push(problem.clone());
                keys.problem = Some(problem);
            }
        }
        let what =
            "a key of the debug memory cannot be used, and what it sealed counts as unverified";
        let problem = (!problems.is_empty()).then(|| format!("{what}: {}", problems.join("; ")));
        (keys, problem)
    }
}

impl Notary for Keyring {
    fn sign(&self, digest: &[u8; 32]) -> Result<(String, String), String> {
        let keys = self.keys();
        let (text, key) = keys.own.as_ref().ok_or_else(|| {
            keys.problem.clone().unwrap_or_else(|| "there is no key yet".to_owned())
        })?;
        Ok((text.clone(), key.sign_as(SEALED_AS, digest)))
    }

    fn has_signed(&self, key: &str, signature: &str, digest: &[u8; 32]) -> bool {
        let keys = self.keys();
        if let Some((_, own)) = keys.own.as_ref().filter(|(text, _)| text == key) {
            return own.has_signed_as(SEALED_AS, digest, signature);
        }
        if let Some(known) = keys.known.get(key) {
            return known.has_signed_as(SEALED_AS, digest, signature);
        }
        // One key has one text.
        let parsed = PublicKey::parse(key).ok().filter(|parsed| parsed.to_base64() == key);
        parsed.is_some_and(|parsed| parsed.has_signed_as(SEALED_AS, digest, signature))
    }

    fn knows(&self, key: &str) -> bool {
        let keys = self.keys();
        keys.own.as_ref().is_some_and(|(text, _)| text == key) || keys.known.contains_key(key)
    }

    fn own_key(&self) -> Option<String> {
        self.keys().own.as_ref().map(|(text, _)| text.clone())
    }

    fn stamp(&self) -> i64 {
        let mut hasher = Sha256::new();
        // The files are looked at, not read: this is asked for every question.
        let folder = home_state();
        let paths = folder.iter().flat_map(|folder| [Key::path(folder), folder.join(KNOWN)]);
        for found in paths.filter_map(|path| std::fs::metadata(path).ok()) {
            let times = [found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()];
            for number in times {
                hasher.update(number.to_le_bytes());
            }
            hasher.update([found.dev(), found.ino(), found.size()].map(u64::to_le_bytes).concat());
            hasher.update(found.mode().to_le_bytes());
        }
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&hasher.finalize()[..8]);
        let stamp = i64::from_le_bytes(bytes);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.stamp != stamp {
            *read = Read { stamp, problem: read.problem.take(), keys: None };
        }
        stamp
    }

    fn take_problem(&self) -> Option<String> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).problem.take()
    }
}

/// The keys in a file; none if there is none.
fn named_in(path: &Path) -> Vec<String> {
    let mut text = String::new();
    let opened = std::fs::File::open(path);
    let read = opened.and_then(|file| file.take(KNOWN_BYTES_MAX).read_to_string(&mut text));
    if read.is_err() {
        return Vec::new();
    }
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}
