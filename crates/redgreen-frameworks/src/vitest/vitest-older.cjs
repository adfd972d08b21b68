// vitest 1 and 2, told as later versions tell it. Their class is not exported: whichever of their own reporters
// begins is given it, and from then on all that it reports is heard.
'use strict';

const { claim, guarded } = require('./stream.cjs');

/** Waits for any of the reporters that vitest brings; `begin` is told of the vitest that it is in. */
function listen(reporters, begin) {
  const owners = new Set();
  for (const reporter of Object.values(reporters)) {
    let owner = reporter.prototype;
    while (owner && !Object.hasOwn(owner, 'onInit')) owner = Object.getPrototypeOf(owner);
    if (owner) owners.add(owner);
  }
  const begun = new WeakSet();
  for (const owner of owners) {
    const { onInit } = owner;
    owner.onInit = function (vitest) {
      if (!begun.has(vitest)) {
        begun.add(vitest);
        guarded(begin)(vitest);
      }
      return onInit.apply(this, arguments);
    };
  }
}

/** Has the listener hear this vitest; `files` are the only ones to run, if there are such. */
function hear(vitest, listener, files) {
  const { report, globTestFiles } = vitest;
  const told = guarded((name, args) => tell(vitest, listener, name, args));
  vitest.report = function (name, ...args) {
    told(name, args);
    return report.call(this, name, ...args);
  };
  if (files) vitest.globTestFiles = () => globTestFiles.call(vitest, files);
  if (claim().corner) vitest.config.bail = 0;
}

function tell(vitest, listener, name, args) {
  const modules = () => (args[0] || []).filter(Boolean).map((file) => new Module(file));
  if (name === 'onCollected') for (const module of modules()) listener.onTestModuleCollected(module);
  else if (name === 'onTaskUpdate') update(vitest, listener, args[0]);
  else if (name === 'onFinished') finish(listener, modules(), args[1] || []);
  else if (name === 'onWatcherRerun') listener.onWatcherRerun();
}

function update(vitest, listener, packs) {
  for (const [id] of packs) {
    const task = vitest.state.idMap.get(id);
    if (task && isTest(task)) listener.onTestCaseResult(new Test(task));
  }
}

function finish(listener, modules, errors) {
  for (const module of modules) {
    // What a failed hook kept from running has no result at all.
    for (const test of module.children.allTests()) {
      test.over = true;
      listener.onTestCaseResult(test);
    }
    for (const suite of module.suites()) listener.onTestSuiteResult(suite);
  }
  listener.onTestRunEnd(modules, errors);
}

const isTest = (task) => task.type === 'test' || task.type === 'custom';

/** Of a thrown `undefined` there is a message without a word. */
function said(error) {
  const wordless = 'message' in error && error.message === undefined;
  return wordless ? { ...error, message: 'undefined' } : error;
}

class Entity {
  constructor(task) {
    this.task = task;
    this.id = task.id;
    this.made = new Map();
    this.children = { allTests: () => this.tests(task.tasks || []) };
  }

  *tests(tasks) {
    for (const task of tasks) {
      if (!isTest(task)) yield* this.tests(task.tasks || []);
      else {
        if (!this.made.has(task)) this.made.set(task, new Test(task));
        yield this.made.get(task);
      }
    }
  }

  errors() {
    return (this.task.result && this.task.result.errors) || [];
  }
}

class Module extends Entity {
  get moduleId() {
    return this.task.filepath;
  }

  *suites(tasks = this.task.tasks) {
    for (const task of tasks) {
      if (isTest(task)) continue;
      yield* this.suites(task.tasks);
      yield new Entity(task);
    }
  }
}

class Test {
  constructor(task) {
    this.task = task;
    this.id = task.id;
    this.location = task.location;
    this.options = { fails: task.fails };
    this.over = false;
  }

  get module() {
    return new Module(this.task.file || this.task.suite.file);
  }

  result() {
    const { mode, result } = this.task;
    const state = result ? result.state : mode;
    if (state === 'fail') return { state: 'failed', errors: (result.errors || []).map(said) };
    if (state === 'pass') return { state: 'passed', errors: [] };
    const never = this.over || state === 'skip' || state === 'todo';
    return { state: never ? 'skipped' : 'pending', errors: [] };
  }

  diagnostic() {
    return this.task.result;
  }
}

module.exports = { hear, listen };
