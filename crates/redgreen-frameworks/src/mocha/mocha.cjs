// redgreen's listener in mocha: at the runner, beside the reporter of the user.
'use strict';

const path = require('path');
const { MESSAGE_CHARS, bounded, brokenAt, describe, framesOf, hasOwn, timed } =
  require('./failure.cjs');
const { Run, claim, guarded, idOf } = require('./stream.cjs');

/** For the workers of a mocha that runs files in parallel: where to write, and as what. */
const WORKER_VARIABLE = 'REDGREEN_MOCHA';
/** In a worker; taken out of its environment, so that nothing it starts writes, too. */
const handed = process.env[WORKER_VARIABLE];
delete process.env[WORKER_VARIABLE];
const PROGRAM = /(^|[\\/])_?mocha(\.js)?$/;
/** The files that are being loaded, by mocha. */
const loading = new WeakMap();
/** Where tests are written down. */
const declarations = new WeakMap();
let spoke = false;
/** How many files could not be loaded, where mocha went on. */
let unloaded = 0;

/** Listens to the runs of a mocha, and to what it cannot load. */
function hook(Mocha) {
  if (typeof Mocha !== 'function' || !Mocha.Runner || loading.has(Mocha)) return Mocha;
  loading.set(Mocha, true);
  const { run, loadFiles, loadFilesAsync, version } = Mocha.prototype;
  Mocha.prototype.run = function (...args) {
    // A dry run runs nothing: that mocha is there, and no test of it.
    if (this.options.dryRun) guarded(() => dry(version))();
    const listener = this.options.dryRun ? null : guarded(() => new Listener(this, version))();
    const runner = run.apply(this, args);
    if (listener) guarded(() => listener.attach(runner))();
    return runner;
  };
  const failed = guarded((mocha, error) => cannotLoad(loading.get(mocha), error, version));
  Mocha.prototype.loadFiles = function (...args) {
    note(this);
    try {
      return loadFiles.apply(this, args);
    } catch (error) {
      failed(this, error);
      throw error;
    }
  };
  Mocha.prototype.loadFilesAsync = function (...args) {
    note(this);
    if (claim().corner) return eachByItself(this, (error) => failed(this, error), loadFilesAsync, args);
    const loaded = loadFilesAsync.apply(this, args);
    loaded.catch((error) => failed(this, error));
    return loaded;
  };
  const { addTest } = Mocha.Suite.prototype;
  Mocha.Suite.prototype.addTest = function (test) {
    // The stack is made text only where it is asked for.
    if (test) Error.captureStackTrace(declared(test));
    return addTest.call(this, test);
  };
  process.once('exit', guarded((code) => silent(code, version)));
  return Mocha;
}

function dry(version) {
  spoke = true;
  const run = new Run('mocha', version);
  run.write('note', { message: 'a dry run: mocha calls every test passed, and runs none' });
  run.bye({});
}

function declared(test) {
  const trace = {};
  declarations.set(test, trace);
  return trace;
}

function lineOf(test) {
  const trace = declarations.get(test);
  if (!trace || !test.file) return undefined;
  const frame = framesOf(trace.stack).reverse().find(({ file }) => file === test.file);
  return frame && frame.line;
}

function note(mocha) {
  guarded(() => mocha.suite.on('pre-require', (_, file) => loading.set(mocha, file)))();
}

/** Loads every file, also behind one that cannot be loaded, of which nothing is left. */
async function eachByItself(mocha, failed, load, args) {
  const { files, suite, options } = mocha;
  // Suites have it from the one that they are made in.
  suite.bail(false);
  for (const file of files) {
    mocha.files = [file];
    try {
      await load.apply(mocha, args);
    } catch (error) {
      failed(error);
      unloaded += 1;
      const others = (one) => one.file !== file;
      suite.suites = suite.suites.filter(others);
      suite.tests = suite.tests.filter(others);
      // It may have ended in the middle of a suite, which the next ones must not be inside of.
      mocha.ui(options.ui);
    }
  }
  mocha.files = files;
}

/** Of a file that could not be loaded, the tests are not known. */
function cannotLoad(loaded, error, version) {
  spoke = true;
  const run = new Run('mocha', version);
  const failure = describe(error);
  const found = brokenAt(`${(error && error.stack) || ''}\n${(error && error.message) || ''}`);
  const place = failure.type === 'SyntaxError' && found.file ? found : {};
  const own = hasOwn(failure.frames) || !loaded ? {} : { file: loaded };
  run.error('compile_error', failure, place.file ? place : own);
  run.bye({ exit: 1 });
}

/** A mocha that gave up before it had anything to run. */
function silent(code, version) {
  if (spoke || code === 0 || !PROGRAM.test(process.argv[1] || '')) return;
  if (claim().stream) new Run('mocha', version).bye({ exit: code });
}

class Listener {
  constructor(mocha, version) {
    spoke = true;
    const { isWorker, parallel } = mocha.options;
    this.run = isWorker && handed ? Run.joined(handed) : new Run('mocha', version);
    this.taken = new Map();
    this.ids = new WeakMap();
    this.tests = new Map();
    this.held = null;
    // Workers tell what happens as it happens; mocha itself hears of it when a file has ended.
    this.workers = parallel && !isWorker && this.run.handed();
    if (this.workers) process.env[WORKER_VARIABLE] = this.workers;
    if (this.run.only) this.select(mocha);
  }

  /** Leaves only the tests that are asked for, and in parallel only their files. */
  select(mocha) {
    const { only, folder } = this.run;
    const keep = (suite) => {
      suite.tests = suite.tests.filter((test) => only.has(this.identity(test)));
      suite.suites.forEach(keep);
    };
    if (mocha.suite.total() > 0) keep(mocha.suite);
    const place = (id) => path.resolve(folder, id.split(' > ')[0]);
    const files = new Set([...only].map(place));
    if (this.workers) mocha.files = mocha.files.filter((file) => files.has(path.resolve(file)));
  }

  /** A test keeps the id that it has among all tests, also where only some are run. */
  identity(test) {
    if (!this.ids.has(test)) {
      const id = idOf(this.taken, this.run.folder, test.file, test.titlePath());
      this.ids.set(test, id);
    }
    return this.ids.get(test);
  }

  attach(runner) {
    const listen = (event, body) => runner.prependListener(event, guarded(body.bind(this)));
    if (this.workers) {
      const outside = (runnable, error) => runnable.type || this.failed(runnable, error);
      listen('fail', outside);
      listen('end', () => this.run.bye({}));
      return;
    }
    listen('start', () => this.collect(runner));
    listen('suite', this.flush);
    listen('suite end', this.flush);
    listen('hook', (hook) => / all" hook/.test(hook.title) && this.flush());
    listen('test', this.start);
    listen('pass', this.passed);
    listen('pending', (test) => this.hold(test, 'skipped'));
    listen('fail', this.failed);
    listen('end', () => {
      // A file that was not loaded is a failure, as it would have been.
      runner.failures += unloaded;
      this.flush();
      this.run.bye({});
    });
    const exiting = () => this.held && this.held.outcome !== 'passed' && this.flush();
    process.once('exit', guarded(exiting));
  }

  /** What is going to run, and where it hangs: a hook that fails takes its suite along. */
  collect(runner) {
    const walk = (suite, above) => {
      const suites = [...above, suite];
      for (const test of suite.tests) {
        const known = this.know(test, suites);
        const wanted = !runner._grep || runner._grep.test(test.fullTitle());
        const matches = wanted !== Boolean(runner._invert);
        if (matches) this.run.write('collected', { test: known.id });
        else known.ended = 'left out';
      }
      for (const inner of suite.suites) walk(inner, suites);
    };
    walk(runner.suite, []);
  }

  know(test, suites) {
    const place = { file: test.file, line: guarded(lineOf)(test) };
    const known = { id: this.identity(test), place, suites, ended: null };
    this.tests.set(test.__mocha_id__ || test, known);
    return known;
  }

  /** What is known of a test; a retry is a copy of the test that failed. */
  known(test) {
    for (let seen = test; seen; seen = seen._retriedTest) {
      const known = this.tests.get(seen.__mocha_id__ || seen);
      if (known) return known;
    }
    return this.know(test, []);
  }

  start(test) {
    this.flush();
    const { id, place } = this.known(test);
    this.run.write('start', { test: id, ...place });
  }

  passed(test) {
    this.hold(test, 'passed');
    const times = typeof test.currentRetry === 'function' ? test.currentRetry() : 0;
    if (!times) return;
    const message = `${this.known(test).id} passed only after ${times + 1} attempts`;
    this.run.write('note', { message });
  }

  failed(runnable, error) {
    const failure = failureOf(error);
    if (runnable.type === 'hook') this.hookFailed(runnable, failure);
    else if (runnable.type === 'test') this.hold(runnable, 'failed', failure);
    else if (runnable.file) this.unloaded(runnable.file, failure);
    else this.run.error('runtime_error', failure, {});
  }

  /** A file that a worker could not load. */
  unloaded(file, failure) {
    const said = /^(\w*Error)\b/m.exec(failure.stack || '');
    const type = said ? said[1] : failure.type;
    const found = brokenAt(failure.stack || '');
    this.run.error('compile_error', { ...failure, type }, found.file ? found : { file });
  }

  /** The end of a test is told when its hooks have run. */
  hold(test, outcome, failure) {
    const known = this.known(test);
    if (this.held && this.held.known !== known) this.flush();
    if (known.ended && !['failed', 'errored'].includes(outcome)) return;
    if (known.ended === 'errored') return;
    this.held = { known, outcome, failure, ms: Math.round(test.duration || 0) };
  }

  flush() {
    if (!this.held) return;
    const { known, outcome, failure, ms } = this.held;
    this.held = null;
    known.ended = outcome;
    this.run.write('end', { test: known.id, outcome, ms, failure, ...known.place });
  }

  hookFailed(hook, failure) {
    const [, word] = /"(before|after) (each|all)" hook/.exec(hook.title) || [];
    const phase = word === 'before' ? 'setup' : 'teardown';
    const named = { phase, ...failure, message: `${failure.message}\nin the ${hook.title}` };
    if (/"(before|after) each" hook/.test(hook.title) && hook.ctx && hook.ctx.currentTest) {
      this.spoil(hook.ctx.currentTest, named);
    }
    const afterAll = /"after all" hook/.test(hook.title);
    const inside = (known) => known.suites.includes(hook.parent) && !known.ended;
    const kept = afterAll ? [] : [...this.tests.values()].filter(inside);
    this.flush();
    for (const known of kept.filter((one) => !one.ended)) {
      this.held = { known, outcome: 'errored', failure: named, ms: 0 };
      this.flush();
    }
    if (kept.length === 0) this.run.error('runtime_error', named, {});
  }

  /** The test that a hook failed around; what failed first stays in front. */
  spoil(test, named) {
    const known = this.known(test);
    const earlier = this.held && this.held.known === known && this.held.failure;
    const ms = this.held ? this.held.ms : 0;
    if (this.held && this.held.known !== known) this.flush();
    const also = earlier && `${earlier.message}\nalso: ${named.type}: ${named.message}`;
    const failure = also ? { ...earlier, message: bounded(also, MESSAGE_CHARS) } : named;
    this.held = { known, outcome: 'errored', failure, ms };
  }
}

function failureOf(error) {
  const failure = describe(error);
  const thrown = /^the (\w+) ([^]*) was thrown, throw an Error :\)$/.exec(failure.message);
  if (thrown) {
    const [, type, message] = thrown;
    failure.type = type;
    failure.message = type === 'string' ? message.replace(/^"|"$/g, '') : message;
  }
  if (/^Runnable failed with falsy or undefined exception/.test(failure.message)) {
    failure.type = 'undefined';
  }
  return timed(failure);
}

module.exports = { hook };
