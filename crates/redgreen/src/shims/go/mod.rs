//! The stand-in for go; see `redgreen_frameworks::go`.

mod counted;
mod go_shim;

use redgreen_frameworks::go;

use super::stand_in::StandIn;

/// The stand-in of this name, if there is one.
pub fn stand_in(name: &str) -> Option<StandIn> {
    (name == go::GO_SHIM).then_some(go_shim::main)
}
