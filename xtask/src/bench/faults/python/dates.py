# renames: month=moon, count=number, left=rest
LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


# == is_leap
def is_leap(year):
    if year % 400 == 0:
        return True
    if year % 100 == 0:
        return False
    return year % 4 == 0


# == days_in
def days_in(year, month):
    count = LENGTHS[month - 1]
    if month == 2 and is_leap(year):
        count += 1
    return count


# == day_of_year
def day_of_year(year, month, day):
    count = 0
    for earlier in range(1, month):
        count += days_in(year, earlier)
    return count + day


# == add_days
def add_days(year, month, day, left):
    day = day + left
    while day > days_in(year, month):
        day = day - days_in(year, month)
        month += 1
        if month > 12:
            month = 1
            year += 1
    return year, month, day


# == weekday
def weekday(year, month, day):
    days = 0
    for before in range(2000, year):
        days += 366 if is_leap(before) else 365
    days += day_of_year(year, month, day) - 1
    return (days + 5) % 7


# == parse
def parse(text):
    parts = text.strip().split("-")
    if len(parts) != 3:
        return None
    year, month, day = [int(part) for part in parts]
    if month < 1 or month > 12:
        return None
    if day < 1 or day > days_in(year, month):
        return None
    return year, month, day
