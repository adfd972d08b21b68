//! Where a fault is said to be.

use crate::common::Project;
use crate::gate::visitor::Visitor;

const CALC: &str = "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a - b\n";

/// What an agent is told that ends its turn.
fn held(visitor: &Visitor) -> String {
    visitor.event("Stop").0["reason"].as_str().expect("it is held").to_owned()
}

fn green() -> Visitor {
    let project = Project::pytest();
    project.write("calc.py", CALC);
    project.commit();
    Visitor::of(project)
}

#[test]
fn a_wrong_operator_is_where_it_was_changed() {
    let visitor = green();
    visitor.project.write("calc.py", CALC.replacen("a + b", "a * b + 1", 1));
    let said = held(&visitor);
    assert!(said.contains("most likely because of calc.py:2 in add"), "{said}");
    assert!(said.contains("attempt 1 changed it; the failing test runs it"), "{said}");
    assert!(!said.contains("outside the lines"), "{said}");
    // The code there, and neither the check nor the words of the error for a cause.
    assert!(said.contains("\n>    2     return a * b + 1\n"), "{said}");
    let (_, cause) = said.split_once("root cause: ").unwrap();
    assert!(!cause.lines().next().unwrap().contains("5 == 4"), "{said}");
}

/// Several things were changed at once, all of them in what the failing test runs: the one that it was is found by
/// trying.
#[test]
fn the_part_of_a_change_that_turned_a_test_red_is_found_by_trying() {
    let project = Project::empty();
    let old = "def cost(items):\n    total = 0\n    for item in items:\n        total += item\n    tax = total * 10\n    tax = tax // 100\n    rounded = round(total + tax)\n    return rounded\n";
    project.write("shop.py", old);
    project.write(
        "tests/test_shop.py",
        "from shop import cost\n\n\ndef test_cost():\n    assert cost([60, 40]) == 110\n\n\ndef test_nothing():\n    assert cost([]) == 0\n",
    );
    project
        .write("redgreen.toml", "[[checks]]\nname = \"unit\"\ncommand = \"python -m pytest -q\"\n");
    project.write("conftest.py", "");
    project.write(".gitignore", "__pycache__/\n.pytest_cache/\n");
    project.commit();
    let visitor = Visitor::of(project);
    let new = old
        .replace("total = 0\n", "total = int()\n")
        .replace("tax // 100", "tax // 10")
        .replace("round(total + tax)", "int(tax + total)");
    visitor.project.write("shop.py", &new);
    let said = held(&visitor);
    assert!(said.contains("most likely because of shop.py:6 in cost"), "{said}");
    let tried = "of the 3 parts of the change this one alone turns the test red, as was tried";
    assert!(said.contains(tried), "{said}");
    // Nothing of that is left in the work tree.
    assert_eq!(visitor.project.read("shop.py"), new);
    assert_eq!(visitor.project.git(&["status", "--porcelain"]), " M shop.py\n?? .aiwg/\n");
}

#[test]
fn a_syntax_error_is_in_the_file_that_cannot_be_read() {
    let project = Project::empty();
    project.link_packages("current");
    project.write(
        "src/duration.js",
        "export function parse(text) {\n  const [amount, unit] = text.split(' ');\n  return unit === 'min' ? Number(amount) * 60 : Number(amount);\n}\n",
    );
    project.write(
        "src/format.js",
        "import { parse } from './duration.js';\nexport const format = (text) => `${parse(text)} s`;\n",
    );
    project.write(
        "test/format.test.js",
        "import { expect, test } from 'vitest';\nimport { format } from '../src/format.js';\n\ntest('formats', () => {\n  expect(format('2 min')).toBe('120 s');\n});\n",
    );
    project.write(
        "package.json",
        "{\"name\": \"d\", \"type\": \"module\", \"scripts\": {\"test\": \"vitest run\"}}\n",
    );
    project.write("redgreen.toml", "[[checks]]\nname = \"unit\"\ncommand = \"npx vitest run\"\n");
    project.write(".gitignore", "node_modules\n");
    project.commit();
    let visitor = Visitor::of(project);
    let broken =
        visitor.project.read("src/duration.js").replace(": Number(amount);", ": : Number(amount);");
    visitor.project.write("src/duration.js", broken);
    let said = held(&visitor);
    let (_, strategy) = said.split_once("Strategy: ").unwrap();
    assert!(strategy.starts_with("At src/duration.js:3: "), "{said}");
    assert!(!said.contains("correct test/format.test.js"), "{said}");
    // It did not turn nothing: the test cannot run any more.
    assert!(said.contains("did not run any more: test/format.test.js > formats"), "{said}");
    assert!(said.contains("What attempt 1 left does not build"), "{said}");
}
