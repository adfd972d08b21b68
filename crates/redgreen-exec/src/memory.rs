//! How much memory a family uses, and how much there is.
//!
//! What is counted is what ends with the processes: their private memory, and their share of what they
//! have in common. Address space says nothing (a Java or Go process reserves far more than it uses), and
//! pages of files can be dropped by the system at any time.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::unistd::{SysconfVar, sysconf};

use crate::process_table::Process;

/// The longest pause between two looks at a family.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// The shortest one: a look reads all of `/proc`.
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
/// How fast a family is expected to fill memory at most, in bytes a second.
const FILLED_PER_SECOND: u64 = 4 << 30;

/// How much memory this machine has, or how much the containers that this process is in may use, where that
/// is less.
pub fn machine_memory_bytes() -> Option<u64> {
    let machine = kibibytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemTotal:");
    let cgroups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    machine.into_iter().chain(limits_of(&cgroups, Path::new("/sys/fs/cgroup"))).min()
}

/// The limits of the control groups that `/proc/self/cgroup` names, and of those above them.
fn limits_of(cgroups: &str, mounted: &Path) -> Vec<u64> {
    let limit = |file: PathBuf| fs::read_to_string(file).ok()?.trim().parse().ok();
    let of_line = |line: &str| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (folder, file) = match parts.next()? {
            "" => (mounted.to_owned(), "memory.max"),
            "memory" => (mounted.join("memory"), "memory.limit_in_bytes"),
            _ => return None,
        };
        let group = Path::new(parts.next()?);
        let above = group.ancestors().filter_map(|group| group.strip_prefix("/").ok());
        Some(above.map(|group| folder.join(group).join(file)).collect::<Vec<_>>())
    };
    cgroups.lines().filter_map(of_line).flatten().filter_map(limit).collect()
}

/// How much memory these processes use. What is quick to ask is too much where processes share memory, as
/// workers that were forked do; they are asked closely only where it would be beyond `limit`.
pub fn used_bytes(processes: &[Process], limit: u64) -> u64 {
    let quick = processes.iter().map(|process| resident_bytes(process, false)).sum();
    if quick <= limit {
        return quick;
    }
    let close = |process| own_bytes(process).unwrap_or_else(|| resident_bytes(process, true));
    processes.iter().map(close).sum()
}

/// How long a family that uses so much cannot be beyond its limit.
pub fn pause(used: u64, limit: u64) -> Duration {
    let left = limit.saturating_sub(used);
    let millis = left.saturating_mul(1000) / FILLED_PER_SECOND;
    Duration::from_millis(millis).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)
}

/// The resident memory of a process; without pages of files and shared memory, if `private`.
fn resident_bytes(process: &Process, private: bool) -> u64 {
    let statm = fs::read_to_string(format!("/proc/{}/statm", process.pid)).unwrap_or_default();
    let mut pages = statm.split_ascii_whitespace().skip(1).map_while(|pages| pages.parse().ok());
    let resident: u64 = pages.next().unwrap_or(0);
    let shared = pages.next().filter(|_| private).unwrap_or(0);
    let page = sysconf(SysconfVar::PAGE_SIZE).ok().flatten().and_then(|it| u64::try_from(it).ok());
    resident.saturating_sub(shared).saturating_mul(page.unwrap_or(4096))
}

/// The private memory of a process and its share of what it has in common with others, swapped or not;
/// `None` where that may not be read or is not told.
fn own_bytes(process: &Process) -> Option<u64> {
    let rollup = fs::read_to_string(format!("/proc/{}/smaps_rollup", process.pid)).ok()?;
    let parts = ["Pss_Anon:", "Pss_Shmem:", "SwapPss:"].map(|name| kibibytes(&rollup, name));
    parts.into_iter().sum()
}

/// The value of a line such as `MemTotal:  1024 kB`, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.trim().trim_end_matches("kB").trim_end().parse().ok()?;
    number.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::unistd::Pid;

    #[test]
    fn the_nearer_the_limit_the_sooner_the_next_look() {
        assert_eq!(pause(0, 64 << 30), LONGEST_PAUSE);
        assert_eq!(pause(0, 1 << 30), Duration::from_millis(250));
        assert_eq!(pause(8 << 30, 8 << 30), SHORTEST_PAUSE);
    }

    #[test]
    fn this_process_uses_memory_and_the_machine_has_more() {
        let me = Process::read(Pid::this()).expect("reads").expect("is there");
        let used = used_bytes(std::slice::from_ref(&me), 0);
        assert!(used > 0, "asked closely");
        assert!(used <= resident_bytes(&me, false), "without the pages of the program itself");
        assert!(used < machine_memory_bytes().expect("is known"));
    }

    #[test]
    fn every_group_above_may_have_a_limit_too() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let group = |path: &str, file: &str, limit: &str| {
            let group = folder.path().join(path);
            fs::create_dir_all(&group).expect("makes the group");
            fs::write(group.join(file), limit).expect("writes the limit");
        };
        group("user/mine", "memory.max", "max\n");
        group("user", "memory.max", "4096\n");
        group("memory/docker/one", "memory.limit_in_bytes", "8192\n");
        let limits = |cgroups: &str| limits_of(cgroups, folder.path());
        assert_eq!(limits("0::/user/mine\n"), [4096]);
        assert_eq!(limits("5:cpu:/docker/one\n4:memory:/docker/one\n"), [8192]);
        assert!(limits("garbage\n\n0::\n").is_empty());
    }
}
