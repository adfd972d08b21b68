package shop

import "testing"

func want(t *testing.T, got, expected int) {
	t.Helper()
	if got != expected {
		t.Errorf("got %d, want %d", got, expected)
	}
}

// == LineTotal
func TestLineTotal(t *testing.T) {
	want(t, LineTotal(Line{Quantity: 3, Price: 4}), 12)
}

func TestLineTotalMany(t *testing.T) {
	want(t, LineTotal(Line{Quantity: 10, Price: 4}), 38)
	want(t, LineTotal(Line{Quantity: 9, Price: 4}), 36)
}

// == SubtotalOf
func TestSubtotalOfNothing(t *testing.T) {
	want(t, SubtotalOf(nil), 0)
}

func TestSubtotalOfLines(t *testing.T) {
	want(t, SubtotalOf([]Line{{Quantity: 1, Price: 5}, {Quantity: 2, Price: 3}}), 11)
}

func TestSubtotalOfGifts(t *testing.T) {
	want(t, SubtotalOf([]Line{{Quantity: 1, Price: 5, Gift: true}, {Quantity: 2, Price: 3}}), 6)
}

// == Discount
func TestDiscountTen(t *testing.T) {
	want(t, Discount(80, "TEN"), 8)
}

func TestDiscountHalf(t *testing.T) {
	want(t, Discount(60, "HALF"), 30)
	want(t, Discount(50, "HALF"), 0)
}

func TestDiscountLimit(t *testing.T) {
	want(t, Discount(500, "TEN"), 40)
}

func TestDiscountNone(t *testing.T) {
	want(t, Discount(80, ""), 0)
}

// == Shipping
func TestShippingFree(t *testing.T) {
	want(t, Shipping(100, 5), 0)
}

func TestShippingLight(t *testing.T) {
	want(t, Shipping(20, 1), 4)
}

func TestShippingWeight(t *testing.T) {
	want(t, Shipping(99, 5), 13)
}

func TestShippingHeavy(t *testing.T) {
	want(t, Shipping(20, 21), 122)
	want(t, Shipping(20, 20), 58)
}

// == ToPay
func TestToPay(t *testing.T) {
	want(t, ToPay([]Line{{Quantity: 2, Price: 10}}, "TEN", 3), 30)
}

func TestToPayFree(t *testing.T) {
	want(t, ToPay([]Line{{Quantity: 20, Price: 10}}, "", 3), 228)
}
