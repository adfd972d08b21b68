package shop

import "testing"

func holds(t *testing.T, got, expected bool) {
	t.Helper()
	if got != expected {
		t.Errorf("got %v, want %v", got, expected)
	}
}

// == IsLeap
func TestIsLeapCommon(t *testing.T) {
	holds(t, IsLeap(2023), false)
}

func TestIsLeapFour(t *testing.T) {
	holds(t, IsLeap(2024), true)
}

func TestIsLeapCentury(t *testing.T) {
	holds(t, IsLeap(1900), false)
	holds(t, IsLeap(2000), true)
}

// == DaysIn
func TestDaysInApril(t *testing.T) {
	want(t, DaysIn(2023, 4), 30)
}

func TestDaysInFebruary(t *testing.T) {
	want(t, DaysIn(2023, 2), 28)
	want(t, DaysIn(2024, 2), 29)
}

func TestDaysInLeapMarch(t *testing.T) {
	want(t, DaysIn(2024, 3), 31)
}

// == DayOfYear
func TestDayOfYearFirst(t *testing.T) {
	want(t, DayOfYear(2023, 1, 1), 1)
}

func TestDayOfYearLater(t *testing.T) {
	want(t, DayOfYear(2023, 3, 10), 69)
}

func TestDayOfYearLeap(t *testing.T) {
	want(t, DayOfYear(2024, 12, 31), 366)
}

// == AddDays
func TestAddDaysInside(t *testing.T) {
	if got := AddDays(2023, 5, 10, 3); got != [3]int{2023, 5, 13} {
		t.Errorf("got %v, want [2023 5 13]", got)
	}
}

func TestAddDaysMonthEnd(t *testing.T) {
	if got := AddDays(2023, 1, 31, 1); got != [3]int{2023, 2, 1} {
		t.Errorf("got %v, want [2023 2 1]", got)
	}
}

func TestAddDaysYearEnd(t *testing.T) {
	if got := AddDays(2023, 12, 30, 3); got != [3]int{2024, 1, 2} {
		t.Errorf("got %v, want [2024 1 2]", got)
	}
}

// == Valid
func TestValid(t *testing.T) {
	holds(t, Valid(2024, 2, 29), true)
	holds(t, Valid(2023, 12, 31), true)
	holds(t, Valid(2023, 1, 1), true)
}

func TestValidNotADay(t *testing.T) {
	holds(t, Valid(2023, 2, 29), false)
	holds(t, Valid(2023, 2, 0), false)
}

func TestValidNotAMonth(t *testing.T) {
	holds(t, Valid(2023, 13, 1), false)
	holds(t, Valid(2023, 0, 1), false)
}
