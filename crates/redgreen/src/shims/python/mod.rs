//! The stand-in for Python and for programs that start it; see `redgreen_frameworks::python`.

mod python_shim;

use redgreen_frameworks::python;

use super::stand_in::StandIn;

/// The stand-in of this name, if there is one.
pub fn stand_in(name: &str) -> Option<StandIn> {
    (name == python::PYTHON_SHIM).then_some(python_shim::main)
}
