#![no_main]

#[path = "../coverage_readers.rs"]
mod coverage_readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| coverage_readers::hold(bytes));
