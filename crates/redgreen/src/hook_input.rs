//! What an agent tells a hook on standard input: bounded, and without waiting for an end that may
//! never come.

use std::fs::File;
use std::io::{ErrorKind, IsTerminal as _, Read as _};
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use redgreen_agents::contract::FirstValue;

/// How much is kept. What an agent says beyond it is read, and dropped: a pipe that is closed on it
/// may be an error to the agent, and then it would go on without an answer.
const KEPT_BYTES: usize = 16 << 20;
/// How long nothing may come. Agents write at once.
const SILENCE_LIMIT: Duration = Duration::from_secs(3);
/// How long reading may take in all.
const READING_LIMIT: Duration = Duration::from_secs(20);
const CHUNK_BYTES: usize = 64 << 10;

/// Reads standard input up to the end of the first JSON value, the end of the input, or a limit. A
/// person at a terminal is not waited for.
pub fn read() -> Vec<u8> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Vec::new();
    }
    // Not through the standard library's buffer: what is in there is not seen by `poll`.
    match stdin.as_fd().try_clone_to_owned() {
        Ok(stdin) => read_from(File::from(stdin), KEPT_BYTES, SILENCE_LIMIT, READING_LIMIT),
        Err(_) => Vec::new(),
    }
}

fn read_from(mut input: File, kept_bytes: usize, silence: Duration, limit: Duration) -> Vec<u8> {
    let end = Instant::now() + limit;
    let mut kept = Vec::new();
    let mut value = FirstValue::default();
    let mut chunk = vec![0; CHUNK_BYTES];
    while is_ready(&input, silence.min(end.saturating_duration_since(Instant::now()))) {
        let count = match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error)
                if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) =>
            {
                0
            }
            Err(_) => break,
        };
        let room = kept_bytes - kept.len();
        kept.extend_from_slice(&chunk[..count.min(room)]);
        if value.feed(&chunk[..count]) || Instant::now() >= end {
            break;
        }
    }
    kept
}

/// Waits until there is something to read, or the end of it; false if the time is over.
fn is_ready(input: &File, wait: Duration) -> bool {
    let end = Instant::now() + wait;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(input.as_fd(), PollFlags::POLLIN)], timeout) {
            Err(nix::errno::Errno::EINTR) if !left.is_zero() => {}
            Ok(count) => return count > 0,
            Err(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{PipeWriter, Write as _, pipe};
    use std::os::fd::OwnedFd;

    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    fn channel() -> (File, PipeWriter) {
        let (reader, writer) = pipe().expect("a pipe");
        (File::from(OwnedFd::from(reader)), writer)
    }

    #[test]
    fn a_value_is_enough_although_the_pipe_stays_open() {
        let (input, mut writer) = channel();
        writer.write_all(b"\xef\xbb\xbf{\"a\": \"}\"}\n").expect("written");
        assert_eq!(read_from(input, 1000, LONG, LONG), b"\xef\xbb\xbf{\"a\": \"}\"}\n");
        drop(writer);
    }

    #[test]
    fn what_is_no_value_is_read_up_to_its_end() {
        let (input, mut writer) = channel();
        writer.write_all(b"done. {").expect("written");
        drop(writer);
        assert_eq!(read_from(input, 1000, LONG, LONG), b"done. {");
    }

    #[test]
    fn silence_ends_it() {
        for (silence, limit) in
            [(Duration::from_millis(20), LONG), (LONG, Duration::from_millis(20))]
        {
            let (input, mut writer) = channel();
            writer.write_all(b"{\"a\": ").expect("written");
            assert_eq!(read_from(input, 1000, silence, limit), b"{\"a\": ");
            drop(writer);
        }
    }

    #[test]
    fn what_is_too_long_is_cut_and_still_taken_from_the_agent() {
        let (input, mut writer) = channel();
        let writing = std::thread::spawn(move || {
            writer.write_all(b"{\"a\": \"")?;
            writer.write_all(&vec![b'x'; 3 << 20])?;
            writer.write_all(b"\"}").map(|()| writer)
        });
        assert_eq!(read_from(input, 1 << 20, LONG, LONG).len(), 1 << 20);
        writing.join().expect("joined").expect("nothing was refused");
    }
}
