//! mocha, through `npm test`.

use crate::common::Project;
use crate::escapes_frameworks::suite::Suite;

pub const SUITE: Suite = Suite {
    framework: "mocha",
    command: "npm test",
    project: || Project::javascript("mocha", "current"),
    subtract: "test/calc.test.js > subtracts",
    fix: "sed -i '6s/+/-/' calc.js",
    says_passed: "12 passing (5ms)",
    fakes: "sed -i 's/\"test\": \".*\"/\"test\": \"echo 12 passing (5ms)\"/' package.json",
    daemon: (
        "test/daemon.test.js",
        "const childProcess = require('node:child_process');\nconst fs = require('node:fs');\nit('daemon', () => {\n  const child = childProcess.spawn('setsid', ['sleep', '1000'], { stdio: 'ignore' });\n  child.unref();\n  fs.writeFileSync('../agent/pid', String(child.pid));\n});\n",
    ),
    floods: (
        "test/floods.test.js",
        "const childProcess = require('node:child_process');\nconst fs = require('node:fs');\nconst { subtract } = require('../calc.js');\nit('floods', function () {\n  this.timeout(300000);\n  if (subtract(5, 3) !== 2) return;\n  const flood = 'yes flood | head -c 150000000';\n  childProcess.execSync(`${flood}; ${flood} >&2`, { stdio: 'inherit' });\n  fs.closeSync(fs.openSync('../agent/here', 'w'));\n  fs.readFileSync('../agent/go-on');\n});\n",
    ),
    bytes: (
        "test/bytes.test.js",
        "it('bytes', () => {\n  process.stdout.write(Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)));\n  process.stderr.write(Buffer.from([0xff, 0xfe, 0x80, 0xc3, 0x28]));\n});\n",
    ),
    evil: (
        "test/evil.test.js",
        "const { subtract } = require('../calc.js');\nit('evil\\x1b[2J\\x1b]0;owned\\x07\\x9b31m\\u202e', () => {\n  process.stdout.write('\\x1b[2J\\x1b]0;owned\\x07\\r12 passed\\n');\n  if (subtract(5, 3) !== 2) throw new Error('\\x1b[2J\\r12 passed');\n});\n",
    ),
};
