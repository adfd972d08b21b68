//! pytest and unittest.

use super::{Row, play, untested, verdict};
use crate::common::Project;

const CART: &str = "\
def add(a, b):
    return a + b


def price(item):
    rate = 2
    return item * rate
";
const TEST: &str = "\
import unittest

from shop.cart import add


class TestCart(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)
";
const TOTAL: &str = "

def total(items):
    if not items:
        return 0
    found = 0
    for item in items:
        found = add(found, item)
    return found
";

const LABEL: &str = "\
def label(item):
    return item
";
const LABEL_WITH_PRICE: &str = "\
def label(item):
    price = item * 2 + 1
    if price % 3 == 0:
        price = price - 1
    return price
";
const TEST_LABEL: &str = "\
import unittest

from shop.label import label


class TestLabel(unittest.TestCase):
    def test_label(self):
        self.assertIsNotNone(label(4))
";
const CAREFUL: &str = "    if not isinstance(a, int):
        raise TypeError(\"a number, not %s\" % a)
    started = time.monotonic()
    if (a, b) in _known:
        return _known[(a, b)]
    for attempt in range(3):
        try:
            found = a + b
            break
        except OSError:
            time.sleep(0.1 * attempt)
    _known[(a, b)] = found
    logging.debug(\"added in %s\", time.monotonic() - started)
    return found


import logging
import time

_known = {}
";

fn project(command: &str) -> Project {
    let project = Project::empty();
    project.write("shop/__init__.py", "");
    project.write("shop/cart.py", CART);
    project.write("tests/__init__.py", "");
    project.write("tests/test_cart.py", TEST);
    project.write("shop/label.py", LABEL);
    project.write("tests/test_label.py", TEST_LABEL);
    project
        .write("redgreen.toml", format!("[[checks]]\nname = \"unit\"\ncommand = \"{command}\"\n"));
    project.write(".gitignore", "__pycache__/\n.pytest_cache/\n");
    project.commit();
    project
}

fn with_total(project: &Project) {
    project.write("shop/cart.py", format!("{CART}{TOTAL}"));
}

fn asks(project: &Project, body: &str) {
    let test = format!("{TEST}\n    def test_more(self):\n{body}");
    project.write("tests/test_cart.py", test.replace("import add", "import *"));
}

const ROWS: &[Row] = &[
    Row {
        name: "a new function and no test",
        change: with_total,
        untested: &["shop/cart.py:11-16"],
    },
    Row {
        name: "a new function and its test",
        change: |project| {
            with_total(project);
            asks(project, "        self.assertEqual(total([1, 2]) + total([]), 3)\n");
        },
        untested: &[],
    },
    Row {
        name: "five lines of six",
        change: |project| {
            with_total(project);
            asks(project, "        self.assertEqual(total([1, 2]), 3)\n");
        },
        untested: &[],
    },
    Row {
        name: "a new script beside the product, which nobody reaches",
        change: |project| {
            project.write("benchmarks/load.py", format!("from shop.cart import add\n{TOTAL}"));
        },
        untested: &[],
    },
    Row {
        name: "what others wrote, copied into the project",
        change: |project| {
            project.write("shop/_vendor/load.py", TOTAL.trim_start());
            project.write("shop/cart.py", format!("{CART}\n\nimport shop._vendor.load\n"));
        },
        untested: &[],
    },
    Row {
        name: "a defensive branch that is marked as left out",
        change: |project| {
            let guard = "    if a is None:  # pragma: no cover\n        raise AssertionError(b)\n    return a + b";
            project.write("shop/cart.py", CART.replace("    return a + b", guard));
        },
        untested: &[],
    },
    Row {
        name: "a new script that code loads",
        change: |project| {
            project.write("scripts/load.py", TOTAL.trim_start());
            project.write("shop/cart.py", format!("{CART}\n\nimport scripts.load  # noqa\n"));
        },
        untested: &["scripts/load.py:2-7"],
    },
    Row {
        name: "a test that only imports it",
        change: |project| {
            project.write("shop/more.py", "def more(a):\n    b = a + 1\n    return b\n");
            asks(project, "        import shop.more\n        self.assertTrue(shop.more)\n");
        },
        untested: &["shop/more.py:2-3"],
    },
    Row {
        name: "a file that nothing imports",
        change: |project| {
            project.write("shop/more.py", "LIMIT = 3\n\n\ndef more(a):\n    return a\n")
        },
        untested: &["shop/more.py:1", "shop/more.py:5"],
    },
    Row {
        name: "marks that leave it out",
        change: |project| {
            project.write(
                "shop/cart.py",
                format!("{CART}\n\ndef more(a):  # pragma: no cover\n    return a\n"),
            );
            project.write("setup.cfg", "[coverage:run]\nomit = shop/*\n");
        },
        untested: &["shop/cart.py:11"],
    },
    Row {
        name: "another branch of a tested function, not run",
        change: |project| {
            project.write(
                "shop/cart.py",
                CART.replace(
                    "    return a + b",
                    "    if a == 7:\n        b = b + 1\n        return b\n    return a + b",
                ),
            )
        },
        untested: &["shop/cart.py:3-4"],
    },
    Row {
        name: "a function that no test ran before, edited",
        change: |project| project.write("shop/cart.py", CART.replace("rate = 2", "rate = 3")),
        untested: &[],
    },
    Row {
        name: "comments, types and layout",
        change: |project| {
            project.write("shop/cart.py", "\"\"\"Carts.\"\"\"\n\n\ndef add(a: int, b: int) -> int:\n    \"\"\"Adds.\"\"\"\n    # both\n    return (\n        a + b\n    )\n\n\ndef price(item):\n    rate = 2\n    return item * rate\n")
        },
        untested: &[],
    },
    Row {
        name: "moved to a file of its own",
        change: |project| {
            project.write(
                "shop/cart.py",
                "from shop.prices import price\n\n\ndef add(a, b):\n    return a + b\n",
            );
            project.write(
                "shop/prices.py",
                "def price(item):\n    rate = 2\n    return item * rate\n",
            );
        },
        untested: &[],
    },
    Row {
        name: "renamed",
        change: |project| project.write("shop/cart.py", CART.replace("price", "cost")),
        untested: &[],
    },
    Row {
        name: "what a script does when it is started",
        change: |project| {
            project.write(
                "shop/cart.py",
                format!("{CART}\n\nif __name__ == \"__main__\":\n    print(add(1, 2))\n"),
            )
        },
        untested: &[],
    },
    Row {
        name: "a test that calls it and asserts nothing",
        change: |project| {
            with_total(project);
            asks(
                project,
                "        total([1, 2])\n        total([])\n        self.assertTrue(True)\n",
            );
        },
        untested: &["shop/cart.py:11-16"],
    },
    Row {
        name: "a test that wants something, whatever it is",
        change: |project| {
            with_total(project);
            asks(
                project,
                "        self.assertIsNotNone(total([1, 2]))\n        self.assertIsInstance(total([]), int)\n        self.assertGreaterEqual(total([3]), 0)\n",
            );
        },
        untested: &["shop/cart.py:11-16"],
    },
    Row {
        name: "a test that replaces what it tests",
        change: |project| {
            with_total(project);
            asks(
                project,
                "        from unittest import mock\n        import shop.cart\n        with mock.patch(\"shop.cart.total\", return_value=3):\n            self.assertEqual(shop.cart.total([1, 2]), 3)\n",
            );
        },
        untested: &["shop/cart.py:11-16"],
    },
    Row {
        name: "new lines in a function that tests run and never look at",
        change: |project| project.write("shop/label.py", LABEL_WITH_PRICE),
        untested: &["shop/label.py:2-5"],
    },
    Row {
        name: "a cache, a guard, a line in a log, another try and a clock around what is tested",
        change: |project| {
            project.write("shop/cart.py", CART.replace("    return a + b\n", CAREFUL));
            asks(
                project,
                "        self.assertEqual(add(4, 5), 9)\n        self.assertEqual(add(4, 5), 9)\n        with self.assertRaises(TypeError):\n            add(None, 2)\n",
            );
        },
        untested: &[],
    },
    Row {
        name: "a counter and a line in a log that no test looks at",
        change: |project| {
            project.write(
                "shop/cart.py",
                CART.replace(
                    "    return a + b",
                    "    stats[\"calls\"] += 1\n    logging.info(\"adding %s to %s, call %s\", a, b, stats[\"calls\"] + 1)\n    return a + b",
                )
                .replace("def add", "import logging\n\nstats = {\"calls\": 0}\n\n\ndef add"),
            )
        },
        untested: &[],
    },
    Row {
        name: "functions that give nothing: a null object, a line in a log, an exception",
        change: |project| {
            project.write("shop/cart.py", format!("import logging\n{CART}\n\ndef nothing(_):\n    return None\n\n\ndef log(name):\n    logging.info(name)\n\n\nclass Empty(Exception):\n    def __init__(self, name):\n        super().__init__(name)\n        self.name = name\n"));
            asks(
                project,
                "        import shop.cart\n        self.assertIsNone(shop.cart.nothing(1))\n        shop.cart.log(\"a\")\n        with self.assertRaises(shop.cart.Empty):\n            raise shop.cart.Empty(\"a\")\n",
            );
        },
        untested: &[],
    },
    Row {
        name: "run in a child process alone",
        change: |project| {
            with_total(project);
            asks(
                project,
                "        import subprocess, sys\n        code = \"from shop.cart import total; assert total([1]) == 1\"\n        self.assertEqual(subprocess.call([sys.executable, \"-c\", code]), 0)\n",
            );
        },
        untested: &[],
    },
    Row {
        name: "run in a thread and after a fork",
        change: |project| {
            with_total(project);
            asks(
                project,
                "        import os, threading\n        thread = threading.Thread(target=total, args=([1],))\n        thread.start()\n        thread.join()\n        self.assertEqual(total([2]), 2)\n        child = os.fork()\n        if child == 0:\n            total([])\n            os._exit(0)\n        self.assertEqual(os.waitpid(child, 0)[1], 0)\n",
            );
        },
        untested: &[],
    },
];

#[test]
fn with_pytest() {
    play(&project("python -m pytest -q"), ROWS);
}

#[test]
fn with_unittest() {
    let hollow =
        ["a test that calls it and asserts nothing", "a test that wants something, whatever it is"];
    let hollow = ROWS.iter().filter(|row| hollow.contains(&row.name));
    let hollow: Vec<Row> = hollow.copied().collect();
    let project = project("python -m unittest");
    play(&project, &ROWS[..7]);
    // As many as there are: a busy machine tries fewer in its time.
    let rules = project.read("redgreen.toml");
    project.write("redgreen.toml", format!("{rules}[coverage]\nmutants = 30\n"));
    project.commit();
    play(&project, &hollow);
}

#[test]
fn what_no_test_runs_goes_to_the_agent_and_counts_against_the_bound() {
    let project = project("python -m pytest -q");
    project.write("total.txt", TOTAL);
    let add = "cat > /dev/null; [ $REDGREEN_ATTEMPT = 1 ] && cat total.txt >> shop/cart.py; true";
    let lazy = project.run(add, &["--max-attempts", "2"]);
    lazy.assert_ended(1, "escalated", "no_progress");
    let told = project.session_file("agent/2-generate_tests/prompt.md");
    assert!(told.contains("no test runs lines 11-16"), "{told}");
    assert!(told.contains("the ordinary case, the edge cases and the errors"), "{told}");
    assert!(told.contains("the example to follow, in tests/test_cart.py"), "{told}");
    assert!(told.contains("self.assertEqual(add(1, 2), 3)"), "{told}");
}

#[test]
fn the_bound_is_reached_for_want_of_tests() {
    let project = project("python -m pytest -q");
    let more = "cat > /dev/null; printf '\\n\\ndef more_%s(a):\\n    b = a\\n    return b\\n' $REDGREEN_ATTEMPT >> shop/cart.py";
    let lazy = project.run(more, &["--max-attempts", "2"]);
    lazy.assert_ended(1, "escalated", "coverage_threshold_unmet");
}

#[test]
fn who_made_the_change_may_say_that_no_test_is_needed_until_it_is_another_one() {
    let project = project("python -m pytest -q");
    with_total(&project);
    let declare = |place: &str| {
        project.redgreen(&["declare", "--untested", place, "--reason", "shown to a person"])
    };
    declare("shop/cart.py:11-16").assert_code(0);
    let ended = project.redgreen(&["square", "--base", "HEAD", "--json"]);
    assert_eq!(verdict(&ended), "passed", "{}", ended.stdout);
    assert_eq!(untested(&ended), ["shop/cart.py:11-16"], "it stays listed");
    project.write("shop/cart.py", format!("{CART}{TOTAL}").replace("found = 0", "found = -0"));
    assert_eq!(verdict(&project.redgreen(&["square", "--base", "HEAD", "--json"])), "failed");
    declare("shop/cart.py:1-2").assert_code(2);
}

#[test]
fn of_a_kind_that_somebody_named_only_a_person_accepts_less() {
    let project = project("python -m pytest -q");
    with_total(&project);
    asks(&project, "        self.assertEqual(total([1, 2]), 3)\n");
    let judged =
        |kind: &str| project.redgreen(&["square", "--base", "HEAD", "--json", "--code-type", kind]);
    assert_eq!(verdict(&judged("new_function")), "passed");
    let held = judged("api_endpoint");
    assert_eq!(verdict(&held), "failed");
    project.redgreen(&["declare", "--untested", "shop/cart.py", "--reason", "mine"]).assert_code(0);
    assert_eq!(verdict(&judged("api_endpoint")), "failed", "nobody but a person");
}

#[test]
fn an_agent_says_at_the_gate_what_kind_it_is_and_the_stricter_one_counts() {
    let project = project("python -m pytest -q");
    with_total(&project);
    asks(&project, "        self.assertEqual(total([1, 2]), 3)\n");
    let says = |kind: &str| project.redgreen(&["kind", kind]).assert_code(0);
    let gate = || project.redgreen(&["gate", "--base", "HEAD"]);
    says("api_endpoint");
    let held = gate();
    assert_eq!(held.code, Some(1), "{}", held.stderr);
    let said = held.stdout + &held.stderr;
    assert!(said.contains("at least 90 % for api_endpoint (the agent says so)"), "{said}");
    says("refactor");
    gate().assert_code(0);
    // It held until a tree passed.
    project.write("tests/test_cart.py", TEST);
    let said = gate();
    let said = said.stdout + &said.stderr;
    assert!(said.contains("for new_function (it adds total)"), "{said}");
    project.redgreen(&["kind", "chore"]).assert_code(2);
}

#[test]
fn a_kind_that_cannot_be_measured_is_inconclusive_and_what_nobody_named_goes_through() {
    let project = project("python -m pytest -q");
    project.write("shop/cart.js", "exports.add = function (a, b) {\n  return a + b;\n};\n");
    let judged =
        |more: &[&str]| project.redgreen(&[&["square", "--base", "HEAD", "--json"], more].concat());
    assert_eq!(verdict(&judged(&[])), "passed");
    assert_eq!(verdict(&judged(&["--code-type", "new_function"])), "inconclusive");
}

#[test]
fn settings_say_how_much_where_and_whether() {
    let project = project("python -m pytest -q");
    let with = |more: &str| {
        project.git(&["checkout", "--quiet", "--force", "HEAD"]);
        project.write(
            "redgreen.toml",
            format!("[[checks]]\nname = \"unit\"\ncommand = \"python -m pytest -q\"\n{more}"),
        );
        project.commit();
        with_total(&project);
        verdict(&project.redgreen(&["square", "--base", "HEAD", "--json"]))
    };
    assert_eq!(with("[coverage]\nmode = \"off\"\n"), "passed");
    assert_eq!(with("[coverage]\nexempt = [\"shop/**\"]\n"), "passed");
    assert_eq!(with("[coverage]\nnew_function = 0\n"), "passed");
    assert_eq!(with(""), "failed");
}
