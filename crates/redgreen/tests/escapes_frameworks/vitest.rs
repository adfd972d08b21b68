//! vitest, through `npm test`.

use crate::common::Project;
use crate::escapes_frameworks::suite::Suite;

pub const SUITE: Suite = Suite {
    framework: "vitest",
    command: "npm test",
    project: || Project::javascript("vitest", "current"),
    subtract: "test/calc.test.js > subtracts",
    fix: "sed -i '6s/+/-/' calc.js",
    says_passed: "Tests  12 passed (12)",
    fakes: "sed -i 's/\"test\": \".*\"/\"test\": \"echo Tests  12 passed (12)\"/' package.json",
    daemon: (
        "test/daemon.test.js",
        "import childProcess from 'node:child_process';\nimport fs from 'node:fs';\nimport { test } from 'vitest';\ntest('daemon', () => {\n  const child = childProcess.spawn('setsid', ['sleep', '1000'], { stdio: 'ignore' });\n  child.unref();\n  fs.writeFileSync('../agent/pid', String(child.pid));\n});\n",
    ),
    floods: (
        "test/floods.test.js",
        "import childProcess from 'node:child_process';\nimport fs from 'node:fs';\nimport { test } from 'vitest';\nimport { subtract } from '../calc.js';\ntest('floods', () => {\n  if (subtract(5, 3) !== 2) return;\n  const flood = 'yes flood | head -c 150000000';\n  childProcess.execSync(`${flood}; ${flood} >&2`, { stdio: 'inherit' });\n  fs.closeSync(fs.openSync('../agent/here', 'w'));\n  fs.readFileSync('../agent/go-on');\n}, 300000);\n",
    ),
    bytes: (
        "test/bytes.test.js",
        "import { test } from 'vitest';\ntest('bytes', () => {\n  process.stdout.write(Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)));\n  process.stderr.write(Buffer.from([0xff, 0xfe, 0x80, 0xc3, 0x28]));\n});\n",
    ),
    evil: (
        "test/evil.test.js",
        "import { test } from 'vitest';\nimport { subtract } from '../calc.js';\ntest('evil\\x1b[2J\\x1b]0;owned\\x07\\x9b31m\\u202e', () => {\n  process.stdout.write('\\x1b[2J\\x1b]0;owned\\x07\\r12 passed\\n');\n  if (subtract(5, 3) !== 2) throw new Error('\\x1b[2J\\r12 passed');\n});\n",
    ),
};
