#![allow(unused_imports)]
use shop::cart::*;

fn line(quantity: i64, price: i64, gift: bool) -> Line {
    Line { quantity, price, gift }
}

// == line_total
#[test]
fn line_total_few() {
    assert_eq!(line_total(&line(3, 4, false)), 12);
}

#[test]
fn line_total_many() {
    assert_eq!(line_total(&line(10, 4, false)), 38);
    assert_eq!(line_total(&line(9, 4, false)), 36);
}

// == subtotal_of
#[test]
fn subtotal_of_nothing() {
    assert_eq!(subtotal_of(&[]), 0);
}

#[test]
fn subtotal_of_lines() {
    assert_eq!(subtotal_of(&[line(1, 5, false), line(2, 3, false)]), 11);
}

#[test]
fn subtotal_of_gifts() {
    assert_eq!(subtotal_of(&[line(1, 5, true), line(2, 3, false)]), 6);
}

// == discount
#[test]
fn discount_ten() {
    assert_eq!(discount(80, "TEN"), 8);
}

#[test]
fn discount_half() {
    assert_eq!(discount(60, "HALF"), 30);
    assert_eq!(discount(50, "HALF"), 0);
}

#[test]
fn discount_limit() {
    assert_eq!(discount(500, "TEN"), 40);
}

#[test]
fn discount_none() {
    assert_eq!(discount(80, ""), 0);
}

// == shipping
#[test]
fn shipping_free() {
    assert_eq!(shipping(100, 5), 0);
}

#[test]
fn shipping_light() {
    assert_eq!(shipping(20, 1), 4);
}

#[test]
fn shipping_weight() {
    assert_eq!(shipping(99, 5), 13);
}

#[test]
fn shipping_heavy() {
    assert_eq!(shipping(20, 21), 122);
    assert_eq!(shipping(20, 20), 58);
}

// == to_pay
#[test]
fn to_pay_some() {
    assert_eq!(to_pay(&[line(2, 10, false)], "TEN", 3), 30);
}

#[test]
fn to_pay_free() {
    assert_eq!(to_pay(&[line(20, 10, false)], "", 3), 228);
}
