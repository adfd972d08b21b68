// renames: month=moon, count=number, left=rest
package shop

var lengths = []int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// == IsLeap
func IsLeap(year int) bool {
	if year%400 == 0 {
		return true
	}
	if year%100 == 0 {
		return false
	}
	return year%4 == 0
}

// == DaysIn
func DaysIn(year, month int) int {
	count := lengths[month-1]
	if month == 2 && IsLeap(year) {
		count += 1
	}
	return count
}

// == DayOfYear
func DayOfYear(year, month, day int) int {
	count := 0
	for earlier := 1; earlier < month; earlier++ {
		count += DaysIn(year, earlier)
	}
	return count + day
}

// == AddDays
func AddDays(year, month, day, left int) [3]int {
	day = day + left
	for day > DaysIn(year, month) {
		day = day - DaysIn(year, month)
		month += 1
		if month > 12 {
			month = 1
			year += 1
		}
	}
	return [3]int{year, month, day}
}

// == Valid
func Valid(year, month, day int) bool {
	if month < 1 || month > 12 {
		return false
	}
	if day < 1 {
		return false
	}
	last := DaysIn(year, month)
	return day <= last
}
