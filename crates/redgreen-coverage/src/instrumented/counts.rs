//! The counts that a program wrote: LLVM's raw profile, of the versions that rustc has written since 1.65.

use std::collections::HashMap;

use super::cursor::Cursor;

const MAGIC: [u8; 8] = [0x81, b'r', b'f', b'o', b'r', b'p', b'l', 0xff];
/// In the upper half of the version stand flags.
const VERSION_BITS: u64 = 0xffff_ffff;
/// The flag for counts of one byte, of which rustc makes none.
const BYTES_FLAG: u64 = 1 << 60;

/// How often each counter of each function ran, by the function's name and form.
#[derive(Clone, Debug, Default)]
pub struct Counts(HashMap<(u64, u64), Vec<u64>>);

/// Where things are in a version of the format.
struct Layout {
    /// Whether counts of conditions (MC/DC) have their part.
    has_bitmaps: bool,
    has_tables: bool,
    /// The size of what is said of one function, in bytes.
    record: usize,
    /// Where in it the number of counters stands.
    counters_at: usize,
}

impl Layout {
    const fn of(version: u64) -> Option<Self> {
        Some(match version {
            8 => Self { has_bitmaps: false, has_tables: false, record: 48, counters_at: 40 },
            9 => Self { has_bitmaps: true, has_tables: false, record: 64, counters_at: 48 },
            10 => Self { has_bitmaps: true, has_tables: true, record: 64, counters_at: 48 },
            _ => return None,
        })
    }
}

impl Counts {
    /// Takes in what a program wrote; what it was, where it cannot be read.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), String> {
        let mut cursor = Cursor(bytes);
        if cursor.take(MAGIC.len()) != Some(&MAGIC) {
            return Err("is no profile of a program on this machine".to_owned());
        }
        let version = cursor.u64().unwrap_or_default();
        let layout = Layout::of(version & VERSION_BITS).filter(|_| version & BYTES_FLAG == 0);
        let Some(layout) = layout else {
            return Err(format!(
                "is a profile of version {}, which redgreen does not know yet",
                version & VERSION_BITS
            ));
        };
        self.functions(cursor, &layout).ok_or_else(|| "is cut off".to_owned())
    }

    fn functions(&mut self, mut cursor: Cursor<'_>, layout: &Layout) -> Option<()> {
        let binary_ids = cursor.size()?;
        let functions = cursor.size()?;
        let padding = cursor.size()?;
        let counters = cursor.size()?;
        // Behind the counters: more padding, and bitmaps.
        cursor.take(if layout.has_bitmaps { 24 } else { 8 })?;
        cursor.size()?; // The names.
        let counters_from = cursor.u64()?;
        cursor.take(if layout.has_bitmaps { 16 } else { 8 })?;
        cursor.take(if layout.has_tables { 16 } else { 0 })?;
        cursor.take(8)?;
        cursor.take(binary_ids)?;
        let records = cursor.take(functions.checked_mul(layout.record)?)?;
        cursor.take(padding)?;
        let counters = cursor.take(counters.checked_mul(8)?)?;
        for (index, record) in (0_u64..).zip(records.chunks_exact(layout.record)) {
            let mut head = Cursor(record);
            let key = (head.u64()?, head.u64()?);
            // The place of the counters is said from the record's own place.
            let from_record = head.u64()?;
            let record_at = index.checked_mul(layout.record as u64)?;
            let at = from_record.wrapping_sub(counters_from).wrapping_add(record_at);
            let count = Cursor(record.get(layout.counters_at..)?).u32()? as usize;
            let own = counters.get(usize::try_from(at).ok()?..)?.get(..count.checked_mul(8)?)?;
            let known = self.0.entry(key).or_default();
            known.resize(known.len().max(count), 0);
            for (known, bytes) in known.iter_mut().zip(own.chunks_exact(8)) {
                *known = known.saturating_add(u64::from_le_bytes(bytes.try_into().ok()?));
            }
        }
        Some(())
    }

    /// Whether no program wrote any.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How often one counter of a function ran.
    pub(super) fn of(&self, function: (u64, u64), counter: usize) -> u64 {
        self.0.get(&function).and_then(|all| all.get(counter)).copied().unwrap_or_default()
    }
}
