from shop.dates import *


# == is_leap
def test_is_leap_common():
    assert not is_leap(2023)


def test_is_leap_four():
    assert is_leap(2024)


def test_is_leap_century():
    assert not is_leap(1900)
    assert is_leap(2000)


# == days_in
def test_days_in_april():
    assert days_in(2023, 4) == 30


def test_days_in_february():
    assert days_in(2023, 2) == 28
    assert days_in(2024, 2) == 29


def test_days_in_leap_march():
    assert days_in(2024, 3) == 31


# == day_of_year
def test_day_of_year_first():
    assert day_of_year(2023, 1, 1) == 1


def test_day_of_year_later():
    assert day_of_year(2023, 3, 10) == 69


def test_day_of_year_leap():
    assert day_of_year(2024, 12, 31) == 366


# == add_days
def test_add_days_inside():
    assert add_days(2023, 5, 10, 3) == (2023, 5, 13)


def test_add_days_month_end():
    assert add_days(2023, 1, 31, 1) == (2023, 2, 1)


def test_add_days_year_end():
    assert add_days(2023, 12, 30, 3) == (2024, 1, 2)


# == weekday
def test_weekday_start():
    assert weekday(2000, 1, 1) == 5


def test_weekday_later():
    assert weekday(2024, 3, 1) == 4


# == parse
def test_parse():
    assert parse(" 2024-02-29 ") == (2024, 2, 29)


def test_parse_not_a_day():
    assert parse("2023-02-29") is None
    assert parse("2023-02-0") is None


def test_parse_not_a_month():
    assert parse("2023-13-01") is None
    assert parse("2023-0-01") is None


def test_parse_parts():
    assert parse("2023-01") is None


def test_parse_bounds():
    assert parse("2023-12-31") == (2023, 12, 31)
    assert parse("2023-01-01") == (2023, 1, 1)
