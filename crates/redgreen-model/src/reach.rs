//! Who reached a file of the project while a check ran: facts that tell what judges from what is judged.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most files that are kept.
const FILES_MAX: usize = 20_000;
/// The most that are kept of those that reached one file.
const REACHED_BY_MAX: usize = 60;

/// The files of the project that were opened or loaded while a check ran, each with those of its files that asked for
/// it. The paths are from the root of the work tree; an empty one is the runner: no code of the project asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reached {
    /// Who named the file.
    pub by: BTreeMap<String, BTreeSet<String>>,
    /// Who opened it by a path that an object of its had, so that somebody else may have named it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub perhaps_by: BTreeMap<String, BTreeSet<String>>,
}

impl Reached {
    /// Adds that a file was reached.
    pub fn add(&mut self, file: &str, by: &str, is_sure: bool) {
        let known = if is_sure { &mut self.by } else { &mut self.perhaps_by };
        if let Some(all) = known.get_mut(file) {
            if all.len() < REACHED_BY_MAX {
                all.insert(by.to_owned());
            }
        } else if known.len() < FILES_MAX {
            known.insert(file.to_owned(), BTreeSet::from([by.to_owned()]));
        }
    }

    /// Adds what another check reached.
    pub fn merge(&mut self, other: &Self) {
        for (all, is_sure) in [(&other.by, true), (&other.perhaps_by, false)] {
            for (file, by) in all {
                by.iter().for_each(|by| self.add(file, by, is_sure));
            }
        }
    }

    /// Whether a file of the project opened this one; the runner alone opens whatever it likes.
    pub fn is_opened(&self, file: &str) -> bool {
        let of = |known: &BTreeMap<String, BTreeSet<String>>| {
            known.get(file).is_some_and(|by| by.iter().any(|by| !by.is_empty()))
        };
        of(&self.by) || of(&self.perhaps_by)
    }

    /// Whether nothing was seen.
    pub fn is_empty(&self) -> bool {
        self.by.is_empty() && self.perhaps_by.is_empty()
    }
}
