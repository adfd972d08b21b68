//! Placeholder.

pub(crate) mod attributes;

use crate::outline::Outline;
use crate::tree::Tree;

pub(crate) fn outline(_tree: &Tree<'_>) -> Outline {
    Outline::default()
}
