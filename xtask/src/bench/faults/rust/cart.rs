// renames: subtotal=amount, percent=share, weight=mass
const VAT: i64 = 20;
const FREE_FROM: i64 = 100;

// == Line
pub struct Line {
    pub quantity: i64,
    pub price: i64,
    pub gift: bool,
}

// == line_total
pub fn line_total(line: &Line) -> i64 {
    let mut total = line.quantity * line.price;
    if line.quantity >= 10 {
        total = total - total * 5 / 100;
    }
    total
}

// == subtotal_of
pub fn subtotal_of(lines: &[Line]) -> i64 {
    let mut subtotal = 0;
    for line in lines {
        if line.gift {
            continue;
        }
        subtotal += line_total(line);
    }
    subtotal
}

// == discount
pub fn discount(subtotal: i64, code: &str) -> i64 {
    let mut percent = 0;
    if code == "TEN" {
        percent = 10;
    } else if code == "HALF" && subtotal > 50 {
        percent = 50;
    }
    let cut = subtotal * percent / 100;
    let limit = 40;
    cut.min(limit)
}

// == shipping
pub fn shipping(subtotal: i64, weight: i64) -> i64 {
    if subtotal >= FREE_FROM {
        return 0;
    }
    let base = 4;
    let extra = (weight - 2).max(0);
    let mut cost = base + extra * 3;
    if weight > 20 {
        cost = cost * 2;
    }
    cost
}

// == to_pay
pub fn to_pay(lines: &[Line], code: &str, weight: i64) -> i64 {
    let subtotal = subtotal_of(lines);
    let reduced = subtotal - discount(subtotal, code);
    let delivery = shipping(reduced, weight);
    let net = reduced + delivery;
    let tax = net * VAT / 100;
    net + tax
}
