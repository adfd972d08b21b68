#![no_main]

#[path = "../hook_readers.rs"]
mod hook_readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hook_readers::hold("hook_settings", bytes));
