//! Bytes, read one after the other.

/// What is still to be read.
pub(super) struct Cursor<'bytes>(pub(super) &'bytes [u8]);

impl<'bytes> Cursor<'bytes> {
    pub(super) fn take(&mut self, count: usize) -> Option<&'bytes [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    pub(super) fn size(&mut self) -> Option<usize> {
        self.u64()?.try_into().ok()
    }

    /// A number of seven bits a byte, the lowest first.
    pub(super) fn number(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0_u64, 0_u32);
        loop {
            let byte = *self.take(1)?.first()?;
            let part = u64::from(byte & 0x7f);
            if shift >= u64::BITS || (part << shift) >> shift != part {
                return None;
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
            shift += 7;
        }
    }

    /// The same for what is a size or an index.
    pub(super) fn small(&mut self) -> Option<usize> {
        self.number()?.try_into().ok()
    }

    /// The same for a line or a column.
    pub(super) fn place(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }
}
