//! LCOV's tracefiles: `SF:path`, then `DA:line,hits`, to the next `SF:`.
//!
//! The end of a record is not looked for: some writers leave it out, and the next file is one, too.

use memchr::{memchr, memchr_iter, memmem};

use super::Draft;
use super::counted::{count, line};

/// How a record ends, for those who write an end.
const END: &[u8] = b"end_of_record";

/// Reads tracefiles, one after the other.
pub(super) fn read(bytes: &[u8], draft: &mut Draft<'_>) {
    let record = memmem::Finder::new(b"\nSF:");
    let first = if bytes.starts_with(b"SF:") { Some(3) } else { behind(&record, bytes) };
    let Some(mut rest) = first.and_then(|at| bytes.get(at..)) else { return };
    loop {
        let next = behind(&record, rest);
        let end = memchr(b'\n', rest).unwrap_or(rest.len());
        let path = String::from_utf8_lossy(rest.get(..end).unwrap_or_default());
        let path = path.trim();
        if draft.file(path).is_some() {
            let body = rest.get(end..next.unwrap_or(rest.len())).unwrap_or_default();
            lines(path, body, draft);
        }
        match next {
            Some(next) => rest = rest.get(next..).unwrap_or_default(),
            None => break,
        }
    }
    // Behind the last line break is half a number, which would be another one.
    draft.cut |= !bytes.trim_ascii_end().ends_with(END)
        && (!bytes.ends_with(b"\n") || memmem::find(bytes, END).is_some());
}

fn behind(record: &memmem::Finder<'_>, bytes: &[u8]) -> Option<usize> {
    record.find(bytes).map(|at| at + record.needle().len())
}

fn lines(path: &str, body: &[u8], draft: &mut Draft<'_>) {
    let mut start = 0;
    for end in memchr_iter(b'\n', body) {
        let text = body.get(start..end).unwrap_or_default();
        start = end + 1;
        let Some(data) = text.strip_prefix(b"DA:") else { continue };
        let data = String::from_utf8_lossy(data);
        let mut fields = data.split(',');
        let number = fields.next().and_then(line);
        draft.line(path, number, fields.next().and_then(count), &data);
    }
}
