// redgreen's reporter for jest: added behind the reporters of the user, in the process that runs
// jest. jest's case events name the test that is in flight; the results of a file complete them.
'use strict';

const { STACK_CHARS, bounded, framesOf, hasOwn, headOf, plain } = require('./failure.cjs');
const { failureOf, inHook, located, named, unread } = require('./jest-failure.cjs');
const { Run, claim, guarded } = require('./stream.cjs');

/** What was read of the configuration last, for the reporter that jest makes next. */
let configured = { run: null, projects: 1 };

/** The module `jest-config` with a `readConfigs` that adds our reporter. */
function hook(exported) {
  const read = exported.readConfigs;
  if (typeof read !== 'function') return exported;
  const readConfigs = async function (...args) {
    const result = await read.apply(this, args);
    return guarded(amended)(result) || result;
  };
  return Object.create(exported, { readConfigs: { value: readConfigs, enumerable: true } });
}

function amended(result) {
  const { globalConfig, configs } = result;
  if (globalConfig.listTests) return result;
  const { only, folder, corner } = claim();
  const run = new Run('jest', version());
  configured = { run, projects: configs.length };
  process.once('exit', guarded((code) => run.closing && run.closing(code)));
  // Until the first test file, an exit is jest's own: nothing to run, or a set-up that failed.
  run.closing = (code) => run.bye({ exit: code });
  const theirs = globalConfig.reporters || [['default', {}]];
  const more = {
    reporters: [...theirs, [__filename, {}]],
    // watchman was there before, and knows the files of another tree.
    ...(corner && { bail: 0, watchman: false }),
    ...selection(only, folder),
  };
  return { ...result, globalConfig: Object.freeze({ ...globalConfig, ...more }) };
}

function version() {
  try {
    return require(require.resolve('jest/package.json', { paths: [process.cwd()] })).version;
  } catch {
    return undefined;
  }
}

/** Settings that run just some tests: their files, and their full names. */
function selection(only, folder) {
  if (!only) return {};
  const files = new Set();
  const names = new Set();
  for (const id of only) {
    const [place, ...parts] = id.split(' > ');
    files.add(require('path').resolve(folder, place.replace(/ \[[^\]]*\]$/, '')));
    names.add(parts.join(' ').replace(/ #\d+$/, ''));
  }
  const literal = (name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  // An id that had to be cleaned does not tell the name: then the whole file runs.
  const known = [...names].every((name) => name && !/\\|#[0-9a-f]{8}$/.test(name));
  return {
    collectCoverage: false,
    nonFlagArgs: [...files],
    runTestsByPath: true,
    ...(known && { testNamePattern: `^(${[...names].map(literal).join('|')})$` }),
  };
}

class Reporter {
  constructor() {
    this.run = configured.run;
    this.projects = configured.projects;
    this.files = new Map();
    this.open = [];
  }

  onRunStart() {
    this.run.closing = () => this.flush();
  }

  onTestFileStart(test) {
    this.open.push(test);
  }

  /**
   * The file that a case is in. jest knows it by its path alone, and a path may be in two projects:
   * if both are running, the results of the file have to do.
   */
  running(test) {
    const open = this.open.filter((other) => other.path === test.path);
    if (open.length > 1) return null;
    return open[0] || test;
  }

  onTestCaseStart(told, info) {
    const test = this.running(told);
    if (!test) return;
    const file = this.file(test);
    const base = this.base(test, info);
    // The same name again: a retry of a test that failed, or another test of that name.
    if (file.some((seen) => seen.base === base && seen.result)) return;
    this.begin(test, file, base);
  }

  begin(test, file, base) {
    const seen = { base, id: this.run.take(base), ended: false, result: null };
    file.push(seen);
    this.run.write('start', { test: seen.id, file: test.path });
    return seen;
  }

  onTestCaseResult(told, result) {
    const test = this.running(told);
    if (!test) return;
    const file = this.file(test);
    const base = this.base(test, result);
    const open = file.filter((seen) => seen.base === base && !seen.ended);
    const again = result.invocations > 1 && open.find((seen) => seen.result);
    const seen = again || open.find((one) => !one.result) || this.begin(test, file, base);
    seen.result = result;
    // A failure may be retried at the end of the file: it is told then.
    if (result.status !== 'failed') this.end(test, seen);
  }

  onTestResult(test, results) {
    const file = this.file(test);
    for (const result of results.testResults || []) this.settle(test, file, result);
    for (const seen of file) if (seen.result && !seen.ended) this.end(test, seen);
    this.files.delete(this.key(test));
    this.open = this.open.filter((other) => other !== test);
    this.outside(test, file, results);
  }

  /** The final result of a test, whether or not it was seen to run. */
  settle(test, file, result) {
    const base = this.base(test, result);
    const ran = didRun(result);
    const open = file.find((seen) => {
      const fits = !seen.result || didRun(seen.result) === ran;
      return seen.base === base && !seen.settled && fits;
    });
    if (!ran && this.run.only && !this.run.only.has(base)) return;
    const seen = open || { base, id: this.run.take(base), ended: false };
    if (!open) file.push(seen);
    seen.settled = true;
    seen.result = result;
    if (!seen.ended) this.end(test, seen);
  }

  end(test, seen) {
    const { result } = seen;
    seen.ended = true;
    const failure = result.status === 'failed' ? failureOf(result) : undefined;
    const around = failure && (result.failureMessages || []).some(inHook);
    const outcome = around ? 'errored' : outcomeOf(result);
    const line = result.location ? result.location.line : undefined;
    const ms = Math.round(result.duration || 0);
    this.run.write('end', { test: seen.id, outcome, ms, failure, file: test.path, line });
    if (outcome === 'passed' && result.invocations > 1) {
      const times = `${result.invocations} attempts`;
      this.run.write('note', { message: `${seen.id} passed only after ${times}` });
    }
  }

  /** What failed in a file outside of its tests. */
  outside(test, file, results) {
    const error = results.testExecError;
    const broken = (results.testResults || []).some((result) => result.status === 'failed');
    if (!error && (broken || !results.failureMessage)) return;
    const text = plain((error && (error.stack || error.message)) || results.failureMessage || '');
    // Of a file that could not be loaded, the tests are not known.
    const kind = file.length > 0 ? 'runtime_error' : 'compile_error';
    const { file: where = test.path, line } = located(text, test.path);
    const { type, message } = named(unread(text) || headOf(text));
    const failure = { type, message, stack: bounded(text, STACK_CHARS), frames: framesOf(text) };
    const place = line ? { file: where, line } : hasOwn(failure.frames) ? {} : { file: where };
    this.run.error(kind, failure, place);
  }

  onRunComplete(_contexts, results) {
    const { run } = this;
    if (run.over) return;
    this.flush();
    const error = results.runExecError;
    if (error) {
      const text = plain(error.stack || error.message || '');
      run.error('runtime_error', { ...named(headOf(text)), stack: text, frames: framesOf(text) });
    }
    const { snapshot } = results;
    if (snapshot && snapshot.unchecked > 0) {
      run.write('note', { message: `${snapshot.unchecked} snapshots are obsolete` });
    }
    for (const handle of results.openHandles || []) {
      run.write('note', { message: `open handle: ${plain(handle.message || handle)}` });
    }
    run.closing = null;
    run.bye({});
  }

  /** Tells what is known of failed tests whose file never came to its end. */
  flush() {
    for (const { test, file } of this.files.values()) {
      for (const seen of file) if (seen.result && !seen.ended) this.end(test, seen);
    }
  }

  base(test, { ancestorTitles, title }) {
    const { displayName } = test.context.config;
    const project = this.projects > 1 && displayName ? displayName.name || displayName : '';
    return this.run.base(test.path, [...ancestorTitles, title], project);
  }

  key(test) {
    return `${test.context.config.id} ${test.path}`;
  }

  file(test) {
    const key = this.key(test);
    if (!this.files.has(key)) this.files.set(key, { test, file: [] });
    return this.files.get(key).file;
  }
}

for (const name of Object.getOwnPropertyNames(Reporter.prototype)) {
  if (!name.startsWith('on')) continue;
  const body = guarded(Reporter.prototype[name]);
  Reporter.prototype[name] = function (...args) {
    if (this.run) body.apply(this, args);
  };
}

function didRun(result) {
  return ['passed', 'failed'].includes(result.status);
}

function outcomeOf(result) {
  switch (result.status) {
    case 'passed':
      return result.failing ? 'expected_failure' : 'passed';
    case 'failed':
      return 'failed';
    default:
      return 'skipped';
  }
}

module.exports = Reporter;
module.exports.hook = hook;
