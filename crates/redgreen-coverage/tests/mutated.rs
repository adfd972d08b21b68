//! Real reports that somebody broke: readers hold, and what is only cut is said.

use proptest::prelude::*;
use redgreen_coverage::formats::{Wanted, read};

use crate::fuzz_cases::coverage_readers::hold;
use crate::real_reports::{REPORTS, bytes_of};

#[derive(Clone, Debug)]
pub enum Edit {
    Put(usize, u8),
    Drop(usize, usize),
    Repeat(usize, usize),
    Cut(usize),
}

pub fn edit() -> impl Strategy<Value = Edit> {
    let at = 0..20_000_usize;
    prop_oneof![
        (at.clone(), any::<u8>()).prop_map(|(at, byte)| Edit::Put(at, byte)),
        (at.clone(), prop::sample::select(b"0<>/\"\n,:{}[]".to_vec()))
            .prop_map(|(at, byte)| Edit::Put(at, byte)),
        (at.clone(), 0..300_usize).prop_map(|(at, count)| Edit::Drop(at, count)),
        (at.clone(), 0..300_usize).prop_map(|(at, count)| Edit::Repeat(at, count)),
        at.prop_map(Edit::Cut),
    ]
}

pub fn edited(mut bytes: Vec<u8>, edits: &[Edit]) -> Vec<u8> {
    for edit in edits {
        let length = bytes.len().max(1);
        match *edit {
            Edit::Put(at, byte) => {
                if let Some(place) = bytes.get_mut(at % length) {
                    *place = byte;
                }
            }
            Edit::Drop(at, count) => {
                let at = at % length;
                bytes.drain(at.min(bytes.len())..(at + count).min(bytes.len()));
            }
            Edit::Repeat(at, count) => {
                let at = (at % length).min(bytes.len());
                let part = bytes[at..(at + count).min(bytes.len())].to_vec();
                drop(bytes.splice(at..at, part));
            }
            Edit::Cut(at) => bytes.truncate(at % length),
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_reader_panics(which in 0..REPORTS.len(), edits in prop::collection::vec(edit(), 1..6)) {
        hold(&edited(bytes_of(REPORTS[which].file), &edits));
    }
}

#[test]
fn a_report_that_is_cut_in_the_middle_says_so_and_has_no_line_that_the_whole_one_has_not() {
    for report in REPORTS {
        let bytes = bytes_of(report.file);
        let whole = read(&bytes, &Wanted::all());
        // Where a line ends, a profile may end as well.
        let middle = bytes[..bytes.len() / 2].trim_ascii_end();
        let half = read(middle, &Wanted::all());
        assert!(!half.diagnostics.is_empty(), "{}", report.file);
        for (path, file) in &half.coverage.files {
            for (line, hits) in &file.lines {
                let known = whole.coverage.files[path].lines[line];
                assert!(*hits <= known, "{}: {path}:{line}", report.file);
            }
        }
    }
}
