// What vitest tells of a failure.
'use strict';

const fs = require('fs');
const { createRequire } = require('module');
const path = require('path');
const { pathToFileURL } = require('url');
const { MESSAGE_CHARS, bounded, brokenAt, describe, hasOwn, plain, timed } =
  require('./failure.cjs');
const { guarded } = require('./stream.cjs');

/** How that lexer's message begins; vitest 1 and 2 keep nothing else of it. */
const UNREADABLE = /^Failed to parse source for import analysis/;
/** Vite's parser, once it is loaded. */
let parse;

function loadParser(program) {
  // By the manifest: what Vite 5 gives to `require` has no parser.
  const vite = path.dirname(createRequire(program).resolve('vite/package.json'));
  import(pathToFileURL(path.join(vite, 'dist/node/index.js')).href)
    .then((module) => (parse = module.parseAst))
    .catch(() => {});
}

/** Where something outside of tests failed: what a parser says, else the frames, else the file. */
function placeOfError(error, failure, file, root) {
  const { loc, id, plugin } = error.__vitest_rollup_error__ || error;
  const lexer =
    plugin === 'vite:import-analysis' ||
    (failure.type === 'RollupError' && !loc) ||
    UNREADABLE.test(error.message || '');
  if ((loc && loc.line) || lexer) {
    const named = (loc && loc.file) || id || file || '';
    // Vite names files from its root, with a slash in front.
    const found = [named, path.join(root, named)].find((name) => fs.existsSync(name)) || file;
    // The lexer that looks for imports knows that it cannot go on, but not where.
    const exact = lexer ? guarded(unreadable)(found) : null;
    if (exact && !failure.message.includes(exact.message)) {
      failure.message = `${exact.message}\n${failure.message}`;
    }
    if (exact || loc) return { file: found, line: exact ? exact.line : loc.line };
  }
  if (hasOwn(failure.frames)) return {};
  const found = brokenAt(error.message || '');
  return found.file || !file ? found : { file };
}

/** Where a parser stops in a file, and why. */
function unreadable(file) {
  const source = fs.readFileSync(file, 'utf8');
  try {
    parse(source);
  } catch (error) {
    if (typeof error.pos !== 'number') return null;
    const lines = plain(error.message).split('\n');
    const message = lines.length > 1 ? lines[1] : lines[0];
    return { message, line: source.slice(0, error.pos).split('\n').length };
  }
  return null;
}

/** The first thing that failed; later ones are mentioned. */
function joined(errors) {
  const [first, ...others] = errors || [];
  const failure = failureOf(first);
  for (const other of others) {
    const { type, message } = failureOf(other);
    const also = `\nalso: ${type}: ${message.split('\n')[0]}`;
    failure.message = bounded(failure.message + also, MESSAGE_CHARS);
  }
  return failure;
}

function failureOf(error) {
  const thrown = error || { message: 'the test failed' };
  const { stacks, expected, actual, diff } = thrown;
  // vitest notes it in the error itself.
  if (thrown.message === undefined) delete thrown.stacks;
  const failure = describe(thrown);
  if (thrown.name === undefined && thrown.stack === undefined && failure.type === 'Error') {
    failure.type = thrownType(failure.message);
  }
  if (/^(Parse failure|Failed to parse)/.test(failure.message)) failure.type = 'SyntaxError';
  if (Array.isArray(stacks) && stacks.length > 0) {
    const frames = stacks.map(({ file, line, method }) => {
      return { file: plain(file), line, ...(method && { function: method }) };
    });
    failure.frames = frames.reverse();
  }
  for (const [name, value] of Object.entries({ expected, actual })) {
    if (diff === undefined) delete failure[name];
    // vitest 3 puts the type in front.
    else if (typeof value === 'string') {
      failure[name] = plain(value).replace(/^(Object|Array) (?=[{[])/, '');
    }
  }
  const negated = / not to /.test(failure.message.split('\n')[0]);
  if (negated && failure.expected) failure.expected = `not ${failure.expected}`;
  return timed(failure);
}

/** vitest makes a message of a value that is no object, and does not tell what it was. */
function thrownType(message) {
  if (/^(undefined|null|true|false)$/.test(message)) return message;
  return message !== '' && !Number.isNaN(Number(message)) ? 'number' : 'string';
}

module.exports = { failureOf, joined, loadParser, placeOfError };
