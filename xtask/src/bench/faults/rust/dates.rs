// renames: month=moon, count=number, left=rest
const LENGTHS: [u32; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

// == is_leap
pub fn is_leap(year: u32) -> bool {
    if year % 400 == 0 {
        return true;
    }
    if year % 100 == 0 {
        return false;
    }
    year % 4 == 0
}

// == days_in
pub fn days_in(year: u32, month: u32) -> u32 {
    let mut count = LENGTHS[month as usize - 1];
    if month == 2 && is_leap(year) {
        count += 1;
    }
    count
}

// == day_of_year
pub fn day_of_year(year: u32, month: u32, day: u32) -> u32 {
    let mut count = 0;
    for earlier in 1..month {
        count += days_in(year, earlier);
    }
    count + day
}

// == add_days
pub fn add_days(year: u32, month: u32, day: u32, left: u32) -> (u32, u32, u32) {
    let (mut year, mut month) = (year, month);
    let mut day = day + left;
    while day > days_in(year, month) {
        day = day - days_in(year, month);
        month += 1;
        if month > 12 {
            month = 1;
            year += 1;
        }
    }
    (year, month, day)
}

// == parse
pub fn parse(text: &str) -> Option<(u32, u32, u32)> {
    let parts: Vec<&str> = text.trim().split('-').collect();
    if parts.len() != 3 {
        return None;
    }
    let year = parts[0].parse().ok()?;
    let month = parts[1].parse().ok()?;
    let day = parts[2].parse().ok()?;
    if month < 1 || month > 12 {
        return None;
    }
    if day < 1 || day > days_in(year, month) {
        return None;
    }
    Some((year, month, day))
}
