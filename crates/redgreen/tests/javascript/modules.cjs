// Checks of the modules that redgreen injects, by themselves; the argument is their folder.
'use strict';

const assert = require('assert');
const path = require('path');

const folder = process.argv[2];
const failures = require(path.join(folder, 'failure.cjs'));
const { Run, idOf } = require(path.join(folder, 'stream.cjs'));

function frames() {
  const stack = [
    'Error: at the top (not a frame:1:2)',
    '    at inner (/home/me/a b/c (1)/code.js:3:7)',
    '    at async Object.run [as go] (file:///home/me/pr%C3%BCft.mjs:11:1)',
    '    at new Thing (/home/me/thing.js:5:1)',
    '    at /home/me/plain.js:7:9',
    '    at async file:///home/me/main.mjs:9:3',
    '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
    '    at new Promise (<anonymous>)',
    '    at eval (eval at x (/home/me/e.js:1:1), <anonymous>:1:1)',
  ].join('\n');
  const found = failures.framesOf(stack).map(({ file, line, function: name }) => [file, line, name]);
  assert.deepStrictEqual(found, [
    ['/home/me/main.mjs', 9, undefined],
    ['/home/me/plain.js', 7, undefined],
    ['/home/me/thing.js', 5, 'Thing'],
    ['/home/me/prüft.mjs', 11, 'Object.run [as go]'],
    ['/home/me/a b/c (1)/code.js', 3, 'inner'],
  ]);
}

function stacks() {
  const stack = [
    'Error: x',
    '    at Object.openSync (node:fs:573:18)',
    '    at read (/home/me/code.js:3:7)',
    '    at Array.map (<anonymous>)',
    '    at /home/me/expect/own.js:7:9',
    '    at Object.toBe (/home/me/node_modules/expect/build/index.js:7:9)',
    '    at Promise.finally.completed (/home/me/node_modules/jest-circus/build/init.js:1:2)',
    '    at new Promise (<anonymous>)',
    '    at run (C:\\me\\node_modules\\@jest\\core\\build\\init.js:1:2)',
    '    at other (/home/me/node_modules/left-pad/index.js:1:2)',
    '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
  ];
  const kept = [0, 1, 2, 3, 4, 9].map((at) => stack[at]).join('\n');
  assert.strictEqual(failures.withoutRunner(stack.join('\n')), kept);
  assert.strictEqual(failures.describe({ message: 'x', stack: stack.join('\n') }).stack, kept);
}

function values() {
  const types = (thrown) => failures.describe(thrown).type;
  assert.deepStrictEqual(
    ['a', 7, undefined, null, { a: 1 }, new TypeError('x'), Object.create(null)].map(types),
    ['string', 'number', 'undefined', 'null', 'object', 'TypeError', 'object'],
  );
  class Mine extends Error {}
  assert.strictEqual(types(new Mine('x')), 'Mine');
  const big = failures.describe(new Error('x'.repeat(1e6)));
  assert(big.message.length < 17000 && big.stack.length < 33000);
  assert.strictEqual(failures.describe(new Error('\u001b[31mred\u001b[0m')).message, 'red');
  const caused = new Error('outer', { cause: new RangeError('inner') });
  assert.strictEqual(failures.describe(caused).message, 'outer\ncaused by: RangeError: inner');
  try {
    assert.notStrictEqual(1, 1);
  } catch (error) {
    const { expected, actual } = failures.describe(error);
    assert.deepStrictEqual([expected, actual], ['not 1', '1']);
  }
}

function places() {
  const cases = [
    ['/home/me/a.js:5\nconst x = ;\n\nSyntaxError: Unexpected token', '/home/me/a.js', 5],
    ['SyntaxError: /home/me/a.js: Unexpected token (4:17)\n\n  2 | a', '/home/me/a.js', 4],
    ['file:///home/me/a.mjs:3\nfoo', '/home/me/a.mjs', 3],
    ['nothing here: 3', undefined, undefined],
  ];
  for (const [text, file, line] of cases) {
    const found = failures.brokenAt(text);
    assert.deepStrictEqual([found.file, found.line], [file, line], text);
  }
}

function limits() {
  const timed = (type, message) => failures.timed({ type, message }).phase;
  assert.strictEqual(timed('Error', 'Test timed out in 5000ms.'), 'timeout');
  assert.strictEqual(timed('Error', 'Timeout of 2000ms exceeded. For async'), 'timeout');
  assert.strictEqual(timed('string', 'Exceeded timeout of 5 ms for a test.'), 'timeout');
  // What the code under test says of itself is no limit of the runner.
  assert.strictEqual(timed('Error', 'the request: Test timed out in 5000ms.'), undefined);
  assert.strictEqual(timed('TypeError', 'Test timed out in 5000ms.'), undefined);
}

function ids() {
  const taken = new Map();
  const names = ['a', 'a #2', 'a', 'a', 'a #2'];
  const given = names.map((name) => idOf(taken, '/home/me', '/home/me/t/x.js', [name]));
  assert.strictEqual(new Set(given).size, names.length, given.join());
  assert.deepStrictEqual(given.slice(0, 3), ['t/x.js > a', 't/x.js > a #2', 't/x.js > a #3']);
  const odd = ['a\nb', 'a\\nb', 'a\u001b', 'a\u202e', 'a', 'é日本', 'x'.repeat(2000)];
  const clean = odd.map((name) => idOf(new Map(), '/home/me', '/home/me/x.js', [name]));
  assert.strictEqual(new Set(clean).size, odd.length);
  for (const id of clean) assert(!/[\p{C}]/u.test(id) && [...id].length < 420, id);
  assert.strictEqual(clean[5], 'x.js > é日本');
  // Without a stream nothing is written, and nothing fails.
  new Run('none').bye({});
}

for (const check of [frames, stacks, values, places, limits, ids]) check();
