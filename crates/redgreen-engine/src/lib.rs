//! The feedback loop as a pure state machine: no IO, no clock, no randomness.
