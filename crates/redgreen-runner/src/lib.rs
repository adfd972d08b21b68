//! Drives the engine: performs its effects and feeds the results back.
