// renames: subtotal=amount, percent=share, weight=mass
package shop

const vat = 20
const freeFrom = 100

// == Line
type Line struct {
	Quantity int
	Price    int
	Gift     bool
}

// == LineTotal
func LineTotal(line Line) int {
	total := line.Quantity * line.Price
	if line.Quantity >= 10 {
		total = total - total*5/100
	}
	return total
}

// == SubtotalOf
func SubtotalOf(lines []Line) int {
	subtotal := 0
	for _, line := range lines {
		if line.Gift {
			continue
		}
		subtotal += LineTotal(line)
	}
	return subtotal
}

// == Discount
func Discount(subtotal int, code string) int {
	percent := 0
	if code == "TEN" {
		percent = 10
	} else if code == "HALF" && subtotal > 50 {
		percent = 50
	}
	cut := subtotal * percent / 100
	limit := 40
	if cut > limit {
		return limit
	}
	return cut
}

// == Shipping
func Shipping(subtotal int, weight int) int {
	if subtotal >= freeFrom {
		return 0
	}
	extra := 0
	if weight > 2 {
		extra = weight - 2
	}
	base := 4
	cost := base + extra*3
	if weight > 20 {
		cost = cost * 2
	}
	return cost
}

// == ToPay
func ToPay(lines []Line, code string, weight int) int {
	subtotal := SubtotalOf(lines)
	reduced := subtotal - Discount(subtotal, code)
	delivery := Shipping(reduced, weight)
	net := reduced + delivery
	tax := net * vat / 100
	return net + tax
}
