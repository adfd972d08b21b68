//! The words of the domain, and the documents redgreen reads and writes.

pub mod tree;
