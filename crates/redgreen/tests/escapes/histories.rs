//! Rows 2, 3, 13, 14, 18 and 19: what only several executions together show.

use super::suite::{
    ADD, FILE, FIX, FIX_MULTIPLY, LUCK, MULTIPLY, SUBTRACT, project, with_luck, with_multiply,
};
use crate::common::Loop;

pub fn deletes_all_tests() -> String {
    let project = project();
    let done = project.once("rm -r tests", &[]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    done.assert_verdict("inconclusive");
    done.assert_reason(&format!("ran before, and are gone now: {ADD}, {SUBTRACT}"));
    assert_eq!(done.class("lost"), [ADD, SUBTRACT], "{}", done.text());
    done.seen()
}

pub fn deletes_all_green_tests() -> String {
    let project = project();
    assert!(project.command("sh").args(["-c", FIX]).status().expect("sh").success());
    project.commit();
    let done = project.once("rm -r tests", &[]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    done.assert_verdict("inconclusive");
    done.assert_reason("no test was executed");
    assert_eq!(done.class("lost"), [ADD, SUBTRACT], "{}", done.text());
    done.seen()
}

pub fn fixes_one_and_breaks_another() -> String {
    let project = project();
    let before = project.read(FILE);
    let script = format!("sed -i -e '2s/a + b/a * a * b/' -e '6s/a + b/a - b/' {FILE}");
    let done = project.held(&script, &[]);
    // The first attempt is fed back; the agent has nothing better, and nothing worse than the start comes back.
    done.assert_ended(1, "escalated", "no_progress");
    done.assert_verdict("failed");
    assert_eq!(done.class("regressed"), [ADD], "{}", done.text());
    assert_eq!(done.class("fixed"), [SUBTRACT], "{}", done.text());
    assert_eq!(done.count("agent_started"), 2, "{}", done.text());
    assert_eq!(project.read(FILE), before);
    let saved = done.last("restored")["saved"].as_str().expect("a ref").to_owned();
    assert!(saved.starts_with("refs/redgreen/"), "{saved}");
    let kept = project.git(&["show", &format!("{saved}:{FILE}")]);
    assert!(kept.contains("a * a * b") && kept.contains("a - b"), "{kept}");
    let report = project.session_file("report.md");
    assert!(report.contains(&format!("regressed: `{ADD}`")), "{report}");
    done.seen()
}

/// The best earlier tree is not always the first.
pub fn breaks_another_after_an_improvement() -> String {
    let project = with_multiply();
    let script = format!("[ $REDGREEN_ATTEMPT = 1 ] && {FIX} || sed -i '2s/a + b/b/' {FILE}");
    let done = project.held(&script, &["--max-attempts", "5"]);
    done.assert_ended(1, "escalated", "regression_detected");
    assert_eq!(done.class("regressed"), [ADD], "{}", done.text());
    assert_eq!(done.count("agent_started"), 2, "{}", done.text());
    let after = project.read(FILE);
    assert!(after.contains("a + b") && after.contains("a - b"), "{after}");
    done.seen()
}

pub fn goes_back_and_forth() -> String {
    let project = project();
    let script = format!(
        "[ $((REDGREEN_ATTEMPT % 2)) = 1 ] && V='a * b' || V='b - a'\nsed -i \"6s/[ab] . [ab]/$V/\" {FILE}"
    );
    let done = project.held(&script, &["--max-attempts", "9"]);
    done.assert_ended(1, "escalated", "no_progress");
    done.assert_verdict("failed");
    assert_eq!(done.count("agent_started"), 3, "{}", done.text());
    assert!(project.session_file("report.md").contains(SUBTRACT));
    done.seen()
}

/// Runs the loop with a good fix for the other test; every outcome that was given is used up.
#[track_caller]
fn assert_flaky(outcomes: &str) -> Loop {
    let project = with_luck();
    let path = project.outside().join("outcomes");
    std::fs::write(&path, outcomes).expect("a file");
    let done = project.once(FIX, &[]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    done.assert_verdict("inconclusive");
    done.assert_reason(&format!("flaky, passed and failed on the same tree: {LUCK}"));
    assert_eq!(done.class("flaky"), [LUCK], "{}", done.text());
    assert_eq!(done.class("regressed"), [""; 0], "{}", done.text());
    assert_eq!(done.class("fixed"), [SUBTRACT], "{}", done.text());
    let left = std::fs::read_to_string(&path).expect("a file");
    assert_eq!(left, "", "{}", done.text());
    assert!(project.session_file("report.md").contains(&format!("flaky: `{LUCK}`")));
    done
}

pub fn flaky_green_then_red() -> String {
    assert_flaky("PFP").seen()
}

pub fn flaky_red_then_red() -> String {
    assert_flaky("FPFP").seen()
}

pub fn flaky_red_then_green() -> String {
    assert_flaky("FPPF").seen()
}

pub fn flaky_by_luck() -> String {
    assert_flaky("FFPF").seen()
}

pub fn red_before_the_agent_came() -> String {
    let project = with_multiply();
    let script = format!("{FIX}; [ $REDGREEN_ATTEMPT = 1 ] || echo >> {FILE}");
    let done = project.held(&script, &["--max-attempts", "2"]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    // Where the source tells that it reaches nothing of the change, that is said; it is no pass, either.
    let said = ["failed", "passed_but_for_red_before"];
    assert!(said.contains(&done.verdict()), "{}", done.text());
    assert_eq!(done.class("pre_existing"), [MULTIPLY], "{}", done.text());
    assert_eq!(done.class("fixed"), [SUBTRACT], "{}", done.text());
    assert_eq!(done.class("regressed"), [""; 0], "{}", done.text());
    assert_eq!(done.class("new_failures"), [""; 0], "{}", done.text());
    let failure = project.only_failure(2);
    assert_eq!((&failure["test"], &failure["class"]), (&MULTIPLY.into(), &"pre_existing".into()));
    let report = project.session_file("report.md");
    assert!(report.contains(&format!("pre-existing: `{MULTIPLY}`")), "{report}");
    done.seen()
}

/// The second edit takes the first one back, and leaves the time of the file as it was: whoever
/// goes by times runs what was built from code that is not there any more.
pub fn edits_without_a_new_time() -> String {
    let project = with_multiply();
    let script = format!(
        "if [ $REDGREEN_ATTEMPT = 1 ]; then cp -p {FILE} \"$OUTSIDE/old\"; {FIX}; cp -p {FILE} \"$OUTSIDE/new\"; else {FIX_MULTIPLY}; cp \"$OUTSIDE/old\" {FILE}; touch -r \"$OUTSIDE/new\" {FILE}; fi"
    );
    let done = project.held(&script, &["--max-attempts", "2"]);
    done.assert_ended(1, "escalated", "regression_detected");
    done.assert_verdict("failed");
    assert_eq!(done.class("regressed"), [SUBTRACT], "{}", done.text());
    done.seen()
}
