// redgreen's door into JavaScript test runners, loaded into every Node program of a check through
// NODE_OPTIONS. It does nothing but wait for a runner to be loaded, prints nothing, and whatever
// goes wrong in here stays in here: the program is the user's.
'use strict';

const SCRIPTS = /(^|[\\/])vitest(\.mjs)?$/;
const MODULES = /(^|\/)(jest-config|mocha(\.c?js)?)$/;

function watchModules() {
  const { prototype } = require('module');
  const load = prototype.require;
  const known = new Map();
  const hooked = (id, exported) => {
    if (!known.has(exported)) {
      known.set(exported, exported);
      const hook = id.endsWith('jest-config') ? './jest.cjs' : './mocha.cjs';
      known.set(exported, load.call(module, hook).hook(exported));
    }
    return known.get(exported);
  };
  prototype.require = function (id) {
    const exported = load.apply(this, arguments);
    try {
      if (typeof id === 'string' && MODULES.test(id) && exported) return hooked(id, exported);
    } catch {}
    return exported;
  };
}

/** `node --test`, and the files that it runs. */
function watchNode() {
  if (!process.execArgv.includes('--test') && !process.env.NODE_TEST_CONTEXT) return;
  const node = require('./node-test.cjs');
  if (node.inFile()) node.hookFile();
  else if (process.env.REDGREEN_STREAM && node.concerns()) node.hook();
}

try {
  const threads = require('worker_threads');
  if (threads.isMainThread) watchNode();
  if (process.env.REDGREEN_STREAM && threads.isMainThread) {
    watchModules();
    // vitest's modules never pass through `require`.
    if (SCRIPTS.test(process.argv[1] || '')) require('./vitest.cjs').hook(process.argv[1]);
  }
} catch {}
