// What jest tells of a failure: texts, most of the time.
'use strict';

const { HEAD, MESSAGE_CHARS, STACK_CHARS, bounded, brokenAt, framesOf, headOf, plain, shown } =
  require('./failure.cjs');
const { timed, withoutRunner } = require('./failure.cjs');
const { relative } = require('./stream.cjs');

/** The first thing that failed; later ones are mentioned. */
function failureOf(result) {
  const messages = (result.failureMessages || []).map(plain);
  const first = messages[0] || '';
  const { type, message } = named(headOf(first));
  const stack = bounded(withoutRunner(first), STACK_CHARS);
  const failure = { type, message, stack, frames: framesOf(first) };
  const detail = (result.failureDetails || [])[0];
  const compared = detail && (detail.matcherResult || (detail.error && detail.error.matcherResult));
  if (compared) {
    failure.type = 'AssertionError';
    if (compared.expected !== undefined || compared.actual !== undefined) {
      const wanted = shown(compared.expected);
      failure.expected = compared.pass ? `not ${wanted}` : wanted;
      failure.actual = shown(compared.actual);
    }
  }
  for (const other of messages.slice(1)) {
    const also = headOf(other).split('\n')[0];
    failure.message = bounded(`${failure.message}\nalso: ${also}`, MESSAGE_CHARS);
  }
  return timed(failure);
}

/** Whether jest was running a hook, and not the test itself. */
function inHook(stack) {
  if (/^(Error: )?thrown: "Exceeded timeout of \d+ ms for a hook/.test(plain(stack))) return true;
  return /\b_callCircusHook\b/.test(stack) && !/\b_callCircusTest\b/.test(stack);
}

/** What a parser said, without jest's advice around it. */
function unread(text) {
  const said = /^\s*(SyntaxError: .*(?:\n(?!\s+at ).*)*)/m.exec(text);
  return said && said[1].trim();
}

/** The type and the message in what jest made of an error. */
function named(head) {
  const thrown = /^(?:Error: )?thrown: (.*)/s.exec(head);
  if (thrown) {
    const type = thrownType(thrown[1]);
    const message = type === 'string' ? thrown[1].replace(/^"|"$/g, '') : thrown[1];
    return { type, message: bounded(message, MESSAGE_CHARS) };
  }
  if (/^assert[.(]/.test(head)) return { type: 'AssertionError', message: head };
  const match = HEAD.exec(head);
  const known = match && /(Error|Exception|^[A-Z]\w*)$/.test(match[1]);
  const message = known ? head.slice(match[0].length) : head;
  return { type: known ? match[1] : 'Error', message: bounded(message, MESSAGE_CHARS) };
}

function thrownType(text) {
  if (text.startsWith('"')) return 'string';
  if (/^-?[\d.]/.test(text)) return 'number';
  return /^(undefined|null|true|false)/.test(text) ? text.split(/\W/)[0] : 'object';
}

/** Where jest says that a file cannot be read. */
function located(text, testPath) {
  const from = /Cannot find module .* from '([^']+)'/.exec(text);
  const found = brokenAt(text);
  if (found.file || !from) return found;
  const frame = framesOf(text).reverse().find(({ file }) => relative(testPath, file) === '');
  return frame ? { file: frame.file, line: frame.line } : {};
}

module.exports = { failureOf, inHook, located, named, unread };
