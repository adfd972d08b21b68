// Counts which lines of the changed files run, with what V8 itself counts: sources stay as they are. It is
// asked to count when the first of those files is about to be compiled, so that programs that load none of
// them run as ever. What was counted is written down in the places of the text that ran, with its source map;
// what that is in the user's file is told from it later.
'use strict';

const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const { fileURLToPath } = require('url');
const vm = require('vm');
const { isMainThread, threadId } = require('worker_threads');
const { guarded } = require('./stream.cjs');

/** What is there once for a process or a thread, though modules may be loaded anew. */
const KEPT = Symbol.for('redgreen.coverage');
const SCRIPT = /\.[cm]?[jt]sx?$/;
const INSTALLED = /[\\/]node_modules[\\/]/;
const named = (programs) =>
  new RegExp(`[\\\\/](?:bin|node_modules[\\\\/](?:\\.bin[\\\\/])?)[\\\\/]?(?:${programs})(?:\\.[cm]?js)?(?:[\\\\/]|$)`);
/** Programs that run nothing of a project themselves. */
const ONLY_START = named('npm|npx|pnpm|yarn|corepack|npm-run-all2?|concurrently|cross-env|nyc|c8');
/** Programs that load a project's code through `vm` or `require`, where it is seen before it is compiled. */
const SEEN_LOADING = named(
  'jest|jest-\\w+|react-scripts|craco|vitest|tinypool|typescript|tsc|eslint|prettier|webpack|rollup|vite'
);
/** Programs whose tests run in a browser. */
const IN_BROWSERS = named(
  'karma|cypress|playwright|@playwright|@web|wtr|web-test-runner|testem|nightwatch|webdriverio|@wdio'
);
/** Where builds leave what they make. */
const BUILT = /^(.*[\\/])?(dist|build|out|output|compiled|bundle|\.[^\\/.]+)[\\/]/;
/** What does not run before it is made into something else. */
const TYPED = /\.([cm]?tsx?|jsx)$/;
const MAP = /\/\/[#@] sourceMappingURL=(\S+)\s*(?:\*\/\s*)?$/;
const INLINE = /^data:application\/json[^,]*?(;base64)?,/;
/** Where a comment with an external map is looked for. */
const TAIL = 1000;
/** More files than these are not looked at for how they are loaded. */
const LOOKED_AT = 200;
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'];

class Counter {
  constructor(folder, asked) {
    this.folder = folder;
    this.asked = new Set(asked);
    this.names = new Set(asked.map((file) => path.basename(file)));
    this.stems = new Set([...this.names].filter((name) => TYPED.test(name)).map(stemOf));
    this.root = process.env.REDGREEN_FOLDER || process.cwd();
    /** The texts of scripts that were seen before they were compiled, and what they are made from. */
    this.texts = new Map();
    this.paths = new Map();
    this.written = new Set();
    this.told = new Set();
    /** Sessions of others that count, and what was taken while they did. */
    this.others = new Set();
    this.taken = [];
    this.running = false;
    const id = crypto.randomBytes(4).toString('hex');
    this.file = path.join(folder, `node-${process.pid}-${threadId}-${id}.jsonl`);
    const { Session } = require('inspector');
    // Before anybody watches which handles are opened.
    this.session = new Session();
    this.session.connect();
    this.post = Session.prototype.post;
  }

  /** What V8 answers; it does so at once. */
  ask(method, params) {
    let result;
    this.post.call(this.session, method, params, (error, answer) => {
      if (!error) result = answer;
    });
    return result;
  }

  start() {
    if (this.running) return;
    this.running = true;
    // Where Node counts for somebody else, it does so from the beginning.
    if (!process.env.NODE_V8_COVERAGE) this.count();
    if (isMainThread && !SEEN_LOADING.test(process.argv[1] || '')) this.watchSignals();
  }

  count() {
    this.ask('Profiler.enable');
    this.ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** What has run is not lost with a process that is asked to end, as servers are. */
  watchSignals() {
    for (const signal of SIGNALS) {
      const ending = () => {
        guarded(() => this.take())();
        if (process.listenerCount(signal) > 1) return;
        process.removeListener(signal, ending);
        process.kill(process.pid, signal);
      };
      process.on(signal, ending);
    }
  }

  /** A script is about to be compiled. */
  sees(text, name, options) {
    const file = this.fileOf(name);
    if (!file || typeof text !== 'string' || INSTALLED.test(file)) return;
    if (!this.askedFor(file) && !this.isBuilt(file, text)) return;
    this.start();
    const known = this.texts.get(file) || [];
    if (known.some((one) => one.text === text)) return;
    const { columnOffset = 0 } = options || {};
    const before = columnOffset < 0 ? -columnOffset : undefined;
    this.texts.set(file, [...known, { text, before, sure: Boolean(options) }]);
  }

  /** Whether a file says that it was made from others; where it was and does not, that is written down. */
  isBuilt(file, text) {
    const map = MAP.exec(text.slice(-TAIL));
    if (map) return !INLINE.test(map[1]);
    const likely = BUILT.test(path.relative(this.root, file)) || this.stems.has(stemOf(path.basename(file)));
    if (likely && !TYPED.test(file) && !this.told.has(file)) this.write({ built: file });
    this.told.add(file);
    return false;
  }

  /** The path that a script has by its name: a path itself, or an address. */
  fileOf(name) {
    if (typeof name !== 'string') return undefined;
    if (!this.paths.has(name)) this.paths.set(name, guarded(fileOf)(name));
    return this.paths.get(name);
  }

  /** The asked file that this is, also behind links. */
  askedFor(file) {
    if (this.asked.has(file)) return file;
    if (!this.names.has(path.basename(file))) return undefined;
    const real = guarded(fs.realpathSync)(file);
    return this.asked.has(real) ? real : undefined;
  }

  /** Writes down what has run since the last time. */
  take() {
    if (!this.running) return;
    const { NODE_V8_COVERAGE: theirs } = process.env;
    const found = (theirs && takenByNode(theirs)) || this.ask('Profiler.takePreciseCoverage').result;
    if (this.others.size > 0) this.taken.push(...found);
    this.keep(found);
  }

  keep(scripts) {
    for (const script of scripts) guarded(() => this.script(script))();
    this.ask('Debugger.disable');
  }

  script(script) {
    const file = this.fileOf(script.url);
    if (!file || INSTALLED.test(file) || !SCRIPT.test(file)) return;
    const asked = this.askedFor(file);
    const source = asked || this.texts.has(file) ? this.textOf(script, file) : this.builtText(file);
    if (!source) return;
    const ranges = script.functions.flatMap(({ ranges }) =>
      ranges.map(({ startOffset, endOffset, count }) => [startOffset, endOffset, count])
    );
    if (source.id === undefined) source.id = this.writeText(source.text, file, asked);
    if (source.id) this.write({ file: asked || file, before: source.before, text: source.id, ranges });
  }

  /** The text that was compiled: one that was seen, or the file as it is, or else what V8 has. */
  textOf({ scriptId, functions }, file) {
    const length = functions.reduce((end, { ranges }) => Math.max(end, ranges[0].endOffset), 0);
    const known = this.texts.get(file) || [];
    const fits = known.find(({ text }) => text.length === length);
    if (fits || (known.length === 1 && known[0].sure)) return fits || known[0];
    const text = known.length === 0 && guarded(fs.readFileSync)(file, 'utf8');
    const source = { text, sure: true };
    if (!text || text.length !== length) {
      this.ask('Debugger.enable');
      const { scriptSource } = this.ask('Debugger.getScriptSource', { scriptId }) || {};
      if (scriptSource === undefined) return known[0];
      source.text = scriptSource;
    }
    this.texts.set(file, [...known, source]);
    return source;
  }

  /** A file that Node read by itself; none where it was not made from others. */
  builtText(file) {
    if (this.told.has(file)) return undefined;
    const text = guarded(fs.readFileSync)(file, 'utf8');
    if (!text || !this.isBuilt(file, text)) return undefined;
    this.texts.set(file, [{ text }]);
    return this.texts.get(file)[0];
  }

  /** Writes a text with its source map, once for all processes; none where it has nothing of what is asked for. */
  writeText(text, file, asked) {
    const map = guarded(mapOf)(text, file);
    const names = ((map && map.json.sources) || []).map((source) => path.posix.basename(source || ''));
    if (!asked && !names.some((name) => this.names.has(name))) return null;
    const id = crypto.createHash('sha256').update(`${file}\n${text}`).digest('hex').slice(0, 32);
    const target = path.join(this.folder, `node-${id}.text`);
    if (fs.existsSync(target)) return id;
    const { sources, sourceRoot, mappings, sections } = (map && map.json) || {};
    const kept = map && { folder: map.folder, sources, sourceRoot, mappings, sectioned: Boolean(sections) };
    fs.writeFileSync(`${target}.${process.pid}-${threadId}`, JSON.stringify({ text, map: kept }));
    fs.renameSync(`${target}.${process.pid}-${threadId}`, target);
    return id;
  }

  write(note) {
    fs.appendFileSync(this.file, `${JSON.stringify(note)}\n`);
  }

  /** Another session counts, too: V8 gives what it counted only once, and stops for all of them. */
  watchOthers() {
    const { Session } = require('inspector');
    const { post, disconnect } = Session.prototype;
    const counter = this;
    const stopped = guarded((session) => {
      if (!counter.others.delete(session) || !counter.running) return;
      counter.count();
    });
    Session.prototype.post = function (method, params, callback) {
      if (this === counter.session) return post.apply(this, arguments);
      if (method === 'Profiler.takePreciseCoverage') {
        const given = typeof params === 'function' ? params : callback;
        return post.call(this, method, counter.shares(given));
      }
      if (method === 'Profiler.startPreciseCoverage') counter.others.add(this);
      const stops = method === 'Profiler.stopPreciseCoverage' || method === 'Profiler.disable';
      if (!stops || !counter.others.has(this)) return post.apply(this, arguments);
      guarded(() => counter.take())();
      post.apply(this, arguments);
      stopped(this);
    };
    Session.prototype.disconnect = function () {
      disconnect.call(this);
      if (this !== counter.session) stopped(this);
    };
  }

  /** What another session takes is kept here, and it gets what was taken from it. */
  shares(callback) {
    const amended = guarded((answer) => {
      const theirs = [...answer.result];
      answer.result.push(...this.taken.splice(0));
      if (this.running) this.keep(theirs);
    });
    return (error, answer) => {
      if (!error) amended(answer);
      if (callback) callback(error, answer);
    };
  }

  /** Sees scripts wherever they are compiled by name, but for what Node imports by itself. */
  watchScripts() {
    const told = guarded((text, name, options) => this.sees(text, name, options));
    const construct = (option) => ({
      construct(target, args, made) {
        const options = args[1] || {};
        told(args[0], typeof options === 'string' ? options : options[option], options);
        return Reflect.construct(target, args, made);
      },
    });
    vm.Script = new Proxy(vm.Script, construct('filename'));
    if (vm.SourceTextModule) {
      vm.SourceTextModule = new Proxy(vm.SourceTextModule, construct('identifier'));
    }
    const places = { compileFunction: 2, runInThisContext: 1, runInContext: 2, runInNewContext: 2 };
    for (const [name, at] of Object.entries(places)) {
      const run = vm[name];
      vm[name] = function (...args) {
        const options = args[at] || {};
        told(args[0], typeof options === 'string' ? options : options.filename, options);
        return run.apply(this, args);
      };
    }
    const Module = require('module');
    const { _compile } = Module.prototype;
    Module.prototype._compile = function (text, file) {
      // Node may change it before it is compiled.
      told(text, file, null);
      return _compile.apply(this, arguments);
    };
    Module.syncBuiltinESMExports();
  }
}

function stemOf(name) {
  return name.replace(/(\.d)?\.\w+$/, '');
}

function fileOf(name) {
  const plain = name.startsWith('file:') ? fileURLToPath(name.replace(/[?#].*$/, '')) : name.replace(/\?.*$/, '');
  return path.isAbsolute(plain) ? plain : undefined;
}

/** The source map of a text: in it, or in a file. */
function mapOf(text, file) {
  const at = text.lastIndexOf('sourceMappingURL=');
  if (at < 0) return undefined;
  const [address] = text.slice(at + 'sourceMappingURL='.length).split(/\s/, 1);
  const inline = INLINE.exec(address);
  if (!inline) {
    const place = path.resolve(path.dirname(file), decodeURIComponent(address));
    return { json: JSON.parse(fs.readFileSync(place, 'utf8')), folder: path.dirname(place) };
  }
  const data = address.slice(inline[0].length);
  const json = inline[1] ? Buffer.from(data, 'base64').toString() : decodeURIComponent(data);
  return { json: JSON.parse(json), folder: path.dirname(file) };
}

/** What Node has counted for another tool: written where that one finds it, too. */
function takenByNode(folder) {
  const own = (name) => name.startsWith(`coverage-${process.pid}-`);
  const list = () => (fs.existsSync(folder) ? fs.readdirSync(folder).filter(own) : []);
  const before = new Set(list());
  require('v8').takeCoverage();
  const added = list().filter((name) => !before.has(name));
  if (added.length === 0) return null;
  return added.flatMap((name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')).result);
}

/** Whether Node may import one of the files by itself. */
function mayBeImported(asked) {
  return asked.length > LOOKED_AT || asked.some(isModule);
}

function isModule(file) {
  if (/\.c[jt]s$/.test(file)) return false;
  if (/\.m[jt]s$/.test(file)) return true;
  const text = guarded(fs.readFileSync)(file, 'utf8') || '';
  return /^\s*(import|export)\b/m.test(text) || ofModules(path.dirname(file));
}

function ofModules(folder) {
  for (let at = folder; ; at = path.dirname(at)) {
    const manifest = guarded(fs.readFileSync)(path.join(at, 'package.json'), 'utf8');
    if (manifest) return (guarded(JSON.parse)(manifest) || {}).type === 'module';
    if (at === path.dirname(at)) return false;
  }
}

/** Whether this is `node --test`, which runs each file in a process of its own. */
function onlyStarts(script) {
  const options = process.execArgv;
  const alone = options.some((option) => /^--(experimental-)?test-isolation=none/.test(option));
  return ONLY_START.test(script) || (options.includes('--test') && !process.env.NODE_TEST_CONTEXT && !alone);
}

/** Watches this process, if there is something to count. */
function watch(folder) {
  const script = process.argv[1] || '';
  if (process[KEPT] || onlyStarts(script)) return;
  const lines = fs.readFileSync(path.join(folder, 'asked.txt'), 'utf8').split('\n');
  const asked = lines.filter((line) => SCRIPT.test(line));
  if (asked.length === 0) return;
  const counter = new Counter(folder, asked);
  process[KEPT] = counter;
  if (isMainThread) fs.writeFileSync(path.join(folder, 'node-here'), '');
  if (isMainThread && IN_BROWSERS.test(script)) cannot(`${path.basename(script)} runs its tests in a browser`);
  counter.watchScripts();
  counter.watchOthers();
  if (process.env[FROM_THE_START] || (!SEEN_LOADING.test(script) && mayBeImported(asked))) counter.start();
  process.on('exit', guarded(() => counter.take()));
}

/** Set for programs that let Node import what they run. */
const FROM_THE_START = 'REDGREEN_COVERAGE_FROM_THE_START';

/** Writes down what has run until now: this process may be ended without a word. */
const flush = guarded(() => process[KEPT] && process[KEPT].take());

/** Says why something is not counted. */
const cannot = guarded((problem) => process[KEPT] && process[KEPT].write({ problem }));

module.exports = { FROM_THE_START, cannot, flush, watch };
