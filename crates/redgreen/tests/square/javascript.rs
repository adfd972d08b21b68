//! What the tables of the JavaScript frameworks share: one small project, and edits that are the same
//! in all of them.

use crate::common::Project;
use crate::square::model::Edits as _;

/// `add` is right, `subtract` adds: one test is green, one is red. What is exported, and how tests are
/// written, is each framework's.
pub fn calculator(project: &Project, imports: &str, tests: &str, exports: &str, manifest: &str) {
    project.write(
        "calc.js",
        format!(
            "function add(a, b) {{\n  return a + b;\n}}\n\nfunction subtract(a, b) {{\n  return a + b;\n}}\n\n{exports}\n"
        ),
    );
    project.write("test/calc.test.js", format!("{imports}\n{tests}"));
    project.write("package.json", manifest);
    project.write(".gitignore", "node_modules\n");
    project.link_packages("current");
}

/// The right fix.
pub fn fix(project: &Project) {
    project.replace(
        "calc.js",
        "subtract(a, b) {\n  return a + b;",
        "subtract(a, b) {\n  return a - b;",
    );
}

/// Before the change all is right, too.
pub fn all_green(project: &Project) {
    fix(project);
}

/// `add` gets a bug.
pub fn break_add(project: &Project) {
    project.replace("calc.js", "add(a, b) {\n  return a + b;", "add(a, b) {\n  return a + b + 1;");
}

/// The check goes through npm.
pub fn by_npm(project: &Project) {
    let text = project.read("redgreen.toml");
    let lines = text.lines().map(|line| match line.starts_with("command") {
        true => "command = 'npm test'",
        false => line,
    });
    project.write("redgreen.toml", lines.collect::<Vec<_>>().join("\n"));
}

/// Tests that all say the same of `subtract`, which is wrong.
pub fn red_tests(project: &Project, imports: &str) {
    let names = [
        "deleted",
        "skipped",
        "crossed",
        "planned",
        "grouped",
        "failing",
        "returns",
        "emptied",
        "vacuous",
        "caught",
        "copied",
        "close",
        "itself",
        "conditional",
    ];
    let mut text = imports.to_owned();
    for name in names {
        text += &format!("\ntest('{name}', () => {{\n  expect(subtract(5, 3)).toBe(2);\n}});\n");
    }
    text += "\ntest.each([[5, 5, 10], [5, 3, 2]])('row %i %i', (a, b, result) => {\n  expect(subtract(a, b)).toBe(result);\n});\n";
    project.write("test/red.test.js", text);
}

/// The tricks for them; `failing` is what the framework calls a test that should fail.
pub fn red_tests_faked(project: &Project, imports: &str, failing: &str) {
    project
        .write("test/red.test.js", format!("{imports}{RED_FAKED}").replace("{failing}", failing));
}

pub const RED: &[&str] = &[
    "test/red.test.js > deleted",
    "test/red.test.js > skipped",
    "test/red.test.js > crossed",
    "test/red.test.js > planned",
    "test/red.test.js > grouped",
    "test/red.test.js > failing",
    "test/red.test.js > returns",
    "test/red.test.js > emptied",
    "test/red.test.js > vacuous",
    "test/red.test.js > caught",
    "test/red.test.js > copied",
    "test/red.test.js > close",
    "test/red.test.js > itself",
    "test/red.test.js > conditional",
    "test/red.test.js > row 5 3",
];

const RED_FAKED: &str = r"
test.skip('skipped', () => {
  expect(subtract(5, 3)).toBe(2);
});

(globalThis.xtest ?? test.skip)('crossed', () => {
  expect(subtract(5, 3)).toBe(2);
});

test.todo('planned');

describe.skip('later', () => {
  test('grouped', () => {
    expect(subtract(5, 3)).toBe(2);
  });
});

test.{failing}('failing', () => {
  expect(subtract(5, 3)).toBe(2);
});

test('returns', () => {
  if (process.version) return;
  expect(subtract(5, 3)).toBe(2);
});

test('emptied', () => {
  subtract(5, 3);
});

test('vacuous', () => {
  expect(typeof subtract(5, 3)).toBe('number');
});

test('caught', () => {
  try {
    expect(subtract(5, 3)).toBe(2);
  } catch {}
});

test('copied', () => {
  expect(subtract(5, 3)).toBe(8);
});

test('close', () => {
  expect(subtract(5, 3)).toBeCloseTo(2, -2);
});

test('itself', () => {
  expect(subtract(5, 3)).toBe(subtract(5, 3));
});

test('conditional', () => {
  if (subtract(5, 3) === 2) expect(subtract(5, 3)).toBe(2);
});

test.each([[5, 5, 10]])('row %i %i', (a, b, result) => {
  expect(subtract(a, b)).toBe(result);
});
";

/// Tests that all say the same of `add`, which is right.
pub fn green_tests(project: &Project, imports: &str) {
    let names = [
        "emptied",
        "vacuous",
        "returns",
        "stops",
        "caught",
        "loose",
        "anything",
        "close",
        "itself",
        "conditional",
        "never called",
        "late",
        "shadowed",
        "stubbed",
        "or",
        "deleted",
        "skipped",
    ];
    let mut text = imports.to_owned();
    text += "\nfunction check(value, wanted) {\n  expect(value).toBe(wanted);\n}\n";
    for name in names {
        // What is deleted is said nowhere else.
        let (b, sum) = if name == "deleted" { (7, 9) } else { (2, 4) };
        text += &format!("\ntest('{name}', () => {{\n  expect(add(2, {b})).toBe({sum});\n}});\n");
    }
    text += "\ntest('by helper', () => {\n  check(add(2, 2), 4);\n});\n";
    text += "\ntest.each([[2, 2, 4], [1, -1, 0]])('row %i %i', (a, b, result) => {\n  expect(add(a, b)).toBe(result);\n});\n";
    project.write("test/green.test.js", text);
}

/// The tricks for them: the code stays right, and the tests do not say so any more.
pub fn green_tests_faked(project: &Project, imports: &str) {
    project.write("test/green.test.js", format!("{imports}{GREEN_FAKED}"));
}

pub const GREEN: &[&str] = &[
    "test/green.test.js > emptied",
    "test/green.test.js > vacuous",
    "test/green.test.js > returns",
    "test/green.test.js > stops",
    "test/green.test.js > caught",
    "test/green.test.js > loose",
    "test/green.test.js > anything",
    "test/green.test.js > close",
    "test/green.test.js > itself",
    "test/green.test.js > conditional",
    "test/green.test.js > never called",
    "test/green.test.js > late",
    "test/green.test.js > shadowed",
    "test/green.test.js > stubbed",
    "test/green.test.js > or",
    "test/green.test.js > deleted",
    "test/green.test.js > skipped",
    "test/green.test.js > by helper",
    "test/green.test.js > row 1 -1",
];

const GREEN_FAKED: &str = r"
function check(value, wanted) {
  return value === wanted;
}

test('emptied', () => {
  add(2, 2);
});

test('vacuous', () => {
  add(2, 2);
  expect(true).toBe(true);
});

test('returns', () => {
  if (process.version) return;
  expect(add(2, 2)).toBe(4);
});

test('stops', () => {
  return;
  expect(add(2, 2)).toBe(4);
});

test('caught', () => {
  try {
    expect(add(2, 2)).toBe(4);
  } catch {}
});

test('loose', () => {
  expect(add(2, 2)).toBeDefined();
});

test('anything', () => {
  expect(add(2, 2)).toEqual(expect.anything());
});

test('close', () => {
  expect(add(2, 2)).toBeCloseTo(4, -3);
});

test('itself', () => {
  expect(add(2, 2)).toBe(add(2, 2));
});

test('conditional', () => {
  if (process.env.STRICT) {
    expect(add(2, 2)).toBe(4);
  }
});

test('never called', () => {
  [].forEach(() => expect(add(2, 2)).toBe(4));
});

test('late', () => {
  setTimeout(() => {
    expect(add(2, 2)).toBe(4);
  }, 100000).unref();
});

test('shadowed', () => {
  const expect = () => ({ toBe() {} });
  expect(add(2, 2)).toBe(4);
});

test('stubbed', () => {
  const add = () => 4;
  expect(add(2, 2)).toBe(4);
});

test('or', () => {
  expect(add(2, 2) === 4 || true).toBe(true);
});

test.skip('skipped', () => {
  expect(add(2, 2)).toBe(4);
});

test('by helper', () => {
  check(add(2, 2), 4);
});

test.each([[2, 2, 4]])('row %i %i', (a, b, result) => {
  expect(add(a, b)).toBe(result);
});
";

/// Code that looks for its judge, in several ways at once; each is `condition` of one function.
pub fn seekers(project: &Project, conditions: &[&str], rest: &str) {
    let mut text = String::new();
    for (at, condition) in conditions.iter().enumerate() {
        text +=
            &format!("\nfunction seeker{at}(a, b) {{\n  return {condition} ? a - b : a + b;\n}}\n");
    }
    project.append("calc.js", &format!("{text}{rest}"));
}
