// What is known of an error, in words that every runner shares.
'use strict';

const path = require('path');
const { fileURLToPath } = require('url');
const util = require('util');

const MESSAGE_CHARS = 16000;
const STACK_CHARS = 32000;
const VALUE_CHARS = 4000;
const FRAMES = 60;

function bounded(text, limit) {
  if (text.length <= limit) return text;
  const half = limit / 2;
  const leftOut = text.length - limit;
  return `${text.slice(0, half)}\n[... ${leftOut} characters left out ...]\n${text.slice(-half)}`;
}

function plain(text) {
  return util.stripVTControlCharacters(String(text));
}

/** A value as JavaScript would write it. */
function shown(value) {
  try {
    const options = { depth: 6, maxArrayLength: 1000, maxStringLength: VALUE_CHARS, sorted: false };
    return bounded(util.inspect(value, options), VALUE_CHARS);
  } catch {
    return undefined;
  }
}

const FRAME = /^\s*at (?:(.*?) \()?(.+?):(\d+)(?::\d+)?\)?$/;

/** The frames of a V8 stack, outermost first, without those of Node itself. */
function framesOf(stack) {
  const frames = [];
  for (const line of plain(stack).split('\n')) {
    const match = FRAME.exec(line);
    if (!match || frames.length >= FRAMES) continue;
    const [, name, place, number] = match;
    const file = place.replace(/^async /, '').trim();
    if (/^(node:|internal\/|native$|eval at )|<anonymous>/.test(file)) continue;
    // mocha leaves out the folder it runs in.
    const frame = { file: path.resolve(fromUrl(file)), line: Number(number) };
    const called = (name || '').replace(/^(async|new) /, '');
    if (called && called !== '<anonymous>') frame.function = called;
    frames.unshift(frame);
  }
  return frames;
}

/** Frames of the runners themselves: the same in every failure, and about nobody's code. */
const RUNNER =
  /^\s+at .*([\\/]node_modules[\\/](jest-[\w-]+|@jest|expect|mocha|@?vitest)[\\/]|node:(internal\/(test_runner|process|modules)|async_hooks))/;
const NOWHERE = /^\s+at .*\(<anonymous>\)$/;

/** The stack without the frames of runners, and what they called on their way. */
function withoutRunner(stack) {
  const kept = [];
  let inside = false;
  for (const line of stack.split('\n').reverse()) {
    inside = RUNNER.test(line) || (inside && NOWHERE.test(line));
    if (!inside) kept.push(line);
  }
  return kept.reverse().join('\n');
}

/** Whether some of the frames may be the project's own. */
function hasOwn(frames) {
  return frames.some(({ file }) => !/[\\/]node_modules[\\/]/.test(file));
}

function fromUrl(file) {
  try {
    return file.startsWith('file://') ? fileURLToPath(file) : file;
  } catch {
    return file;
  }
}

const HEAD = /^(?:Uncaught )?([A-Za-z_$][\w$.]*)(?: \[\w+\])?(?:: |$)/;

/** The stack without its frames. */
function headOf(stack) {
  const lines = plain(stack).split('\n');
  const first = lines.findIndex((line) => /^\s+at .*(:\d+|<anonymous>|native)\)?$/.test(line));
  return (first < 0 ? lines : lines.slice(0, first)).join('\n').trim();
}

/** What is known of something that was thrown: an error, or any other value. */
function describe(thrown) {
  if (thrown === null || typeof thrown !== 'object') return thing(thrown);
  const stack = typeof thrown.stack === 'string' ? plain(thrown.stack) : '';
  const isError = stack || thrown instanceof Error || typeof thrown.message === 'string';
  if (!isError) return thing(thrown);
  const message = typeof thrown.message === 'string' ? thrown.message : '';
  const failure = {
    type: typeOf(thrown, stack),
    message: bounded(plain(message || headOf(stack)) + causeOf(thrown), MESSAGE_CHARS),
    stack: bounded(withoutRunner(stack) || message, STACK_CHARS),
    frames: framesOf(stack),
  };
  if (compares(thrown)) {
    const negated = /^not/.test(thrown.operator || '');
    failure.expected = (negated ? 'not ' : '') + shown(thrown.expected);
    failure.actual = shown(thrown.actual);
  }
  return failure;
}

function causeOf({ cause }) {
  if (!cause || typeof cause.message !== 'string') return '';
  return `\ncaused by: ${plain(cause.name || 'Error')}: ${plain(cause.message).split('\n')[0]}`;
}

function compares(thrown) {
  const has = (name) => Object.prototype.hasOwnProperty.call(thrown, name);
  return has('expected') && has('actual') && thrown.showDiff !== false;
}

function typeOf(thrown, stack) {
  if (thrown.name && thrown.name !== 'Error') return String(thrown.name);
  const made = thrown.constructor && thrown.constructor.name;
  if (made && made !== 'Object' && made !== 'Error') return made;
  const head = HEAD.exec(stack);
  return head && /(Error|Exception)$/.test(head[1]) ? head[1] : 'Error';
}

function thing(value) {
  const type = value === null ? 'null' : typeof value;
  const text = typeof value === 'string' ? value : shown(value);
  return { type, message: bounded(plain(text || type), MESSAGE_CHARS), frames: [] };
}

const PLACE =
  /^\s*(?:SyntaxError: )?((?:file:\/\/)?\/[^\s:]*(?: [^\s:]+)*):\s*(?:.*\()?(\d+)(?::\d+\)?)?/;

/** Where a parser stopped: `file:line` at the beginning of a line of what it said. */
function brokenAt(text) {
  for (const line of plain(text).split('\n')) {
    const match = PLACE.exec(line);
    if (match) return { file: fromUrl(match[1]), line: Number(match[2]) };
  }
  return {};
}

/** How the runners begin to say that a test or its hook took too long. */
const TOO_LONG =
  /^(Exceeded timeout of \d+ ms for a |(Test|Hook) timed out in \d+ ?ms|Timeout of \d+ms exceeded)/;

/** A limit that was reached is no error of the code's own. */
function timed(failure) {
  const plainly = ['Error', 'string'].includes(failure.type);
  if (!plainly || !TOO_LONG.test(failure.message)) return failure;
  return { ...failure, type: 'TimeoutError', phase: 'timeout' };
}

module.exports = {
  HEAD,
  MESSAGE_CHARS,
  STACK_CHARS,
  bounded,
  brokenAt,
  describe,
  framesOf,
  hasOwn,
  headOf,
  plain,
  shown,
  timed,
  withoutRunner,
};
