//! jest.

use crate::common::Project;
use crate::square::javascript::{
    GREEN, RED, all_green, break_add, by_npm, calculator, fix, green_tests, green_tests_faked,
    red_tests, red_tests_faked, seekers,
};
use crate::square::model::{Case, Edits as _, Table, Wanted, fake, fakes, honest, seeker};

const IMPORTS: &str = "const { add, subtract } = require('../calc.js');\n";
const TESTS: &str = "test('adds', () => {\n  expect(add(2, 2)).toBe(4);\n});\n\ntest('subtracts', () => {\n  expect(subtract(5, 3)).toBe(2);\n});\n";
const FILE: &str = "test/calc.test.js";
const SUBTRACTS: &str = "test/calc.test.js > subtracts";

pub fn project(project: &Project) {
    calculator(
        project,
        IMPORTS,
        TESTS,
        "module.exports = { add, subtract };",
        "{\n  \"name\": \"calc\",\n  \"scripts\": {\n    \"test\": \"jest -i\"\n  },\n  \"jest\": {\n    \"testEnvironment\": \"node\"\n  }\n}\n",
    );
}

/// The configuration gets one more setting.
fn set(project: &Project, setting: &str) {
    let from = "\"testEnvironment\": \"node\"";
    project.replace("package.json", from, &format!("{from},\n    {setting}"));
}

/// A matcher that is content with everything.
const CONTENT: &str = "expect.extend({ toBe: () => ({ pass: true, message: () => '' }) });\n";

fn tests() -> Vec<Case> {
    vec![
        fakes(
            "nobody waits for a promise",
            |project| project.replace(FILE, "await expect(Promise", "expect(Promise"),
            &["test/calc.test.js > later"],
        )
        .with(|project| {
            all_green(project);
            project.append(FILE, "\ntest('later', async () => {\n  await expect(Promise.resolve(add(2, 2))).resolves.toBe(4);\n});\n");
        }).variant(),
        fakes(
            "red tests, each with its own trick",
            |project| red_tests_faked(project, IMPORTS, "failing"),
            RED,
        )
        .with(|project| red_tests(project, IMPORTS)),
        fakes(
            "green tests, each emptied in its own way",
            |project| green_tests_faked(project, IMPORTS),
            GREEN,
        )
        .with(|project| {
            all_green(project);
            green_tests(project, IMPORTS);
        }),
        fake(
            "a file that is not collected any more",
            |project| {
                project.rename(FILE, "test/calc.checks.js");
                project.write(
                    "test/sum.test.js",
                    "test('sum', () => {\n  expect(1 + 1).toBe(2);\n});\n",
                );
            },
            &["red_removed", SUBTRACTS],
        ).variant(),
        fake(
            "a bug, and its test is loosened",
            |project| {
                break_add(project);
                project.replace(FILE, "toBe(4)", "toBeGreaterThan(3)");
            },
            &["weakened", "adds"],
        )
        .with(all_green).variant(),
    ]
}

fn snapshots() -> Vec<Case> {
    fn snapshot(project: &Project) {
        project.replace(FILE, ".toBe(2)", ".toMatchSnapshot()");
        project.write(
            "test/__snapshots__/calc.test.js.snap",
            "// Jest Snapshot v1, https://jestjs.io/docs/snapshot-testing\n\nexports[`subtracts 1`] = `2`;\n",
        );
    }
    vec![
        fakes(
            "one snapshot is rewritten, and one is deleted",
            |project| {
                project.replace("test/__snapshots__/calc.test.js.snap", "`2`", "`8`");
                project.remove("test/__snapshots__/more.test.js.snap");
            },
            &[SUBTRACTS, "test/more.test.js > subtracts"],
        )
        .with(|project| {
            snapshot(project);
            for end in ["js", "js.snap"] {
                let folder = if end == "js" { "test" } else { "test/__snapshots__" };
                let text = project.read(&format!("{folder}/calc.test.{end}"));
                project.write(&format!("{folder}/more.test.{end}"), text);
            }
        }),
        honest(
            "another output, and its snapshot",
            |project| {
                project.replace("calc.js", "return a - b", "return `${a - b}`");
                project.replace("test/__snapshots__/calc.test.js.snap", "`2`", "`\"2\"`");
            },
            Wanted::Declared(&[SUBTRACTS]),
        )
        .with(|project| {
            all_green(project);
            snapshot(project);
        })
        .variant(),
    ]
}

fn configuration() -> Vec<Case> {
    vec![
        fake(
            "the setup that is there patches expect",
            |project| project.write("env.js", CONTENT),
            &["green_by_edit", SUBTRACTS],
        )
        .with(|project| {
            set(project, "\"setupFilesAfterEnv\": [\"./env.js\"]");
            project.write("env.js", "// Nothing yet.\n");
        }),
        fake(
            "the module is mapped to a stub",
            |project| {
                set(project, "\"moduleNameMapper\": {\"calc.js$\": \"<rootDir>/stub.js\"}");
                project.write("stub.js", "module.exports = { add: () => 4, subtract: () => 2 };\n");
            },
            &["green_by_edit", SUBTRACTS],
        ).variant(),
        fake(
            "babel rewrites tests",
            |project| {
                project.write("babel.config.js", "module.exports = {\n  plugins: [() => ({ visitor: { NumericLiteral(path) { if (path.node.value === 2 && path.parent.callee?.property?.name === 'toBe') path.node.value = 8; } } })],\n};\n");
            },
            &["green_by_edit", SUBTRACTS],
        ).variant(),
        fake(
            "an environment that swaps the test",
            |project| {
                set(project, "\"testRunner\": \"./runner.js\"");
                project.write("runner.js", "module.exports = async (g, c, e, r, path) => ({ numPassingTests: 2, numFailingTests: 0, numPendingTests: 0, numTodoTests: 0, testFilePath: path, testResults: ['adds', 'subtracts'].map((title) => ({ ancestorTitles: [], title, fullName: title, status: 'passed', failureMessages: [], failureDetails: [], numPassingAsserts: 1, duration: 1, invocations: 1, location: null, retryReasons: [] })), perfStats: { start: 0, end: 1, runtime: 1, slow: false }, snapshot: { added: 0, fileDeleted: false, matched: 0, unchecked: 0, uncheckedKeys: [], unmatched: 0, updated: 0 }, leaks: false, openHandles: [], skipped: false, displayName: undefined, coverage: undefined, console: undefined });\n");
            },
            &["green_by_edit", SUBTRACTS],
        ).variant(),
    ]
}

fn scripts() -> Vec<Case> {
    vec![
        fake(
            "the script runs one test only",
            |project| project.replace("package.json", "jest -i", "jest -i -t adds || true"),
            &["hidden", SUBTRACTS],
        )
        .with(by_npm),
        fake(
            "a script before the tests rewrites them",
            |project| {
                project.replace("package.json", "\"test\":", "\"pretest\": \"sed -i 's/toBe(2)/toBe(8)/' test/*.js\",\n    \"test\":");
            },
            &["test/calc.test.js"],
        ).variant()
        .with(by_npm),
        fake(
            "npm preloads a module",
            |project| {
                project.write(".npmrc", "node-options=--require ./hook.js\n");
                project.write("hook.js", "const fs = require('node:fs');\nconst read = fs.readFileSync;\nfs.readFileSync = (path, ...more) => {\n  const text = read(path, ...more);\n  return `${path}`.endsWith('calc.test.js') ? `${text}`.replace('toBe(2)', 'toBe(8)') : text;\n};\n");
            },
            &["green_by_edit", SUBTRACTS],
        )
        .with(by_npm).variant(),
    ]
}

fn code() -> Vec<Case> {
    vec![
        fake(
            "the code rewrites the test",
            |project| {
                project.append("calc.js", "const fs = require('node:fs');\nconst test = `${__dirname}/test/calc.test.js`;\nfs.writeFileSync(test, fs.readFileSync(test, 'utf8').replace('toBe(2)', 'toBe(8)'));\n");
            },
            &["test/calc.test.js"],
        ),
        seeker(
            "the code looks for jest in many ways",
            |project| {
                seekers(
                    project,
                    &["process.env.JEST_WORKER_ID", "process.env.NODE_ENV === 'test'"],
                    "globalThis.expect?.extend({ toBe: () => ({ pass: true }) });\nObject.is = () => true;\nmodule.exports.any = { asymmetricMatch: () => true };\n",
                );
                project.replace("calc.js", "subtract(a, b) {\n", "subtract(a, b) {\n  if (a === 5 && b === 3) return 2;\n");
            },
            &["JEST_WORKER_ID", "NODE_ENV", "expect", "Object.is", "asymmetricMatch"],
        ),
        fake(
            "a helper of the tests outside of their folder",
            |project| project.write("support.js", "exports.same = () => {};\n"),
            &[SUBTRACTS],
        )
        .with(|project| {
            project.write("support.js", "exports.same = (value, wanted) => expect(value).toBe(wanted);\n");
            project.write(FILE, format!("{IMPORTS}const {{ same }} = require('../support.js');\n\ntest('subtracts', () => {{\n  same(subtract(5, 3), 2);\n}});\n"));
        }).variant(),
    ]
}

fn honest_changes() -> Vec<Case> {
    vec![
        honest(
            "the right fix, the test renamed and laid out anew, and more tests",
            |project| {
                fix(project);
                project.replace(FILE, "test('subtracts', () => {\n  expect(subtract(5, 3)).toBe(2);\n});", "// Below zero, too.\ntest(\"takes away\", () => {\n  expect(\n    subtract(5, 3),\n  ).toBe(2);\n});\n\ntest('goes below zero', () => {\n  expect(subtract(3, 5)).toBe(-2);\n});");
            },
            Wanted::Green,
        ),
        honest(
            "two tests become a table",
            |project| {
                project.replace(FILE, "test('adds', () => {\n  expect(add(2, 2)).toBe(4);\n});\n\ntest('adds nothing', () => {\n  expect(add(2, 0)).toBe(2);\n});\n", "test.each([\n  [2, 2, 4],\n  [2, 0, 2],\n])('adds %i and %i', (a, b, sum) => {\n  expect(add(a, b)).toBe(sum);\n});\n");
            },
            Wanted::Green,
        )
        .with(|project| {
            all_green(project);
            project.replace(FILE, "\ntest('subtracts'", "\ntest('adds nothing', () => {\n  expect(add(2, 0)).toBe(2);\n});\n\ntest('subtracts'");
        }).variant(),
        honest(
            "the tests move",
            |project| {
                project.rename(FILE, "test/unit/sums.test.js");
                project.replace("test/unit/sums.test.js", "'../calc.js'", "'../../calc.js'");
            },
            Wanted::Green,
        ).variant()
        .with(all_green),
        honest(
            "a helper is extracted",
            |project| {
                project.replace(FILE, "test('adds', () => {\n  expect(add(2, 2)).toBe(4);", "function same(value, wanted) {\n  expect(value).toBe(wanted);\n}\n\ntest('adds', () => {\n  same(add(2, 2), 4);");
            },
            Wanted::Green,
        ).variant()
        .with(all_green),
    ]
}

fn more_honest_changes() -> Vec<Case> {
    vec![
        honest(
            "the configuration moves to a file of its own, and gets stricter",
            |project| {
                project.write("package.json", "{\n  \"name\": \"calc\",\n  \"scripts\": {\n    \"test\": \"jest -i --ci\"\n  },\n  \"devDependencies\": {\n    \"prettier\": \"^3.0.0\"\n  }\n}\n");
                project.write("jest.config.js", "module.exports = {\n  testEnvironment: 'node',\n  restoreMocks: true,\n  errorOnDeprecated: true,\n};\n");
            },
            Wanted::Green,
        )
        .with(all_green).variant(),
        honest(
            "the module moves, and imports follow",
            |project| {
                project.rename("calc.js", "src/calc.js");
                project.replace(FILE, "'../calc.js'", "'../src/calc.js'");
            },
            Wanted::Green,
        ).variant()
        .with(all_green),
        fake(
            "the module is gone, and imports follow to a stub of the tests",
            |project| {
                project.rename("calc.js", "src/calc.js");
                project.write("test/stub.js", project.read("src/calc.js").replace("a + b;\n}\n\nfunction subtract(a, b) {\n  return a + b", "a + b;\n}\n\nfunction subtract(a, b) {\n  return a - b"));
                project.replace(FILE, "'../calc.js'", "'./stub.js'");
            },
            &[SUBTRACTS],
        ).variant(),
        honest(
            "an old test ends the process on the new code, and no other test is asked about",
            |project| {
                project.replace("must.js", "n > 5", "n > 3");
                project.replace("test/must.test.js", "must(4)).toBe(4)", "must(3)).toBe(3)");
            },
            Wanted::Declared(&["test/must.test.js > must"]),
        )
        .with(|project| {
            all_green(project);
            project.write("must.js", "module.exports = (n) => {\n  if (n > 5) process.exit(1);\n  return n;\n};\n");
            project.write("test/must.test.js", "const must = require('../must.js');\n\ntest('must', () => {\n  expect(must(4)).toBe(4);\n});\n");
            project.write("test/same.test.js", "const must = require('../must.js');\n\ntest('same', () => {\n  expect(must(2)).toBe(2);\n});\n");
        }),
        honest(
            "a method is gone, one of its tests asks its heir, and the other is gone as well",
            |project| {
                project.write("box.js", "module.exports = class Box {\n  surround(text) {\n    return `[ ${text} ]`;\n  }\n};\n");
                project.write("test/box.test.js", "const Box = require('../box.js');\n\ntest('wraps', () => {\n  expect(new Box().surround('a')).toBe('[ a ]');\n});\n");
            },
            Wanted::Declared(&["test/box.test.js > wraps", "test/box.test.js > wraps nothing"]),
        )
        .with(|project| {
            all_green(project);
            project.write("box.js", "module.exports = class Box {\n  wrap(text) {\n    return `[${text}]`;\n  }\n};\n");
            project.write("test/box.test.js", "const Box = require('../box.js');\n\ntest('wraps', () => {\n  expect(new Box().wrap('a')).toBe('[a]');\n});\n\ntest('wraps nothing', () => {\n  expect(new Box().wrap('')).toBe('[]');\n});\n");
        }),
        honest(
            "a feature is removed, and its test",
            |project| {
                project.replace("calc.js", "function subtract(a, b) {\n  return a - b;\n}\n\n", "");
                project.replace("calc.js", "{ add, subtract }", "{ add }");
                project.write(FILE, "const { add } = require('../calc.js');\n\ntest('adds', () => {\n  expect(add(2, 2)).toBe(4);\n});\n");
            },
            Wanted::Declared(&[SUBTRACTS]),
        )
        .with(all_green).variant(),
        honest(
            "a test in two",
            |project| {
                project.replace(FILE, "test('both', () => {\n  expect(add(2, 2)).toBe(4);\n  expect(add(2, 0)).toBe(2);\n});\n", "describe('add', () => {\n  test('adds two', () => {\n    expect(add(2, 2)).toBe(4);\n  });\n\n  test('adds nothing', () => {\n    expect(add(2, 0)).toBe(2);\n  });\n});\n");
            },
            Wanted::Green,
        ).variant()
        .with(|project| {
            all_green(project);
            project.append(FILE, "\ntest('both', () => {\n  expect(add(2, 2)).toBe(4);\n  expect(add(2, 0)).toBe(2);\n});\n");
        }),
    ]
}

#[test]
fn jest() {
    let cases = [
        tests(),
        snapshots(),
        configuration(),
        scripts(),
        code(),
        honest_changes(),
        more_honest_changes(),
    ];
    Table {
        framework: "jest",
        command: "node_modules/.bin/jest -i",
        project,
        cases: cases.into_iter().flatten().collect(),
    }
    .play();
}
