// redgreen's door into JavaScript test runners, loaded into every Node program of a check through
// NODE_OPTIONS. It does nothing but wait for a runner, or for a file whose lines are counted, to be loaded,
// prints nothing, and whatever goes wrong in here stays in here: the program is the user's.
'use strict';

const VITEST = /(^|[\\/])vitest(\.mjs)?$/;
/** Programs that start vitest in their own process. */
const STARTERS = /(^|[\\/])(ng|nx|run-executor)(\.c?js)?$/;
const RUNS_NODE_TESTS = /(^|[\\/])borp(\.m?js)?$/;
const SCRIPT_BYTES = 1 << 20;
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
  const node = require('./node-runner.cjs');
  if (node.inFile()) node.hookFile();
  else if (process.env.REDGREEN_STREAM && node.concerns()) node.hook();
}

/** Programs that run test files with Node's own runner. */
function watchRun(script) {
  if (process.execArgv.includes('--test') || process.env.NODE_TEST_CONTEXT) return;
  if (RUNS_NODE_TESTS.test(script || '')) require('./node-runner.cjs').hookRun();
}

/** vitest's modules never pass through `require`: the program tells whether it will run. */
function watchVitest(script) {
  const { existsSync, readFileSync, statSync } = require('fs');
  if (!script || !existsSync(script)) return;
  const starts = () =>
    STARTERS.test(script) ||
    (statSync(script).size < SCRIPT_BYTES && readFileSync(script, 'utf8').includes('vitest/node'));
  if (VITEST.test(script)) require('./vitest.cjs').hook(script);
  else if (starts()) {
    const paths = [require('path').dirname(script), process.cwd()];
    const manifest = require.resolve('vitest/package.json', { paths });
    require('./vitest.cjs').hook(manifest.replace(/package\.json$/, 'vitest.mjs'));
  }
}

try {
  const { REDGREEN_COVERAGE } = process.env;
  if (REDGREEN_COVERAGE) require('./coverage.cjs').watch(REDGREEN_COVERAGE);
} catch {}
try {
  const { REDGREEN_REACHED, REDGREEN_ROOT } = process.env;
  if (REDGREEN_REACHED && REDGREEN_ROOT) require('./reached.cjs').watch(REDGREEN_REACHED, REDGREEN_ROOT);
} catch {}
try {
  const threads = require('worker_threads');
  if (threads.isMainThread) watchNode();
  const { REDGREEN_STREAM, REDGREEN_MOCHA } = process.env;
  // The second one is for the workers of a mocha.
  if ((REDGREEN_STREAM || REDGREEN_MOCHA) && threads.isMainThread) watchModules();
  if (REDGREEN_STREAM && threads.isMainThread) {
    watchRun(process.argv[1]);
    watchVitest(process.argv[1]);
  }
} catch {}
