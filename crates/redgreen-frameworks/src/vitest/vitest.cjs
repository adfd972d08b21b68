// redgreen's listener in vitest: hears what vitest tells its reporters, before they do, in the
// process that runs vitest. Workers write the start of each test and the end of each that passed
// themselves (vitest-setup.mjs): vitest gathers news for a while before it sends them, and a test
// that takes its worker with it would take them along.
'use strict';

const fs = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');
const { FROM_THE_START, cannot } = require('./coverage.cjs');
const { Run, claim, guarded, idOf } = require('./stream.cjs');
const { failureOf, joined, loadParser, placeOfError } = require('./vitest-failure.cjs');
const { News } = require('./vitest-news.cjs');

const SETUP = path.join(__dirname, 'vitest-setup.mjs');
/** For the workers: where to write, and as what. */
const WORKER_VARIABLE = 'REDGREEN_VITEST';
/**
 * In a worker; taken out of its environment, so that nothing it starts writes, too. Kept at the
 * process: a worker may load this module anew for each file.
 */
const KEPT = Symbol.for('redgreen.vitest');
if (process.env[WORKER_VARIABLE]) process[KEPT] = process.env[WORKER_VARIABLE];
delete process.env[WORKER_VARIABLE];
const handed = process[KEPT];

/** Finds vitest's class behind its program, and listens to what it reports. */
function hook(script) {
  const program = fs.realpathSync(script);
  const dist = path.join(path.dirname(program), 'dist');
  if (path.basename(program) !== 'vitest.mjs') return;
  const source = fs.readFileSync(path.join(dist, 'node.js'), 'utf8');
  const chunk = /import \{[^}]*\bVitest\b[^}]*\} from ['"](\.\/[^'"]+)['"]/.exec(source);
  if (!chunk) return hookOlder(program, dist);
  const isClass = (value) => typeof value === 'function' && value.name === 'Vitest';
  import(pathToFileURL(path.join(dist, chunk[1])).href)
    .then((module) => listen(Object.values(module).find(isClass).prototype))
    .catch(() => {});
  loadParser(program);
}

/** vitest 1 and 2. */
function hookOlder(program, dist) {
  const older = require('./vitest-older.cjs');
  const { version } = JSON.parse(fs.readFileSync(path.join(program, '../package.json'), 'utf8'));
  import(pathToFileURL(path.join(dist, 'reporters.js')).href)
    .then((module) =>
      older.listen(module.ReportersMap, (vitest) =>
        older.hear(vitest, new Listener(vitest, version), guarded(selected)()),
      ),
    )
    .catch(() => {});
  loadParser(program);
}

function listen(vitest) {
  const { report, start } = vitest;
  const told = guarded(tell);
  vitest.report = function (name, ...args) {
    told(name, args);
    return report.call(this, name, ...args);
  };
  vitest.start = function (filters) {
    return start.call(this, guarded(selected)() || filters);
  };
}

let listener;

function tell(name, args) {
  if (name === 'onInit') listener = new Listener(args[0]);
  else if (listener && typeof listener[name] === 'function') listener[name](...args);
}

/** The files of the only tests to run. */
function selected() {
  const { only, folder } = claim();
  if (!only) return undefined;
  const place = (id) => id.split(' > ')[0].replace(/ \[[^\]]*\]$/, '');
  return [...new Set([...only].map((id) => path.resolve(folder, place(id))))];
}

/** A pattern for the full names of the only tests to run; none if an id does not tell the name. */
function pattern(only) {
  const literal = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const names = [...only].map((id) => id.split(' > ').slice(1).join(' > ').replace(/ #\d+$/, ''));
  if (!names.every((name) => name && !/\\|#[0-9a-f]{8}$/.test(name))) return null;
  const either = names.map((name) => name.split(' > ').map(literal).join('(?: > | )'));
  return new RegExp(`^\\s*(?:${either.join('|')})$`);
}

class Listener {
  constructor(vitest, version = vitest.version) {
    const run = new Run('vitest', version);
    this.run = run;
    this.root = vitest.config.root || '';
    this.ids = new Map();
    this.held = new Map();
    this.ended = new Set();
    this.news = new News(claim().stream, run.run);
    if (run.handed()) process.env[WORKER_VARIABLE] = run.handed();
    const names = run.only && pattern(run.only);
    for (const project of vitest.projects) {
      const { config } = project;
      config.setupFiles = [SETUP, ...(config.setupFiles || [])];
      config.includeTaskLocation = true;
      if (config.browser && config.browser.enabled) cannot('vitest runs its tests in a browser');
      // Node itself imports what they run.
      if ((config.experimental || {}).viteModuleRunner === false) process.env[FROM_THE_START] = '1';
      if (names) config.testNamePattern = names;
      if (claim().corner) config.bail = 0;
    }
    if (claim().corner) vitest.config.bail = 0;
    if (names) vitest.config.testNamePattern = names;
    if (run.only && vitest.config.coverage) vitest.config.coverage.enabled = false;
  }

  onTestModuleCollected(module) {
    for (const [task, id] of identities(this.run.folder, module.task)) {
      if (this.ids.has(task.id)) continue;
      const wanted = !this.run.only || this.run.only.has(id);
      this.ids.set(task.id, { id, mode: task.mode, wanted });
      if (wanted) this.run.write('collected', { test: id });
    }
  }

  onTestCaseReady(test) {
    const known = this.known(test);
    if (known && known.mode === 'run' && !this.news.told('start', known.id)) {
      this.run.write('start', { test: known.id, ...placeOf(test) });
    }
  }

  onTestCaseResult(test) {
    const known = this.known(test);
    const result = test.result();
    if (!known || this.ended.has(test.id) || result.state === 'pending') return;
    // Whether somebody wanted it skipped or a hook failed around it is known at the file's end.
    if (result.state === 'skipped') this.held.set(test.id, test);
    else this.end(test, known, result);
  }

  end(test, known, result) {
    this.ended.add(test.id);
    const { duration = 0, retryCount = 0 } = test.diagnostic() || {};
    const expected = test.options.fails && result.state === 'passed';
    const failure = result.state === 'failed' ? joined(result.errors) : undefined;
    const phase = failure && phaseOf(test.task.result.hooks || {});
    if (phase) failure.phase = failure.phase || phase;
    const outcome = expected ? 'expected_failure' : phase ? 'errored' : result.state;
    const ms = Math.round(duration);
    if (outcome !== 'passed' || !this.news.told('end', known.id)) {
      this.run.write('end', { test: known.id, outcome, ms, failure, ...placeOf(test) });
    }
    if (outcome === 'passed' && retryCount > 0) {
      const message = `${known.id} passed only after ${retryCount + 1} attempts`;
      this.run.write('note', { message });
    }
  }

  onTestSuiteResult(suite) {
    this.around(suite);
  }

  onTestModuleEnd(module) {
    if (this.ended.has(module.id)) return;
    this.ended.add(module.id);
    this.onTestModuleCollected(module);
    for (const test of module.children.allTests()) this.onTestCaseResult(test);
    this.around(module);
    for (const test of module.children.allTests()) {
      const known = this.held.has(test.id) && this.known(test);
      this.held.delete(test.id);
      if (known && known.wanted) this.end(test, known, test.result());
    }
  }

  /** What failed around tests: a hook of theirs, or the file that they are in. */
  around(entity) {
    for (const error of entity.errors()) {
      const failure = failureOf(error);
      const tests = [...entity.children.allTests()];
      const kept = tests.filter((test) => {
        const known = this.held.has(test.id) && this.known(test);
        return known && known.mode === 'run' && known.wanted;
      });
      for (const test of kept) {
        this.held.delete(test.id);
        this.ended.add(test.id);
        const end = { test: this.known(test).id, outcome: 'errored', ...placeOf(test) };
        this.run.write('end', { ...end, failure: { phase: 'setup', ...failure } });
      }
      if (kept.length > 0) continue;
      const kind = tests.length > 0 ? 'runtime_error' : 'compile_error';
      const file = entity.task.file ? entity.task.file.filepath : entity.moduleId;
      const place = placeOfError(error, failure, file, this.root);
      this.run.error(kind, failure, place);
    }
  }

  onTestRunEnd(modules, errors) {
    // vitest 3 does not tell the end of a file that it could not load.
    for (const module of modules) this.onTestModuleEnd(module);
    for (const error of errors) {
      const failure = failureOf(error);
      const kind = error.name === 'TypeCheckError' ? 'compile_error' : 'runtime_error';
      if (error.type && !failure.message.startsWith(error.type)) {
        failure.message = `${error.type}: ${failure.message}`;
      }
      const place = placeOfError(error, failure, '', this.root);
      this.run.error(kind, failure, place);
    }
    this.run.bye({});
  }

  onWatcherRerun() {
    // Another run, in a vitest that watches.
    this.run = new Run('vitest');
    for (const seen of [this.ids, this.held, this.ended]) seen.clear();
  }

  known(test) {
    if (!this.ids.has(test.id)) this.onTestModuleCollected(test.module);
    return this.ids.get(test.id);
  }
}

/** Every test of a file with its id, in the order of the file. */
function identities(folder, file) {
  const taken = new Map();
  const found = [];
  const project = projectOf(file);
  const walk = (tasks, names) => {
    for (const task of tasks) {
      const here = [...names, task.name];
      if (task.type === 'suite') walk(task.tasks, here);
      else found.push([task, idOf(taken, folder, file.filepath, here, project)]);
    }
  };
  walk(file.tasks, []);
  return found;
}

/** Its project; a file whose types are checked besides running it has its tests twice. */
function projectOf(file) {
  const types = file.pool === 'typescript' || (file.meta && file.meta.typecheck);
  if (!types || /\.(test|spec)-d\.[^.]+$/.test(file.filepath)) return file.projectName;
  return [file.projectName, 'types'].filter(Boolean).join(' ');
}

/** The hook that failed around a test, if one did: it never came to its end. */
function phaseOf(hooks) {
  const broken = (name) => hooks[name] !== undefined && hooks[name] !== 'pass';
  if (broken('beforeEach')) return 'setup';
  return broken('afterEach') ? 'teardown' : null;
}

function placeOf(test) {
  const { location } = test;
  return { file: test.module.moduleId, ...(location && { line: location.line }) };
}

module.exports = { handed, hook, identities };
