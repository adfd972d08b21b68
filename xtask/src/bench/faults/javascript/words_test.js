import test from "node:test";
import assert from "node:assert/strict";
import * as words from "../src/words.js";

// == slug
test("slug", () => {
  assert.equal(words.slug("Hello World"), "hello-world");
});

test("slug many signs", () => {
  assert.equal(words.slug("a -- b!"), "a-b");
});

test("slug begin", () => {
  assert.equal(words.slug("!x"), "x");
});

// == wrap
test("wrap short", () => {
  assert.deepEqual(words.wrap("a b", 10), ["a b"]);
});

test("wrap long", () => {
  assert.deepEqual(words.wrap("aaa bbb ccc", 7), ["aaa bbb", "ccc"]);
});

test("wrap exact", () => {
  assert.deepEqual(words.wrap("aaa bbb", 6), ["aaa", "bbb"]);
});

test("wrap nothing", () => {
  assert.deepEqual(words.wrap("", 5), []);
});

// == plural
test("plural one", () => {
  assert.equal(words.plural("day", 1), "day");
});

test("plural y", () => {
  assert.equal(words.plural("entry", 2), "entries");
  assert.equal(words.plural("day", 2), "days");
});

test("plural s", () => {
  assert.equal(words.plural("bus", 2), "buses");
  assert.equal(words.plural("box", 0), "boxes");
});

test("plural plain", () => {
  assert.equal(words.plural("cat", 3), "cats");
});

// == initials
test("initials", () => {
  assert.equal(words.initials("ada lovelace"), "A.L");
});

test("initials three", () => {
  assert.equal(words.initials("a b c"), "A.B.C");
});

test("initials many", () => {
  assert.equal(words.initials("a b c d"), "A.D");
});

// == shorten
test("shorten fits", () => {
  assert.equal(words.shorten("abc", 3), "abc");
});

test("shorten cut", () => {
  assert.equal(words.shorten("hello big world", 13), "hello big...");
});

test("shorten word", () => {
  assert.equal(words.shorten("abcdefghij", 8), "abcde...");
});

// == headline
test("headline", () => {
  assert.equal(words.headline(" News ", 1), "News (1 entry)");
});

test("headline many", () => {
  assert.equal(words.headline("A very long headline indeed", 2), "A very long... (2 entries)");
});
