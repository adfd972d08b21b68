//! The JavaScript frameworks, and a Node that is new enough for all of them.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::Failure;
use crate::project::capture;

/// One set of packages: its folder, its manifest, and its lock file.
type Packages = (&'static str, &'static str, &'static str);

/// Frameworks of which we test several versions are in sets of their own, and so is Node itself: beside
/// a framework, it would be the `node` of every script.
const SETS: &[Packages] = &[
    (
        "runtime",
        include_str!("../../tools/node/runtime/package.json"),
        include_str!("../../tools/node/runtime/package-lock.json"),
    ),
    (
        "current",
        include_str!("../../tools/node/current/package.json"),
        include_str!("../../tools/node/current/package-lock.json"),
    ),
    (
        "page",
        include_str!("../../tools/node/page/package.json"),
        include_str!("../../tools/node/page/package-lock.json"),
    ),
    (
        "vitest1",
        include_str!("../../tools/node/vitest1/package.json"),
        include_str!("../../tools/node/vitest1/package-lock.json"),
    ),
    (
        "vitest3",
        include_str!("../../tools/node/vitest3/package.json"),
        include_str!("../../tools/node/vitest3/package-lock.json"),
    ),
    (
        "vitest4",
        include_str!("../../tools/node/vitest4/package.json"),
        include_str!("../../tools/node/vitest4/package-lock.json"),
    ),
];

/// The packages, and the machine that they are for.
pub fn identity() -> Result<String, Failure> {
    let machine = capture(Command::new("node").args(["-p", "process.platform + process.arch"]))?;
    Ok(SETS.iter().fold(machine, |all, (_, manifest, lock)| all + manifest + lock))
}

/// Installs each set into a folder of its name.
pub fn install(folder: &Path) -> Result<(), Failure> {
    SETS.iter().try_for_each(|(name, manifest, lock)| {
        let folder = folder.join(name);
        fs::create_dir_all(&folder)
            .and_then(|()| fs::write(folder.join("package.json"), manifest))
            .and_then(|()| fs::write(folder.join("package-lock.json"), lock))
            .map_err(|error| format!("{} cannot be filled: {error}", folder.display()))?;
        // Not `npm ci`: it insists on packages for other machines, which registries may not have.
        let mut npm = Command::new("npm");
        npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(folder);
        capture(&mut npm).map(drop).map_err(|failure| {
            format!("{failure}the JavaScript packages cannot be installed; is a registry in reach?")
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_has_an_exact_version_and_no_address() {
        for (name, manifest, lock) in SETS {
            assert!(!manifest.contains(['^', '~', '*']), "{name}: {manifest}");
            assert!(!lock.contains("\"resolved\""), "{name}: the lock file names a registry");
        }
    }
}
