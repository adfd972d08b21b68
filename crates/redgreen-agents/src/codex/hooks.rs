//! Codex's hooks. It has no guard of its own, and drops an answer with a key that it does not know.

use crate::contract::{COMMON, HookContract};

/// What it tells hooks, and what they answer.
pub static CONTRACT: HookContract = COMMON;
