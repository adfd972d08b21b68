//! The key that signs: outside of every work tree, made on first use.

use std::fmt;
use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use ed25519_dalek::{Signer as _, SigningKey};
use redgreen_files::{Draft, Opened, Unfit, open_regular, read_at_most, sync_folder};

use crate::encoding::{Pem, from_base64, to_base64};
use crate::envelope::signed_bytes;
use crate::public_key::PublicKey;

/// The file's name.
const NAME: &str = "key";
/// What its owner alone may do with it.
const MODE: u32 = 0o600;
/// What its owner alone may do with its folder.
const FOLDER_MODE: u32 = 0o700;
/// Rights that anybody else has.
const OTHERS: u32 = 0o077;
/// A key file is 119 bytes; comments around it may make it longer.
const BYTES_MAX: u64 = 4096;

/// Why there is no key to sign with.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file system said no.
    #[error("cannot {what} {}: {source}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Something is there that is no key, or that is not safe.
    #[error("the key {} is not used: {problem}; {advice}", path.display())]
    Unfit {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
        /// What to do.
        advice: &'static str,
    },
    /// The system has no randomness to give.
    #[error("no key can be made: {0}")]
    Randomness(String),
}

const MAKE_ANOTHER: &str = "put the right key back, or remove it: then a new one is made, and what this one signed no longer counts";

/// An Ed25519 key that signs.
pub struct Key {
    signing: SigningKey,
}

impl Key {
    /// The key of a folder; none if there is none yet.
    pub fn open(folder: &Path) -> Result<Option<Self>, KeyError> {
        let path = Self::path(folder);
        let unfit =
            |problem: String, advice| KeyError::Unfit { path: path.clone(), problem, advice };
        let Opened { file, metadata } = match open_regular(&path) {
            Ok(Some(opened)) => opened,
            Ok(None) => return Ok(None),
            Err(Unfit::Io(source)) => return Err(io("read", &path)(source)),
            Err(Unfit::Kind(kind)) => return Err(unfit(format!("it is {kind}"), MAKE_ANOTHER)),
        };
        if metadata.uid() != nix::unistd::geteuid().as_raw() {
            return Err(unfit("it belongs to somebody else".to_owned(), MAKE_ANOTHER));
        }
        if metadata.mode() & OTHERS != 0 {
            let mode = metadata.mode() & 0o777;
            let problem = format!("others may use it (mode {mode:04o})");
            return Err(unfit(problem, "if nobody has read it, `chmod 600` repairs that"));
        }
        let text = read_at_most(file, BYTES_MAX).map_err(io("read", &path))?;
        let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
        let seed = text.and_then(|text| Pem::Private.read(&text));
        let Some(seed) = seed else {
            let problem = "it is not an Ed25519 private key in PEM (PKCS #8), or cut short";
            return Err(unfit(problem.to_owned(), MAKE_ANOTHER));
        };
        Ok(Some(Self { signing: SigningKey::from_bytes(&seed) }))
    }

    /// The key of a folder, made if there is none. Of several that do this at once, all get the same.
    pub fn open_or_make(folder: &Path) -> Result<Self, KeyError> {
        if let Some(key) = Self::open(folder)? {
            return Ok(key);
        }
        make_folder(folder)?;
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| KeyError::Randomness(error.to_string()))?;
        let path = Self::path(folder);
        let linked = Draft::beside(&path, MODE).and_then(|draft| {
            draft.fill(Pem::Private.write(&seed).as_bytes())?;
            // A link, unlike a rename, does not replace what somebody else has put there meanwhile.
            fs::hard_link(draft.path(), &path)
        });
        let linked = match linked {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            linked => linked,
        };
        linked.and_then(|()| sync_folder(folder)).map_err(io("make", &path))?;
        Self::open(folder)?.ok_or_else(|| {
            io("read", &path)(std::io::Error::new(ErrorKind::NotFound, "it is gone again"))
        })
    }

    /// What others check signatures with.
    pub fn public(&self) -> PublicKey {
        PublicKey::of(self.signing.verifying_key())
    }

    /// Where the key of a folder is, if there is one.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(NAME)
    }

    /// Signs bytes as what they are said to be, and returns the signature in base64. What is signed as one thing
    /// is no other.
    pub fn sign_as(&self, payload_type: &str, payload: &[u8]) -> String {
        to_base64(&self.sign(&signed_bytes(payload_type, payload)))
    }

    /// Whether this key has signed bytes as what they are said to be. Ed25519 signs in one way only, so it is what this
    /// key would sign again: that is found out in a third of the time that [`PublicKey::has_signed_as`] takes.
    pub fn has_signed_as(&self, payload_type: &str, payload: &[u8], signature: &str) -> bool {
        let Some(signature) = from_base64(signature) else { return false };
        let own = self.sign(&signed_bytes(payload_type, payload));
        // All of it is looked at: how long it takes says nothing about how much was right.
        let differs = own.iter().zip(&signature).fold(0, |all, (own, other)| all | (own ^ other));
        signature.len() == own.len() && differs == 0
    }

    pub(crate) fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.signing.sign(message).to_bytes()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Key(of {:?})", self.public())
    }
}

/// The folder, for its owner alone.
fn make_folder(folder: &Path) -> Result<(), KeyError> {
    let made = DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder);
    made.map_err(io("make the folder", folder))?;
    let found = fs::metadata(folder).map_err(io("look at", folder))?;
    if found.mode() & OTHERS != 0 {
        let narrowed = fs::set_permissions(folder, fs::Permissions::from_mode(FOLDER_MODE));
        narrowed.map_err(io("make private", folder))?;
    }
    Ok(())
}

fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> KeyError {
    let path = path.to_owned();
    move |source| KeyError::Io { what, path, source }
}
