import test from "node:test";
import assert from "node:assert/strict";
import * as cart from "../src/cart.js";

// == lineTotal
test("lineTotal", () => {
  assert.equal(cart.lineTotal({ quantity: 3, price: 4 }), 12);
});

test("lineTotal many", () => {
  assert.equal(cart.lineTotal({ quantity: 10, price: 4 }), 38);
  assert.equal(cart.lineTotal({ quantity: 9, price: 4 }), 36);
});

// == subtotalOf
test("subtotalOf nothing", () => {
  assert.equal(cart.subtotalOf([]), 0);
});

test("subtotalOf lines", () => {
  const lines = [{ quantity: 1, price: 5 }, { quantity: 2, price: 3 }];
  assert.equal(cart.subtotalOf(lines), 11);
});

test("subtotalOf gifts", () => {
  const lines = [{ quantity: 1, price: 5, gift: true }, { quantity: 2, price: 3 }];
  assert.equal(cart.subtotalOf(lines), 6);
});

// == discount
test("discount ten", () => {
  assert.equal(cart.discount(80, "TEN"), 8);
});

test("discount half", () => {
  assert.equal(cart.discount(60, "HALF"), 30);
  assert.equal(cart.discount(50, "HALF"), 0);
});

test("discount limit", () => {
  assert.equal(cart.discount(500, "TEN"), 40);
});

test("discount none", () => {
  assert.equal(cart.discount(80, ""), 0);
});

// == shipping
test("shipping free", () => {
  assert.equal(cart.shipping(100, 5), 0);
});

test("shipping light", () => {
  assert.equal(cart.shipping(20, 1), 4);
});

test("shipping weight", () => {
  assert.equal(cart.shipping(99, 5), 13);
});

test("shipping heavy", () => {
  assert.equal(cart.shipping(20, 21), 122);
  assert.equal(cart.shipping(20, 20), 58);
});

// == toPay
test("toPay", () => {
  assert.equal(cart.toPay([{ quantity: 2, price: 10 }], "TEN", 3), 30);
});

test("toPay free", () => {
  assert.equal(cart.toPay([{ quantity: 20, price: 10 }], "", 3), 228);
});
