//! One folder for each test framework: recognise it, make it report, read the result.
