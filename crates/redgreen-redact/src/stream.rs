//! Secrets in output as it comes, in pieces of any size.

use super::REDACTED;
use super::look::Look;
use super::search::{Search, Secret, search};

/// The most bytes that are held back until it is known what they are.
const HELD_BYTES_MAX: usize = 64 * 1024;
/// How much is held back of a line that is longer than that: the beginning of a secret may be in it.
const BORDER_BYTES: usize = 512;

/// Redacts output as it comes. What is not a secret comes out as it went in, byte for byte. An unfinished
/// line is held back, and so is a secret of several lines until its end was seen.
pub struct Redactor {
    search: &'static Search,
    held: Vec<u8>,
    /// The end of a very long secret has not come yet.
    within: bool,
}

impl Default for Redactor {
    fn default() -> Self {
        Self::of(search())
    }
}

impl Redactor {
    /// One that looks for these.
    pub(super) fn of(search: &'static Search) -> Self {
        Self { search, held: Vec::new(), within: false }
    }

    /// Takes a piece, and gives what is known to be clean to `write`.
    pub fn take(&mut self, mut piece: &[u8], write: &mut dyn FnMut(&[u8])) {
        if self.within {
            let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`".contains(byte);
            let Some(end) = piece.iter().position(is_end) else { return };
            self.within = false;
            piece = piece.get(end..).unwrap_or_default();
        }
        let is_short = self.held.len() + piece.len() <= HELD_BYTES_MAX;
        if is_short && !piece.contains(&b'\n') {
            self.held.extend_from_slice(piece);
            return;
        }
        let mut held = std::mem::take(&mut self.held);
        let text = if held.is_empty() {
            piece
        } else {
            held.extend_from_slice(piece);
            &held
        };
        let done = self.pass(text, write);
        self.held = text.get(done..).unwrap_or_default().to_vec();
    }

    /// There is no more: gives the rest to `write`.
    pub fn end(&mut self, write: &mut dyn FnMut(&[u8])) {
        let held = std::mem::take(&mut self.held);
        self.within = false;
        without(&held, &self.search.secrets(&held), write);
    }

    /// Writes what can be decided of a text; how many bytes of it that was.
    fn pass(&mut self, text: &[u8], write: &mut dyn FnMut(&[u8])) -> usize {
        let lines = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        if text.len() - lines > HELD_BYTES_MAX {
            return self.pass_long(text, write);
        }
        let lines = text.get(..lines).unwrap_or_default();
        let mut look = Look::new(lines);
        let mut secrets = self.search.look_through(&mut look);
        let begun = look.open_from.filter(|start| text.len() - start <= HELD_BYTES_MAX);
        let done = begun.unwrap_or(lines.len());
        secrets.retain(|secret| secret.bytes.end <= done);
        without(lines.get(..done).unwrap_or_default(), &secrets, write);
        done
    }

    /// The same for a text whose last line is too long to wait for its end.
    fn pass_long(&mut self, text: &[u8], write: &mut dyn FnMut(&[u8])) -> usize {
        let mut look = Look::new(text);
        let mut secrets = self.search.look_through(&mut look);
        let open = look.open_from.filter(|start| text.len() - start <= HELD_BYTES_MAX / 2);
        let border = (text.len() - BORDER_BYTES).min(open.unwrap_or(usize::MAX));
        let across = secrets.iter().find(|it| it.bytes.start < border && border < it.bytes.end);
        self.within = across.is_some_and(|secret| secret.bytes.end == text.len());
        let done = across.map_or(border, |secret| secret.bytes.end);
        secrets.retain(|secret| secret.bytes.end <= done);
        without(text.get(..done).unwrap_or_default(), &secrets, write);
        done
    }
}

fn without(text: &[u8], secrets: &[Secret], write: &mut dyn FnMut(&[u8])) {
    let mut done = 0;
    for secret in secrets {
        write(text.get(done..secret.bytes.start).unwrap_or_default());
        write(REDACTED.as_bytes());
        done = secret.bytes.end;
    }
    write(text.get(done..).unwrap_or_default());
}
