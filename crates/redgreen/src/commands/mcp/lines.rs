//! What comes from outside: lines on standard input, its end, and signals.

use std::io::{BufRead as _, BufReader, Read, stdin};
use std::sync::mpsc::Sender;

use crate::context;
use crate::failure::Failure;

/// The most bytes of a line.
const LINE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Something from outside.
#[derive(Debug, PartialEq)]
pub enum Happening {
    /// A line.
    Line(Vec<u8>),
    /// A line that is too long, and was passed over.
    TooLong,
    /// There is no client any more, or somebody stops the server.
    End,
}

/// Tells of signals that ask redgreen to stop. Call it before any thread is started.
pub fn follow_signals(sender: Sender<Happening>) -> Result<(), Failure> {
    let signals = context::blocked_signals()?;
    std::thread::spawn(move || {
        while signals.wait().is_ok() {
            let _ = sender.send(Happening::End);
        }
    });
    Ok(())
}

/// Tells of lines on standard input, and of its end.
pub fn follow_input(sender: Sender<Happening>) {
    std::thread::spawn(move || {
        read(stdin().lock(), LINE_BYTES_MAX, &mut |happening| sender.send(happening).is_ok());
        let _ = sender.send(Happening::End);
    });
}

/// Reads lines until the end, or until nobody wants them.
fn read(input: impl Read, bytes_max: usize, tell: &mut dyn FnMut(Happening) -> bool) {
    let mut input = BufReader::new(input);
    loop {
        let mut line = Vec::new();
        let limit = bytes_max as u64 + 1;
        match input.by_ref().take(limit).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        }
        let ends = line.last() == Some(&b'\n');
        let happening = match ends || line.len() <= bytes_max {
            true => Happening::Line(line),
            false if input.skip_until(b'\n').is_ok() => Happening::TooLong,
            false => return,
        };
        if !tell(happening) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_passed_over_and_the_last_needs_no_end() {
        let mut told = Vec::new();
        let text = b"one\n0123456789x\n012345678\nlast";
        read(&text[..], 10, &mut |happening| {
            told.push(happening);
            true
        });
        let line = |text: &str| Happening::Line(text.as_bytes().to_vec());
        assert_eq!(told, [line("one\n"), Happening::TooLong, line("012345678\n"), line("last")]);
    }
}
