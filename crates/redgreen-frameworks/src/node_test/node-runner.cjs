// redgreen's reporter for `node --test`. Node takes reporters from its command line alone, so the
// program is started once more with ours beside the user's. Each test file has a process of its own;
// one that ends before it has told of its tests looks like a script that passed, so every file says
// here whether it has tests.
'use strict';

const fs = require('fs');
const path = require('path');
const { brokenAt, describe, headOf, plain } = require('./failure.cjs');
const { Run, claim, guarded } = require('./stream.cjs');

/** Set for the program that was started once more. */
const AGAIN = 'REDGREEN_NODE_TEST';
/** Where test files say that they have tests. */
const FILES = 'REDGREEN_NODE_TEST_FILES';

/** Whether this process is `node --test`, and redgreen has something to do in it. */
function concerns() {
  const options = process.execArgv;
  return options.includes('--test') && !options.includes('--watch') && !inFile();
}

function inFile() {
  return Boolean(process.env.NODE_TEST_CONTEXT);
}

function hook() {
  if (process.env[AGAIN]) {
    delete process.env[AGAIN];
    process.env[FILES] = `${process.env.REDGREEN_STREAM}.files`;
    claim();
    return;
  }
  const reporters = flags();
  if (reporters) startAgain(reporters);
}

/** What a stream of Node's tests tells. */
const EVENTS = ['enqueue', 'dequeue', 'start', 'pass', 'fail', 'stderr'].map((name) => `test:${name}`);

/** A program that has Node run its test files (borp): heard beside whoever reads the stream of it. */
function hookRun() {
  const test = require('node:test');
  const { run } = test;
  test.run = function (options) {
    if (!process.env.REDGREEN_STREAM) return run.apply(this, arguments);
    const patterns = guarded(named)() || [];
    process.env[FILES] = `${process.env.REDGREEN_STREAM}.files`;
    claim();
    const stream = run.call(this, patterns.length ? { ...options, testNamePatterns: patterns } : options);
    guarded(hear)(stream);
    return stream;
  };
  require('module').syncBuiltinESMExports();
}

function hear(stream) {
  const reporter = new Reporter();
  const take = guarded((type, data) => reporter.take({ type, data }));
  for (const type of EVENTS) stream.on(type, (data) => take(type, data));
  stream.once('end', guarded(() => reporter.run.bye({})));
}

/** A test file: says at its end whether it has used the test runner. */
function hookFile() {
  const list = process.env[FILES];
  if (!list) return;
  process.once('exit', guarded(() => {
    const used = process.moduleLoadList.some((name) => name.includes('internal/test_runner/harness'));
    if (used) fs.appendFileSync(list, `${process.argv[1]}\n`);
  }));
}

/** The user's reporters and ours; none where they cannot be told. */
function flags() {
  if (/--test-reporter/.test(process.env.NODE_OPTIONS || '')) return null;
  const given = (name) =>
    process.execArgv.filter((option) => option === name || option.startsWith(`${name}=`)).length;
  const [reporters, places] = [given('--test-reporter'), given('--test-reporter-destination')];
  const major = Number(process.versions.node.split('.')[0]);
  const usual = major >= 23 || process.stdout.isTTY ? 'spec' : 'tap';
  const theirs = [];
  if (reporters === 0) theirs.push(`--test-reporter=${usual}`);
  if (places === 0 && reporters <= 1) theirs.push('--test-reporter-destination=stdout');
  else if (places !== reporters) return null;
  // Newer versions sync what a reporter prints, though ours prints nothing: that takes a real file.
  const printed = `${process.env.REDGREEN_STREAM}.printed`;
  const ours = [`--test-reporter=${__filename}`, `--test-reporter-destination=${printed}`];
  return [...theirs, ...ours, ...named().map((it) => `--test-name-pattern=${it}`)];
}

/** Patterns for just some tests, by their own names. */
function named() {
  const only = process.env.REDGREEN_ONLY && fs.readFileSync(process.env.REDGREEN_ONLY, 'utf8');
  const ids = (only || '').split('\n').filter(Boolean);
  const names = ids.map((id) => id.split(' > ').pop().replace(/ #\d+$/, ''));
  if (names.some((name) => /\\|#[0-9a-f]{8}$/.test(name))) return [];
  const literal = (name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return [...new Set(names)].map((name) => `/^${literal(name)}$/`);
}

function startAgain(reporters) {
  const { spawnSync } = require('child_process');
  const script = process.argv.slice(1);
  const env = { ...process.env, [AGAIN]: '1' };
  const options = { stdio: 'inherit', env };
  const ended = spawnSync(process.execPath, [...process.execArgv, ...reporters, ...script], options);
  if (ended.error) return;
  if (ended.signal) process.kill(process.pid, ended.signal);
  process.exit(ended.status);
}

class Reporter {
  constructor() {
    this.run = new Run('node', process.versions.node);
    this.list = process.env[FILES];
    this.waiting = new Map();
    this.begun = new Map();
    this.paths = new Map();
    this.printed = new Map();
    this.told = new Set();
    this.parents = new Set();
  }

  take({ type, data }) {
    const name = type.replace('test:', '');
    const heard = { enqueue: 'enqueued', dequeue: 'dequeued', start: 'started' }[name];
    if (heard) this[heard](data);
    else if (name === 'pass' || name === 'fail') this.ended(data, name === 'fail');
    else if (name === 'stderr') this.keep(data);
  }

  /** The names down to this test, as they come in one of the orders that Node tells. */
  names(order, { file, nesting, name }) {
    const key = `${order} ${file}`;
    const above = (this.paths.get(key) || []).slice(0, nesting);
    above[nesting] = name;
    this.paths.set(key, above);
    return above.filter((part) => part !== undefined);
  }

  /** A test that waits for its turn: a process that ends before that still owes it. */
  enqueued(data) {
    if (isFile(data) || this.run.only || data.nesting > 0) return;
    this.told.add(data.file);
    const base = this.run.base(data.file, [data.name]);
    const id = this.run.take(base);
    this.waiting.set(base, [...(this.waiting.get(base) || []), id]);
    this.run.write('collected', { test: id });
  }

  dequeued(data) {
    if (isFile(data)) return;
    const names = this.names('dequeue', data);
    const base = this.run.base(data.file, names);
    this.parents.add(this.run.base(data.file, names.slice(0, -1)));
    const open = this.begun.get(base) || [];
    const [id = this.run.take(base), ...rest] = this.waiting.get(base) || [];
    this.waiting.set(base, rest);
    this.begun.set(base, [...open, id]);
    this.run.write('start', { test: id, file: data.file, line: data.line });
  }

  started(data) {
    if (!isFile(data)) this.names('start', data);
  }

  keep({ file: named, message }) {
    // Newer versions name the file as the command line does.
    const file = path.resolve(named || '');
    const before = this.printed.get(file) || '';
    if (before.length < 100000) this.printed.set(file, before + message);
  }

  ended(data, red) {
    if (isFile(data)) return this.file(data, red);
    const { error, duration_ms: duration, type } = data.details || {};
    const thrown = error && error.cause !== undefined ? error.cause : error;
    const base = this.run.base(data.file, this.names('start', data));
    this.told.add(data.file);
    const [id = this.run.take(base), ...rest] = this.begun.get(base) || [];
    this.begun.set(base, rest);
    const place = { file: data.file, line: data.line };
    const ms = Math.round(duration || 0);
    const failure = red ? failureOf(thrown, error) : undefined;
    const why = error && error.failureType;
    const around = why === 'hookFailed';
    // What has parts is no test: it counts only if something failed beside them.
    if (type === 'suite' || (this.parents.has(base) && (!red || why === 'subtestsFailed'))) {
      this.run.write('paused', { test: id, parts: true });
      if (red && around) this.run.error('runtime_error', failure, place);
      return;
    }
    const skipped = data.skip !== undefined || (data.todo !== undefined && !red);
    const todo = data.todo !== undefined && red;
    const outcome = outcomeOf({ todo, skipped, red, errored: around || why === 'cancelledByParent' });
    if (skipped && this.run.only && !this.run.only.has(id)) {
      this.run.write('paused', { test: id, parts: true });
      return;
    }
    this.run.write('end', { test: id, outcome, ms, failure: todo ? undefined : failure, ...place });
  }

  /** A whole file: a script without tests, or one whose process did not come to its end. */
  file(data, red) {
    const { error } = data.details || {};
    if (red && error && error.failureType === 'subtestsFailed' && this.told.has(data.file)) return;
    const id = this.run.base(data.file, []);
    if (red) return this.broken(data, error);
    if (this.told.has(data.file)) return;
    if (this.hasTests(data.file)) {
      const message = `${id} ended with 0 before it told of its tests`;
      this.run.write('note', { message });
      this.run.write('collected', { test: id });
    } else if (!this.run.only) {
      this.run.write('end', { test: id, outcome: 'passed', file: data.file });
    }
  }

  hasTests(file) {
    try {
      return fs.readFileSync(this.list, 'utf8').split('\n').includes(file);
    } catch {
      return false;
    }
  }

  broken(data, error) {
    const text = plain(this.printed.get(data.file) || '');
    const said = text.match(/^(\w*Error): (.*)$/m);
    const died = error && error.signal ? `died of ${error.signal}` : `exit code ${error && error.exitCode}`;
    const failure = said
      ? { ...describe(new Error(said[2])), type: said[1], message: said[2] }
      : { type: 'exit', message: `${this.run.base(data.file, [])}: ${died}` };
    const found = brokenAt(text);
    const place = found.file ? found : { file: data.file };
    const kind = said && !this.told.has(data.file) ? 'compile_error' : 'runtime_error';
    this.run.error(kind, { ...failure, stack: headOf(text) || undefined, frames: [] }, place);
  }
}

/** Whether it is the file itself that Node counts as a test. */
function isFile({ name, file, nesting }) {
  return nesting === 0 && file !== undefined && path.resolve(name) === path.resolve(file);
}

function outcomeOf({ todo, skipped, red, errored }) {
  if (todo) return 'expected_failure';
  if (skipped) return 'skipped';
  if (!red) return 'passed';
  return errored ? 'errored' : 'failed';
}

/** What was thrown; what Node itself says of a test is named by its own word. */
function failureOf(thrown, error) {
  const failure = describe(thrown);
  const why = error && error.failureType;
  if (why === 'testTimeoutFailure') return { ...failure, type: 'Timeout', phase: 'timeout' };
  if (why && why !== 'testCodeFailure' && typeof thrown === 'string') failure.type = why;
  return failure;
}

module.exports = async function* report(events) {
  const reporter = guarded(() => new Reporter())();
  for await (const event of events) {
    if (reporter) guarded(() => reporter.take(event))();
  }
  if (reporter) reporter.run.bye({});
};
Object.assign(module.exports, { concerns, hook, hookFile, hookRun, inFile });
