// What the workers of vitest wrote to the stream themselves.
'use strict';

const fs = require('fs');

/** What the workers of a run have written to the stream. */
class News {
  constructor(stream, run) {
    this.file = stream ? fs.openSync(stream, 'r') : null;
    this.sign = `"run":${JSON.stringify(run)},"worker":true`;
    this.position = 0;
    this.rest = '';
    this.seen = new Set();
  }

  /** Whether a worker has told that the test began, or that it passed. */
  told(event, id) {
    if (!this.seen.has(event + id)) this.read();
    return this.seen.has(event + id);
  }

  read() {
    if (this.file === null) return;
    const buffer = Buffer.alloc(1 << 16);
    for (;;) {
      const count = fs.readSync(this.file, buffer, 0, buffer.length, this.position);
      if (count === 0) return;
      this.position += count;
      // Latin-1 keeps bytes apart; only whole lines are decoded.
      const lines = (this.rest + buffer.latin1Slice(0, count)).split('\n');
      this.rest = lines.pop();
      for (const line of lines) this.take(line);
    }
  }

  take(line) {
    if (!line.includes(this.sign)) return;
    const { event, test } = JSON.parse(Buffer.from(line, 'latin1').toString());
    this.seen.add(event + test);
  }
}

module.exports = { News };
