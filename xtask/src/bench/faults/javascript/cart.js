// renames: subtotal=amount, percent=share, weight=mass
const VAT = 20;
const FREE_FROM = 100;

// == lineTotal
export function lineTotal(line) {
  const { quantity, price } = line;
  let total = quantity * price;
  if (quantity >= 10) {
    total = total - (total * 5) / 100;
  }
  return total;
}

// == subtotalOf
export function subtotalOf(lines) {
  let subtotal = 0;
  for (const line of lines) {
    if (line.gift) {
      continue;
    }
    subtotal += lineTotal(line);
  }
  return subtotal;
}

// == discount
export function discount(subtotal, code) {
  let percent = 0;
  if (code === "TEN") {
    percent = 10;
  } else if (code === "HALF" && subtotal > 50) {
    percent = 50;
  }
  const cut = (subtotal * percent) / 100;
  const limit = 40;
  return Math.min(cut, limit);
}

// == shipping
export function shipping(subtotal, weight) {
  if (subtotal >= FREE_FROM) {
    return 0;
  }
  const base = 4;
  const extra = Math.max(weight - 2, 0);
  let cost = base + extra * 3;
  if (weight > 20) {
    cost = cost * 2;
  }
  return cost;
}

// == toPay
export function toPay(lines, code, weight) {
  const subtotal = subtotalOf(lines);
  const reduced = subtotal - discount(subtotal, code);
  const delivery = shipping(reduced, weight);
  const net = reduced + delivery;
  const tax = (net * VAT) / 100;
  return net + tax;
}
