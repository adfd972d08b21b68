//! vitest.

use crate::common::Project;
use crate::square::javascript::{
    GREEN, RED, all_green, break_add, by_npm, calculator, fix, green_tests, green_tests_faked,
    red_tests, red_tests_faked, seekers,
};
use crate::square::model::{Case, Edits as _, Table, Wanted, fake, fakes, honest, seeker};

const IMPORTS: &str = "import { describe, expect, test } from 'vitest';\nimport { add, subtract } from '../calc.js';\n";
const TESTS: &str = "test('adds', () => {\n  expect(add(2, 2)).toBe(4);\n});\n\ntest('subtracts', () => {\n  expect(subtract(5, 3)).toBe(2);\n});\n";
const FILE: &str = "test/calc.test.js";
const CONFIG: &str = "vitest.config.js";
const SUBTRACTS: &str = "test/calc.test.js > subtracts";

fn project(project: &Project) {
    calculator(
        project,
        IMPORTS,
        TESTS,
        "export { add, subtract };",
        "{\n  \"name\": \"calc\",\n  \"type\": \"module\",\n  \"scripts\": {\n    \"test\": \"vitest run\"\n  }\n}\n",
    );
    project.write(CONFIG, "export default { test: { } };\n");
}

/// The configuration gets one more setting.
fn set(project: &Project, setting: &str) {
    project.replace(CONFIG, "test: {", &format!("test: {{ {setting},"));
}

/// A matcher that is content with everything.
const CONTENT: &str = "import { expect } from 'vitest';\nexpect.extend({ toBe: () => ({ pass: true, message: () => '' }) });\n";

/// Turns the expected value of a test into what the code returns.
const PLUGIN: &str = "{ name: 'swap', enforce: 'pre', transform: (text, id) => id.endsWith('calc.test.js') ? text.replace('toBe(2)', 'toBe(8)') : null }";

fn tests() -> Vec<Case> {
    vec![
        fakes(
            "red tests, each with its own trick",
            |project| red_tests_faked(project, IMPORTS, "fails"),
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
        fakes(
            "green tests, each emptied as only vitest can",
            |project| {
                project.replace(FILE, "test('soft', ", "test.skipIf(process.version)('soft', ");
                project.replace(FILE, "test('retried', ", "test.fails('retried', ");
                project.replace(FILE, "test('adds', ", "test.fails('adds', ");
                project.replace(FILE, "test('in context', ({ expect }) => {\n", "test('in context', ({ expect, skip }) => {\n  skip();\n");
                project.replace(FILE, "await expect.poll(() => add(2, 2)).toBe(4)", "await expect.poll(() => add(2, 2)).toBeDefined()");
                break_add(project);
            },
            &["test/calc.test.js > soft", "test/calc.test.js > in context", "test/calc.test.js > polls", "test/calc.test.js > retried"],
        )
        .with(|project| {
            all_green(project);
            let body = "expect(add(2, 2)).toBe(4);\n});\n";
            project.append(FILE, &format!("\ntest('soft', () => {{\n  {body}\ntest('retried', () => {{\n  {body}\ntest('in context', ({{ expect }}) => {{\n  {body}\ntest('polls', async () => {{\n  await expect.poll(() => add(2, 2)).toBe(4);\n}});\n"));
        }),
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

fn configuration() -> Vec<Case> {
    vec![
        fake(
            "the setup that is there patches expect",
            |project| project.write("env.js", CONTENT),
            &["green_by_edit", SUBTRACTS],
        )
        .with(|project| {
            set(project, "setupFiles: ['./env.js']");
            project.write("env.js", "// Nothing yet.\n");
        }).variant(),
        fake(
            "the module is an alias of a stub",
            |project| {
                set(
                    project,
                    "alias: [{ find: /.*calc\\.js$/, replacement: new URL('./stub.js', import.meta.url).pathname }]",
                );
                project.write(
                    "stub.js",
                    "export const add = () => 4;\nexport const subtract = () => 2;\n",
                );
            },
            &["green_by_edit", SUBTRACTS],
        ).variant(),
        fake(
            "a plugin in a new configuration rewrites tests",
            |project| {
                project.remove(CONFIG);
                project.write(
                    "vite.config.mjs",
                    format!("export default {{ plugins: [{PLUGIN}] }};\n"),
                );
            },
            &["green_by_edit", SUBTRACTS],
        ).variant(),
        fake(
            "a configuration that git does not see",
            |project| {
                project.write(".gitignore", "node_modules\n*.ts\n");
                project.write(
                    "vitest.config.ts",
                    format!("export default {{ plugins: [{PLUGIN}] }};\n"),
                );
            },
            &[],
        )
        .with(|project| project.remove(CONFIG)).variant(),
        fake(
            "a runner that passes everything",
            |project| {
                set(project, "runner: './runner.js'");
                project.write("runner.js", "import { VitestTestRunner } from 'vitest/runners';\nexport default class extends VitestTestRunner {\n  async runTask() {}\n  onAfterRunTask(test) { test.result = { ...test.result, state: 'pass', errors: undefined }; return super.onAfterRunTask?.(test); }\n}\n");
            },
            &[SUBTRACTS],
        ),
    ]
}

fn scripts() -> Vec<Case> {
    vec![
        fake(
            "the script runs one test only, and forgives",
            |project| project.replace("package.json", "vitest run", "vitest run -t adds || true"),
            &["hidden", SUBTRACTS],
        )
        .variant()
        .with(by_npm),
    ]
}

fn code() -> Vec<Case> {
    vec![
        seeker(
            "the code looks for vitest in many ways",
            |project| {
                seekers(
                    project,
                    &["process.env.VITEST", "import.meta.env?.MODE === 'test'", "new Error().stack.includes('.test.')"],
                    "Object.is = () => true;\n",
                );
            },
            &["process.env.VITEST", "MODE", "stack", "Object.is"],
        ),
        fake(
            "a helper of the tests outside of their folder",
            |project| project.write("support.js", "export const same = () => {};\n"),
            &[SUBTRACTS],
        )
        .with(|project| {
            project.write("support.js", "import { expect } from 'vitest';\n\nexport const same = (value, wanted) => expect(value).toBe(wanted);\n");
            project.write(FILE, format!("{IMPORTS}import {{ same }} from '../support.js';\n\ntest('subtracts', () => {{\n  same(subtract(5, 3), 2);\n}});\n"));
        }).variant(),
        fake(
            "tests among the code are loosened",
            |project| project.replace("calc.js", "toBe(2)", "toBe(8)"),
            &["subtracts here"],
        )
        .with(|project| {
            set(project, "includeSource: ['*.js']");
            project.append("calc.js", "\nif (import.meta.vitest) {\n  const { expect, test } = import.meta.vitest;\n  test('subtracts here', () => {\n    expect(subtract(5, 3)).toBe(2);\n  });\n}\n");
            project.replace(FILE, "toBe(2)", "toBe(8)");
        }),
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
            "two tests become a table, in TypeScript",
            |project| {
                project.rename(FILE, "test/calc.test.ts");
                project.replace("test/calc.test.ts", "test('adds', () => {\n  expect(add(2, 2)).toBe(4);\n});\n\ntest('adds nothing', () => {\n  expect(add(2, 0)).toBe(2);\n});\n", "test.each([\n  { a: 2, b: 2, sum: 4 },\n  { a: 2, b: 0, sum: 2 },\n])('adds $a and $b', ({ a, b, sum }: Record<string, number>) => {\n  expect(add(a, b)).toBe(sum);\n});\n");
            },
            Wanted::Green,
        )
        .with(|project| {
            all_green(project);
            project.replace(FILE, "\ntest('subtracts'", "\ntest('adds nothing', () => {\n  expect(add(2, 0)).toBe(2);\n});\n\ntest('subtracts'");
        }).variant(),
        honest(
            "the tests move beside the code, and a test in two",
            |project| {
                project.rename(FILE, "calc.spec.js");
                project.replace("calc.spec.js", "'../calc.js'", "'./calc.js'");
                project.replace("calc.spec.js", "test('both', () => {\n  expect(add(2, 2)).toBe(4);\n  expect(add(2, 0)).toBe(2);\n});\n", "describe('add', () => {\n  test('adds two', () => {\n    expect(add(2, 2)).toBe(4);\n  });\n\n  test('adds nothing', () => {\n    expect(add(2, 0)).toBe(2);\n  });\n});\n");
            },
            Wanted::Green,
        )
        .with(|project| {
            all_green(project);
            project.append(FILE, "\ntest('both', () => {\n  expect(add(2, 2)).toBe(4);\n  expect(add(2, 0)).toBe(2);\n});\n");
        }).variant(),
        honest(
            "fixed, and the tests go to TypeScript in another folder, beside titles that are never the same",
            |project| {
                fix(project);
                project.remove(FILE);
                project.write("src/calc.test.ts", "import { expect, test } from 'vitest';\n// @ts-expect-error\nimport { add, subtract } from '../calc.js';\n\ntest('adds', (): void => {\n  const sum: number = add(2, 2);\n  expect(sum).toBe(4);\n});\n\ntest('subtracts', (): void => {\n  const rest = subtract(5, 3) as number;\n  expect(rest).toBe(2);\n});\n");
                project.append("test/times.test.js", "\ntest('is more', () => {\n  expect(subtract(9, 1)).toBe(8);\n});\n");
            },
            Wanted::Green,
        )
        .with(|project| project.write("test/times.test.js", "import { expect, test } from 'vitest';\nimport { add, subtract } from '../calc.js';\n\nconst started = Date.now();\n\ntest(`subtracts at ${Date.now()}`, () => {\n  expect(subtract(2, 1)).toBe(1);\n});\n\ntest.each([[started, 1], [Math.random(), 1]])('adds to %s', (a, b) => {\n  expect(add(a, b)).toBe(a + b);\n});\n")),
    ]
}

fn honest_changes_around() -> Vec<Case> {
    vec![
        honest(
            "a stricter configuration, and a newer vitest",
            |project| {
                set(project, "restoreMocks: true, allowOnly: false, expect: { requireAssertions: true }");
                project.replace("package.json", "\"3.2.4\"", "\"4.1.12\"");
                project.remove("node_modules");
                project.link_packages("vitest4");
            },
            Wanted::Green,
        )
        .with(|project| {
            all_green(project);
            project.replace("package.json", "vitest run\"\n  }", "vitest run\"\n  },\n  \"devDependencies\": {\n    \"vitest\": \"3.2.4\"\n  }");
            project.remove("node_modules");
            project.link_packages("vitest3");
        }).variant(),
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
            "a feature is removed, and its test",
            |project| {
                project.replace("calc.js", "function subtract(a, b) {\n  return a - b;\n}\n\n", "");
                project.replace("calc.js", "{ add, subtract }", "{ add }");
                project.write(FILE, "import { expect, test } from 'vitest';\nimport { add } from '../calc.js';\n\ntest('adds', () => {\n  expect(add(2, 2)).toBe(4);\n});\n");
            },
            Wanted::Declared(&[SUBTRACTS]),
        ).variant()
        .with(all_green),
    ]
}

#[test]
fn vitest() {
    let cases =
        [tests(), configuration(), scripts(), code(), honest_changes(), honest_changes_around()];
    Table {
        framework: "vitest",
        command: "node_modules/.bin/vitest run",
        project,
        cases: cases.into_iter().flatten().collect(),
    }
    .play();
}
