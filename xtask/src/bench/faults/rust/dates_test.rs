#![allow(unused_imports)]
use shop::dates::*;

// == is_leap
#[test]
fn is_leap_common() {
    assert_eq!(is_leap(2023), false);
}

#[test]
fn is_leap_four() {
    assert_eq!(is_leap(2024), true);
}

#[test]
fn is_leap_century() {
    assert_eq!(is_leap(1900), false);
    assert_eq!(is_leap(2000), true);
}

// == days_in
#[test]
fn days_in_april() {
    assert_eq!(days_in(2023, 4), 30);
}

#[test]
fn days_in_february() {
    assert_eq!(days_in(2023, 2), 28);
    assert_eq!(days_in(2024, 2), 29);
}

#[test]
fn days_in_leap_march() {
    assert_eq!(days_in(2024, 3), 31);
}

// == day_of_year
#[test]
fn day_of_year_first() {
    assert_eq!(day_of_year(2023, 1, 1), 1);
}

#[test]
fn day_of_year_later() {
    assert_eq!(day_of_year(2023, 3, 10), 69);
}

#[test]
fn day_of_year_leap() {
    assert_eq!(day_of_year(2024, 12, 31), 366);
}

// == add_days
#[test]
fn add_days_inside() {
    assert_eq!(add_days(2023, 5, 10, 3), (2023, 5, 13));
}

#[test]
fn add_days_month_end() {
    assert_eq!(add_days(2023, 1, 31, 1), (2023, 2, 1));
}

#[test]
fn add_days_year_end() {
    assert_eq!(add_days(2023, 12, 30, 3), (2024, 1, 2));
}

// == parse
#[test]
fn parse_leap_day() {
    assert_eq!(parse(" 2024-02-29 "), Some((2024, 2, 29)));
}

#[test]
fn parse_not_a_day() {
    assert_eq!(parse("2023-02-29"), None);
    assert_eq!(parse("2023-02-0"), None);
}

#[test]
fn parse_not_a_month() {
    assert_eq!(parse("2023-13-01"), None);
    assert_eq!(parse("2023-0-01"), None);
}

#[test]
fn parse_parts() {
    assert_eq!(parse("2023-01"), None);
}

#[test]
fn parse_bounds() {
    assert_eq!(parse("2023-12-31"), Some((2023, 12, 31)));
    assert_eq!(parse("2023-01-01"), Some((2023, 1, 1)));
}
