//! Reading `/proc`: who is whose child.

use std::collections::{HashMap, HashSet};
use std::os::unix::fs::MetadataExt as _;
use std::{fs, io};

use nix::errno::Errno;
use nix::unistd::{Pid, getuid};

/// How many characters of a command line are kept.
const COMMAND_LIMIT_CHARS: usize = 200;

/// One process as `/proc/<pid>/stat` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pub pid: Pid,
    pub parent: Pid,
    pub group: Pid,
    pub session: Pid,
    /// Clock ticks since boot: with the pid it names a process for good.
    pub start_ticks: u64,
    /// Only its exit status is left.
    pub dead: bool,
}

impl Process {
    /// Reads one process; `None` once it is gone. Any other failure is an error: a living process
    /// must not pass for a gone one because, say, the system is out of file handles.
    pub fn read(pid: Pid) -> io::Result<Option<Self>> {
        match fs::read(format!("/proc/{pid}/stat")) {
            Ok(stat) => Ok(parse_stat(&stat)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) if error.raw_os_error() == Some(Errno::ESRCH as i32) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Its command line, fit to be shown: valid UTF-8, no control characters, bounded.
    pub fn command_line(&self) -> String {
        let arguments = fs::read(format!("/proc/{}/cmdline", self.pid)).unwrap_or_default();
        let shown = clean(&arguments);
        if !shown.is_empty() {
            return shown;
        }
        // No arguments: a process may erase them, and one that is exiting has none.
        let name = fs::read(format!("/proc/{}/comm", self.pid)).unwrap_or_default();
        format!("[{}]", clean(&name))
    }
}

/// A process that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// Its id.
    pub pid: i32,
    /// All of its command line, with spaces between the arguments: not to be shown as it is.
    pub command: String,
}

/// The processes of this user and of root, as far as they can be read.
pub fn running() -> Vec<Running> {
    let user = getuid().as_raw();
    let of_user = |process: &Process| {
        let owner = fs::metadata(format!("/proc/{}", process.pid)).map(|status| status.uid());
        owner.is_ok_and(|owner| owner == user || owner == 0)
    };
    let Ok(snapshot) = Snapshot::take() else { return Vec::new() };
    let processes = snapshot.processes.into_iter().filter(|process| !process.dead);
    processes
        .filter(of_user)
        .map(|process| {
            let arguments = fs::read(format!("/proc/{}/cmdline", process.pid)).unwrap_or_default();
            let command = String::from_utf8_lossy(&arguments).replace('\0', " ");
            Running { pid: process.pid.as_raw(), command }
        })
        .collect()
}

/// What `/proc` showed. Reading it takes a while, and processes come and go meanwhile.
#[derive(Debug)]
pub struct Snapshot {
    processes: Vec<Process>,
    /// A process went while it was being read, or one's parent did: somebody that was started
    /// meanwhile may be missing, or be cut off from its ancestors.
    pub torn: bool,
}

impl Snapshot {
    /// Reads all of `/proc`.
    pub fn take() -> io::Result<Self> {
        let mut processes = Vec::new();
        let mut torn = false;
        for entry in fs::read_dir("/proc")? {
            let name = entry?.file_name();
            let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else { continue };
            match Process::read(Pid::from_raw(pid))? {
                Some(process) => processes.push(process),
                None => torn = true,
            }
        }
        let mut known: HashSet<Pid> = processes.iter().map(|process| process.pid).collect();
        // The parent of the first process, and of those from outside of a container.
        known.insert(Pid::from_raw(0));
        torn |= processes.iter().any(|process| !known.contains(&process.parent));
        Ok(Self { processes, torn })
    }

    /// Who is below `root`, without the children `except` and all that is below them.
    pub fn descendants(self, root: Pid, except: &HashSet<Pid>) -> Vec<Process> {
        let mut children: HashMap<Pid, Vec<Process>> = HashMap::new();
        for process in self.processes {
            children.entry(process.parent).or_default().push(process);
        }
        let mut below = Vec::new();
        let mut parents = vec![root];
        while let Some(parent) = parents.pop() {
            for process in children.remove(&parent).unwrap_or_default() {
                if parent != root || !except.contains(&process.pid) {
                    parents.push(process.pid);
                    below.push(process);
                }
            }
        }
        below
    }
}

/// Parses `/proc/<pid>/stat`. The name in it is in parentheses and may contain anything.
fn parse_stat(stat: &[u8]) -> Option<Process> {
    let open = stat.iter().position(|byte| *byte == b'(')?;
    let close = stat.iter().rposition(|byte| *byte == b')')?;
    let pid = std::str::from_utf8(stat.get(..open)?).ok()?.trim().parse().ok()?;
    let rest = std::str::from_utf8(stat.get(close + 1..)?).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<i32>().ok().map(Pid::from_raw);
    // A leader that has left while its other threads run is shown as a zombie, but is not dead.
    let zombie = matches!(*fields.first()?, "Z" | "X" | "x");
    let threads: u32 = fields.get(17)?.parse().ok()?;
    Some(Process {
        pid: Pid::from_raw(pid),
        parent: number(1)?,
        group: number(2)?,
        session: number(3)?,
        start_ticks: fields.get(19)?.parse().ok()?,
        dead: zombie && threads <= 1,
    })
}

fn clean(raw: &[u8]) -> String {
    let text = String::from_utf8_lossy(raw);
    let spaced = text.trim_end_matches(['\0', '\n']).chars().map(|c| match c {
        '\0' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    });
    let mut shown: String = spaced.take(COMMAND_LIMIT_CHARS + 1).collect();
    if let Some((cut, _)) = shown.char_indices().nth(COMMAND_LIMIT_CHARS) {
        shown.truncate(cut);
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAIL: &str = "0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 777 1000 10 0";

    #[test]
    fn a_hostile_process_name_does_not_shift_the_fields() {
        let line = format!("42 (a) Z 1 (b) S 7 41 40 {TAIL}");
        let process = parse_stat(line.as_bytes()).expect("parses");
        assert_eq!(process.pid, Pid::from_raw(42));
        assert_eq!(process.parent, Pid::from_raw(7));
        assert_eq!(process.group, Pid::from_raw(41));
        assert_eq!(process.session, Pid::from_raw(40));
        assert_eq!(process.start_ticks, 777);
        assert!(!process.dead);
    }

    #[test]
    fn a_zombie_leader_with_living_threads_is_not_dead() {
        let alone = format!("42 (a) Z 7 41 40 {TAIL}");
        assert!(parse_stat(alone.as_bytes()).expect("parses").dead);
        let threads = alone.replace("20 0 1 0 777", "20 0 2 0 777");
        assert!(!parse_stat(threads.as_bytes()).expect("parses").dead);
    }

    #[test]
    fn this_process_is_below_its_parent() {
        let me = Process::read(Pid::this()).expect("reads").expect("is there");
        assert_eq!(me.parent, Pid::parent());
        let snapshot = Snapshot::take().expect("reads /proc");
        let below = snapshot.descendants(me.parent, &HashSet::new());
        assert!(below.contains(&me));
        let snapshot = Snapshot::take().expect("reads /proc");
        let below = snapshot.descendants(me.parent, &HashSet::from([me.pid]));
        assert!(!below.iter().any(|process| process.pid == me.pid));
    }

    #[test]
    fn this_process_runs_and_its_whole_command_line_is_known() {
        let arguments: Vec<String> = std::env::args().collect();
        let pid = Pid::this().as_raw();
        let running = running();
        let me = running.iter().find(|process| process.pid == pid).expect("is there");
        assert_eq!(me.command.trim_end(), arguments.join(" ").trim_end());
    }

    #[test]
    fn command_lines_are_cleaned_and_bounded() {
        assert_eq!(clean(b"sh\0-c\0echo \x1b[31m\xff\0"), "sh -c echo \u{fffd}[31m\u{fffd}");
        let long = clean(&[b'x'; 5000]);
        assert_eq!(long.chars().count(), COMMAND_LIMIT_CHARS + 1);
        assert!(long.ends_with('…'));
    }
}
