//! Evidence that nobody can forge from inside a work tree.
//!
//! - [`Key`]: the Ed25519 key, outside of every work tree, and [`PublicKey`], which is all that a
//!   reader needs.
//! - [`Envelope`]: a DSSE envelope around an in-toto statement, signed and verified strictly.
//! - [`Store`]: `.redgreen/evidence/`, in which whoever works in the tree can write. So nothing in it
//!   is believed for being there: what is read is verified, every time, and what does not hold is as
//!   if it was not there, and is said.
//! - [`Seal`]: says of any other file in there that redgreen wrote it.
//!
//! What this does not keep out is a program that reads the key itself with its owner's rights.

mod encoding;
mod envelope;
mod key;
mod public_key;
mod seal;
mod store;

pub use envelope::{Envelope, Refusal, read_lines};
pub use key::{Key, KeyError};
pub use public_key::{NotAPublicKey, PublicKey};
pub use seal::{Content, Seal};
pub use store::{Asked, Bundle, KeptVerdict, Looked, Store, StoreError};
