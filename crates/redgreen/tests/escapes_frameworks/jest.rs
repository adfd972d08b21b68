//! jest, through `npm test`.

use crate::common::Project;
use crate::escapes_frameworks::suite::{Broken, Suite};

pub const SUITE: Suite = Suite {
    framework: "jest",
    command: "npm test",
    project: || Project::javascript("jest", "current"),
    file: "calc.js",
    subtract: "test/calc.test.js > subtracts",
    fix: "sed -i '6s/+/-/' calc.js",
    comment: "// hm",
    says_passed: "Tests:       12 passed, 12 total",
    exits: "sed -i '6s/return.*/process.exit(0);/' calc.js",
    exit_verdict: "inconclusive",
    fakes: "sed -i 's/\"test\": \".*\"/\"test\": \"echo Tests:       12 passed, 12 total\"/' package.json",
    hangs: "sed -i '6s/return.*/Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);/' calc.js",
    hang_limit_seconds: 15,
    daemon: (
        "test/daemon.test.js",
        "const childProcess = require('node:child_process');\nconst fs = require('node:fs');\ntest('daemon', () => {\n  const child = childProcess.spawn('setsid', ['sleep', '1000'], { stdio: 'ignore' });\n  child.unref();\n  fs.writeFileSync('../agent/pid', String(child.pid));\n});\n",
    ),
    floods: (
        "test/floods.test.js",
        "const childProcess = require('node:child_process');\nconst fs = require('node:fs');\nconst { subtract } = require('../calc.js');\ntest('floods', () => {\n  if (subtract(5, 3) !== 2) return;\n  const flood = 'yes flood | head -c 150000000';\n  childProcess.execSync(`${flood}; ${flood} >&2`, { stdio: 'inherit' });\n  fs.closeSync(fs.openSync('../agent/here', 'w'));\n  fs.readFileSync('../agent/go-on');\n}, 300000);\n",
    ),
    bytes: (
        "test/bytes.test.js",
        "test('bytes', () => {\n  process.stdout.write(Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)));\n  process.stderr.write(Buffer.from([0xff, 0xfe, 0x80, 0xc3, 0x28]));\n});\n",
    ),
    evil: (
        "test/evil.test.js",
        "const { subtract } = require('../calc.js');\ntest('evil\\x1b[2J\\x1b]0;owned\\x07\\x9b31m\\u202e', () => {\n  process.stdout.write('\\x1b[2J\\x1b]0;owned\\x07\\r12 passed\\n');\n  if (subtract(5, 3) !== 2) throw new Error('\\x1b[2J\\r12 passed');\n});\n",
    ),
    breaks: Broken {
        script: "sed -i '5s/)//' calc.js",
        error_type: "SyntaxError",
        file: "calc.js",
        line: 5,
    },
    dies: "sed -i \"6s/return.*/process.kill(process.pid, 'SIGSEGV');/\" calc.js",
    death: "SIGSEGV",
    in_flight: "test/calc.test.js > subtracts",
};
