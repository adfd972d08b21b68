//! Qwen Code's hooks. `{"continue":false}` would hold it like a block, so it is never said.

use crate::contract::{COMMON, HookContract};

/// What it tells hooks, and what they answer.
pub static CONTRACT: HookContract = COMMON;
