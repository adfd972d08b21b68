//! Runs a program, passes on what it prints, keeps the end of it, and reads its log meanwhile.

use std::io::{Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::log_pipe::LogPipe;

/// How much of the end of an output is kept: the explanations of failures are at the end.
const KEPT_BYTES: usize = 8 << 20;
/// How much is read at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// How long the log is waited for before the program is looked at again.
const TURN_MILLISECONDS: u16 = 20;
/// How long output is passed on after the program is gone, if something it left behind holds its pipes.
const DRAIN_LIMIT: Duration = Duration::from_secs(1);
/// What the harness says about the log that redgreen asked for, not the user.
const LOG_WARNING: &[u8] = b"warning: `--logfile` is deprecated";

/// A program that has ended.
pub struct Watched {
    /// How it ended.
    pub status: ExitStatus,
    /// The end of its standard output.
    pub stdout: String,
    /// The end of its standard error.
    pub stderr: String,
}

/// What passes a stream on: all of it, bytes as they come.
pub type PassOn = Box<dyn FnMut(&[u8]) + Send>;

/// Passes bytes on to a stream of this process. A reader that is gone is nothing to fail for.
pub fn pass_to(mut stream: impl Write + Send + 'static) -> PassOn {
    Box::new(move |bytes| {
        let _ = stream.write_all(bytes).and_then(|()| stream.flush());
    })
}

/// Passes standard error on, without what the harness says about redgreen's log.
pub fn pass_to_stderr() -> PassOn {
    let mut pass = pass_to(std::io::stderr());
    Box::new(move |bytes| {
        let mut rest = bytes;
        while let Some(at) =
            rest.windows(LOG_WARNING.len()).position(|window| window == LOG_WARNING)
        {
            let (before, after) = rest.split_at(at);
            pass(before);
            rest = after.get(LOG_WARNING.len()..).unwrap_or_default();
        }
        pass(rest);
    })
}

/// Runs the program to its end. `on_log` gets what it writes to the log, as it comes.
pub fn watch(
    command: &mut Command,
    stdout: PassOn,
    stderr: PassOn,
    log: Option<&mut LogPipe>,
    mut on_log: impl FnMut(&[u8]) -> Result<(), String>,
) -> Result<Watched, String> {
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(|error| {
            format!("cannot run {}: {error}", command.get_program().to_string_lossy())
        })?;
    let (done, ended) = channel();
    let kept_stdout = keep(child.stdout.take(), stdout, done.clone());
    let kept_stderr = keep(child.stderr.take(), stderr, done);
    let waited = |error: std::io::Error| format!("cannot wait: {error}");
    let status = match log {
        None => child.wait().map_err(waited)?,
        Some(log) => loop {
            let status = child.try_wait().map_err(waited)?;
            if status.is_none() {
                log.wait(TURN_MILLISECONDS);
            }
            // Everything that was written before the end is read after it.
            loop {
                let bytes = log.read();
                if bytes.is_empty() {
                    break;
                }
                on_log(&bytes)?;
            }
            if let Some(status) = status {
                break status;
            }
        },
    };
    drain(&ended);
    Ok(Watched { status, stdout: text(&kept_stdout), stderr: text(&kept_stderr) })
}

fn drain(ended: &Receiver<()>) {
    let limit = Instant::now() + DRAIN_LIMIT;
    // Nothing is ever sent: the channel closes when both readers are done.
    let _ = ended.recv_timeout(limit.saturating_duration_since(Instant::now()));
}

type Kept = Arc<Mutex<Vec<u8>>>;

fn keep(source: Option<impl Read + Send + 'static>, mut pass: PassOn, done: Sender<()>) -> Kept {
    let kept = Kept::default();
    let shared = Arc::clone(&kept);
    thread::spawn(move || {
        let mut chunk = vec![0; CHUNK_BYTES];
        let Some(mut source) = source else { return };
        while let Ok(read) = source.read(&mut chunk) {
            let bytes = chunk.get(..read).unwrap_or_default();
            if bytes.is_empty() {
                break;
            }
            let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend_from_slice(bytes);
            if kept.len() > 2 * KEPT_BYTES {
                let surplus = kept.len() - KEPT_BYTES;
                kept.drain(..surplus);
            }
            drop(kept);
            pass(bytes);
        }
        drop(done);
    });
    kept
}

fn text(kept: &Kept) -> String {
    let bytes = kept.lock().unwrap_or_else(PoisonError::into_inner);
    String::from_utf8_lossy(&bytes).into_owned()
}
