//! How much memory redgreen itself takes, without what it runs.
//!
//! `wait4` does not tell: its figure for a child is the largest of that child, of every descendant
//! it has waited for, and of what the child inherited from us before it was redgreen. The kernel
//! keeps the peak of each process in `/proc/PID/status`, which starts anew with the program.

use std::collections::HashMap;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::Failure;

/// The kernel remembers the peak, so that only what comes after the last look can be missed.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// One process as `/proc/PID/status` describes it.
#[derive(Debug, PartialEq, Eq)]
struct Process {
    pid: u32,
    parent: u32,
    name: String,
    peak_bytes: u64,
}

/// Runs a command, and returns the peaks of its processes whose name begins with `name`, added up.
/// redgreen is two of them: the one that was started, and the one that watches over the tests.
pub fn peak_bytes(command: &mut Command, name: &str) -> Result<u64, Failure> {
    let failed = |error| format!("the command cannot be watched: {error}");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let mut peaks = HashMap::new();
    let status = loop {
        for process in family(child.id(), processes()?) {
            if process.name.starts_with(name) {
                let peak = peaks.entry(process.pid).or_insert(0);
                *peak = process.peak_bytes.max(*peak);
            } else {
                // It was a copy of redgreen until it became another program.
                peaks.remove(&process.pid);
            }
        }
        match child.try_wait().map_err(failed)? {
            Some(status) => break status,
            None => std::thread::sleep(LOOK_EVERY),
        }
    };
    if !status.success() {
        return Err(format!("the command ended with {status}"));
    }
    match peaks.values().sum() {
        0 => Err(format!("no process named `{name}` was seen")),
        peak => Ok(peak),
    }
}

fn processes() -> Result<Vec<Process>, Failure> {
    let entries =
        fs::read_dir("/proc").map_err(|error| format!("/proc cannot be read: {error}"))?;
    Ok(entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        // A process may be gone by now.
        .filter_map(|pid| parse(pid, &fs::read_to_string(format!("/proc/{pid}/status")).ok()?))
        .collect())
}

fn parse(pid: u32, status: &str) -> Option<Process> {
    let field = |name: &str| {
        status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
    };
    Some(Process {
        pid,
        parent: field("PPid")?.parse().ok()?,
        name: field("Name")?.to_owned(),
        // Absent in kernel threads and in processes that have ended.
        peak_bytes: field("VmHWM")?.strip_suffix(" kB")?.parse::<u64>().ok()? * 1024,
    })
}

/// The process `root` and its descendants.
fn family(root: u32, processes: Vec<Process>) -> Vec<Process> {
    let parents: HashMap<u32, u32> =
        processes.iter().map(|process| (process.pid, process.parent)).collect();
    let belongs = |pid: u32| {
        let mut ancestors = std::iter::successors(Some(pid), |pid| parents.get(pid).copied());
        // A list that was read while processes came and went could hold a circle.
        ancestors.by_ref().take(parents.len() + 1).any(|ancestor| ancestor == root)
    };
    processes.into_iter().filter(|process| belongs(process.pid)).collect()
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    #[test]
    fn a_status_is_read() {
        let status = "Name:\tredgreen-watch\nState:\tS (sleeping)\nPid:\t42\nPPid:\t7\n\
                      VmPeak:\t  999999 kB\nVmHWM:\t    5120 kB\nVmRSS:\t    4096 kB\n";
        let process = parse(42, status).expect("complete");
        let name = "redgreen-watch".to_owned();
        assert_eq!(process, Process { pid: 42, parent: 7, name, peak_bytes: 5120 * 1024 });
        assert_eq!(parse(42, "Name:\tkthreadd\nPPid:\t0\n"), None);
    }

    #[test]
    fn a_family_is_what_descends_from_its_root() {
        let process = |pid, parent| Process { pid, parent, name: String::new(), peak_bytes: 1 };
        let all = vec![process(1, 0), process(5, 1), process(6, 5), process(7, 6), process(8, 1)];
        let pids: Vec<u32> = family(5, all).iter().map(|process| process.pid).collect();
        assert_eq!(pids, [5, 6, 7]);
        let circle = vec![process(2, 3), process(3, 2)];
        assert_eq!(family(5, circle), []);
    }

    #[test]
    fn a_running_process_is_seen_with_its_peak() {
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("cat starts");
        // Its answer: from here on it is cat, and no longer a copy of this process.
        let (input, output) = (child.stdin.as_mut(), child.stdout.as_mut());
        input.expect("a pipe").write_all(b"?").expect("cat reads");
        output.expect("a pipe").read_exact(&mut [0]).expect("cat answers");
        let seen = family(child.id(), processes().expect("/proc is there"));
        drop(child.stdin.take());
        child.wait().expect("cat ends with its input");
        assert_eq!(seen.len(), 1, "{seen:?}");
        assert_eq!(seen[0].name, "cat");
        assert!(seen[0].peak_bytes > 100 * 1024, "{seen:?}");
    }

    #[test]
    fn a_command_that_fails_or_was_never_seen_has_no_peak() {
        assert!(peak_bytes(&mut Command::new("false"), "false").is_err());
        assert!(peak_bytes(&mut Command::new("true"), "another").is_err());
    }
}
