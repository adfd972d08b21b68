//! `[memory]`: what is remembered of loops, where and for how long.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::workflow::words::wire_enum;

/// Where the debug memory is, unless said otherwise: where other tools look for it, too.
pub const DEFAULT_MEMORY_LOCATION: &str = ".aiwg/ralph/debug-memory";

/// `[memory]`: what is remembered of loops, where and for how long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemorySettings {
    /// The folder of the debug memory, inside the work tree.
    #[schemars(length(min = 1))]
    pub location: String,
    /// How records are written.
    pub format: MemoryFormat,
    /// How many days a record is kept after it was last written.
    #[schemars(range(min = 1, max = 36_500))]
    pub retention_days: u32,
    /// The same for one that taught something.
    #[schemars(range(min = 1, max = 36_500))]
    pub retention_learned_days: u32,
    /// The same for one of a loop that escalated.
    #[schemars(range(min = 1, max = 36_500))]
    pub retention_escalated_days: u32,
    /// How many records are looked at for a brief, at most.
    #[schemars(range(min = 1, max = 100))]
    pub lookback: u32,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self {
            location: DEFAULT_MEMORY_LOCATION.to_owned(),
            format: MemoryFormat::Json,
            retention_days: 30,
            retention_learned_days: 60,
            retention_escalated_days: 90,
            lookback: 10,
        }
    }
}

impl MemorySettings {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

wire_enum! {
    /// How the records of the debug memory are written.
    #[derive(Default)]
    pub enum MemoryFormat: "format of records" {
        /// JSON.
        #[default]
        Json = "json",
        /// YAML.
        Yaml = "yaml",
    }
}
