# renames: subtotal=amount, percent=share, weight=mass
VAT = 20
FREE_FROM = 100


# == line_total
def line_total(line):
    quantity = line["quantity"]
    price = line["price"]
    total = quantity * price
    if quantity >= 10:
        total = total - total * 5 / 100
    return total


# == subtotal_of
def subtotal_of(lines):
    subtotal = 0
    for line in lines:
        if line.get("gift"):
            continue
        subtotal += line_total(line)
    return subtotal


# == discount
def discount(subtotal, code):
    percent = 0
    if code == "TEN":
        percent = 10
    elif code == "HALF" and subtotal > 50:
        percent = 50
    cut = subtotal * percent / 100
    limit = 40
    return min(cut, limit)


# == shipping
def shipping(subtotal, weight):
    if subtotal >= FREE_FROM:
        return 0
    base = 4
    extra = max(weight - 2, 0)
    cost = base + extra * 3
    if weight > 20:
        cost = cost * 2
    return cost


# == to_pay
def to_pay(lines, code, weight):
    subtotal = subtotal_of(lines)
    reduced = subtotal - discount(subtotal, code)
    delivery = shipping(reduced, weight)
    net = reduced + delivery
    tax = net * VAT / 100
    return round(net + tax, 2)
