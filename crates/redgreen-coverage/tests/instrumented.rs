//! A program that rustc instrumented: `shop.rs` as an object, and the counts of one run of it.

use std::io::Cursor;

use proptest::prelude::*;
use redgreen_coverage::instrumented::{Counts, Mapped, Region, read_program};

use crate::mutated::{edit, edited};

const OBJECT: &[u8] = include_bytes!("reports/fixtures/shop.o");
const COUNTS: &[u8] = include_bytes!("reports/fixtures/shop.profraw");
const FILE: &str = "/tmp/shop/src/shop.rs";

fn read(object: &[u8], counts: &[u8]) -> Result<Mapped, String> {
    let mut counted = Counts::default();
    counted.add(counts)?;
    let mut mapped = Mapped::default();
    read_program(Cursor::new(object), &|path| path == FILE, &counted, &mut mapped)?;
    Ok(mapped)
}

/// How often what begins on a line ran.
fn hits(regions: &[Region], line: u32) -> Vec<u64> {
    let mut own: Vec<&Region> = regions.iter().filter(|region| region.from.0 == line).collect();
    own.sort_unstable();
    own.iter().map(|region| region.hits).collect()
}

#[test]
fn what_ran_is_read_from_the_program_and_its_counts() {
    let mapped = read(OBJECT, COUNTS).unwrap();
    assert!(mapped.files.contains(FILE), "{:?}", mapped.files);
    let regions = &mapped.regions[FILE];
    let all = |line, count| hits(regions, line).iter().all(|hits| *hits == count);
    assert!([4, 5, 8, 9, 12].into_iter().all(|line| all(line, 1)), "{regions:?}");
    // Of `total?` the answer that is none, and not the other.
    assert_eq!(hits(regions, 13), [0, 1, 1]);
    assert!([6, 15, 16, 18, 20, 23, 24].into_iter().all(|line| all(line, 0)), "{regions:?}");
    assert!([6, 24].into_iter().all(|line| !hits(regions, line).is_empty()), "{regions:?}");
}

#[test]
fn what_is_cut_or_of_another_version_is_said() {
    let mut newer = COUNTS.to_vec();
    newer[8] = 77;
    assert!(read(OBJECT, &newer).unwrap_err().contains("version 77"));
    assert!(read(OBJECT, &COUNTS[..COUNTS.len() - 200]).unwrap_err().contains("cut off"));
    assert!(read(OBJECT, b"no counts").unwrap_err().contains("is no profile"));
    assert!(read(&OBJECT[..4000], COUNTS).is_err());
}

proptest! {
    #[test]
    fn whatever_is_broken_is_read_or_refused(
        object in prop::collection::vec(edit(), 0..6),
        counts in prop::collection::vec(edit(), 0..3),
    ) {
        let _ = read(&edited(OBJECT.to_vec(), &object), &edited(COUNTS.to_vec(), &counts));
    }
}
