//! Where the first JSON value of a stream ends, for agents that never close a hook's input.

/// Looks for the end of the first object or list in bytes that come piece by piece. What is no JSON
/// has no end that it finds.
#[derive(Debug, Default)]
pub struct FirstValue {
    depth: usize,
    in_text: bool,
    escaped: bool,
    ended: bool,
}

impl FirstValue {
    /// Takes the next bytes; tells whether the value has ended.
    pub fn feed(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            if self.ended {
                break;
            }
            self.take(*byte);
        }
        self.ended
    }

    fn take(&mut self, byte: u8) {
        if self.escaped {
            self.escaped = false;
        } else if self.in_text {
            match byte {
                b'\\' => self.escaped = true,
                b'"' => self.in_text = false,
                _ => {}
            }
        } else {
            match byte {
                b'"' => self.in_text = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth > 0 => {
                    self.depth -= 1;
                    self.ended = self.depth == 0;
                }
                _ => {}
            }
        }
    }
}
