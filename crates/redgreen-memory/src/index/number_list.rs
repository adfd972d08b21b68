//! Lists of small numbers in few bytes: what a record put into the index, so that it can be taken out again.

/// The numbers in seven bits a byte; the highest bit says that more follow. Negative ones are not ours.
pub(super) fn pack(numbers: impl Iterator<Item = i64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in numbers {
        let mut left = number.unsigned_abs();
        loop {
            let low = u8::try_from(left & 0x7f).unwrap_or(0);
            left >>= 7;
            if left == 0 {
                bytes.push(low);
                break;
            }
            bytes.push(low | 0x80);
        }
    }
    bytes
}

/// The numbers in some bytes, as far as they can be read.
pub(super) fn unpack(bytes: &[u8]) -> Vec<i64> {
    let mut numbers = Vec::new();
    let (mut number, mut shift) = (0_u64, 0_u32);
    for byte in bytes {
        number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        if byte & 0x80 == 0 {
            numbers.push(i64::try_from(number).unwrap_or(i64::MAX));
            (number, shift) = (0, 0);
        } else {
            shift = shift.saturating_add(7);
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        let numbers = [0, 1, 127, 128, 300, 16_383, 16_384, 1 << 40, i64::MAX];
        let packed = pack(numbers.into_iter());
        assert_eq!(unpack(&packed), numbers);
        assert_eq!(pack([5].into_iter()), [5]);
        // Somebody else's bytes are no reason to panic.
        assert!(unpack(&[0xff; 30]).is_empty() && unpack(&[]).is_empty());
    }
}
