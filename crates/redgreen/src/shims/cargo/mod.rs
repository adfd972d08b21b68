//! Stand-ins for cargo, rustdoc and the runner of test binaries; see `redgreen_frameworks::cargo`.

mod cargo_shim;
mod counted;
mod linker;
mod rustc;
mod rustdoc;
mod test_binary;
mod through;

use redgreen_frameworks::cargo;

use super::stand_in::StandIn;

/// The stand-in of this name, if there is one.
pub fn stand_in(name: &str) -> Option<StandIn> {
    match name {
        cargo::CARGO_SHIM => Some(cargo_shim::main),
        cargo::TEST_BINARY_SHIM => Some(test_binary::main),
        cargo::RUSTC_SHIM => Some(rustc::main),
        cargo::LINKER_SHIM => Some(linker::main),
        cargo::RUSTDOC_SHIM => Some(rustdoc::main),
        _ => None,
    }
}
