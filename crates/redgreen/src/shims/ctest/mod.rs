//! The stand-in for ctest, and what starts its tests; see `redgreen_frameworks::ctest`.

mod ctest_shim;
mod launched;
mod listener;
mod test_program;

use redgreen_frameworks::ctest;

use super::stand_in::StandIn;

/// The stand-in of this name, if there is one.
pub fn stand_in(name: &str) -> Option<StandIn> {
    match name {
        ctest::CTEST_SHIM => Some(ctest_shim::main),
        ctest::TEST_SHIM => Some(test_program::main),
        ctest::MORTAL_SHIM => Some(test_program::mortal),
        _ => None,
    }
}
