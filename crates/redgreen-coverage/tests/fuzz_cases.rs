//! The inputs that fuzzing keeps: every reader holds on each of them, and on cuts of them.

#[path = "../../../fuzz/coverage_readers.rs"]
pub mod coverage_readers;

use std::fs;
use std::path::Path;

use coverage_readers::{NAME, hold};

#[test]
fn every_reader_holds_on_the_cases_and_on_cuts_of_them() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).expect("a manifest");
    assert_eq!(manifest.matches(&format!("name = \"{NAME}\"")).count(), 1);
    assert!(fuzz.join("fuzz_targets").join(NAME).with_extension("rs").is_file());
    for entry in fs::read_dir(fuzz.join("cases").join(NAME)).expect("cases") {
        let bytes = fs::read(entry.expect("an entry").path()).expect("a case");
        hold(&bytes);
        let step = (bytes.len() / 16).max(1);
        for cut in (0..bytes.len()).step_by(step) {
            hold(&bytes[..cut]);
            hold(&bytes[cut..]);
        }
    }
}
