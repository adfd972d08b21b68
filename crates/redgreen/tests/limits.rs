//! Checks that are ended at a limit: the message names the setting, and a corner of the square that was
//! ended shows what it can.

use crate::common::Project;

const TESTS: &str = "from calc import add, countdown\n\n\ndef test_add():\n    assert add(2, 2) == 4\n\n\ndef test_countdown():\n    assert countdown(2) == [2, 1]\n";
/// Never comes to an end for what is odd, and keeps all that it saw.
const ENDLESS: &str = "def add(a, b):\n    return a + b\n\n\ndef countdown(n):\n    seen = []\n    while n != 0:\n        seen.append(bytearray(1 << 20))\n        n -= 2\n    return seen\n";
const FIXED: &str =
    "def add(a, b):\n    return a + b\n\n\ndef countdown(n):\n    return list(range(n, 0, -1))\n";

fn endless() -> Project {
    let project = Project::pytest();
    project.write("calc.py", ENDLESS);
    project.write("tests/test_calc.py", TESTS.split("\n\n\ndef test_countdown").next().unwrap());
    project.write(
        "redgreen.toml",
        project.read("redgreen.toml") + "timeout_seconds = 100\n\n[limits]\nmemory_mib = 256\n",
    );
    project.commit();
    project
}

/// The old code would fill the machine's memory with the new test: it is ended, and that is red.
#[test]
fn a_fix_of_a_loop_that_fills_memory_is_proven_by_a_test_that_fills_it_on_the_old_code() {
    let project = endless();
    project.write("calc.py", FIXED);
    project.write(
        "tests/test_calc.py",
        TESTS.replace("countdown(2) == [2, 1]", "countdown(3) == [3, 2, 1]"),
    );
    let seen = project.redgreen(&["square", "--code-type", "bug_fix"]);
    assert_eq!(seen.code, Some(0), "{}\n{}", seen.stdout, seen.stderr);
    let proof = "test_countdown was red on the old code: it used more than 256 MiB of memory";
    assert!(seen.stdout.contains(proof), "{}", seen.stdout);
    let limit = "was ended at its limit of 256 MiB of memory (`memory_mib` under [limits] in redgreen.toml)";
    assert!(seen.stdout.contains(limit), "{}", seen.stdout);
}

#[test]
fn a_run_that_fills_memory_is_red_and_names_the_setting() {
    let project = endless();
    project.write(
        "tests/test_calc.py",
        TESTS.replace("countdown(2) == [2, 1]", "countdown(3) == [3, 2, 1]"),
    );
    let seen = project.redgreen(&["test"]);
    assert_eq!(seen.code, Some(1), "{}\n{}", seen.stdout, seen.stderr);
    let said = seen.stdout.clone() + &seen.stderr;
    assert!(said.contains("limit of 256 MiB of memory (memory_mib)"), "{said}");
    assert!(said.contains("test_countdown"), "{said}");
}

/// What was ended shows nothing of the new tests, and nothing could be shown that makes the change a good one.
#[test]
fn after_a_corner_that_ran_into_its_limit_no_other_runs() {
    let project = Project::pytest();
    let slow = "import os, time\n\n\ndef test_old():\n    if os.path.exists('new.py'):\n        time.sleep(1000)\n";
    project.write("tests/test_calc.py", slow);
    project.write("redgreen.toml", project.read("redgreen.toml") + "timeout_seconds = 5\n");
    project.commit();
    project.write("new.py", "def one():\n    return 1\n");
    project.write("tests/test_calc.py", "def test_old():\n    assert True\n");
    project.write(
        "tests/test_new.py",
        "from new import one\n\n\ndef test_one():\n    assert one() == 1\n",
    );
    let seen = project.redgreen(&["square"]);
    assert_eq!(seen.code, Some(1), "{}", seen.stdout);
    let limit = "limit of 5 s (`timeout_seconds` in redgreen.toml)";
    assert!(seen.stdout.contains(limit), "{}", seen.stdout);
    let other = format!(
        "old code, new tests   not seen: not run, since new code, old tests was ended at its {limit}"
    );
    assert!(seen.stdout.contains(&other), "{}", seen.stdout);
    assert_eq!(seen.stdout.matches("doubt:").count(), 1, "{}", seen.stdout);
}
