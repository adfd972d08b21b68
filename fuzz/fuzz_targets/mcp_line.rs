#![no_main]

#[path = "../mcp_readers.rs"]
mod mcp_readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mcp_readers::hold("mcp_line", bytes));
