//! Go's cover profiles: `mode: set`, then `path:line.column,line.column statements count` for each block.
//!
//! A line ran if one of the blocks on it ran. What stands behind the beginning of a block, up to the next, is in it.

use std::collections::BTreeMap;

use memchr::{memchr_iter, memrchr};
use redgreen_model::coverage::Point;

use super::Draft;
use super::counted::{count, line};

/// Reads profiles, one after the other.
pub(super) fn read(bytes: &[u8], draft: &mut Draft<'_>) {
    let mut blocks: BTreeMap<String, Vec<Block>> = BTreeMap::new();
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
            match Block::read(&block) {
                Some(block) => {
                    let path = String::from_utf8_lossy(path);
                    blocks.entry(path.into_owned()).or_default().push(block);
                }
                None => draft.odd(&block),
            }
        }
    }
    for (path, blocks) in blocks {
        draft.points(&path, blocks.iter().map(|block| block.begin).collect());
        let ranges = blocks.iter().map(|it| (it.begin.line, it.last, it.begin.hits));
        draft.ranges(&path, ranges.collect());
    }
    draft.cut |= start < bytes.len();
}

fn split(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memrchr(b':', text)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

struct Block {
    begin: Point,
    last: u32,
}

impl Block {
    fn read(text: &str) -> Option<Self> {
        let mut fields = text.split_ascii_whitespace();
        let (from, to) = fields.next()?.split_once(',')?;
        // Go counts columns from 1, in bytes.
        let place = |text: &str| {
            let (number, column) = text.split_once('.')?;
            Some((line(number)?, line(column)?.checked_sub(1)?))
        };
        let hits = count(fields.nth(1)?)?;
        let ((first, column), (last, _)) = (place(from)?, place(to)?);
        let begin = Point { line: first, column, hits };
        (0 < first && first <= last).then_some(Self { begin, last })
    }
}
