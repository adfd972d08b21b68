//! Programs that may hang, or leave others behind.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::Failure;

/// How often one looks whether it has ended.
const PAUSE: Duration = Duration::from_millis(50);

/// Runs a program to its end, with all output in a file, and returns its exit code: none if a signal
/// or the limit ended it. What it started is ended with it at the limit. Something may be done
/// meanwhile, again and again.
pub fn run(
    command: &mut Command,
    log: &Path,
    limit: Duration,
    mut meanwhile: impl FnMut(),
) -> Result<Option<i32>, Failure> {
    let program = command.get_program().to_owned();
    let output = File::create(log).map_err(|error| format!("{}: {error}", log.display()))?;
    let errors = output.try_clone().map_err(|error| format!("{}: {error}", log.display()))?;
    let child = command.stdin(Stdio::null()).stdout(output).stderr(errors).process_group(0).spawn();
    let mut child =
        child.map_err(|error| format!("{} cannot be run: {error}", program.display()))?;
    let until = Instant::now() + limit;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.code()),
            Ok(None) if Instant::now() < until => {
                meanwhile();
                thread::sleep(PAUSE);
            }
            Ok(None) => return Ok(end(&mut child)),
            Err(error) => {
                end(&mut child);
                return Err(format!("{}: {error}", log.display()));
            }
        }
    }
}

/// Ends it with its process group: it was not waited for yet, so the number is still its own.
fn end(child: &mut Child) -> Option<i32> {
    kill(&format!("-{}", child.id()));
    let _ = child.kill();
    let _ = child.wait();
    None
}

/// Kills a process, or a group of them.
pub fn kill(target: &str) {
    let _ = Command::new("kill").args(["-KILL", "--", target]).stderr(Stdio::null()).status();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, log: &Path, limit: Duration) -> Option<i32> {
        run(Command::new("sh").args(["-c", script]), log, limit, || {}).expect("it can be run")
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_what_it_started() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log");
        assert_eq!(shell("echo done; exit 3", &log, Duration::from_secs(60)), Some(3));
        assert_eq!(std::fs::read_to_string(&log).expect("a log"), "done\n");
        let script = "sleep 600 & echo $!; wait";
        assert_eq!(shell(script, &log, Duration::from_millis(500)), None);
        let child = std::fs::read_to_string(&log).expect("a log");
        let stat = format!("/proc/{}/stat", child.trim());
        let is_gone = || std::fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "));
        let until = Instant::now() + Duration::from_secs(10);
        while !is_gone() {
            assert!(Instant::now() < until, "{child} still runs");
            thread::sleep(PAUSE);
        }
    }
}
