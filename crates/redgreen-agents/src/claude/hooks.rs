//! Claude Code's hooks. Its own guard lets go after eight blocks in a row.

use crate::contract::{COMMON, HookContract};

/// What it tells hooks, and what they answer.
pub static CONTRACT: HookContract = COMMON;
