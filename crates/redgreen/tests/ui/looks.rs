//! A page says all there is, with and without scripts.

use std::fs;

use serde_json::json;

use super::browser::Browser;
use super::{Served, body};
use crate::common::Project;

/// Wrong at the first attempt, right at the second, with a test of its own.
const AGENT: &str = "if [ \"$REDGREEN_ATTEMPT\" = 1 ]; then sed -i '6s/a + b/a * b/' calc.py; else sed -i '6s/a . b/a - b/' calc.py
fi; echo 'I have mended it, all tests pass'";

/// A project in which one loop passed and one waits for a person.
pub fn played() -> Project {
    let project = Project::pytest();
    project.run(AGENT, &["--max-attempts", "3"]);
    project.git(&["checkout", "-q", "--", "."]);
    project.run("sed -i '6s/a + b/a * b/' calc.py", &["--max-attempts", "2"]);
    project
}

#[test]
fn a_page_says_all_without_scripts_and_is_reached_by_keys() {
    let project = played();
    let served = Served::start(&project);
    let browser = Browser::start();
    browser.devtools("Emulation.setScriptExecutionDisabled", &json!({"value": true}));
    browser.open(&served.address(""));
    for part in ["Waits for you", "make the tests pass", "2 of 2", "passed"] {
        assert!(text(&browser).contains(part), "no {part}: {}", text(&browser));
    }
    browser.devtools("Emulation.setScriptExecutionDisabled", &json!({"value": false}));
    let session = served.get(&format!("session/{}", first_session(&project)));
    let page = body(&session);
    for part in [
        "Before the change",
        "Attempt 2",
        "Turned green",
        "test_subtract",
        "The square",
        "old code, new tests",
        "sealed",
        "I have mended it",
        "class=\"add ran\"",
    ] {
        assert!(page.contains(part), "no {part}: {page}");
    }
    browser.open(&served.address(""));
    // The first key leads past what every page begins with, and a letter to another page.
    for (key, code) in [("Tab", 9), ("Enter", 13)] {
        browser.devtools("Input.dispatchKeyEvent", &json!({"type": "rawKeyDown", "key": key, "windowsVirtualKeyCode": code, "text": if code == 13 { "\r" } else { "" }}));
        browser.devtools(
            "Input.dispatchKeyEvent",
            &json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": code}),
        );
    }
    browser.await_true("return location.hash === '#main'");
    browser
        .devtools("Input.dispatchKeyEvent", &json!({"type": "keyDown", "key": "i", "text": "i"}));
    browser.await_true("return location.pathname.endsWith('/inbox')");
}

fn text(browser: &Browser) -> String {
    // Scripts of the page are off, those of the driver are not.
    browser.run("return document.body.innerText").as_str().unwrap_or_default().to_owned()
}

pub fn first_session(project: &Project) -> String {
    let names = fs::read_dir(project.root().join(".redgreen/sessions")).expect("sessions");
    let names = names.map(|it| it.expect("an entry").file_name().into_string().expect("a name"));
    names.min().expect("a session")
}
