//! Numbers in reports, and ranges of lines.

use std::collections::BTreeMap;

/// A count: digits, or whatever else a number can look like (`3.0`, `1e6`). What is too large is the largest.
pub(super) fn count(text: &str) -> Option<u64> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(text.parse().unwrap_or(u64::MAX));
    }
    text.parse().ok().and_then(rounded)
}

/// A count that was written as a number with a point.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative")]
pub(super) fn rounded(number: f64) -> Option<u64> {
    (number >= 0.0).then_some(number.ceil() as u64)
}

/// A line's number.
pub(super) fn line(text: &str) -> Option<u32> {
    text.trim().parse().ok()
}

/// Lines that were written out already, as ranges that do not touch: by their first line, the line behind.
#[derive(Default)]
pub(super) struct Written(BTreeMap<u32, u32>);

impl Written {
    /// Gives the lines of a range that are new, until `each` gives none. What was there before is passed over at one step
    /// a range, and ranges grow together, so that all of it is linear in the lines and ranges.
    pub(super) fn each_new(
        &mut self,
        first: u32,
        last: u32,
        mut each: impl FnMut(u32) -> Option<()>,
    ) {
        let Some(behind) = last.checked_add(1) else { return };
        let (mut at, mut start) = (first, first);
        if let Some((&known, &end)) = self.0.range(..=first).next_back()
            && end >= first
        {
            (start, at) = (known, end);
        }
        while at < behind {
            let next = self.0.range(at..).next().map(|(&from, &to)| (from, to));
            let stop = next.map_or(behind, |(from, _)| from.min(behind));
            while at < stop {
                if each(at).is_none() {
                    self.grow(start, at);
                    return;
                }
                at += 1;
            }
            if let Some((from, to)) = next
                && from == at
            {
                self.0.remove(&from);
                at = to;
            }
        }
        self.grow(start, at);
    }

    fn grow(&mut self, start: u32, end: u32) {
        if start < end {
            self.0.insert(start, end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_as_they_are_written() {
        let texts = ["3", " 0 ", "3.0", "0.2", "1e3", "99999999999999999999", "-1", "", "x", "NaN"];
        let expected = [
            Some(3),
            Some(0),
            Some(3),
            Some(1),
            Some(1000),
            Some(u64::MAX),
            None,
            None,
            None,
            None,
        ];
        assert_eq!(texts.map(count), expected);
    }

    #[test]
    fn each_line_of_overlapping_ranges_is_new_once() {
        let mut written = Written::default();
        let mut new = |first, last| {
            let mut lines = Vec::new();
            written.each_new(first, last, |line| {
                lines.push(line);
                Some(())
            });
            lines
        };
        assert_eq!(new(5, 6), [5, 6]);
        assert_eq!(new(10, 11), [10, 11]);
        assert_eq!(new(3, 12), [3, 4, 7, 8, 9, 12]);
        assert_eq!(new(4, 12), Vec::<u32>::new());
        assert_eq!(new(1, 13), [1, 2, 13]);
        assert_eq!(new(9, 2), Vec::<u32>::new());
        assert_eq!(new(7, u32::MAX), Vec::<u32>::new());
    }
}
