// What the reporters share: the report stream, and the ids of tests.
'use strict';

const crypto = require('crypto');
const fs = require('fs');
const path = require('path');

const ID_CHARS = 400;
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
      // What is seen in a corner is compared test by test: it goes on to its end.
      corner: Boolean(process.env.REDGREEN_CORNER),
    };
    delete process.env.REDGREEN_STREAM;
    delete process.env.REDGREEN_ONLY;
    delete process.env.REDGREEN_CORNER;
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

module.exports = { Run, claim, guarded, idOf, relative };
