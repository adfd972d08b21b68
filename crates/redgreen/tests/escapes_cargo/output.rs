//! Row 17: output without bounds, and output that is more than text.

use crate::common::Project;
use crate::common::escape::{
    FLOOD_BYTES, LOG_BYTES, assert_bounded, assert_no_control, peak_kilobytes,
};
use crate::escapes_cargo::suite::{FIX, FRAMEWORK, SUBTRACT, with_test};

/// The test writes past the harness's capture, then waits until somebody has looked at redgreen.
const FLOODS: &str = "use std::{fs::{read_to_string, File, OpenOptions}, io::{stderr, stdout, Write}};\n\n#[test]\nfn floods() {\n    if !read_to_string(\"src/lib.rs\").unwrap().contains(\"a - b\") {\n        return;\n    }\n    let chunk = [\"x\".repeat(99).as_str(), \"\\n\"].concat().repeat(1000);\n    for _ in 0..1500 {\n        stdout().write_all(chunk.as_bytes()).unwrap();\n        stderr().write_all(chunk.as_bytes()).unwrap();\n    }\n    OpenOptions::new().write(true).open(\"../agent/here\").unwrap();\n    File::open(\"../agent/go-on\").unwrap();\n}\n";

pub fn floods() -> String {
    let project = with_test("floods", FLOODS);
    let more = format!("[limits]\nlog_bytes = {LOG_BYTES}");
    project.configure("cargo test --offline -- --nocapture", FRAMEWORK, &more);
    let half = FLOOD_BYTES / 2;
    let script = format!("{FIX}\nyes flood | head -c {half}\nyes flood | head -c {half} >&2");
    let mut peak = 0;
    let done = project.meet(&script, |_| peak = peak_kilobytes(&project));
    done.assert_ended(0, "passed", "");
    assert_bounded(&project, &done, peak);
    format!("{}, {peak} kB", done.seen())
}

pub fn prints_bytes_that_are_not_text() -> String {
    let project = with_test(
        "bytes",
        "use std::io::{stderr, stdout, Write};\n\n#[test]\nfn bytes() {\n    let all: Vec<u8> = (0..=255).collect();\n    stdout().write_all(&all.repeat(40)).unwrap();\n    stderr().write_all(b\"\\xff\\xfe\\x80\\xc3(\").unwrap();\n}\n",
    );
    let script = format!(
        "[ $REDGREEN_ATTEMPT = 1 ] && echo '// hm' >> src/lib.rs || {FIX}\nprintf '\\377\\376\\033[31m\\n'"
    );
    let done = project.held(&script, &[]);
    done.assert_ended(0, "passed", "");
    assert_eq!(done.last("finished")["attempts"], 2, "{}", done.text());
    assert_eq!(project.only_failure(2)["test"], SUBTRACT);
    project.assert_clean(&done.ended);
    done.seen()
}

/// The worst that a message can do.
const CONTROL: &str = "#[test]\nfn evil() {\n    let evil = \"\\x1b[2J\\x1b]0;owned\\x07\\u{9b}31m\\u{202e}\";\n    println!(\"{evil}\\rtest evil ... ok\");\n    let code = std::fs::read_to_string(\"src/lib.rs\").unwrap();\n    assert!(code.contains(\"a - b\"), \"{evil}\\r12 passed\");\n}\n";

pub fn has_terminal_control_in_a_message() -> String {
    let project = with_test("evil", CONTROL);
    let script = format!("[ $REDGREEN_ATTEMPT = 1 ] && echo '// hm' >> src/lib.rs || {FIX}");
    let done = project.held(&script, &[]);
    done.assert_ended(0, "passed", "");
    assert_eq!(done.last("finished")["attempts"], 2, "{}", done.text());
    assert_eq!(done.class("fixed"), [SUBTRACT, "calc/tests/evil.rs::evil"], "{}", done.text());
    let feedback = project.feedback(2).to_string();
    assert!(feedback.contains("evil.rs::evil") && feedback.contains("12 passed"), "{feedback}");
    project.assert_clean(&done.ended);
    assert_shown_clean(&project);
    done.seen()
}

/// The same for people, at a red tree.
#[track_caller]
fn assert_shown_clean(project: &Project) {
    project.git(&["checkout", "-q", "src"]);
    for args in [&["test"][..], &["test", "--json"], &["report"], &["report", "--format", "html"]] {
        let shown = project.redgreen(args);
        let text = format!("{}{}", shown.stdout, shown.stderr);
        assert_no_control(&format!("{args:?}"), text.as_bytes());
        assert!(text.contains("evil"), "{args:?}: {text}");
    }
}
