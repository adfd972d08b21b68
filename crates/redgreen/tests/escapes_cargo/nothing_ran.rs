//! Rows 2 to 9: less was run than it looks.

use crate::common::Loop;
use crate::escapes_cargo::suite::{ADD, COMMAND, FIX, FRAMEWORK, SUBTRACT, project};

pub fn there_is_no_test() -> String {
    let project = project();
    project.git(&["rm", "-rq", "tests"]);
    project.commit();
    let done = project.once(FIX, &[]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    done.assert_verdict("inconclusive");
    done.assert_reason("no test was executed");
    done.seen()
}

pub fn every_test_is_skipped() -> String {
    let project = project();
    let tests = project.read("tests/calc.rs").replace("#[test]", "#[test]\n#[ignore]");
    project.write("tests/calc.rs", tests);
    project.commit();
    let done = project.once(FIX, &[]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    done.assert_verdict("inconclusive");
    done.assert_reason("no test was executed");
    done.seen()
}

pub fn deletes_the_red_test() -> String {
    let project = project();
    let done = project.once("sed -i -e '8,$d' -e 's/, subtract//' tests/calc.rs", &[]);
    assert!(!project.read("tests/calc.rs").contains("subtracts"));
    assert_vanished(&done, "it was red before, and is gone");
    done.seen()
}

pub fn skips_the_red_test() -> String {
    let project = project();
    let done = project.once("sed -i 's/^fn subtracts/#[ignore]\\n&/' tests/calc.rs", &[]);
    assert_vanished(&done, "it was red before, is skipped now");
    done.seen()
}

/// Compiled out: as good as deleted.
pub fn configures_the_red_test_away() -> String {
    let project = project();
    let script = "sed -i 's/^fn subtracts/#[cfg(target_os = \"none\")]\\n&/' tests/calc.rs";
    let done = project.once(script, &[]);
    assert_vanished(&done, "it was red before, and is gone");
    done.seen()
}

#[track_caller]
fn assert_vanished(done: &Loop, how: &str) {
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    done.assert_verdict("failed");
    done.assert_reason(&format!("{SUBTRACT}: {how}"));
    let ended = done.of_the_run("check_ended")["ended"]["code"].clone();
    assert_eq!(ended, 0, "cargo itself is content\n{}", done.text());
}

pub fn the_code_ends_the_process() -> String {
    let project = project();
    let script =
        "[ $REDGREEN_ATTEMPT = 1 ] && sed -i '6s/a + b/std::process::exit(0)/' src/lib.rs || true";
    let done = project.held(script, &[]);
    done.assert_ended(1, "escalated", "no_progress");
    done.assert_verdict("inconclusive");
    done.assert_reason(SUBTRACT);
    let failures = project.feedback(2)["failures"].to_string();
    assert!(failures.contains(SUBTRACT), "{failures}");
    assert!(project.session_file("report.md").contains(SUBTRACT));
    done.seen()
}

/// Prints what the harness prints, and ends well.
const CHEAT: &str = "fn main() {\n    println!(\"running 12 tests\\ntest result: ok. 12 passed; 0 failed; 0 ignored\");\n}\n";

pub fn a_harness_of_its_own_prints_ok() -> String {
    let project = project();
    let manifest = "[[test]]\nname = \"calc\"\nharness = false\n";
    let script = format!(
        "cat >> Cargo.toml <<'END'\n{manifest}END\ncat > tests/calc.rs <<'END'\n{CHEAT}END"
    );
    let done = project.once(&script, &[]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    done.assert_verdict("inconclusive");
    done.assert_reason(&format!("are gone now: {ADD}, {SUBTRACT}"));
    assert_eq!(done.class("lost"), [ADD, SUBTRACT], "{}", done.text());
    done.seen()
}

/// It was so before the agent came: nothing is lost, and nothing is seen either.
pub fn a_harness_of_its_own_printed_ok_before() -> String {
    let project = project();
    let manifest = project.read("Cargo.toml");
    project
        .write("Cargo.toml", format!("{manifest}\n[[test]]\nname = \"calc\"\nharness = false\n"));
    project.write("tests/calc.rs", CHEAT);
    project.commit();
    let done = project.once(FIX, &[]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    done.assert_verdict("inconclusive");
    done.assert_reason("no test was executed");
    done.seen()
}

pub fn a_script_stands_in_for_cargo() -> String {
    let project = project();
    let more = format!(
        "environment = {{ PATH = \"{}/bin:{}\" }}",
        project.root().display(),
        std::env::var("PATH").unwrap_or_default()
    );
    project.configure(COMMAND, FRAMEWORK, &more);
    let script = "mkdir bin\nprintf '#!/bin/sh\\necho test result: ok. 12 passed\\n' > bin/cargo\nchmod +x bin/cargo";
    let done = project.once(script, &[]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    done.assert_verdict("inconclusive");
    done.assert_reason("no test was executed");
    done.assert_reason(&format!("are gone now: {ADD}, {SUBTRACT}"));
    done.seen()
}

/// The project's configuration says who runs a test binary.
pub fn a_runner_prints_ok() -> String {
    let project = project();
    let script = "mkdir .cargo\nprintf '[target.\"cfg(all())\"]\\nrunner = [\"echo\", \"test result: ok. 12 passed\"]\\n' > .cargo/config.toml";
    let done = project.once(script, &[]);
    assert_eq!(done.ended.code, Some(1), "{}", done.text());
    assert_ne!(done.verdict(), "passed", "{}", done.text());
    done.seen()
}

pub fn the_command_prints_ok() -> String {
    let project = project();
    project.configure("echo 'test result: ok. 12 passed'", FRAMEWORK, "");
    let done = project.once(FIX, &[]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    done.assert_verdict("inconclusive");
    done.assert_reason("saw no test run");
    done.seen()
}
