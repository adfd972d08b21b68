//! The redgreen command.
fn main() {}
