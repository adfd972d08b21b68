import test from "node:test";
import assert from "node:assert/strict";
import * as it from "../src/stock.js";

function filled() {
  const stock = new it.Stock(20);
  stock.add("pen", 5);
  stock.add("pad", 2);
  return stock;
}

// == Stock
test("add", () => {
  const stock = new it.Stock(10);
  assert.equal(stock.add("pen", 4), 4);
  assert.equal(stock.items.get("pen"), 4);
});

test("add twice", () => {
  const stock = new it.Stock(10);
  stock.add("pen", 4);
  stock.add("pen", 1);
  assert.equal(stock.items.get("pen"), 5);
});

test("add full", () => {
  const stock = new it.Stock(10);
  stock.add("pen", 8);
  assert.equal(stock.add("pad", 5), 2);
});

test("add nothing", () => {
  assert.throws(() => new it.Stock(10).add("pen", 0), RangeError);
});

test("take", () => {
  const stock = filled();
  assert.equal(stock.take("pen", 2), true);
  assert.equal(stock.items.get("pen"), 3);
});

test("take all", () => {
  const stock = filled();
  assert.equal(stock.take("pad", 2), true);
  assert.equal(stock.items.has("pad"), false);
});

test("take too many", () => {
  assert.equal(filled().take("pad", 3), false);
});

test("log", () => {
  const stock = filled();
  stock.take("pen", 1);
  assert.deepEqual(stock.log.at(-1), ["take", "pen", 1]);
  assert.deepEqual(stock.log[0], ["add", "pen", 5]);
});

// == find
test("find", () => {
  assert.deepEqual(it.find(filled(), "pa"), [["pad", 2]]);
});

test("find all", () => {
  assert.deepEqual(it.find(filled(), "p"), [["pad", 2], ["pen", 5]]);
});

// == order
test("order", () => {
  assert.deepEqual(it.order("pen*3, pad"), [["pen", 3], ["pad", 1]]);
});

// == fulfil
test("fulfil", () => {
  const stock = filled();
  assert.deepEqual(it.fulfil(stock, "pen*2,pad*2"), []);
  assert.equal(stock.count(), 3);
});

test("fulfil missing", () => {
  assert.deepEqual(it.fulfil(filled(), "pen,cup*2"), ["cup"]);
});

// == reorder
test("reorder", () => {
  assert.deepEqual(it.reorder(filled(), 3), { pad: 4 });
});

test("reorder enough", () => {
  assert.deepEqual(it.reorder(filled(), 2), {});
});
