//! The inputs that fuzzing keeps: every reader holds on each of them, and on cuts of them.

#[path = "../../../fuzz/readers.rs"]
mod readers;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn fuzz_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

fn names_in(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(fuzz_folder().join(folder)).expect("a folder");
    entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .map(|name| name.trim_end_matches(".rs").to_owned())
        // Those of other crates, whose tests look after them.
        .filter(|name| {
            !["coverage_", "hook_", "mcp_", "memory_"].iter().any(|of| name.starts_with(of))
        })
        .collect()
}

#[test]
fn every_reader_has_a_target_and_cases() {
    let readers: BTreeSet<String> =
        readers::READERS.iter().map(|reader| reader.name.to_owned()).collect();
    assert_eq!(names_in("fuzz_targets"), readers);
    assert_eq!(names_in("cases"), readers);
    let manifest = fs::read_to_string(fuzz_folder().join("Cargo.toml")).expect("a manifest");
    assert_eq!(readers::READERS.len(), readers.len(), "each once");
    for name in readers {
        let count = manifest.matches(&format!("name = \"{name}\"")).count();
        assert_eq!(count, 1, "{name} in the manifest");
    }
}

#[test]
fn every_reader_holds_on_its_cases_and_on_cuts_of_them() {
    for reader in readers::READERS {
        let folder = fuzz_folder().join("cases").join(reader.name);
        for entry in fs::read_dir(&folder).expect("a folder") {
            let bytes = fs::read(entry.expect("an entry").path()).expect("a case");
            readers::hold(reader.name, &bytes);
            let step = (bytes.len() / 64).max(1);
            for cut in (0..bytes.len()).step_by(step) {
                readers::hold(reader.name, &bytes[..cut]);
                readers::hold(reader.name, &bytes[cut..]);
            }
        }
    }
}
