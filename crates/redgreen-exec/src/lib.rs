//! The only place that starts a process: groups, time limits, capture, leaks.
