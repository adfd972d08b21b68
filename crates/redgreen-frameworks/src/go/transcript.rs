//! What a test printed, bounded: its beginning, its end, and the last trace of a dying process.

/// How much of the beginning is kept, in bytes.
const HEAD_BYTES: usize = 256 * 1024;
/// How much of the end is kept, in bytes.
const TAIL_BYTES: usize = 64 * 1024;
/// How much of a trace is kept, in bytes.
const TRACE_BYTES: usize = 48 * 1024;
/// What lines begin with that the Go runtime writes when it gives up, and the race detector.
const TRACE_STARTS: &[&str] = &["panic: ", "fatal error: ", "SIG", "WARNING: DATA RACE"];

/// Bounded text.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    head: String,
    tail: String,
    dropped: usize,
    trace: Option<String>,
    in_line: bool,
}

impl Transcript {
    /// Adds a piece of output; go cuts output at line breaks.
    pub fn push(&mut self, output: &str) {
        if !self.in_line && TRACE_STARTS.iter().any(|start| output.starts_with(start)) {
            self.trace = Some(String::new());
        }
        self.in_line = !output.ends_with('\n');
        if let Some(trace) = &mut self.trace
            && trace.len() + output.len() <= TRACE_BYTES
        {
            trace.push_str(output);
        }
        if self.tail.is_empty() && self.head.len() + output.len() <= HEAD_BYTES {
            self.head.push_str(output);
            return;
        }
        self.tail.push_str(output);
        if self.tail.len() > 2 * TAIL_BYTES {
            let mut cut = self.tail.len() - TAIL_BYTES;
            while !self.tail.is_char_boundary(cut) {
                cut += 1;
            }
            self.dropped += cut;
            self.tail.drain(..cut);
        }
    }

    /// The last line that is not empty.
    pub fn last_line(&self) -> &str {
        let parts = [&self.tail, &self.head];
        parts.iter().find_map(|part| part.lines().rfind(|line| !line.is_empty())).unwrap_or("")
    }

    /// What is kept; a cut is said.
    pub fn text(&self) -> String {
        let cut = match self.dropped {
            0 => String::new(),
            bytes => format!("\n[… {bytes} bytes left out …]\n"),
        };
        format!("{}{cut}{}", self.head, self.tail)
    }

    /// From the last line on with which the process began to die.
    pub fn trace(&self) -> Option<&str> {
        self.trace.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_keeps_its_ends_and_the_trace() {
        let mut transcript = Transcript::default();
        transcript.push("first\n");
        transcript.push("not a panic: because it is not at the start\n");
        for _ in 0..100_000 {
            transcript.push("flöd\n");
        }
        assert_eq!(transcript.trace(), None);
        transcript.push("panic: boom\n");
        for _ in 0..100_000 {
            transcript.push("goroutine\n");
        }
        transcript.push("exit status 2\n");
        let text = transcript.text();
        assert!(text.len() < HEAD_BYTES + 2 * TAIL_BYTES + 100, "{}", text.len());
        assert!(text.starts_with("first\n") && text.ends_with("exit status 2\n"));
        assert!(text.contains("bytes left out"));
        let trace = transcript.trace().unwrap();
        assert!(trace.starts_with("panic: boom\n") && trace.len() <= TRACE_BYTES);
        assert_eq!(transcript.last_line(), "exit status 2");
    }
}
