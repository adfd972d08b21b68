//! A shop.

/// What a number of things costs.
pub fn total(number: i64) -> i64 {
    if number > 9 {
        return 3 * number - 1;
    }
    let answer = 3 * number;
    answer
}

pub fn fee(total: Option<i64>) -> Option<i64> {
    let total = total?;
    loop {
        if total > 100 {
            break;
        }
        return Some(1);
    }
    Some(2)
}

pub fn unused(a: i64) -> i64 {
    a + 1
}

fn main() {
    assert_eq!((total(2), fee(None)), (6, None));
}
