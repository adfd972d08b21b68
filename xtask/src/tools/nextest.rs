//! cargo-nextest, built from source: the registry has no programs. Quick to build rather than quick
//! to run, because it runs a handful of tests. This is the first series that tells a test how many
//! attempts it has; later ones bring more crates to build and nothing for us.

use std::path::Path;

use crate::Failure;
use crate::project::{capture, cargo};

const VERSION: &str = "0.9.117";

pub fn identity() -> Result<String, Failure> {
    Ok(format!("cargo-nextest {VERSION}"))
}

pub fn install(folder: &Path) -> Result<(), Failure> {
    let mut command =
        cargo(&["install", "cargo-nextest", "--locked", "--debug", "--version", VERSION]);
    command
        .arg("--no-default-features")
        .args(["--config", "profile.dev.debug=0", "--config", "profile.dev.incremental=false"])
        .arg("--root")
        .arg(folder)
        .arg("--target-dir")
        .arg(folder.join("build"));
    capture(&mut command)?;
    std::fs::remove_dir_all(folder.join("build"))
        .map_err(|error| format!("{} cannot be cleared: {error}", folder.display()))
}
