//! What people can set.

use std::time::Duration;

/// How records are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// JSON.
    #[default]
    Json,
    /// YAML.
    Yaml,
}

impl Format {
    /// How the names of such files end.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Yaml => "yaml",
        }
    }
}

/// What people can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How records are written.
    pub format: Format,
    /// How long records are kept.
    pub retention: Retention,
    /// At most so many records are looked at for a brief.
    pub lookback: usize,
    /// So long a writer waits for the others to be done with the index. Then the index is left behind,
    /// and catches up later: a record is never lost, and nobody hears of locks.
    pub patience: Duration,
}

/// Others need milliseconds, and an import may need seconds.
const PATIENCE: Duration = Duration::from_secs(10);

impl Default for Settings {
    fn default() -> Self {
        Self {
            format: Format::Json,
            retention: Retention::default(),
            lookback: 10,
            patience: PATIENCE,
        }
    }
}

/// How many days a record is kept after it was last written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// As a rule.
    pub days: u32,
    /// Where something was learned.
    pub learned_days: u32,
    /// Where it escalated.
    pub escalated_days: u32,
}

impl Default for Retention {
    fn default() -> Self {
        Self { days: 30, learned_days: 60, escalated_days: 90 }
    }
}

/// A record that says `in_progress` is in use for that long after it was last written; then its
/// loop was killed.
pub const IN_PROGRESS_IS_YOUNG: Duration = Duration::from_hours(24);
