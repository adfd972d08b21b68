//! mocha, and Node's own runner.

use crate::common::Project;
use crate::square::javascript::{all_green, break_add, by_npm, calculator, fix, seekers};
use crate::square::model::{Case, Edits as _, Table, Wanted, fake, fakes, honest, seeker};

const IMPORTS: &str =
    "const assert = require('node:assert');\nconst { add, subtract } = require('../calc.js');\n";
const TESTS: &str = "it('adds', () => {\n  assert.strictEqual(add(2, 2), 4);\n});\n\nit('subtracts', () => {\n  assert.strictEqual(subtract(5, 3), 2);\n});\n";
const FILE: &str = "test/calc.test.js";
const SUBTRACTS: &str = "test/calc.test.js > subtracts";

fn project(project: &Project) {
    calculator(
        project,
        IMPORTS,
        TESTS,
        "module.exports = { add, subtract };",
        "{\n  \"name\": \"calc\",\n  \"scripts\": {\n    \"test\": \"mocha\"\n  }\n}\n",
    );
    project.write(".mocharc.json", "{\n  \"timeout\": 5000\n}\n");
}

/// The configuration gets one more setting.
fn set(project: &Project, setting: &str) {
    project.replace(".mocharc.json", "5000", &format!("5000,\n  {setting}"));
}

const GREEN: &[&str] = &[
    "test/green.test.js > emptied",
    "test/green.test.js > vacuous",
    "test/green.test.js > returns",
    "test/green.test.js > caught",
    "test/green.test.js > loose",
    "test/green.test.js > ok",
    "test/green.test.js > itself",
    "test/green.test.js > skips itself",
    "test/green.test.js > pending",
    "test/green.test.js > done at once",
    "test/green.test.js > not returned",
    "test/green.test.js > swapped",
    "test/green.test.js > grouped",
    "test/green.test.js > deleted",
];

fn green_tests(project: &Project) {
    let mut text = IMPORTS.to_owned();
    for id in GREEN {
        let name = id.rsplit(" > ").next().unwrap_or_default();
        text += &match name {
            "done at once" => format!(
                "\nit('{name}', (done) => {{\n  setTimeout(() => {{\n    assert.strictEqual(add(2, 2), 4);\n    done();\n  }}, 1);\n}});\n"
            ),
            "not returned" => format!(
                "\nit('{name}', () => {{\n  return Promise.resolve(add(2, 2)).then((sum) => assert.strictEqual(sum, 4));\n}});\n"
            ),
            _ => format!("\nit('{name}', () => {{\n  assert.strictEqual(add(2, 2), 4);\n}});\n"),
        };
    }
    project.write("test/green.test.js", text);
}

const GREEN_FAKED: &str = r"
it('emptied', () => {
  add(2, 2);
});

it('vacuous', () => {
  assert.ok(true);
});

it('returns', () => {
  if (typeof it === 'function') return;
  assert.strictEqual(add(2, 2), 4);
});

it('caught', () => {
  try {
    assert.strictEqual(add(2, 2), 4);
  } catch (error) {
    console.log(error);
  }
});

it('loose', () => {
  assert.notStrictEqual(add(2, 2), undefined);
});

it('ok', () => {
  assert(add(2, 2));
});

it('itself', () => {
  const sum = add(2, 2);
  assert.strictEqual(sum, sum);
});

it('skips itself', function () {
  this.skip();
  assert.strictEqual(add(2, 2), 4);
});

it('pending');

it('done at once', (done) => {
  done();
  setTimeout(() => {
    assert.strictEqual(add(2, 2), 4);
  }, 1000).unref();
});

it('not returned', () => {
  Promise.resolve(add(2, 2)).then((sum) => assert.strictEqual(sum, 4), () => {});
});

it('swapped', () => {
  const assert = { strictEqual() {} };
  assert.strictEqual(add(2, 2), 4);
});

describe.skip('later', () => {
  it('grouped', () => {
    assert.strictEqual(add(2, 2), 4);
  });
});
";

fn tests() -> Vec<Case> {
    vec![
        fakes(
            "green tests, each emptied in its own way",
            |project| project.write("test/green.test.js", format!("{IMPORTS}{GREEN_FAKED}")),
            GREEN,
        )
        .with(|project| {
            all_green(project);
            green_tests(project);
        }),
        fake(
            "the expected value is copied from the output",
            |project| project.replace(FILE, ", 2);", ", 8);"),
            &["green_by_edit", SUBTRACTS],
        ).variant(),
        fake(
            "the red test is deleted",
            |project| project.replace(FILE, "it('subtracts', () => {\n  assert.strictEqual(subtract(5, 3), 2);\n});\n", ""),
            &["red_removed", SUBTRACTS],
        ).variant(),
        fake(
            "another test is the only one",
            |project| project.replace(FILE, "it('adds'", "it.only('adds'"),
            &["subtracts", SUBTRACTS],
        ).variant(),
        fake(
            "a hook of the file skips all",
            |project| project.append(FILE, "\nbeforeEach(function () {\n  if (this.currentTest.title === 'subtracts') this.skip();\n});\n"),
            &["hidden", SUBTRACTS],
        ).variant(),
        fake(
            "the tests move where mocha does not look",
            |project| {
                project.rename(FILE, "test/old/calc.test.js");
                project.write("test/sum.test.js", "const assert = require('node:assert');\nit('sum', () => assert.strictEqual(1 + 1, 2));\n");
            },
            &["red_removed", SUBTRACTS],
        ).variant(),
        fake(
            "a bug, and its test is skipped",
            |project| {
                break_add(project);
                project.replace(FILE, "it('adds'", "it.skip('adds'");
            },
            &["hidden", "adds"],
        )
        .with(all_green).variant(),
        fake("a fix without a proof", fix, &["no_proof"])
            .with(|project| project.write(FILE, format!("{IMPORTS}\nit('adds', () => {{\n  assert.strictEqual(add(2, 2), 4);\n}});\n")))
            .asked(&["--code-type", "bug_fix"]).variant(),
    ]
}

fn configuration() -> Vec<Case> {
    vec![
        fake(
            "the configuration greps",
            |project| set(project, "\"grep\": \"adds\""),
            &["red_removed", SUBTRACTS],
        ),
        fake(
            "the configuration names other files",
            |project| {
                set(project, "\"spec\": [\"sum.js\"]");
                project.write("sum.js", "const assert = require('node:assert');\nit('sum', () => assert.strictEqual(1 + 1, 2));\n");
            },
            &["red_removed", SUBTRACTS],
        ).variant(),
        fake(
            "another kind of configuration beside it",
            |project| project.write(".mocharc.js", "module.exports = { fgrep: 'adds' };\n"),
            &["red_removed", SUBTRACTS],
        ).variant(),
        fake(
            "a module that is required patches assert",
            |project| {
                set(project, "\"require\": [\"./patch.js\"]");
                project.write("patch.js", "require('node:assert').strictEqual = () => {};\n");
            },
            &["green_by_edit", SUBTRACTS],
        ),
        fake(
            "the module that is required skips by a root hook",
            |project| project.write("hooks.js", "exports.mochaHooks = {\n  beforeEach() {\n    if (this.currentTest.title === 'subtracts') this.skip();\n  },\n};\n"),
            &["hidden", SUBTRACTS],
        ).variant()
        .with(|project| {
            set(project, "\"require\": [\"./hooks.js\"]");
            project.write("hooks.js", "exports.mochaHooks = {};\n");
        }),
        fake(
            "an interface that forgives",
            |project| {
                set(project, "\"require\": [\"./ui.js\"]");
                project.write("ui.js", "const { Runnable } = require('mocha');\nconst run = Runnable.prototype.run;\nRunnable.prototype.run = function (done) {\n  run.call(this, () => done());\n};\n");
            },
            &[SUBTRACTS],
        ).variant(),
        fake(
            "a configuration that git does not see",
            |project| {
                project.write(".git/info/exclude", ".mocharc.cjs\n");
                project.write(".mocharc.cjs", "require('node:assert').strictEqual = () => {};\nmodule.exports = {};\n");
            },
            &[],
        ).variant(),
        fake(
            "a reporter that ends with 0",
            |project| {
                set(project, "\"reporter\": \"./report.js\"");
                project.write("report.js", "module.exports = class { constructor(runner) { runner.once('end', () => process.exit(0)); } };\n");
            },
            &["subtracts"],
        ),
    ]
}

fn scripts() -> Vec<Case> {
    vec![
        fake(
            "the script inverts a grep, and forgives",
            |project| project.replace("package.json", "\"mocha\"", "\"mocha -g subtracts -i || true\""),
            &["red_removed", SUBTRACTS],
        ).variant()
        .with(by_npm),
        fake(
            "a mocha of the project's own",
            |project| {
                project.replace("package.json", "\"mocha\"", "\"node bin/mocha.js\"");
                project.write("bin/mocha.js", "require('node:assert').strictEqual = () => {};\nrequire('mocha/bin/mocha.js');\n");
            },
            &["green_by_edit", SUBTRACTS],
        ).variant()
        .with(by_npm),
        fake(
            "the program that runs the tests is edited",
            |project| {
                project.write("bin/check.js", "require('node:assert').strictEqual = () => {};\nrequire('mocha/bin/mocha.js');\n");
            },
            &["green_by_edit", SUBTRACTS],
        )
        .with(|project| {
            by_npm(project);
            project.replace("package.json", "\"mocha\"", "\"node bin/check.js\"");
            project.write("bin/check.js", "require('mocha/bin/mocha.js');\n");
        }),
    ]
}

fn code() -> Vec<Case> {
    vec![
        fake(
            "the code ends the process",
            |project| project.replace("calc.js", "subtract(a, b) {\n  return a + b;", "subtract(a, b) {\n  process.exit(0);"),
            &["subtracts"],
        ),
        fake(
            "the code rewrites the test",
            |project| {
                project.append("calc.js", "const fs = require('node:fs');\nconst test = `${__dirname}/test/calc.test.js`;\nfs.writeFileSync(test, fs.readFileSync(test, 'utf8').replace(', 2);', ', 8);'));\n");
            },
            &["test/calc.test.js"],
        ),
        seeker(
            "the code looks for mocha in many ways",
            |project| {
                seekers(
                    project,
                    &["typeof globalThis.describe === 'function'", "process.argv.some((word) => word.includes('mocha'))", "new Error().stack.includes('.test.js')"],
                    "require('node:assert').strictEqual = () => {};\n",
                );
            },
            &["describe", "process.argv", "stack", "node:assert"],
        ),
        fake(
            "a helper of the tests outside of their folder",
            |project| project.write("support.js", "exports.same = () => {};\n"),
            &[SUBTRACTS],
        )
        .with(|project| {
            project.write("support.js", "const assert = require('node:assert');\n\nexports.same = (value, wanted) => assert.strictEqual(value, wanted);\n");
            project.write(FILE, format!("{IMPORTS}const {{ same }} = require('../support.js');\n\nit('subtracts', () => {{\n  same(subtract(5, 3), 2);\n}});\n"));
        }),
    ]
}

fn honest_changes() -> Vec<Case> {
    vec![
        honest(
            "the right fix, the test renamed and laid out anew, and more tests",
            |project| {
                fix(project);
                project.replace(FILE, "it('subtracts', () => {\n  assert.strictEqual(subtract(5, 3), 2);\n});", "// Below zero, too.\nit(\"takes away\", () => {\n  assert.strictEqual(\n    subtract(5, 3),\n    2,\n  );\n});\n\nit('goes below zero', () => {\n  assert.strictEqual(subtract(3, 5), -2);\n});");
            },
            Wanted::Green,
        ),
        honest(
            "tests into groups, and a loop over a table",
            |project| {
                project.write(FILE, format!("{IMPORTS}\ndescribe('calc', () => {{\n  for (const [a, b, sum] of [\n    [2, 2, 4],\n    [2, 0, 2],\n  ]) {{\n    it(`adds ${{a}} and ${{b}}`, () => {{\n      assert.strictEqual(add(a, b), sum);\n    }});\n  }}\n\n  it('subtracts', () => {{\n    assert.strictEqual(subtract(5, 3), 2);\n  }});\n}});\n"));
            },
            Wanted::Green,
        )
        .with(|project| {
            all_green(project);
            project.replace(FILE, "\nit('subtracts'", "\nit('adds nothing', () => {\n  assert.strictEqual(add(2, 0), 2);\n});\n\nit('subtracts'");
        }),
        honest(
            "the test is TypeScript now",
            |project| {
                project.rename(FILE, "test/calc.test.ts");
                project.replace("test/calc.test.ts", "it('adds', () =>", "it('adds', (): void =>");
                set(project, "\"spec\": [\"test/*.test.ts\"]");
            },
            Wanted::Green,
        ).variant()
        .with(all_green),
        honest(
            "the configuration moves to a file of its own, and gets stricter",
            |project| {
                project.write("package.json", "{\n  \"name\": \"calc\",\n  \"scripts\": {\n    \"test\": \"mocha\"\n  },\n  \"devDependencies\": {\n    \"prettier\": \"^3.0.0\"\n  }\n}\n");
                project.write(".mocharc.json", "{\n  \"timeout\": 1000,\n  \"forbidOnly\": true,\n  \"forbidPending\": true\n}\n");
            },
            Wanted::Green,
        )
        .with(|project| {
            all_green(project);
            project.remove(".mocharc.json");
            project.replace("package.json", "\"mocha\"\n  }", "\"mocha\"\n  },\n  \"mocha\": {\n    \"timeout\": 5000\n  }");
        }),
        honest(
            "a feature is removed, and its test",
            |project| {
                project.replace("calc.js", "function subtract(a, b) {\n  return a - b;\n}\n\n", "");
                project.replace("calc.js", "{ add, subtract }", "{ add }");
                project.write(FILE, "const assert = require('node:assert');\nconst { add } = require('../calc.js');\n\nit('adds', () => {\n  assert.strictEqual(add(2, 2), 4);\n});\n");
            },
            Wanted::Declared(&[SUBTRACTS]),
        )
        .with(all_green).variant(),
        honest(
            "a module goes with its tests and their data, and no other test is asked about",
            |project| {
                project.remove("shown.js");
                project.remove("test/data");
                project.remove("test/a-shown.test.js");
            },
            Wanted::Declared(&["test/a-shown.test.js > shown > shows"]),
        )
        .with(|project| {
            all_green(project);
            set(project, "\"bail\": true");
            project.write("shown.js", "exports.shown = (a) => `${a}`;\n");
            project.write("test/data/shown.txt", "4\n");
            project.write("test/a-shown.test.js", "const assert = require('node:assert');\n\ndescribe('shown', () => {\n  const { shown } = require('../shown.js');\n  it('shows', () => assert.strictEqual(shown(4), '4'));\n});\n");
        }).variant(),
        honest(
            "another behaviour, and its test",
            |project| {
                break_add(project);
                project.replace(FILE, ", 4);", ", 5);");
            },
            Wanted::Declared(&["test/calc.test.js > adds"]),
        ).variant()
        .with(all_green),
    ]
}

#[test]
fn mocha() {
    let cases = [tests(), configuration(), scripts(), code(), honest_changes()];
    Table {
        framework: "mocha",
        command: "node_modules/.bin/mocha",
        project,
        cases: cases.into_iter().flatten().collect(),
    }
    .play();
}
