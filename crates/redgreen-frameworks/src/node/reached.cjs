// Notes which files of the project are opened or loaded, and which of its files asked for that: the nearest on the
// stack. What it was given to open cannot be seen here: where another file of the project called it, that one may have
// named the file, and it is said that it is not sure. Each pair is written once, when it is seen.
'use strict';

const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const { fileURLToPath } = require('url');
const { threadId } = require('worker_threads');

/** What is there once for a process or a thread, though modules may be loaded anew. */
const KEPT = Symbol.for('redgreen.reached');
const OUTSIDE = /[\\/](node_modules|\.git|\.redgreen)[\\/]/;
/** The most pairs that one process writes, and how often one file is looked at that brings nothing new. */
const PAIRS_MAX = 20000;
const LOOKS_MAX = 40;
const FRAMES_MAX = 100;
const OPENING = ['readFileSync', 'readFile', 'openSync', 'open', 'createReadStream'];
const PROMISING = ['readFile', 'open'];
const WRITES = /[wa]|^r\+$/;

class Watcher {
  constructor(folder, root) {
    this.root = fs.realpathSync(root) + path.sep;
    this.pairs = new Set();
    this.looks = new Map();
    this.names = new Map();
    const id = crypto.randomBytes(4).toString('hex');
    this.file = path.join(folder, `node-${process.pid}-${threadId}-${id}.jsonl`);
    this.append = fs.appendFileSync;
    this.exists = fs.statSync;
  }

  /** The path from the root of what belongs to the project; empty for anything else. */
  own(name) {
    if (!this.names.has(name)) this.names.set(name, this.found(name));
    return this.names.get(name);
  }

  found(name) {
    let file = name.startsWith('file:') ? fileURLToPath(name.split('?')[0]) : name.split('?')[0];
    if (name.startsWith('node:')) return '';
    file = path.resolve(file);
    if (!file.startsWith(this.root)) return '';
    const inside = file.slice(this.root.length - 1);
    return OUTSIDE.test(inside) ? '' : inside.slice(1).split(path.sep).join('/');
  }

  opened(given, options) {
    let name = given;
    if (given instanceof URL) name = fileURLToPath(given);
    else if (Buffer.isBuffer(given)) name = given.toString();
    if (typeof name !== 'string') return;
    const flags = typeof options === 'string' ? '' : options && options.flags ? options.flags : options && options.flag;
    if (typeof flags === 'string' && WRITES.test(flags)) return;
    const file = this.own(name.startsWith('file:') ? name : path.resolve(name));
    const looks = this.looks.get(file) || 0;
    if (!file || looks > LOOKS_MAX || this.pairs.size > PAIRS_MAX) return;
    this.looks.set(file, looks + 1);
    const asking = this.asking();
    if (asking[0] === file) return;
    const entry = { file, by: asking[0] || '' };
    if (asking.length > 1) entry.unsure = true;
    const line = `${JSON.stringify(entry)}\n`;
    if (this.pairs.has(line)) return;
    this.pairs.add(line);
    const found = this.exists(this.root + file, { throwIfNoEntry: false });
    if (found && found.isFile()) this.append(this.file, line);
  }

  /** The files of the project on the stack, the nearest first. */
  asking() {
    const { prepareStackTrace, stackTraceLimit } = Error;
    const holder = {};
    let names = [];
    try {
      Error.stackTraceLimit = FRAMES_MAX;
      Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName());
      Error.captureStackTrace(holder);
      names = holder.stack;
    } finally {
      Error.prepareStackTrace = prepareStackTrace;
      Error.stackTraceLimit = stackTraceLimit;
    }
    const own = Array.isArray(names) ? names.map((name) => (name ? this.own(name) : '')) : [];
    return [...new Set(own.filter(Boolean))];
  }
}

function watched(watcher, holder, name) {
  const original = holder[name];
  if (typeof original !== 'function') return;
  const { [name]: replaced } = {
    [name](...given) {
      if (!watcher.busy) {
        watcher.busy = true;
        try {
          const isFlagged = name.startsWith('open') && typeof given[1] === 'string';
          watcher.opened(given[0], isFlagged ? { flag: given[1] } : given[1]);
        } catch {}
        watcher.busy = false;
      }
      return original.apply(this, given);
    },
  };
  // Some hang more on a function than that it can be called.
  Object.defineProperties(replaced, Object.getOwnPropertyDescriptors(original));
  holder[name] = replaced;
}

exports.watch = (folder, root) => {
  if (globalThis[KEPT] || !fs.existsSync(folder)) return;
  const watcher = new Watcher(folder, root);
  globalThis[KEPT] = watcher;
  for (const name of OPENING) watched(watcher, fs, name);
  for (const name of PROMISING) watched(watcher, fs.promises, name);
  require('module').syncBuiltinESMExports();
};
