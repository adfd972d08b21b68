// renames: amount=quantity, found=match, text=spec
// == Stock
export class Stock {
  constructor(limit) {
    this.limit = limit;
    this.items = new Map();
    this.log = [];
  }

  add(name, amount) {
    if (amount <= 0) {
      throw new RangeError("nothing to add");
    }
    const space = this.limit - this.count();
    const taken = Math.min(amount, space);
    this.items.set(name, (this.items.get(name) ?? 0) + taken);
    this.log.push(["add", name, taken]);
    return taken;
  }

  take(name, amount) {
    const there = this.items.get(name) ?? 0;
    if (there < amount) {
      return false;
    }
    this.items.set(name, there - amount);
    if (this.items.get(name) === 0) {
      this.items.delete(name);
    }
    this.log.push(["take", name, amount]);
    return true;
  }

  count() {
    let sum = 0;
    for (const there of this.items.values()) {
      sum += there;
    }
    return sum;
  }
}

// == find
export function find(stock, prefix) {
  const found = [];
  for (const name of [...stock.items.keys()].sort()) {
    if (name.startsWith(prefix)) {
      found.push([name, stock.items.get(name)]);
    }
  }
  return found;
}

// == order
export function order(text) {
  const wanted = [];
  for (const part of text.split(",")) {
    const [name, amount] = part.trim().split("*");
    wanted.push([name, Number(amount ?? 1)]);
  }
  return wanted;
}

// == fulfil
export function fulfil(stock, text) {
  const missing = [];
  for (const [name, amount] of order(text)) {
    if (!stock.take(name, amount)) {
      missing.push(name);
    }
  }
  return missing;
}

// == reorder
export function reorder(stock, least) {
  const needed = {};
  for (const [name, there] of stock.items) {
    if (there < least) {
      needed[name] = least * 2 - there;
    }
  }
  return needed;
}
