//! A glance as bytes: two lists of paths, each with what was there. A path shares its start with the one
//! before it.

use nix::sys::stat::FileStat;

/// What the bytes begin with; another number where the form changes.
const MAGIC: &[u8] = b"redgreen glance 1\n";
/// The length of what is said of one file.
const STAMP_BYTES: usize = 52;

/// What the file system said of a path: nothing but noughts where there was nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp([u8; STAMP_BYTES]);

impl Stamp {
    fn of(found: Option<&FileStat>) -> Self {
        let mut bytes = [0; STAMP_BYTES];
        let Some(found) = found else { return Self(bytes) };
        let mut rest = &mut bytes[..];
        for part in [
            &found.st_dev.to_le_bytes()[..],
            &found.st_ino.to_le_bytes(),
            &found.st_size.to_le_bytes(),
            &found.st_ctime.to_le_bytes(),
            &found.st_mtime.to_le_bytes(),
            &found.st_mode.to_le_bytes(),
            // Nanoseconds are less than 2^30.
            &found.st_ctime_nsec.to_le_bytes()[..4],
            &found.st_mtime_nsec.to_le_bytes()[..4],
        ] {
            let (here, after) = rest.split_at_mut(part.len());
            here.copy_from_slice(part);
            rest = after;
        }
        Self(bytes)
    }

    /// Whether that is what is there now.
    pub(super) fn is_of(&self, found: Option<&FileStat>) -> bool {
        *self == Self::of(found)
    }
}

/// Writes a glance.
#[derive(Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
    last: Vec<u8>,
}

impl Writer {
    pub(super) fn add(&mut self, path: &[u8], found: Option<&FileStat>) {
        let shared = self.last.iter().zip(path).take_while(|(one, other)| one == other).count();
        self.number(shared);
        self.number(path.len() - shared);
        self.bytes.extend_from_slice(&path[shared..]);
        self.bytes.extend_from_slice(&Stamp::of(found).0);
        path.clone_into(&mut self.last);
    }

    /// Ends a list: no path has no letters.
    pub(super) fn end_part(&mut self) {
        self.number(0);
        self.number(0);
        self.last.clear();
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.end_part();
        [MAGIC, &self.bytes].concat()
    }

    /// The system allows no path of 64 KiB.
    fn number(&mut self, number: usize) {
        let number = u16::try_from(number).unwrap_or(u16::MAX);
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }
}

/// Reads a glance.
pub(super) struct Reader<'bytes> {
    rest: &'bytes [u8],
    path: Vec<u8>,
}

impl<'bytes> Reader<'bytes> {
    pub(super) fn new(bytes: &'bytes [u8]) -> Option<Self> {
        Some(Self { rest: bytes.strip_prefix(MAGIC)?, path: Vec::new() })
    }

    /// The next path of a list, or its end; `None` where the bytes are damaged.
    pub(super) fn next_entry(&mut self) -> Option<Option<(&[u8], Stamp)>> {
        let (shared, new) = (self.number()?, self.number()?);
        if (shared, new) == (0, 0) {
            self.path.clear();
            return Some(None);
        }
        (shared <= self.path.len()).then_some(())?;
        self.path.truncate(shared);
        let name = self.take(new)?;
        self.path.extend_from_slice(name);
        let stamp = Stamp(self.take(STAMP_BYTES)?.try_into().ok()?);
        Some(Some((&self.path, stamp)))
    }

    fn number(&mut self) -> Option<usize> {
        let bytes = self.take(2)?;
        Some(usize::from(u16::from_le_bytes(bytes.try_into().ok()?)))
    }

    fn take(&mut self, count: usize) -> Option<&'bytes [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::stat::lstat;

    #[test]
    fn what_is_written_is_read_and_every_truncation_is_refused() {
        let here = lstat(".").expect("a folder");
        let mut writer = Writer::default();
        writer.add(b"/outside", None);
        writer.end_part();
        for path in [&b"a"[..], b"a/b.rs", b"a/b", b"c"] {
            writer.add(path, Some(&here));
        }
        let bytes = writer.finish();
        let read = |bytes: &[u8]| -> Option<Vec<(Vec<u8>, bool)>> {
            let mut reader = Reader::new(bytes)?;
            let mut found = Vec::new();
            for _ in 0..2 {
                while let Some((path, stamp)) = reader.next_entry()? {
                    found.push((path.to_vec(), stamp.is_of(Some(&here))));
                }
            }
            Some(found)
        };
        let expected = [
            (b"/outside".to_vec(), false),
            (b"a".to_vec(), true),
            (b"a/b.rs".to_vec(), true),
            (b"a/b".to_vec(), true),
            (b"c".to_vec(), true),
        ];
        assert_eq!(read(&bytes).as_deref(), Some(&expected[..]));
        for length in 0..bytes.len() {
            assert_eq!(read(&bytes[..length]), None, "{length} bytes");
        }
    }
}
