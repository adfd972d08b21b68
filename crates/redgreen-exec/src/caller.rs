//! The program that started this one, to be found again later.

use std::fs;

use nix::unistd::{Pid, getppid};

use crate::process_table::Process;

/// What stands between a program and one that it starts by a command line.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "fish", "busybox"];
/// How far up it is looked for.
const STEPS_MAX: usize = 4;

/// The program that started this one, past the shells in between: its id, and when it was started, in clock ticks
/// since boot, which together name it for good.
pub fn caller() -> Option<(i32, u64)> {
    let mut pid = getppid();
    for _ in 0..STEPS_MAX {
        let process = Process::read(pid).ok()??;
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        if !SHELLS.contains(&name.trim()) {
            return Some((pid.as_raw(), process.start_ticks));
        }
        pid = process.parent;
    }
    None
}

/// Whether a program that was found is still there; also where that cannot be read.
pub fn is_there((pid, start_ticks): (i32, u64)) -> bool {
    match Process::read(Pid::from_raw(pid)) {
        Ok(process) => process.is_some_and(|it| it.start_ticks == start_ticks && !it.dead),
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caller_is_there_and_one_that_began_at_another_time_is_not() {
        let (pid, ticks) = caller().expect("something started the tests");
        assert!(is_there((pid, ticks)));
        assert!(!is_there((pid, ticks + 1)));
        assert!(!is_there((i32::MAX, 1)));
    }
}
