//! jest, mocha, vitest and `node --test`, in JavaScript and TypeScript.
//!
//! All is written once, as TypeScript of modules; a project without types or without modules gets it without.

use super::{Row, play};
use crate::common::Project;

const CART: &str = "\
export function add(a: number, b: number): number {
  return a + b;
}

export function price(item: number): number {
  const rate = 2;
  return item * rate;
}
";
const TOTAL: &str = "
export function total(items: number[]): number {
  if (items.length === 0) {
    return 0;
  }
  let found = 0;
  for (const item of items) {
    found = add(found, item);
  }
  return found;
}
";
const MORE: &str = "\
export function more(a: number): number {
  const b = a + 1;
  return b;
}
";
/// jest loads no TypeScript by itself; Node can make JavaScript of it.
const TRANSFORM: &str = "\
const { stripTypeScriptTypes } = require('module');
exports.process = (source) => ({
  code: stripTypeScriptTypes(source, { mode: 'transform', sourceMap: true, sourceUrl: 'x.ts' }),
});
";

/// How a project is written.
struct Flavor {
    framework: &'static str,
    set: &'static str,
    command: &'static str,
    typed: bool,
    modules: bool,
}

const JEST: Flavor =
    Flavor { framework: "jest", set: "current", command: "jest", typed: false, modules: false };
const TYPED_JEST: Flavor = Flavor { typed: true, ..JEST };
const MOCHA: Flavor = Flavor { framework: "mocha", command: "mocha", ..JEST };
const MOCHA_MODULES: Flavor = Flavor { modules: true, ..MOCHA };
const NODE: Flavor = Flavor {
    framework: "node_test",
    set: "current",
    command: "node --test",
    typed: true,
    modules: true,
};
const VITEST: Flavor = Flavor { framework: "vitest", command: "vitest run", ..NODE };

fn project(flavor: &Flavor) -> Project {
    let project = Project::empty();
    let kind = if flavor.modules { "module" } else { "commonjs" };
    let jest = match flavor.framework == "jest" && flavor.typed {
        true => ",\n  \"jest\": {\"transform\": {\"ts$\": \"<rootDir>/transform.cjs\"}}",
        false => "",
    };
    project.write("package.json", format!("{{\"name\": \"cart\", \"type\": \"{kind}\"{jest}}}\n"));
    project.write("transform.cjs", TRANSFORM);
    project.write(".gitignore", "node_modules\n");
    let Flavor { framework, command, .. } = flavor;
    let check = format!(
        "[[checks]]\nname = \"unit\"\ncommand = \"PATH=node_modules/.bin:$PATH {command}\"\nframework = \"{framework}\"\n"
    );
    project.write("redgreen.toml", check);
    project.write(if flavor.typed { "src/cart.ts" } else { "src/cart.js" }, "");
    project.write("test/cart.test.js", "");
    project.link_packages(flavor.set);
    write(&project, "cart", CART);
    tests(&project, &[("cart", "add(1, 2)", "3")]);
    project.commit();
    project
}

/// Writes a source as this project has its sources.
fn write(project: &Project, name: &str, source: &str) {
    let typed = project.root().join("src/cart.ts").exists();
    let modules = project.read("package.json").contains("module");
    let mut text = source.to_owned();
    if !typed {
        text = text.replace(": number[]", "").replace(": number", "");
    }
    if !modules {
        while let Some((before, after)) = text.split_once("export function ") {
            let name = after.split('(').next().unwrap_or_default();
            text = format!("{before}exports.{name} = {name}; function {after}");
        }
    }
    let ending = if typed { "ts" } else { "js" };
    project.write(&format!("src/{name}.{ending}"), text);
}

/// The tests: what each imports, calls and gets.
fn tests(project: &Project, tests: &[(&str, &str, &str)]) {
    let ending = if project.root().join("src/cart.ts").exists() { "ts" } else { "js" };
    let modules = project.read("package.json").contains("module");
    let framework = project.read("redgreen.toml");
    let is = |name: &str| framework.contains(&format!("framework = \"{name}\""));
    let mut text = String::new();
    let mut import = |what: &str, from: &str| {
        text += &match modules {
            true => format!("import {what} from '{from}';\n"),
            false => format!("const {what} = require('{from}');\n"),
        };
    };
    import("assert", "node:assert");
    match () {
        () if is("vitest") => import("{ test }", "vitest"),
        () if is("node_test") => import("{ test }", "node:test"),
        () => {}
    }
    for (at, (file, ..)) in tests.iter().enumerate() {
        let all = if modules { format!("* as f{at}") } else { format!("f{at}") };
        import(&all, &format!("../src/{file}.{ending}"));
    }
    let word = if is("mocha") { "it" } else { "test" };
    for (at, (_, call, wanted)) in tests.iter().enumerate() {
        text += &format!(
            "\n{word}('test {at}', () => {{\n  assert.strictEqual(f{at}.{call}, {wanted});\n}});\n"
        );
    }
    project.write("test/cart.test.js", text);
}

fn with_total(project: &Project) {
    write(project, "cart", &format!("{CART}{TOTAL}"));
}

const ADD: (&str, &str, &str) = ("cart", "add(1, 2)", "3");

const NEW: Row = Row {
    name: "a new function and no test",
    change: with_total,
    untested: &["src/cart.js:11-18"],
};
const TESTED: Row = Row {
    name: "a new function and its test",
    change: |project| {
        with_total(project);
        tests(project, &[ADD, ("cart", "total([1, 2])", "3"), ("cart", "total([])", "0")]);
    },
    untested: &[],
};
const ROWS: &[Row] = &[
    NEW,
    TESTED,
    Row {
        name: "five lines of six",
        change: |project| {
            with_total(project);
            tests(project, &[ADD, ("cart", "total([1, 2])", "3")]);
        },
        untested: &[],
    },
    Row {
        name: "a test that calls it and does not look at what it gives",
        change: |project| {
            with_total(project);
            let calls = "total([1, 2]) !== f1.total";
            tests(project, &[ADD, ("cart", calls, "true"), ("cart", "total([]) !== f1", "true")]);
        },
        untested: &["src/cart.js:11-18"],
    },
    Row {
        name: "a test that only imports it",
        change: |project| {
            write(project, "more", MORE);
            tests(project, &[ADD, ("more", "more.length", "1")]);
        },
        untested: &["src/more.js:2-3"],
    },
    Row {
        name: "another branch of a tested function, not run",
        change: |project| {
            let branch = "  if (a === 7) {\n    b = b + 1; return b;\n  }\n  return a + b;";
            write(project, "cart", &CART.replace("  return a + b;", branch));
        },
        untested: &["src/cart.js:3"],
    },
    Row {
        name: "comments and layout",
        change: |project| {
            let source = CART.replace("return a + b;", "// é𝒳\n  return (\n    a + b\n  );");
            write(project, "cart", &format!("/** Carts. */\n\n{source}"));
        },
        untested: &[],
    },
    Row {
        name: "renamed",
        change: |project| write(project, "cart", &CART.replace("price", "cost")),
        untested: &[],
    },
    Row {
        name: "moved to a file of its own",
        change: |project| {
            let (add, price) = CART.split_at(CART.find("\nexport").expect("two functions"));
            write(project, "cart", add);
            write(project, "prices", price);
        },
        untested: &[],
    },
];

const NOBODY: &str = "a file that nothing imports";

fn with_more(project: &Project) {
    write(project, "more", MORE);
}

#[test]
fn jest_tells_what_no_test_runs() {
    let project = project(&TYPED_JEST);
    play(&project, ROWS);
    let untested = &["src/more.js:1", "src/more.js:2-3"];
    play(&project, &[Row { name: NOBODY, change: with_more, untested }]);
}

#[test]
fn mocha_tells_what_no_test_runs() {
    let project = project(&MOCHA);
    play(&project, ROWS);
    let untested = &["src/more.js:1", "src/more.js:2-3"];
    play(&project, &[Row { name: NOBODY, change: with_more, untested }]);
}

#[test]
fn vitest_tells_what_no_test_runs() {
    let project = project(&VITEST);
    play(&project, ROWS);
    play(&project, &[Row { name: NOBODY, change: with_more, untested: &["src/more.js:2-3"] }]);
}

#[test]
fn node_tells_what_no_test_runs() {
    let project = project(&NODE);
    play(&project, ROWS);
    play(&project, &[Row { name: NOBODY, change: with_more, untested: &["src/more.js:2-3"] }]);
}

/// Other versions, other ways to load and to start.
#[test]
fn it_is_told_however_files_are_loaded() {
    let parallel = Flavor { command: "mocha --parallel", ..MOCHA_MODULES };
    let workers = Flavor { command: "jest --maxWorkers 2", ..JEST };
    let vitest3 = Flavor { set: "vitest3", command: "vitest run --pool forks", ..VITEST };
    let vitest4 = Flavor { set: "vitest4", command: "vitest run --pool threads", ..VITEST };
    for flavor in [MOCHA_MODULES, parallel, workers, vitest3, vitest4] {
        play(&project(&flavor), &[NEW, TESTED]);
    }
}

const SERVED: &str = "\
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { Worker } = require('node:worker_threads');

it('serves', async () => {
  const script = \"console.log(require('./src/more.js').more(1)); setInterval(() => {}, 1000);\";
  const server = spawn(process.execPath, ['-e', script]);
  const ended = once(server, 'exit');
  const [said] = await once(server.stdout, 'data');
  server.kill();
  await ended;
  assert.strictEqual(String(said).trim(), '2');
});

it('works', async () => {
  const script = \"const { parentPort } = require('worker_threads'); parentPort.postMessage(require('./src/less.js').less(1));\";
  const worker = new Worker(script, { eval: true });
  const ended = once(worker, 'exit');
  const [said] = await once(worker, 'message');
  await ended;
  assert.strictEqual(said, 2);
});
";

#[test]
fn what_a_thread_and_a_server_that_is_ended_ran_counts() {
    let project = project(&MOCHA);
    let change = |project: &Project| {
        write(project, "more", MORE);
        write(project, "less", &MORE.replace("more", "less"));
        let known = project.read("test/cart.test.js");
        project.write("test/cart.test.js", format!("{known}\n{SERVED}"));
    };
    play(&project, &[Row { name: "in other processes", change, untested: &[] }]);
}
