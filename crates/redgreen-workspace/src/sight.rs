//! A look at the work tree, and whether anything was written since.
//!
//! A look takes as long as `git status`, and a judgement asks many times what is there. What was seen is handed on instead, as
//! long as nothing ran that could write. If somebody writes all the same, the look after the run shows it: a file that was
//! written after the first look began has another `ctime` than our index has, and a folder another one than when it was walked.

use std::sync::{Arc, Mutex, PoisonError};

use redgreen_model::tree::TreeHash;

use crate::moment::Moment;
use crate::private_index::Identity;

/// What a look at the work tree showed.
#[derive(Clone, Debug)]
pub struct Sight {
    /// The content.
    pub tree: TreeHash,
    /// When the look began.
    pub began: Moment,
    /// The index that has the stamps of all files, if those of all folders are kept beside it.
    pub(crate) stamps: Option<Identity>,
    /// Whether all folders had the stamps that were kept.
    pub(crate) is_as_kept: bool,
}

impl Sight {
    /// Whether nothing was written since an earlier look began; `false` also where that is not known.
    pub fn shows_nothing_written_since(&self, earlier: &Self) -> bool {
        self.is_as_kept && self.stamps.is_some() && self.stamps == earlier.stamps
    }
}

/// The last look, for all who share a work tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastSight(Arc<Mutex<Option<Sight>>>);

impl LastSight {
    pub(crate) fn get(&self) -> Option<Sight> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set(&self, sight: Option<Sight>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = sight;
    }
}
