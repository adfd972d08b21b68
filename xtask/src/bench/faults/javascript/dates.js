// renames: month=moon, count=number, left=rest
const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

// == isLeap
export function isLeap(year) {
  if (year % 400 === 0) {
    return true;
  }
  if (year % 100 === 0) {
    return false;
  }
  return year % 4 === 0;
}

// == daysIn
export function daysIn(year, month) {
  let count = LENGTHS[month - 1];
  if (month === 2 && isLeap(year)) {
    count += 1;
  }
  return count;
}

// == dayOfYear
export function dayOfYear(year, month, day) {
  let count = 0;
  for (let earlier = 1; earlier < month; earlier += 1) {
    count += daysIn(year, earlier);
  }
  return count + day;
}

// == addDays
export function addDays(year, month, day, left) {
  day = day + left;
  while (day > daysIn(year, month)) {
    day = day - daysIn(year, month);
    month += 1;
    if (month > 12) {
      month = 1;
      year += 1;
    }
  }
  return [year, month, day];
}

// == parse
export function parse(text) {
  const parts = text.trim().split("-");
  if (parts.length !== 3) {
    return null;
  }
  const [year, month, day] = parts.map(Number);
  if (month < 1 || month > 12) {
    return null;
  }
  if (day < 1 || day > daysIn(year, month)) {
    return null;
  }
  return [year, month, day];
}
