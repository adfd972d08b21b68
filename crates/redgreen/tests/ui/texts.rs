//! Texts of others: full of markup and control sequences, large, or leading elsewhere.

use std::fs;

use serde_json::Value;

use super::{Served, body};
use crate::common::Project;

const MARKUP: &str = "<script>alert(1)</script><img src=x onerror=alert(2)>";

/// A loop that ends red, with markup wherever somebody can put it.
fn hostile() -> Project {
    let project = Project::shell();
    project.case(
        "<img src=x onerror=alert(3)>",
        "echo '<b>bold</b>'; printf '\\033[31mred\\007\\n'; false",
    );
    let agent = project.agent(&format!("echo 'x=\"{MARKUP}\"' >>value.sh; echo '{MARKUP}'"));
    let task = format!("{MARKUP} \u{1b}[31mtask\u{202e}");
    let args = ["run", "--max-attempts", "1", "--agent-command", &agent, &task];
    assert_eq!(project.redgreen(&args).code, Some(1));
    project
}

#[test]
fn markup_and_control_sequences_stay_text() {
    let project = hostile();
    let session = project.session();
    let served = Served::start(&project);
    let file = project.redgreen(&["report", "--format", "html"]).stdout;
    let pages = [
        "",
        "inbox",
        "figures",
        &format!("session/{session}"),
        &format!("session/{session}/log/1/0"),
    ]
    .map(|page| body(&served.get(page)).to_owned());
    for page in pages.iter().chain([&file]) {
        for part in [
            "<script>alert",
            "<img",
            "<b>bold",
            "onerror=alert(3)>\"",
            "\u{1b}",
            "\u{7}",
            "\u{202e}",
        ] {
            assert!(!page.contains(part), "{part:?} in {page}");
        }
    }
    let [now, inbox, _, of_session, log] = &pages;
    for page in [now, inbox, of_session] {
        assert!(page.contains("&lt;script&gt;alert(1)"), "{page}");
    }
    assert!(of_session.contains("&lt;img src=x onerror=alert(3)&gt;"), "{of_session}");
    assert!(log.contains("&lt;b&gt;bold"), "{log}");
    assert!(inbox.contains(&format!("redgreen answer {session} --more 2")), "{inbox}");
    // A file of its own asks for nothing else.
    for part in ["<script", "<link", "<img", "@import", "url("] {
        assert!(!file.contains(part), "{part} in {file}");
    }
}

#[test]
fn a_large_log_is_shown_a_part_at_a_time_and_no_other_file_is() {
    let project = hostile();
    let session = project.session();
    let record = project.journal();
    let executed =
        record.iter().find(|it| it["input"] == "executed" || it["execution"].is_object());
    let log =
        executed.expect("an execution")["execution"]["checks"][0]["log"].as_str().expect("a log");
    let line = "a line of a log that has many of them\n";
    fs::write(project.root().join(log), line.repeat(50 * 1024 * 1024 / line.len()))
        .expect("written");
    let served = Served::start(&project);
    let page = format!("session/{session}/log/1/0");
    for part in ["", "?from=0", "?from=30000000", "?from=99999999999"] {
        let answer = served.get(&format!("{page}{part}"));
        assert!(body(&answer).len() < 1024 * 1024, "{part}: {} bytes", answer.len());
    }
    assert!(body(&served.get(&page)).contains("before</a>"));
    // Who works in the tree can put a link there.
    let secret = project.outside().join("secret");
    fs::write(&secret, "this is none of their business").expect("written");
    fs::remove_file(project.root().join(log)).expect("removed");
    std::os::unix::fs::symlink(&secret, project.root().join(log)).expect("a link");
    assert!(served.get(&page).starts_with("HTTP/1.1 404"));
    // Or name another file in a journal.
    let journal = format!(".redgreen/sessions/{session}/journal.jsonl");
    let text = project.read(&journal).replace(log, &secret.display().to_string());
    project.write(&journal, text);
    assert!(served.get(&page).starts_with("HTTP/1.1 404"));
    let session = served.get(&format!("session/{session}"));
    assert!(body(&session).contains("not sealed"), "{session}");
}

/// A card lies where only this user writes; one that is no card is none.
#[test]
fn what_is_no_card_is_not_shown() {
    let project = hostile();
    let cards = project.home().join(".local/state/redgreen/overview");
    let card = cards.join(format!("{}.json", project.session()));
    let text = fs::read_to_string(&card).expect("a card");
    let mut value: Value = serde_json::from_str(&text).expect("JSON");
    value["project"] = "/nowhere".into();
    for (name, text) in
        [("a.json", "{"), ("b.json", "[]"), ("c.json", &value.to_string()), ("d.txt", &text)]
    {
        fs::write(cards.join(name), text).expect("written");
    }
    std::os::unix::fs::symlink(&card, cards.join("e.json")).expect("a link");
    let served = Served::start(&project);
    let page = served.get("");
    assert_eq!(body(&page).matches("class=\"card ").count(), 1, "{page}");
}
