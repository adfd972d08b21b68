// Runs in vitest's workers, before each test file: writes that a test begins, that it passed, and what ran
// until the file ended, because workers are ended without a word.
import fs from 'node:fs';
import { createRequire } from 'node:module';

function announce() {
  const { handed, identities } = createRequire(import.meta.url)('./vitest.cjs');
  const vitest = globalThis.__vitest_index__;
  if (!handed || !vitest) return;
  const { stream, run, folder } = JSON.parse(handed);
  const known = new Map();
  const idOf = (task) => {
    if (!known.has(task.id)) {
      for (const [{ id }, name] of identities(folder, task.file)) known.set(id, name);
    }
    return known.get(task.id);
  };
  const write = (event, task, more) => {
    try {
      const place = { file: task.file.filepath, line: task.location && task.location.line };
      const record = { event, run, worker: true, test: idOf(task), ...place, ...more };
      if (record.test) fs.appendFileSync(stream, `${JSON.stringify(record)}\n`);
    } catch {}
  };
  vitest.beforeEach(({ task }) => write('start', task));
  // The first hook of the file to be registered is the last to run.
  vitest.afterEach(({ task }) => {
    const { state, startTime } = task.result || {};
    const ms = startTime ? Math.max(0, Math.round(Date.now() - startTime)) : undefined;
    if (state === 'pass' && !task.fails) write('end', task, { outcome: 'passed', ms });
  });
}

function count() {
  const { flush } = createRequire(import.meta.url)('./coverage.cjs');
  const vitest = globalThis.__vitest_index__;
  if (process.env.REDGREEN_COVERAGE && vitest) vitest.afterAll(() => flush());
}

for (const prepare of [announce, count]) {
  try {
    prepare();
  } catch {}
}
