//! Go's cover profiles: `mode: set`, then `path:line.column,line.column statements count` for each block.
//!
//! A line ran if one of the blocks on it ran.

use std::collections::BTreeMap;

use memchr::{memchr_iter, memrchr};

use super::Draft;
use super::counted::{count, line};

/// Reads profiles, one after the other.
pub(super) fn read(bytes: &[u8], draft: &mut Draft<'_>) {
    let mut blocks: BTreeMap<String, Vec<(u32, u32, u64)>> = BTreeMap::new();
    let (mut start, mut last, mut last_wanted) = (0, Vec::new(), false);
    for end in memchr_iter(b'\n', bytes) {
        let text = bytes.get(start..end).unwrap_or_default();
        start = end + 1;
        if text.starts_with(b"mode: ") || text.trim_ascii().is_empty() {
            continue;
        }
        let Some((path, block)) = split(text) else {
            draft.odd(&String::from_utf8_lossy(text));
            continue;
        };
        // The blocks of a file follow each other.
        if path != last.as_slice() {
            last = path.to_vec();
            last_wanted = draft.file(&String::from_utf8_lossy(path)).is_some();
        }
        if last_wanted {
            let block = String::from_utf8_lossy(block);
            match range(&block) {
                Some(range) => {
                    let path = String::from_utf8_lossy(path);
                    blocks.entry(path.into_owned()).or_default().push(range);
                }
                None => draft.odd(&block),
            }
        }
    }
    for (path, ranges) in blocks {
        draft.ranges(&path, ranges);
    }
    draft.cut |= start < bytes.len();
}

fn split(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memrchr(b':', text)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

fn range(block: &str) -> Option<(u32, u32, u64)> {
    let mut fields = block.split_ascii_whitespace();
    let (from, to) = fields.next()?.split_once(',')?;
    let of = |place: &str| line(place.split('.').next()?);
    let hits = count(fields.nth(1)?)?;
    let (first, last) = (of(from)?, of(to)?);
    (0 < first && first <= last).then_some((first, last, hits))
}
