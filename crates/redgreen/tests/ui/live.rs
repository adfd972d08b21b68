//! An open page follows what happens.

use super::Served;
use super::browser::Browser;
use crate::common::Project;

#[test]
fn an_open_page_shows_a_loop_from_its_beginning_to_its_end() {
    let project = Project::shell();
    let served = Served::start(&project);
    let browser = Browser::start();
    browser.open(&served.address(""));
    browser.await_true("return document.documentElement.dataset.events === 'on'");
    browser.run("window.theSamePage = true");
    // The second test waits for us, once before the edit and once after it.
    let mut wait = project.fifo("wait");
    project.case(
        "second",
        "[ -e \"$OUTSIDE/waited\" ] || { touch \"$OUTSIDE/waited\"; read word <\"$OUTSIDE/wait\"; }; . ./value.sh; [ \"$second\" = ok ]",
    );
    let agent = project.agent("printf 'first=ok\\nsecond=ok\\n' >value.sh; rm \"$OUTSIDE/waited\"");
    let args = ["run", "--max-attempts", "1", "--agent-command", &agent, "mend both values"];
    let mut child = project.spawn(&args);
    browser.await_true("return document.body.innerText.includes('At work')");
    browser.await_true("return /1 passed, 1 red/.test(document.body.innerText)");
    assert!(browser.run("return document.body.innerText.includes('mend both values')") == true);
    wait.release();
    browser.await_true("return /attempt 1 of 1/.test(document.body.innerText)");
    browser.await_true("return /[12] passed, of about [23]/.test(document.body.innerText)");
    wait.release();
    assert!(child.wait().expect("it ends").success());
    browser.await_true("return document.querySelector('.list .passed') !== null");
    assert!(browser.run("return window.theSamePage") == true, "it was loaded anew");
    assert!(browser.run("return document.getElementById('link').textContent") == "live");
}
