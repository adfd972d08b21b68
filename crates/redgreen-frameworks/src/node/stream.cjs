// What the reporters share: the report stream, the ids of tests, and what is known of an error.
'use strict';

const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const { fileURLToPath } = require('url');
const util = require('util');

const MESSAGE_CHARS = 16000;
const STACK_CHARS = 32000;
const VALUE_CHARS = 4000;
const ID_CHARS = 400;
const FRAMES = 60;
const SEPARATOR = ' > ';

/** The run is the user's: whatever goes wrong in here stays in here. */
function guarded(body) {
  return function (...args) {
    try {
      return body.apply(this, args);
    } catch {
      return undefined;
    }
  };
}

let claimed;
let runs = 0;

/**
 * Takes the stream for this process. Children do not see it any more: the workers of a runner, and
 * runners that a test starts, are not what redgreen watches.
 */
function claim() {
  if (!claimed) {
    claimed = {
      stream: process.env.REDGREEN_STREAM,
      only: readOnly(process.env.REDGREEN_ONLY),
      folder: process.env.REDGREEN_FOLDER || process.cwd(),
    };
    delete process.env.REDGREEN_STREAM;
    delete process.env.REDGREEN_ONLY;
  }
  return claimed;
}

function readOnly(file) {
  if (!file) return null;
  try {
    return new Set(fs.readFileSync(file, 'utf8').split('\n').filter(Boolean));
  } catch {
    return null;
  }
}

/** One run of a runner: appends a line for each event, at once. */
class Run {
  constructor(runner, version) {
    const run = `${runner}-${process.pid}-${Date.now().toString(36)}-${(runs += 1)}`;
    this.open({ ...claim(), run });
    this.write('hello', { runner, version });
  }

  open({ stream, only, folder, run }) {
    this.only = only;
    this.folder = folder;
    this.run = run;
    this.file = stream ? fs.openSync(stream, 'a', 0o600) : null;
    this.over = false;
    this.taken = new Map();
  }

  /** What a worker needs to write in the name of this run; none where nobody reads. */
  handed() {
    const { stream, only, folder } = claim();
    return stream && JSON.stringify({ stream, only: only && [...only], folder, run: this.run });
  }

  /** The run in whose name a worker writes; it says neither hello nor bye. */
  static joined(handed) {
    const settings = JSON.parse(handed);
    const run = Object.create(Run.prototype);
    run.open({ ...settings, only: settings.only && new Set(settings.only) });
    run.over = true;
    return run;
  }

  write(event, fields) {
    if (this.file === null) return;
    const line = Buffer.from(`${JSON.stringify({ event, run: this.run, ...fields })}\n`);
    for (let at = 0; at < line.length; ) at += fs.writeSync(this.file, line, at);
  }

  /** Says bye, once. */
  bye(fields) {
    if (this.over) return;
    this.over = true;
    this.write('bye', fields);
  }

  /** Something that failed outside of a test. */
  error(kind, failure, more) {
    const { type, message, stack, frames } = failure;
    this.write('error', { kind, type, message, stack, frames, ...more });
  }

  /** The id that a test's place and names make, before it is told from others like it. */
  base(file, names, project) {
    return baseOf(this.folder, file, names, project);
  }

  /** An id of its own for one more test of that name. */
  take(base) {
    return taking(this.taken, base);
  }
}

function baseOf(folder, file, names, project) {
  const place = file ? relative(folder, file) : '';
  const where = project ? `${place} [${project}]` : place;
  return cleanId([where, ...names].filter((part) => part !== '').join(SEPARATOR));
}

function taking(taken, base) {
  let count = (taken.get(base) || 0) + 1;
  const named = () => (count === 1 ? base : `${base} #${count}`);
  // A test may be called so itself.
  while (count > 1 && taken.has(named())) count += 1;
  const id = named();
  taken.set(base, count);
  if (!taken.has(id)) taken.set(id, 1);
  return id;
}

/** The id of one more test, where `taken` has those that are there already. */
function idOf(taken, folder, file, names, project) {
  return taking(taken, baseOf(folder, file, names, project));
}

function relative(folder, file) {
  const inside = path.relative(folder, file);
  return inside.split(path.sep).join('/');
}

/** The id without characters that change how it is shown; distinct ids stay distinct. */
function cleanId(id) {
  const visible = id.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    const known = { '\n': '\\n', '\t': '\\t', '\r': '\\r' }[character];
    return known || `\\u{${character.codePointAt(0).toString(16)}}`;
  });
  if (visible === id && [...id].length <= ID_CHARS) return id;
  const digest = crypto.createHash('sha256').update(id).digest('hex').slice(0, 8);
  return `${[...visible].slice(0, ID_CHARS).join('')}#${digest}`;
}

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

const FRAME = /^\s*at (?:(.*?) \()?((?:file:\/\/)?[^()]*?):(\d+)(?::\d+)?\)?$/;

/** The frames of a V8 stack, outermost first, without those of Node itself. */
function framesOf(stack) {
  const frames = [];
  for (const line of plain(stack).split('\n')) {
    const match = FRAME.exec(line);
    if (!match || frames.length >= FRAMES) continue;
    const [, name, place, number] = match;
    const file = place.replace(/^async /, '').trim();
    if (file.startsWith('node:') || file.startsWith('<')) continue;
    // mocha leaves out the folder it runs in.
    const frame = { file: path.resolve(fromUrl(file)), line: Number(number) };
    const called = (name || '').replace(/^(async|new) /, '');
    if (called && called !== '<anonymous>') frame.function = called;
    frames.unshift(frame);
  }
  return frames;
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
    stack: bounded(stack || message, STACK_CHARS),
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

/** Where a parser stopped: `file:line` at the beginning of a line of what it said. */
function brokenAt(text) {
  for (const line of plain(text).split('\n')) {
    const match = /^\s*(?:SyntaxError: )?((?:file:\/\/)?\/[^\s:]*(?: [^\s:]+)*):\s*(?:.*\()?(\d+)(?::\d+\)?)?/.exec(line);
    if (match) return { file: fromUrl(match[1]), line: Number(match[2]) };
  }
  return {};
}

module.exports = {
  MESSAGE_CHARS,
  STACK_CHARS,
  Run,
  bounded,
  brokenAt,
  claim,
  describe,
  framesOf,
  guarded,
  hasOwn,
  headOf,
  idOf,
  plain,
  relative,
  shown,
  HEAD,
};
