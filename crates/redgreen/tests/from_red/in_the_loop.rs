//! An agent in the loop: what it says of the cause, and what it is told of what it tried.

use crate::common::Project;

/// Another wrong edit each time.
const WRONG: &str = "sed -i \"6s/return.*/return a + b + $REDGREEN_ATTEMPT/\" calc.py";

fn prompts(project: &Project) -> Vec<String> {
    (1..)
        .map_while(|number| {
            let folder = format!(".redgreen/sessions/{}/agent/{number}-", project.session());
            let name = if number == 1 { "generate_code" } else { "apply_fix" };
            let path = project.root().join(format!("{folder}{name}/prompt.md"));
            std::fs::read_to_string(path).ok()
        })
        .collect()
}

/// The lines between two marks, without numbers.
fn analysis(prompt: &str) -> String {
    let (_, after) = prompt.split_once("## Analysis").expect("an analysis");
    let (said, _) = after.split_once("\n## ").expect("something after it");
    said.chars().filter(|letter| !letter.is_ascii_digit()).collect()
}

#[test]
fn analyses_of_attempts_in_a_row_are_never_the_same_and_say_what_was_tried() {
    let project = Project::pytest();
    project.run(WRONG, &["--max-attempts", "4", "--fresh-start-after", "0"]).assert_ended(
        1,
        "escalated",
        "bounded_attempts_exceeded",
    );
    let prompts = prompts(&project);
    let fixes = &prompts[1..];
    assert_eq!(fixes.len(), 3);
    for (index, prompt) in fixes.iter().enumerate() {
        let known: Vec<String> = fixes[..index].iter().map(|it| analysis(it)).collect();
        assert!(!known.contains(&analysis(prompt)), "again: {}", analysis(prompt));
        for attempt in 1..=index + 1 {
            assert!(
                prompt.contains(&format!("attempt {attempt}: +1/-1 lines in calc.py")),
                "{prompt}"
            );
            assert!(prompt.contains(&format!("+    return a + b + {attempt}")), "{prompt}");
        }
    }
    assert!(fixes[2].contains("The last 3 attempts turned no test"), "{}", fixes[2]);
}

/// A command that hands in what says nothing is asked again, uncounted; then ours is used, and the record says so.
#[test]
fn an_analysis_that_says_nothing_goes_back_once() {
    let project = Project::pytest();
    let random = format!(
        "{WRONG}\n[ $REDGREEN_ATTEMPT = 1 ] || printf '{{\"root_cause\": \"change random things until it works\", \"fix_strategy\": \"change random things until it works\", \"confidence\": 0.9, \"place\": \"calc.py:6\", \"tests\": [\"tests/test_calc.py::test_subtract\"]}}' > \"$REDGREEN_ANALYSIS_FILE\""
    );
    let done = project.run(&random, &["--max-attempts", "3", "--fresh-start-after", "0"]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    assert_eq!(done.last("finished")["attempts"], 3);
    let prompts = prompts(&project);
    assert_eq!(prompts.len(), 4, "one of them does not count");
    assert!(
        prompts[2].contains("Your analysis was not accepted (this does not count as an attempt)"),
        "{}",
        prompts[2]
    );
    assert!(prompts[2].contains("says no more than the error does"), "{}", prompts[2]);
    assert!(!prompts[3].contains("was not accepted"), "{}", prompts[3]);
    assert!(done.text().contains("redgreen's own is used"), "{}", done.text());
}

/// After two edits that turned nothing the tree is as it was, and the old thread is gone.
#[test]
fn a_fresh_start_is_on_the_pristine_tree() {
    let project = Project::pytest();
    let seen = "cp calc.py \"$OUTSIDE/calc-$REDGREEN_ATTEMPT.py\"; ";
    let done = project.run(&format!("{seen}{WRONG}"), &["--max-attempts", "3"]);
    done.assert_ended(1, "escalated", "bounded_attempts_exceeded");
    let at = |attempt: u32| {
        std::fs::read_to_string(project.outside().join(format!("calc-{attempt}.py"))).unwrap()
    };
    assert!(at(2).contains("return a + b + 1"), "it goes on from its own");
    assert_eq!(at(3), project.git(&["show", "HEAD:calc.py"]), "it begins anew");
    let third = prompts(&project)[2].clone();
    assert!(third.contains("This is a fresh start"), "{third}");
    assert!(third.contains("attempt 1: ") && third.contains("undone since"), "{third}");
}
