import test from "node:test";
import assert from "node:assert/strict";
import * as dates from "../src/dates.js";

// == isLeap
test("isLeap common", () => {
  assert.equal(dates.isLeap(2023), false);
});

test("isLeap four", () => {
  assert.equal(dates.isLeap(2024), true);
});

test("isLeap century", () => {
  assert.equal(dates.isLeap(1900), false);
  assert.equal(dates.isLeap(2000), true);
});

// == daysIn
test("daysIn april", () => {
  assert.equal(dates.daysIn(2023, 4), 30);
});

test("daysIn february", () => {
  assert.equal(dates.daysIn(2023, 2), 28);
  assert.equal(dates.daysIn(2024, 2), 29);
});

test("daysIn leap march", () => {
  assert.equal(dates.daysIn(2024, 3), 31);
});

// == dayOfYear
test("dayOfYear first", () => {
  assert.equal(dates.dayOfYear(2023, 1, 1), 1);
});

test("dayOfYear later", () => {
  assert.equal(dates.dayOfYear(2023, 3, 10), 69);
});

test("dayOfYear leap", () => {
  assert.equal(dates.dayOfYear(2024, 12, 31), 366);
});

// == addDays
test("addDays inside", () => {
  assert.deepEqual(dates.addDays(2023, 5, 10, 3), [2023, 5, 13]);
});

test("addDays month end", () => {
  assert.deepEqual(dates.addDays(2023, 1, 31, 1), [2023, 2, 1]);
});

test("addDays year end", () => {
  assert.deepEqual(dates.addDays(2023, 12, 30, 3), [2024, 1, 2]);
});

// == parse
test("parse", () => {
  assert.deepEqual(dates.parse(" 2024-02-29 "), [2024, 2, 29]);
});

test("parse not a day", () => {
  assert.equal(dates.parse("2023-02-29"), null);
  assert.equal(dates.parse("2023-02-0"), null);
});

test("parse not a month", () => {
  assert.equal(dates.parse("2023-13-01"), null);
  assert.equal(dates.parse("2023-0-01"), null);
});

test("parse parts", () => {
  assert.equal(dates.parse("2023-01"), null);
});

test("parse bounds", () => {
  assert.deepEqual(dates.parse("2023-12-31"), [2023, 12, 31]);
  assert.deepEqual(dates.parse("2023-01-01"), [2023, 1, 1]);
});
