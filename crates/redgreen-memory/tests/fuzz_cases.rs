//! The inputs that fuzzing keeps: the reader of records holds on each of them, on cuts of them, and on some that
//! chance makes of them.
#[path = "../../../fuzz/memory_readers.rs"]
mod memory_readers;

use std::fs;
use std::path::Path;

use proptest::prelude::*;

fn cases() -> Vec<Vec<u8>> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let cases = fs::read_dir(fuzz.join("cases").join(memory_readers::NAME)).unwrap();
    cases.map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect()
}

#[test]
fn the_reader_has_a_target_and_holds_on_its_cases_and_on_cuts_of_them() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    let name = memory_readers::NAME;
    assert!(fuzz.join(format!("fuzz_targets/{name}.rs")).is_file());
    assert_eq!(manifest.matches(&format!("name = \"{name}\"")).count(), 1);
    assert!(!cases().is_empty());
    for bytes in cases() {
        memory_readers::hold(&bytes);
        let step = (bytes.len() / 16).max(1);
        for cut in (0..bytes.len()).step_by(step) {
            memory_readers::hold(&bytes[..cut]);
            memory_readers::hold(&bytes[cut..]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn the_reader_holds_on_what_chance_makes_of_them(
        case in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        piece in any::<prop::sample::Index>(),
    ) {
        let cases = cases();
        let mut bytes = case.get(&cases).clone();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        // A piece of it comes twice.
        let end = piece.index(bytes.len());
        let copy = bytes[end / 2..end].to_vec();
        bytes.splice(end..end, copy);
        memory_readers::hold(&bytes);
    }
}
