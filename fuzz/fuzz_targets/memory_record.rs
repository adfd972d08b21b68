#![no_main]

#[path = "../memory_readers.rs"]
mod memory_readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| memory_readers::hold(bytes));
