//! The inputs that fuzzing keeps: every reader holds on each of them, and on cuts of them.

#![allow(clippy::expect_used, reason = "a test that cannot go on should say so at once")]

#[path = "../../../fuzz/mcp_readers.rs"]
mod mcp_readers;

use std::fs;
use std::path::Path;

#[test]
fn every_reader_has_a_target_and_holds_on_its_cases_and_on_cuts_of_them() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).expect("a manifest");
    for reader in mcp_readers::MCP_READERS {
        let name = reader.name;
        assert!(fuzz.join(format!("fuzz_targets/{name}.rs")).is_file(), "{name}");
        assert_eq!(manifest.matches(&format!("name = \"{name}\"")).count(), 1, "{name}");
        let cases = fs::read_dir(fuzz.join("cases").join(name)).expect("a folder");
        for entry in cases {
            let bytes = fs::read(entry.expect("an entry").path()).expect("a case");
            mcp_readers::hold(name, &bytes);
            let step = (bytes.len() / 64).max(1);
            for cut in (0..bytes.len()).step_by(step) {
                mcp_readers::hold(name, &bytes[..cut]);
                mcp_readers::hold(name, &bytes[cut..]);
            }
        }
    }
}
